"""Hex: on a rhombus of hexagons each player connects two opposite sides. Half a turn is its only symmetry.

Known: a full board has exactly one winner (J. Nash, 1952).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import ClassVar

from gomogo_core.games.base import Game, IllegalMove, Move, Outcome, Position, Reason, option
from gomogo_core.games.boards import Symmetry
from gomogo_core.games.boards.points import Point, PointBoard, point_board

_AROUND = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))


class Hexagons(Game):
    """Seat 1 connects top and bottom, seat 2 left and right, with one stone in turn."""

    name: ClassVar[str] = "hexagons"
    moves_are_board_places: ClassVar[bool] = True

    size: int = option(4, "hexagons along each side", low=2, high=11)

    @property
    def board(self) -> PointBoard:
        """The hexagons, as the points of a square whose rows are shifted."""
        return point_board(self.size, self.size)

    def symmetries(self) -> Sequence[Symmetry]:
        """Return the identity and half a turn: a mirror image would exchange the players' sides."""
        every = self.board.symmetries()
        return [every[0], every[3]]

    def start(self) -> HexagonsPosition:
        """Return the empty board."""
        return HexagonsPosition(self, "." * self.size**2)

    def parse(self, text: str) -> Point:
        """Parse a hexagon from "b2", "B 2" or "2,2". Raises NotAMove."""
        return self.board.parse(text)

    def format(self, move: Move) -> str:
        """Return the canonical text: "b2"."""
        return str(move)

    def from_diagram(self, text: str) -> HexagonsPosition:
        """Parse a diagram. Raises BadDiagram."""
        cells, _ = self.board.parse_drawing(text, {sign: ord(sign) for sign in ".xo"})
        return HexagonsPosition(self, cells.decode("ascii"))


class HexagonsPosition(Position):
    """The hexagons, row by row, as a text of `.`, `x` and `o`."""

    __slots__ = ("cells", "game", "to_move")
    game: Hexagons

    def __init__(self, game: Hexagons, cells: str) -> None:
        self.game, self.cells = game, cells
        self.to_move = 1 if cells.count("x") == cells.count("o") else 2

    def key(self) -> Hashable:
        """The stones."""
        return self.cells

    def moves(self) -> Iterator[Move]:
        """Yield every empty hexagon, row by row."""
        if self.outcome() is None:
            yield from (point for point, cell in zip(self.game.board.points, self.cells, strict=True) if cell == ".")

    def why_illegal(self, move: Move) -> str | None:
        """Return the rule that forbids `move`, or None."""
        if self.outcome() is not None:
            return "the game is over"
        number = self.game.board.number_of.get(move) if isinstance(move, Point) else None
        if number is None:
            return f"{move} is not on this board"
        return None if self.cells[number] == "." else f"{move} is occupied"

    def play(self, move: Move) -> HexagonsPosition:
        """Return the position after `move`. Raises IllegalMove."""
        if problem := self.why_illegal(move):
            raise IllegalMove(problem)
        assert isinstance(move, Point)
        number = self.game.board.number_of[move]
        return HexagonsPosition(self.game, self.cells[:number] + self.mark(self.to_move) + self.cells[number + 1 :])

    def winning_places(self) -> tuple[Point, ...]:
        """Return the chain that connects the winner's sides."""
        points = dict(zip(self.game.board.points, self.cells, strict=True))
        while points:
            start, sign = points.popitem()
            chain = [start]
            for column, row in chain:
                near = [Point(column + right, row + down) for right, down in _AROUND]
                chain += [point for point in near if points.get(point) == sign and points.pop(point)]
            if sign != "." and {1, self.game.size} <= {point["ox".index(sign)] for point in chain}:
                return tuple(sorted(chain))
        return ()

    def outcome(self) -> Outcome | None:
        """Return the player who has connected both sides, or None."""
        cells = self.winning_places()
        if not cells:
            return None
        seat = "xo".index(self.cells[self.game.board.number_of[cells[0]]]) + 1
        return Outcome.won_by(seat, Reason.LINE, "connected")

    def rows(self) -> tuple[str, ...]:
        """Return the hexagons as rows of characters."""
        size = self.game.size
        return tuple(self.cells[i : i + size] for i in range(0, len(self.cells), size))

    def diagram(self) -> str:
        """Return the hexagons; the number of stones determines the turn."""
        return self.game.board.draw(self.rows(), {})


GAME = Hexagons
