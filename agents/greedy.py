"""Scores each empty point by the stones around it, without looking ahead, and plays one of the best at random.

python agents/greedy.py TEAM

From each point it follows the stones of one colour in each of the eight directions, up to five points, and combines
opposite directions to rows. A long row with open ends scores high. Rows of the opponent weigh slightly more than its
own, so it prefers defence to attack. In games without rows of stones it plays the move with the best position after it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import _path  # noqa: F401  (lets the file run from a clone without installation)

from gomogo_core.agent import AgentClock
from gomogo_core.games.base import Move, Position
from gomogo_core.games.gomoku import EMPTY, GomokuPosition
from gomogo_core.search import node_of

KEEP_RUNNING = True  # one process may play many games: no state survives a game
MAX_ROW_POINTS = 5  # it examines this number of points in each direction
VALUE_FACTOR_PER_STONE = 6  # each further stone multiplies the value of a row by this factor
OPPONENT_WEIGHT = 1.1  # the weight of the opponent's rows, relative to its own
AXES = ((1, 0), (0, 1), (1, 1), (1, -1))  # four axes, each in both directions


def choose(position: Position, clock: AgentClock) -> Move:
    """Return one of the best moves."""
    if isinstance(position, GomokuPosition) and not position.is_opening_turn:
        return _choose_random_best(position, _RowEvaluator(position).score)
    node, seat = node_of(position), position.to_move
    return _choose_random_best(position, lambda move: node.child_after(move).values_by_seat()[seat - 1])


def _choose_random_best(position: Position, score: Callable[[Move], float]) -> Move:
    scores = {move: -math.inf if position.warning(move) else score(move) for move in position.moves()}
    best_score = max(scores.values())
    return random.choice([move for move, value in scores.items() if value == best_score])


class _RowEvaluator:
    """Evaluates the rows of stones through a point."""

    def __init__(self, position: GomokuPosition) -> None:
        self.position, self.line = position, position.game.line
        self.cells, self.size = position.cells, position.game.size

    def score(self, move: Move) -> float:
        """Return the value of a stone on `move` for both players."""
        point = self.position.game.board.number_of[move]  # type: ignore[index]
        own_colour = self.position.colour
        own_value = sum(self._value_of_row(point, axis, own_colour) for axis in AXES)
        return own_value + OPPONENT_WEIGHT * sum(self._value_of_row(point, axis, 3 - own_colour) for axis in AXES)

    def _value_of_row(self, point: int, axis: tuple[int, int], colour: int) -> float:
        """Return the value of the row that a stone of `colour` on `point` makes along `axis`."""
        right, down = axis
        stones_ahead, is_free_ahead = self._count_stones(point, right, down, colour)
        stones_behind, is_free_behind = self._count_stones(point, -right, -down, colour)
        length = 1 + stones_ahead + stones_behind
        value: int = VALUE_FACTOR_PER_STONE**length
        if length >= self.line:
            # an own win is worth more than a block of the opponent's win
            return value * (3 if colour == self.position.colour else 2)
        return value * (is_free_ahead + is_free_behind)

    def _count_stones(self, point: int, right: int, down: int, colour: int) -> tuple[int, bool]:
        """Return the number of consecutive stones of `colour` from `point` on, and whether an empty point follows."""
        row, column = divmod(point, self.size)
        for stones in range(MAX_ROW_POINTS):
            row, column = row + down, column + right
            if not (0 <= row < self.size and 0 <= column < self.size):
                return stones, False
            cell = self.cells[row * self.size + column]
            if cell != colour:
                return stones, cell == EMPTY
        return MAX_ROW_POINTS, False


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
