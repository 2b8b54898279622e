"""Drop Three: pieces fall to the lowest empty point of a column; three in a row win.

A move is a column, never a point, and only the mirror image from left to right keeps the rules.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import ClassVar

from gomogo_core.games.base import Game, IllegalMove, Move, NotAMove, Outcome, Position, Reason, option
from gomogo_core.games.boards import Place, Symmetry
from gomogo_core.games.boards.points import LETTERS, Point, PointBoard, point_board


class DropThree(Game):
    """Players drop one piece in turn into a column; the first with three in a row wins."""

    name: ClassVar[str] = "drop_three"

    cols: int = option(5, "columns", low=3, high=9)
    rows: int = option(4, "points in a column", low=3, high=9)

    @property
    def board(self) -> PointBoard:
        """The board's geometry."""
        return point_board(self.cols, self.rows)

    def symmetries(self) -> Sequence[Symmetry]:
        """Return the identity, and the mirror image from left to right."""
        return [lambda move: move, self._mirrored]

    def _mirrored(self, move: Move) -> Move:
        if isinstance(move, Point):
            return Point(self.cols + 1 - move.column, move.row)
        return self.cols - 1 - move if isinstance(move, int) else move

    def start(self) -> DropThreePosition:
        """Return the empty board."""
        return DropThreePosition(self, ("",) * self.cols)

    def parse(self, text: str) -> Move:
        """Return the number of a column, from 0, from its letter. Raises NotAMove."""
        letter = text.strip().casefold()
        if len(letter) == 1 and letter in LETTERS[: self.cols]:
            return LETTERS.index(letter)
        raise NotAMove(text, f"write a column, a to {LETTERS[self.cols - 1]}")

    def format(self, move: Move) -> str:
        """Return the column's letter."""
        assert isinstance(move, int)
        return LETTERS[move]

    def from_diagram(self, text: str) -> DropThreePosition:
        """Parse a diagram. Raises BadDiagram."""
        cells, _ = self.board.parse_drawing(text, {sign: ord(sign) for sign in ".xo"})
        rows = [cells[i : i + self.cols].decode() for i in range(0, len(cells), self.cols)]
        return DropThreePosition(self, tuple("".join(column[::-1]).rstrip(".") for column in zip(*rows, strict=True)))


class DropThreePosition(Position):
    """The pieces of each column, the lowest first, as a text of `x` and `o`."""

    __slots__ = ("columns", "game", "to_move")
    game: DropThree

    def __init__(self, game: DropThree, columns: tuple[str, ...]) -> None:
        self.game, self.columns = game, columns
        self.to_move = 1 + sum(map(len, columns)) % 2

    def key(self) -> Hashable:
        """The columns."""
        return self.columns

    def moves(self) -> Iterator[Move]:
        """Yield every column that is not full, from the left."""
        if self.outcome() is None:
            yield from (i for i, column in enumerate(self.columns) if len(column) < self.game.rows)

    def why_illegal(self, move: Move) -> str | None:
        """Return the rule that forbids `move`, or None."""
        if self.outcome() is not None:
            return "the game is over"
        if type(move) is not int or not 0 <= move < self.game.cols:
            return f"{move} is not a column"
        return None if len(self.columns[move]) < self.game.rows else f"column {LETTERS[move]} is full"

    def play(self, move: Move) -> DropThreePosition:
        """Return the position after `move`. Raises IllegalMove."""
        if problem := self.why_illegal(move):
            raise IllegalMove(problem)
        assert isinstance(move, int)
        dropped = self.columns[move] + self.mark(self.to_move)
        return DropThreePosition(self.game, (*self.columns[:move], dropped, *self.columns[move + 1 :]))

    def place_to_mark(self, move: Move) -> Place | None:
        """Return the lowest empty point of the column."""
        assert isinstance(move, int)
        return Point(move + 1, self.game.rows - len(self.columns[move]))

    def place_marked_by(self, move: Move) -> Place | None:
        """Return the uppermost piece of the column."""
        assert isinstance(move, int)
        return Point(move + 1, self.game.rows + 1 - len(self.columns[move]))

    def move_at(self, place: Place) -> Move | None:
        """Return the column of the point."""
        return place.column - 1 if isinstance(place, Point) else None

    def winning_places(self) -> tuple[Point, ...]:
        """Return the points of the winning rows."""
        text = "".join(self.rows())
        won = (line for line in self._threes() if text[line[0]] != "." and len({text[i] for i in line}) == 1)
        return tuple(sorted({self.game.board.points[i] for line in won for i in line}))

    def _threes(self) -> Iterator[Sequence[int]]:
        for line in self.game.board.lines:
            numbers = range(line.start, line.stop, line.step)
            yield from (numbers[i : i + 3] for i in range(len(numbers) - 2))

    def outcome(self) -> Outcome | None:
        """Return the player with three in a row, or None while there is none and a column is not full."""
        if cells := self.winning_places():
            sign = self.rows()[cells[0].row - 1][cells[0].column - 1]
            return Outcome.won_by("xo".index(sign) + 1, Reason.LINE, "3 in a row")
        full = all(len(column) == self.game.rows for column in self.columns)
        return Outcome.draw(Reason.BOARD_FULL, "board full") if full else None

    def rows(self) -> tuple[str, ...]:
        """Return the rows, the uppermost first."""
        filled = [column.ljust(self.game.rows, ".") for column in self.columns]
        return tuple("".join(column[row] for column in filled) for row in reversed(range(self.game.rows)))

    def diagram(self) -> str:
        """Return the board; the number of pieces determines the turn."""
        return self.game.board.draw(self.rows(), {})


GAME = DropThree
