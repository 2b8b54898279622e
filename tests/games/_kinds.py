"""Every game with random options, and every conceivable move.

Knows the boards and moves of each game in its tables; it takes any other game by its declared options and its own
moves.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple, TypeAlias

from hypothesis import assume
from hypothesis import strategies as st

from gomogo_core import games
from gomogo_core.games.base import BadOption, Game, Move, Option, Position
from gomogo_core.games.boards.edges import Edge, EdgeBoard
from gomogo_core.games.boards.points import Point
from gomogo_core.games.gomoku import Choice
from gomogo_core.games.stones.rules import PASS

Spot: TypeAlias = tuple[int, int]  # row and column in Position.rows, from 0

NO_MOVES: tuple[Any, ...] = ("h8", None, (1, 1), ("h", 0), -1, 0.5)
_MOST = 6  # the limit of options for the size of boards, if the table has no other

_SMALL: dict[str, dict[str, st.SearchStrategy[Any]]] = {  # on small boards games end, and everything occurs
    "gomoku": {"size": st.integers(5, 9), "line": st.integers(3, 6)},
    "go": {"size": st.integers(2, 4), "max_moves": st.integers(1, 60), "komi": st.integers(-9, 9).map(lambda n: n / 2)},
    "capture_go": {"size": st.integers(2, 4), "target": st.integers(1, 5)},
    "robogo": {"size": st.integers(3, 5), "line": st.integers(2, 4), "max_moves": st.integers(1, 60)},
    "dots_and_boxes": {"rows": st.integers(1, 4), "cols": st.integers(1, 4), "players": st.integers(2, 4)},
}


def _value(spec: Option) -> st.SearchStrategy[Any]:
    """Return any value of an option; numbers near the lowest."""
    if isinstance(spec.default, bool):
        return st.booleans()
    if spec.choices:
        return st.sampled_from(spec.choices)
    low = int(spec.low or 0)
    return st.integers(low, min(low + _MOST, int(spec.high if spec.high is not None else low + _MOST)))


@st.composite
def random_rules(draw: st.DrawFn, /, name: str, **chosen: Any) -> Game:
    """Return the game `name` with each option as chosen, at its default, or drawn from its declaration."""
    small = _SMALL.get(name, {})
    for spec in games.rules(name).declared_options:
        large = type(spec.default) is int and spec.default > _MOST and spec.default_from is None
        if spec.name not in chosen and (large or draw(st.booleans())):
            chosen[spec.name] = draw(small.get(spec.name, _value(spec)))
    try:
        return games.load(name, **chosen)
    except BadOption:
        assume(False)
        raise


class RandomGame(NamedTuple):
    """The moves of a random game, and the position they lead to."""

    moves: list[Move]
    position: Position

    def __repr__(self) -> str:  # Hypothesis shows it for a failing game
        game = self.position.game
        return f"{game!r}: {' '.join(map(game.format, self.moves))}"


@st.composite
def random_games(draw: st.DrawFn, /, name: str, **chosen: Any) -> RandomGame:
    """Return a random game, up to its end at most. The arguments are those of games_of.

    The first player may keep to the middle while others do not, so that rows, forbidden points, chains and full boards
    all occur.
    """
    position = draw(random_rules(name, **chosen)).start()
    rng = random.Random(draw(st.integers(0, 2**32))).random
    favour = draw(st.sampled_from((1, 3)))
    rows = position.rows()
    middle = (len(rows) - 1) / 2, (len(rows[0]) - 1) / 2
    moves: list[Move] = []

    def distance(move: Move) -> float:
        place = row_and_column(position.game, move) or middle
        return (place[0] - middle[0]) ** 2 + (place[1] - middle[1]) ** 2

    for _ in range(draw(st.integers(0, 60))):
        legal = sorted(position.moves(), key=distance)
        if not legal:
            break
        moves.append(legal[int(len(legal) * rng() ** (favour if position.to_move == 1 else 1))])
        position = position.play(moves[-1])
    return RandomGame(moves, position)


def possible_and_impossible_moves(game: Game) -> list[Move]:
    """Return every conceivable move, on or around the board, of this game or another, and some that are no moves."""
    height, width = len(game.start().rows()), len(game.start().rows()[0])
    points = (Point(column, row) for row in range(height + 2) for column in range(width + 2))
    edges = (Edge(direction, number) for direction in "hv" for number in range(-1, height * width // 2 + 2))
    return [*points, *edges, *Choice, PASS, *NO_MOVES]


def row_and_column(game: Game, move: Move) -> Spot | None:
    """Return the place of a move in Position.rows, or None if it has none."""
    if isinstance(move, Point):
        return move.row - 1, move.column - 1
    if isinstance(move, Edge):
        assert isinstance(game.board, EdgeBoard)
        return game.board.picture_cell(game.board.index_of[move])
    return None
