"""View models of a board page, made from a session, a live file or a record, and the status line above the board.

Uses positions and words, but no request. All values are text for templates, which escape them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, islice
from typing import Any

from markupsafe import Markup

from gomogo.text.names import shown_name
from gomogo_core.drawing.svg import svg
from gomogo_core.drawing.text import format_clock, player_state, printable
from gomogo_core.games.base import RESIGN, Game, Move, Position, Seat
from gomogo_core.games.boards.edges import EdgeBoard
from gomogo_core.games.boards.points import PointBoard
from gomogo_core.session.game_session import GameSession
from gomogo_core.session.words import action_words

_ROUNDS = 2  # rounds in which a game's greeting is shown
_FEW = 400  # moves that are looked at for choices which are no place on the board
_COLOURS = {"x": "black", "o": "white"}


@dataclass(frozen=True, slots=True)
class PlayerLine:
    """The line of one player. mark: the sign on the board. kind: CSS class of its swatch. has: captures, boxes, stones
    left. away: whether a human's page is closed or hidden. left: the seconds of a clock that runs, as its turn began.
    """

    mark: str
    kind: str
    name: str
    has: str
    clock: str
    to_move: bool
    away: bool = False
    left: float | None = None


@dataclass(frozen=True, slots=True)
class MoveButton:
    """A button for a move that is not a place on the board. text: the move. words: the label."""

    text: str
    words: str


@dataclass(frozen=True, slots=True)
class BoardView:
    """The part of a page that changes. effects: the effects of the last moves. note: a message on the session.

    bottom: the number of the player line that is shown below the others, from 0. turn: the look of the visitor's own
    next move, such as "black"; empty if it is not their turn. asks: addresses and words of buttons that answer other
    players. rematch: the address of the next game between the same players.
    """

    board: Markup
    diagram: str
    player_lines: tuple[PlayerLine, ...]
    effects: str = ""
    note: str = ""
    choices: tuple[MoveButton, ...] = ()
    moves: tuple[str, ...] = ()
    result: str = ""
    waiting: bool = False  # whether an invited player has not joined yet
    links: dict[str, str] = field(default_factory=dict)
    bottom: int = 0
    turn: str = ""
    asks: tuple[tuple[str, str], ...] = ()
    rematch: str = ""


def game_title(game: str) -> str:
    """Return the name of a game for use in sentences.

    >>> game_title("dots_and_boxes")
    'Dots and Boxes'
    """
    return " ".join(word if word == "and" else word.capitalize() for word in game.split("_"))


def rules_words(game: Game) -> str:
    """Return the name of a game and its options with values other than the default.

    >>> from gomogo_core.games import load
    >>> rules_words(load("gomoku", size=9))
    'Gomoku, size 9'
    """
    return ", ".join(
        [game_title(game.name), *(_option_words(name, value) for name, value in game.non_default_options.items())]
    )


def _option_words(name: str, value: object) -> str:
    words = name.replace("_", " ")
    if isinstance(value, bool):
        return words if value else f"no {words}"
    return f"{words} {str(value).replace('_', ' ')}"


def colour_of(position: Position, seat: Seat) -> str:
    """Return the look of a seat's moves: "black", "white" or its letter."""
    mark = position.mark(seat)
    return _COLOURS.get(mark, mark) if isinstance(position.game.board, PointBoard) else mark


def player_lines(
    position: Position, names: Sequence[str], clocks: Sequence[float | None] = (), *, over: bool = False
) -> tuple[PlayerLine, ...]:
    """Return a line for each seat. over: whether the game has ended, by a resignation for example."""
    over = over or position.outcome() is not None
    boxes = isinstance(position.game.board, EdgeBoard)
    found = []
    for seat, name in enumerate(names, 1):
        mark = position.mark(seat)
        kind = f"owner-{(seat - 1) % 6}" if boxes else _COLOURS.get(mark, "sign")
        left = clocks[seat - 1] if seat <= len(clocks) else None
        found.append(
            PlayerLine(
                mark if kind not in _COLOURS.values() else "",
                kind,
                shown_name(name),
                ", ".join(player_state(position, seat)),
                "" if left is None else format_clock(left),
                not over and position.to_move == seat,
            )
        )
    return tuple(found)


def board(
    position: Position, last: Move | None, *, interactive: bool, title: str, spoken: bool = True, **marks: Any
) -> Markup:
    """Return the picture of a board. spoken: whether each place has a name for screen readers. The picture escapes its
    own texts.

    marks: `numbers`, `arrows`, `heat` and `sign`, as `svg` takes them.
    """
    return Markup(svg(position, last=last, interactive=interactive, spoken=spoken, title=title, style=False, **marks))


