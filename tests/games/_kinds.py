"""Every game as the properties meet it: with options drawn at random, every move there could be, and its symmetries.

Knows of each game only what tells its boards and moves apart; a game that is not in the tables is met as its
declared options say, and with the moves that it lists itself.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

from hypothesis import assume
from hypothesis import strategies as st

from gomogo_core import games
from gomogo_core.games._edges import ACROSS, DOWN, Edge
from gomogo_core.games._grid import Point
from gomogo_core.games._stones import PASS
from gomogo_core.games.base import BadOption, Game, Move, Option, Position
from gomogo_core.games.gomoku import Choice

Spot: TypeAlias = tuple[int, int]  # row and column in Position.rows, from 0

NO_MOVES: tuple[Any, ...] = ("h8", None, (1, 1), ("h", 0), -1, 0.5)
_MOST = 6  # of what makes boards large, where the table does not say otherwise

_SMALL: dict[str, dict[str, st.SearchStrategy[Any]]] = {  # on small boards games end, and everything occurs
    "gomoku": {"size": st.integers(5, 9), "line": st.integers(3, 6)},
    "go": {"size": st.integers(2, 4), "max_moves": st.integers(1, 60), "komi": st.integers(-9, 9).map(lambda n: n / 2)},
    "capture_go": {"size": st.integers(2, 4), "target": st.integers(1, 5)},
    "robogo": {"size": st.integers(3, 5), "line": st.integers(2, 4), "max_moves": st.integers(1, 60)},
    "dots_and_boxes": {"rows": st.integers(1, 4), "cols": st.integers(1, 4), "players": st.integers(2, 4)},
}


def _value(spec: Option) -> st.SearchStrategy[Any]:
    """Any value that an option can take, near the lowest where that is a number."""
    if isinstance(spec.default, bool):
        return st.booleans()
    if spec.of:
        return st.sampled_from(spec.of)
    low = int(spec.low or 0)
    return st.integers(low, min(low + _MOST, int(spec.high if spec.high is not None else low + _MOST)))


@st.composite
def games_of(draw: st.DrawFn, /, name: str, **chosen: Any) -> Game:
    """The game `name`: each option as chosen, as it is when nobody asks, or drawn from what is declared."""
    small = _SMALL.get(name, {})
    for spec in games.rules(name).declared:
        large = type(spec.default) is int and spec.default > _MOST and spec.follows is None
        if spec.name not in chosen and (large or draw(st.booleans())):
            chosen[spec.name] = draw(small.get(spec.name, _value(spec)))
    try:
        return games.load(name, **chosen)
    except BadOption:
        assume(False)
        raise


class Played(NamedTuple):
    """The moves of a random game, and the position they lead to."""

    moves: list[Move]
    position: Position

    def __repr__(self) -> str:  # what Hypothesis shows of a failing game
        game = self.position.game
        return f"{game!r}: {' '.join(map(game.format, self.moves))}"


@st.composite
def played(draw: st.DrawFn, /, name: str, **chosen: Any) -> Played:
    """A random game, up to its end at most. The arguments are those of games_of.

    The first player may keep to the middle while others do not mind: so rows, forbidden points, chains and full boards
    all occur.
    """
    position = draw(games_of(name, **chosen)).start()
    chance = random.Random(draw(st.integers(0, 2**32))).random
    favour = draw(st.sampled_from((1, 3)))
    rows = position.rows()
    middle = (len(rows) - 1) / 2, (len(rows[0]) - 1) / 2
    moves: list[Move] = []

    def distance(move: Move) -> float:
        where = spot(position.game, move) or middle
        return (where[0] - middle[0]) ** 2 + (where[1] - middle[1]) ** 2

    for _ in range(draw(st.integers(0, 60))):
        legal = sorted(position.moves(), key=distance)
        if not legal:
            break
        moves.append(legal[int(len(legal) * chance() ** (favour if position.to_move == 1 else 1))])
        position = position.play(moves[-1])
    return Played(moves, position)


def everything(game: Game) -> list[Move]:
    """Every move there could be, on the board and around it, of this game or another; and what is no move at all."""
    height, width = len(game.start().rows()), len(game.start().rows()[0])
    points = (Point(column, row) for row in range(height + 2) for column in range(width + 2))
    edges = (Edge(direction, number) for direction in "hv" for number in range(-1, height * width // 2 + 2))
    return [*points, *edges, *Choice, PASS, *NO_MOVES]


def spot(game: Game, move: Move) -> Spot | None:
    """Where in Position.rows a move shows, or None where it does not."""
    if isinstance(move, Point):
        return move.row - 1, move.column - 1
    if isinstance(move, Edge):
        place: Callable[[int], Spot] = game.board.place  # type: ignore[attr-defined]
        return place(game.bit[move])  # type: ignore[attr-defined]
    return None


class Symmetry:
    """A way to lay a board upon itself: mirrored, turned, or both."""

    def __init__(self, start: Position, upside_down: bool, mirrored: bool, transposed: bool) -> None:
        rows = start.rows()
        self.game, self.height, self.width = start.game, len(rows), len(rows[0])
        self.upside_down, self.mirrored, self.transposed = upside_down, mirrored, transposed
        self.at = {where: move for move in start.moves() if (where := spot(self.game, move)) is not None}

    def spot(self, where: Spot) -> Spot:
        """Where what was at `where` comes to lie."""
        row, column = where
        row = self.height - 1 - row if self.upside_down else row
        column = self.width - 1 - column if self.mirrored else column
        return (column, row) if self.transposed else (row, column)

    def move(self, move: Move) -> Move:
        """The same move on the board laid anew."""
        where = spot(self.game, move)
        return move if where is None else self.at[self.spot(where)]

    def rows(self, rows: tuple[str, ...]) -> tuple[str, ...]:
        """The same board laid anew."""
        signs = {self.spot((r, c)): sign for r, row in enumerate(rows) for c, sign in enumerate(row)}
        text = ["".join(signs[r, c] for c in range(len(rows[0]))) for r in range(len(rows))]
        turned = str.maketrans(ACROSS + DOWN, DOWN + ACROSS) if self.transposed else {}
        return tuple(row.translate(turned) for row in text)


def symmetries(game: Game) -> Iterator[Symmetry]:
    """All ways to lay the board upon itself, but the one that leaves everything where it is."""
    start = game.start()
    square = len(start.rows()) == len(start.rows()[0])
    for number in range(1, 8 if square else 4):
        yield Symmetry(start, bool(number & 1), bool(number & 2), bool(number & 4))
