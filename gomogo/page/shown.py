"""What stands on a board's page, made of a sitting, of a live file's events, or of a record; and the sentence above it.

Knows positions and words; no request. Everything here is text for templates, which escape it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from markupsafe import Markup

from gomogo.page.sitting import Made, Sitting
from gomogo_core.drawing.svg import svg
from gomogo_core.drawing.text import clock, standing, visible
from gomogo_core.games._edges import Edges
from gomogo_core.games._grid import Grid
from gomogo_core.games.base import RESIGN, Game, Move, Position, Seat

_ROUNDS = 2  # for which a game's greeting is shown
_FEW = 400  # moves that are looked at for choices which are no place on the board
_COLOURS = {"x": "black", "o": "white"}


@dataclass(frozen=True, slots=True)
class Sitter:
    """One line of who plays. mark: the sign on the board. kind: a class for its swatch. has: captures, boxes, left."""

    mark: str
    kind: str
    name: str
    has: str
    clock: str
    to_move: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """Something to play that is no place on the board. text: the move. words: what the button says."""

    text: str
    words: str


@dataclass(frozen=True, slots=True)
class Shown:
    """The part of a page that changes. told: what the last moves did. note: a sentence on the table."""

    board: Markup
    diagram: str
    sitters: tuple[Sitter, ...]
    told: str = ""
    note: str = ""
    choices: tuple[Choice, ...] = ()
    moves: tuple[str, ...] = ()
    result: str = ""
    waiting: bool = False  # for somebody who was invited
    links: dict[str, str] = field(default_factory=dict)


def called(game: str) -> str:
    """A game's name as it stands in a sentence.

    >>> called("dots_and_boxes")
    'Dots and Boxes'
    """
    return " ".join(word if word == "and" else word.capitalize() for word in game.split("_"))


def rules_of(game: Game) -> str:
    """A game's name, and those of its options that are not the usual ones.

    >>> from gomogo_core.games import load
    >>> rules_of(load("gomoku", size=9))
    'Gomoku, size 9'
    """
    return ", ".join([called(game.name), *(f"{name} {str(value).lower()}" for name, value in game.changed.items())])


def colour_of(position: Position, seat: Seat) -> str:
    """What the seat's moves look like: "black", "white", or its letter."""
    mark = position.mark(seat)
    return _COLOURS.get(mark, mark) if isinstance(getattr(position.game, "grid", None), Grid) else mark


def sitters(position: Position, names: Sequence[str], clocks: Sequence[float | None] = ()) -> tuple[Sitter, ...]:
    """A line for each seat."""
    over = position.outcome() is not None
    boxes = isinstance(getattr(position.game, "board", None), Edges)
    found = []
    for seat, name in enumerate(names, 1):
        mark = position.mark(seat)
        kind = f"owner-{(seat - 1) % 6}" if boxes else _COLOURS.get(mark, "sign")
        left = clocks[seat - 1] if seat <= len(clocks) else None
        found.append(
            Sitter(
                mark if kind not in _COLOURS.values() else "",
                kind,
                visible(name),
                ", ".join(standing(position, seat)),
                "" if left is None else clock(left),
                not over and position.to_move == seat,
            )
        )
    return tuple(found)


def board(
    position: Position, last: Move | None, *, interactive: bool, title: str, spoken: bool = True, **marks: Any
) -> Markup:
    """The picture; what it is made of escapes itself. spoken: whether each place has a name for who does not see it.

    marks: `numbers`, `arrows` and `heat`, as `svg` takes them.
    """
    return Markup(svg(position, last=last, interactive=interactive, spoken=spoken, title=title, style=False, **marks))


def choices(position: Position) -> Iterator[Choice]:
    """What may be played beside places on the board: to pass, to choose in an opening, to take the first stone over."""
    if position.outcome() is not None:
        return
    game = position.game
    taken = getattr(position, "last", None) if getattr(position, "can_take_over", False) else None
    if taken is not None:
        name = game.grid.names[taken]  # type: ignore[attr-defined]
        yield Choice(name, f"Take over {name}")
    if isinstance(getattr(game, "board", None), Edges):
        return
    places = getattr(getattr(game, "grid", None), "name_of", {})
    for move in islice(position.moves(), max(_FEW, len(places) + 9)):
        if move not in places:
            text = game.format(move)
            yield Choice(text, text.capitalize())


def of_sitting(sitting: Sitting, seats: Sequence[Seat], result: str = "", links: dict[str, str] | None = None) -> Shown:
    """The table of a sitting as those see it who have these seats; none for who only looks on."""
    position = sitting.position
    mine = not sitting.over and not sitting.waiting_for_people and position.to_move in seats
    return Shown(
        board(
            position, sitting.last, interactive=bool(seats) and not sitting.over, title=_title(sitting.game, position)
        ),
        position.diagram(),
        sitters(position, sitting.names),
        _told(sitting.names, sitting.made[-len(sitting.chairs) :]),
        sitting.note or ("" if len(sitting.made) > _ROUNDS * len(sitting.chairs) else sitting.greeting),
        tuple(choices(position)) if mine else (),
        tuple(one.move for one in sitting.made),
        result,
        sitting.waiting_for_people,
        links or {},
    )


def _title(game: Game, position: Position) -> str:
    return f"{called(game.name)} board"


def _told(names: Sequence[str], made: Sequence[Made]) -> str:
    """What the last round's moves did beside being played, and what was said of them."""
    said = []
    for one in made:
        name = visible(names[one.seat - 1])
        if one.move == RESIGN:
            said.append(f"{name} left.")
        elif one.told:
            said.append(f"{name} plays {one.move}, {one.told}.")
    if made and made[-1].thoughts:
        said.append(f"{visible(names[made[-1].seat - 1])} thinks: {visible(made[-1].thoughts)[:300]}")
    return " ".join(said)


def status_of(sitting: Sitting, seats: Sequence[Seat], result: str = "") -> str:
    """The sentence that says where the game stands, for those who have these seats."""
    position, names = sitting.position, sitting.names
    if sitting.gone:
        return "This game was deleted."
    if sitting.over:
        return result or "The game is over."
    if sitting.waiting_for_people:
        missing = [chair.name for chair in sitting.chairs if chair.free]
        return f"Waiting for {' and '.join(map(visible, missing))} to come."
    seat = position.to_move
    colour = colour_of(position, seat)
    if seat in seats:
        whose = "Your turn" if len(seats) == 1 else f"{visible(names[seat - 1])}'s turn"
        task = position.task()
        return f"{whose} ({colour}).{' ' + task if task else ''}"
    if sitting.chairs[seat - 1].person:
        return f"{visible(names[seat - 1])} ({colour}) is to move."
    return f"{visible(names[seat - 1])} ({colour}) is thinking"


def thinking_since(sitting: Sitting) -> float | None:
    """When the agent that is to move began to think, by the monotonic clock; None where none is."""
    if sitting.over or sitting.waiting_for_people or sitting.chairs[sitting.position.to_move - 1].person:
        return None
    return sitting.turn_since


def seconds_shown(seconds: float | None) -> str:
    """A limit as people read it."""
    return "" if seconds is None or math.isinf(seconds) else f"{seconds:g} s"