def off_board_moves(position: Position) -> Iterator[MoveButton]:
    """Yield the moves that are not places on the board: pass, choices in an opening, taking over the first stone."""
    if position.outcome() is not None:
        return
    game, board = position.game, position.game.board
    if (move := position.takeover_move()) is not None:
        yield MoveButton(game.format(move), f"Take over {game.format(move)}")
    for move in islice(position.moves(), _FEW if board is None else len(board.places) + _FEW):
        if position.place_to_mark(move) is None:
            text = game.format(move)
            yield MoveButton(text, text.capitalize())


def view_of_session(
    session: GameSession,
    seats: Sequence[Seat],
    result: str = "",
    links: dict[str, str] | None = None,
    present: Collection[Seat] = (),
) -> BoardView:
    """Return the view of a session for the owner of these seats; without seats, for a spectator.

    present: the seats of humans whose page is open.
    """
    position = session.position
    away = {
        seat
        for seat, info in enumerate(session.seat_infos, 1)
        if info.visitor and seat not in seats and seat not in present and not session.is_over
    }
    mine = not session.is_over and not session.is_waiting_for_humans and position.to_move in seats
    colour = colour_of(position, position.to_move)
    lines = player_lines(position, session.names, session.clocks(), over=session.is_over)
    running = clock_since(session) is not None
    return BoardView(
        board(
            position,
            session.last,
            interactive=bool(seats) and not session.is_over,
            title=_page_title(session.game, position),
        ),
        position.diagram(),
        tuple(
            replace(line, away=seat in away, left=left if running and line.to_move else None)
            for seat, line, left in zip(count(1), lines, session.clocks(), strict=False)
        ),
        _last_actions_text(session),
        session.note or ("" if len(session.actions) > _ROUNDS * len(session.seat_infos) else session.greeting),
        tuple(off_board_moves(position)) if mine else (),
        tuple(one.move for one in session.actions),
        result,
        session.is_waiting_for_humans,
        links or {},
        bottom=seats[0] - 1 if seats else 0,
        turn=colour if mine else "",
    )


def _page_title(game: Game, position: Position) -> str:
    return f"{game_title(game.name)} board"


def _last_actions_text(session: GameSession) -> str:
    """Return the effects of the moves of the last round, and the thoughts on the last one."""
    actions = session.actions[-len(session.seat_infos) :]
    shown = [one for one in actions if one.effect or one.move == RESIGN]
    said = [f"{action_words(session, one, format_name=shown_name)}." for one in shown]
    if actions and actions[-1].thoughts:
        name = shown_name(session.names[actions[-1].seat - 1])
        said.append(f"{name} thinks: {printable(actions[-1].thoughts)[:300]}")
    return " ".join(said)


def status_of(session: GameSession, seats: Sequence[Seat], result: str = "") -> str:
    """Return the status line of a session for the owner of these seats."""
    position, names = session.position, session.names
    if session.is_deleted:
        return "This game was deleted."
    if session.is_over:
        return result or "The game is over."
    if session.is_waiting_for_humans:
        missing = sum(seat_info.is_free for seat_info in session.seat_infos)
        return f"Waiting for {'the other player' if missing == 1 else f'{missing} players'} to join."
    seat = position.to_move
    colour = colour_of(position, seat)
    if seat in seats:
        whose = "Your turn" if len(seats) == 1 else f"{shown_name(names[seat - 1])}'s turn"
        task = position.describe_task()
        return f"{whose} ({colour}).{' ' + task if task else ''}"
    if session.seat_infos[seat - 1].is_human:
        return f"{shown_name(names[seat - 1])} ({colour}) is to move."
    return f"{shown_name(names[seat - 1])} ({colour}) is thinking"


def thinking_since(session: GameSession) -> float | None:
    """Return when the agent to move began to think (monotonic clock), or None if no agent is to move."""
    if session.is_over or session.is_waiting_for_humans or session.seat_infos[session.position.to_move - 1].is_human:
        return None
    return session.turn_since


def clock_since(session: GameSession) -> float | None:
    """Return when the clock of the human to move began to run (monotonic clock), or None if no clock runs."""
    if session.is_over or session.is_waiting_for_humans or not session.has_clocks:
        return None
    return session.turn_since


def seconds_text(seconds: float | None) -> str:
    """Return a time limit as text; empty for none."""
    return "" if seconds is None or math.isinf(seconds) else f"{seconds:g} s"
