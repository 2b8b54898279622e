"""Any position of any game as text: the board with what matters marked, and who sits at it beneath.

Knows positions and names; no terminal, clock or player. Standard library only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from gomogo_core.drawing import _dots
from gomogo_core.drawing._paint import FAINT, STRONG, colours, paint
from gomogo_core.drawing.coordinates import OURS, Coordinates
from gomogo_core.games._edges import Edges
from gomogo_core.games._grid import Grid, Point
from gomogo_core.games.base import Move, Position, Seat
from gomogo_core.visible import visible

__all__ = ["board", "clock", "footer", "picture", "visible"]

_KO = "~"  # a point where a rule of ko forbids to play now
_GAP = "   "  # between the parts of a footer


def clock(seconds: float) -> str:
    """Seconds left as people read them: "4:05", "1:00:00"; tenths in the last ten seconds."""
    if seconds < 10:
        return f"{max(0.0, seconds):.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= 60 else f"{minutes}:{rest:02}"


def picture(
    position: Position,
    names: Sequence[str],
    last: Move | None = None,
    clocks: Sequence[float | None] = (),
    *,
    colour: bool = False,
    width: int = 80,
    named: bool = False,
    coordinates: Coordinates = OURS,
) -> str:
    """The board and, beneath it, the footer."""
    above = board(position, last, colour=colour, width=width, named=named, coordinates=coordinates)
    beneath = footer(position, names, last, clocks, colour=colour, width=width, coordinates=coordinates)
    return f"{above}\n\n{beneath}"


def board(
    position: Position,
    last: Move | None = None,
    *,
    colour: bool = False,
    width: int = 80,
    named: bool = False,
    coordinates: Coordinates = OURS,
) -> str:
    """The board alone, with coordinates on all sides where it is a board of points.

    last: the move to mark, in brackets; a winning row stands in parentheses. colour: use ANSI's. width: characters a
    line may have; where they do not allow for blanks between the points, the marked ones are written in capitals.
    named: on a board without coordinates, write each move's name where it would be made. Points that ko forbids are
    shown as `~`.
    """
    edges = getattr(position.game, "board", None)
    if isinstance(edges, Edges):
        return "\n".join(_dots.lines(position, edges, last, colour=colour, width=width, named=named))
    geometry = getattr(position.game, "grid", None)
    if not isinstance(geometry, Grid):
        return "\n".join(position.rows())
    return "\n".join(_Board(position, geometry, last, colour, width, coordinates).lines())


class _Board:
    def __init__(
        self, position: Position, geometry: Grid, last: Move | None, colour: bool, width: int, coordinates: Coordinates
    ) -> None:
        self.rows, self.colour, self.columns = position.rows(), colour, geometry.columns
        self.last = last if isinstance(last, Point) else None
        self.coordinates = coordinates
        self.forbidden = {geometry.parse(name) for name in position.facts().get("ko", ())}
        self.won: Collection[Point] = getattr(position, "winning_row", tuple)()
        self.colours = colours(position)
        self.margin = len(str(geometry.rows))
        self.roomy = 2 * self.margin + 2 * self.columns + 1 <= width

    def lines(self) -> Iterator[str]:
        named = (" " if self.roomy else "").join(self.coordinates.letters(self.columns))
        letters = self._edge(" " * (self.margin + 1) + named)
        yield letters
        for number, row in enumerate(self.rows, 1):
            signs = self._spaced(number, row) if self.roomy else f" {''.join(self._signs(number, row))} "
            label = self.coordinates.row(number)
            yield f"{self._edge(f'{label:>{self.margin}}')}{signs}{self._edge(str(label))}"
        yield letters

    def _edge(self, text: str) -> str:
        return paint(text, FAINT) if self.colour else text

    def _signs(self, number: int, row: str) -> Iterator[str]:
        for column, sign in enumerate(row, 1):
            point = Point(column, number)
            marked = point == self.last or point in self.won
            shown = _KO if point in self.forbidden else sign.upper() if marked and not self.roomy else sign
            code = self.colours.get(sign, FAINT) + f";{STRONG}" * marked
            yield paint(shown, code) if self.colour else shown

    def _spaced(self, number: int, row: str) -> str:
        gaps = self._gaps(number)
        return "".join(gap + sign for gap, sign in zip(gaps, self._signs(number, row), strict=False)) + gaps[-1]

    def _gaps(self, number: int) -> list[str]:
        """What stands left of each point of a row, and right of the last: the marks need no place of their own."""
        won = [column for column in range(1, self.columns + 1) if (column, number) in self.won]
        gaps = [" "] * (self.columns + 1)
        for column in won:
            if column - 1 not in won:
                gaps[column - 1] = "("
            if column + 1 not in won:
                gaps[column] = ")"
        if self.last is not None and self.last.row == number:
            gaps[self.last.column - 1], gaps[self.last.column] = "[", "]"
        return gaps


def footer(
    position: Position,
    names: Sequence[str],
    last: Move | None = None,
    clocks: Sequence[float | None] = (),
    *,
    colour: bool = False,
    width: int = 80,
    coordinates: Coordinates = OURS,
) -> str:
    """Who plays which mark, what each has, whose turn it is, and the last move; as many lines as the width asks for.

    clocks: by seat, seconds left of the whole game, None where only moves are limited.
    """
    mover = position.to_move if position.outcome() is None else None
    painted = colours(position)
    parts, codes = [], []
    for seat, name in enumerate(names, 1):
        left = clocks[seat - 1] if clocks else None
        parts.append(_player(position, seat, name, left) + " to move" * (seat == mover))
        codes.append(painted[position.mark(seat)])
    if last is not None:
        parts.append(f"last {coordinates.shown(position.game.format(last))}")
        codes.append(FAINT)
    if forbidden := position.facts().get("ko"):
        parts.append(f"ko {' '.join(map(coordinates.shown, forbidden))}")
        codes.append(FAINT)
    text, room = "", 0
    for part, code in zip(parts, codes, strict=True):  # none is torn by the end of a line
        gap = "" if not text else _GAP if len(_GAP) + len(part) <= room else "\n"
        room = (room if gap == _GAP else width) - len(gap.strip("\n")) - len(part)
        text += gap + (paint(part, code) if colour else part)
    return text


def standing(position: Position, seat: Seat) -> list[str]:
    """What is to be said of who sits there, beside the name: captures, points, and that it has left."""
    facts = position.facts()
    counts = {"captures": ("captured", "captured"), "scores": position.game.points}
    has = [(facts[fact][seat - 1], one, many) for fact, (one, many) in counts.items() if fact in facts]
    counted = [f"{count:g} {one if count == 1 else many}" for count, one, many in has]
    return [*counted, *(["left"] if seat in facts.get("away", ()) else [])]


def _player(position: Position, seat: Seat, name: str, left: float | None) -> str:
    time = [] if left is None else [clock(left)]
    return ", ".join([f"{position.mark(seat)} {visible(name)}", *standing(position, seat), *time])
