"""The view model of a replay: a finished game after a number of its moves.

The module uses records and board views. It does not depend on HTTP requests or on the store.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from gomogo.page.archive.evaluation_curve import evaluation_chart
from gomogo.page.board_view import BoardView, board, game_title, player_lines, seat_colour
from gomogo.text.names import display_name
from gomogo.text.numbers import evaluation_words
from gomogo_core.analysis.live import line_markings
from gomogo_core.drawing.text import printable
from gomogo_core.games.base import RESIGN, Position, Seat
from gomogo_core.games.boards.edges import EdgeBoard
from gomogo_core.play.events import last_move
from gomogo_core.records.game_record import PlayedGame

_MAX_GHOSTS = 6  # stones of a better line


def position_words(position: Position, played: PlayedGame, move_number: int, you: Seat | None = None) -> str:
    """Return a sentence about the last move and the player to move. you: the seat of the reader, if they played."""
    if move_number == 0:
        return "Before the first move."
    done = played.plies[move_number - 1]
    name = "You" if done.seat == you else display_name(played.names[done.seat - 1])
    did = "left" if done.move == RESIGN else f"played {done.move}"
    after = move_number - 1 - played.opening
    took = f" ({played.seconds[after]:.1f} s)" if 0 <= after < len(played.seconds) else ", of the opening"
    if position.outcome() is not None:
        return f"{name} {did}{took}."
    seat = position.to_move
    colour = seat_colour(position, seat)
    turn = f"You ({colour}) are" if seat == you else f"{display_name(played.names[seat - 1])} ({colour}) is"
    return f"{name} {did}{took}. {turn} to move."


def replay_board(
    played: PlayedGame,
    positions: Sequence[Position],
    move_number: int,
    shows: Collection[str] = (),
    better: Sequence[str] = (),
    sign: str = "",
) -> BoardView:
    """Return the view of the board after a number of moves.

    shows: the marks on the board, "numbers" or "thoughts". better: a line that is better than the last
    move; its stones are drawn faintly. sign: "?" or "??" for a mistake, drawn on the last move.
    """
    game, position = played.rules(), positions[move_number]
    after = move_number - 1 - played.opening
    clocks: list[float | None] = [control.total for control in played.controls]
    for number, ply in enumerate(played.plies[played.opening : move_number]):
        if number < len(played.clocks):
            clocks[ply.seat - 1] = played.clocks[number]
    last, marks = last_move(game, played.plies[:move_number]), dict[str, Any]()
    if "numbers" in shows:
        marks["numbers"] = played.marked_places(positions, move_number)
    if "thoughts" in shows:
        begin = None if last is None else position.place_marked_by(last)
        line = [*([begin] if begin is not None else []), *played.expected_places(position, move_number)]
        marks |= {"heat": played.move_values(move_number), "arrows": list(pairwise(line))}
    if better:
        count = 1 if isinstance(game.board, EdgeBoard) else _MAX_GHOSTS
        line = [game.parse(move) for move in better[:count]]
        marks["ghosts"] = {game.parse(name): sign for name, sign in line_markings(positions[move_number - 1], line)}
    return BoardView(
        board(
            position,
            last,
            interactive=False,
            sign=sign,
            **marks,
            title=f"{game_title(game.name)} board after {move_number} moves",
        ),
        position.diagram(),
        player_lines(position, played.names, clocks, over=move_number == len(played.plies)),
        " ".join(_analysis_sentences(played, after)),
        moves=tuple(ply.move for ply in played.plies),
    )


def _analysis_sentences(played: PlayedGame, after: int) -> Iterator[str]:
    """Yield the analysis that the player reported with a move, in sentences. after: the number of earlier moves,
    without the opening.
    """
    if not 0 <= after < len(played.thoughts):
        return
    if played.scores and (score := played.scores[after]) is not None:
        yield f"Evaluation {evaluation_words(score)}."
    if played.lines and (line := played.lines[after]):
        yield f"Expects {printable(line)[:300]}."
    if thoughts := played.thoughts[after]:
        yield printable(thoughts)[:300]


def analysis_caption(played: PlayedGame, position: Position, move_number: int) -> str:
    """Return sentences that explain the marks of the analysis on the board."""
    heat, line = played.move_values(move_number), played.expected_moves(move_number)
    if not heat and not line:
        return "No player reported an evaluation of this position."
    name = display_name(played.names[position.to_move - 1])
    values = [f"The numbers are the values that {name} gave the moves."] if heat else []
    return " ".join([*values, *([f"The arrows are the moves that {name} expected."] if line else [])])


def evaluation_curve(played: PlayedGame, move_number: int) -> Markup | None:
    """Return a chart of the players' evaluations, or None if no player reported any."""
    scored: list[list[tuple[int, float]]] = [[] for _ in played.names]
    for number, (ply, score) in enumerate(
        zip(played.plies[played.opening :], played.scores, strict=False), played.opening + 1
    ):
        if score is not None:
            scored[ply.seat - 1].append((number, score))
    return Markup(evaluation_chart(played.names, scored, len(played.plies), move_number)) if any(scored) else None
