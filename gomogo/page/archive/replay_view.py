"""The view model of a replay: a finished game after a number of its moves.

The module uses records and board views. It does not depend on HTTP requests or on the store.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from markupsafe import Markup

from gomogo.page.archive.charts import draw_evaluations
from gomogo.page.board_view import BoardView, draw_board, game_title, line_ghosts, play_line, player_lines
from gomogo.text.names import display_name
from gomogo.text.numbers import format_evaluation
from gomogo_core.drawing.text import printable
from gomogo_core.games.base import RESIGN, Position, Seat
from gomogo_core.games.boards.points import Point, PointBoard
from gomogo_core.level_names import level_of_player
from gomogo_core.play.events import last_move
from gomogo_core.records.game_record import PlayedGame

MAX_FAINT_STONES = 6  # the number of moves of a line that are drawn as faint stones


def last_move_sentence(played_game: PlayedGame, move_number: int, reader_seat: Seat | None = None) -> str:
    """Return a sentence about the last of the first `move_number` moves. reader_seat: the seat of the reader of the
    page, who is called "you"; None if the reader did not play.
    """
    if move_number == 0:
        return "Before the first move."
    ply = played_game.plies[move_number - 1]
    name = "you" if ply.seat == reader_seat else display_name(played_game.names[ply.seat - 1])
    action = "left" if ply.move == RESIGN else f"played {ply.move}"
    record_index = move_number - 1 - played_game.opening_length
    time = (
        f" ({played_game.seconds[record_index]:.1f} s)"
        if 0 <= record_index < len(played_game.seconds)
        else ", of the opening"
    )
    return f"Move {move_number}: {name} {action}{time}."


def replay_board(
    played_game: PlayedGame,
    positions: Sequence[Position],
    move_number: int,
    shown_marks: Collection[str] = (),
    better_line: Sequence[str] = (),
    line_step: int | None = None,
    annotation: str = "",
    dead: Sequence[Point] = (),
) -> BoardView:
    """Return the view of the board after a number of moves.

    shown_marks: the marks on the board, "numbers" or "thoughts". better_line: a line that is better than the last move
    or, with a line_step, better than the next move. line_step: the number of the line's moves to play on the board. If
    none of them is played, the line's stones are drawn faintly, and so are the moves that the player to move expected.
    annotation: "?" for a mistake or "??" for a blunder, drawn on the last move. dead: stones that look dead.
    """
    game, position = played_game.rules(), positions[move_number]
    record_index = move_number - 1 - played_game.opening_length
    clock_by_seat: list[float | None] = [control.total for control in played_game.controls]
    for number, ply in enumerate(played_game.plies[played_game.opening_length : move_number]):
        if number < len(played_game.clocks):
            clock_by_seat[ply.seat - 1] = played_game.clocks[number]
    marked_move, marks = last_move(game, played_game.plies[:move_number]), dict[str, Any]()
    if "numbers" in shown_marks:
        marks["numbered_places"] = played_game.marked_places(positions, move_number)
    shows_thoughts = "thoughts" in shown_marks
    marks["heat"] = played_game.move_values(move_number) if shows_thoughts else {}
    line_start, line = position, played_game.expected_moves(move_number) if shows_thoughts else []
    if better_line:
        line_start, line = positions[move_number - (line_step is None)], [game.parse(move) for move in better_line]
    if better_line and line_step:
        position, marks["numbered_places"] = play_line(line_start, line[:line_step])
        marked_move, line = line[line_step - 1], []
    marks["ghosts"] = line_ghosts(line_start, line[:MAX_FAINT_STONES])
    return BoardView(
        draw_board(
            position,
            marked_move,
            interactive=False,
            territory=position.outcome() is not None,
            annotation=annotation,
            dead=dead,
            **marks,
            title=f"{game_title(game.name)} board after {move_number} moves",
        ),
        position.diagram(),
        player_lines(position, played_game.names, clock_by_seat, is_over=move_number == len(played_game.plies)),
        " ".join(_analysis_sentences(played_game, record_index, in_full="thoughts" in shown_marks)),
        moves=tuple(ply.move for ply in played_game.plies),
    )


def _analysis_sentences(played_game: PlayedGame, record_index: int, *, in_full: bool) -> Iterator[str]:
    """Yield sentences with the analysis that the player reported with a move.

    record_index: the number of earlier moves, without the opening. in_full: whether the reader asked for the
    thoughts. If not, the thoughts of a level are left out, since they are only numbers of its search.
    """
    if not 0 <= record_index < len(played_game.thoughts):
        return
    if (
        not in_full
        and level_of_player(played_game.names[played_game.plies[played_game.opening_length + record_index].seat - 1])
        is not None
    ):
        return
    if played_game.scores and (score := played_game.scores[record_index]) is not None:
        yield f"Evaluation {format_evaluation(score)}."
    if played_game.lines and (line := played_game.lines[record_index]):
        yield f"Expects {printable(line)[:300]}."
    if thoughts := played_game.thoughts[record_index]:
        yield printable(thoughts)[:300]


def analysis_caption(played_game: PlayedGame, position: Position, move_number: int) -> str:
    """Return sentences that explain the marks of the analysis on the board."""
    heat, line = played_game.move_values(move_number), played_game.expected_moves(move_number)
    if not heat and not line:
        return "No player reported an evaluation of this position."
    name = display_name(played_game.names[position.to_move - 1])
    values = [f"The numbers are the values that {name} gave the moves."] if heat else []
    one = "The transparent stone" if isinstance(position.game.board, PointBoard) else "The dashed edge"
    noun = f"{one} is the move" if len(line) == 1 else "The numbered moves are those"
    return " ".join([*values, *([f"{noun} that {name} expected."] if line else [])])


def evaluation_chart(played_game: PlayedGame, move_number: int) -> Markup | None:
    """Return a chart of the players' evaluations, or None if no player reported any."""
    scores: list[list[tuple[int, float]]] = [[] for _ in played_game.names]
    for number, (ply, score) in enumerate(
        zip(played_game.plies[played_game.opening_length :], played_game.scores, strict=False),
        played_game.opening_length + 1,
    ):
        if score is not None:
            scores[ply.seat - 1].append((number, score))
    return (
        Markup(draw_evaluations(played_game.names, scores, len(played_game.plies), move_number))
        if any(scores)
        else None
    )
