"""Looks no move ahead: scores each empty point by the stones around it, and plays one of the best at random.

    python agents/greedy.py TEAM

From the point it looks up to five points in each of the eight directions, as far as one colour's stones go, and takes
two opposite directions together: the longer a row a stone there would make, and the more of its ends are free, the
better. It counts that for itself and, slightly more, for the opponent, whom it would rather stop than outrun. In
games without stones in rows it plays what looks best after its own move.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import _path  # noqa: F401  (lets the file run from a clone that is not installed)

from gomogo_core.games.base import Move, Position
from gomogo_core.games.gomoku import EMPTY, GomokuPosition, Phase
from gomogo_core.search import node_of
from gomogo_core.wire.agent_clock import AgentClock

KEEP_RUNNING = True  # one process may play many games: nothing of a game that is over is kept
REACH = 5  # points it looks at in each direction
STEEPER = 6  # a row of one stone more counts so many times as much
OPPONENT = 1.1  # what the opponent would make of a point counts so much more than one's own
AXES = ((1, 0), (0, 1), (1, 1), (1, -1))  # each in both directions: eight


def choose(position: Position, clock: AgentClock) -> Move:
    """One of the best-looking moves."""
    if isinstance(position, GomokuPosition) and position.phase is Phase.PLAY and not position.can_take_over:
        return _any_of_the_best(position, _Stones(position).score)
    node, seat = node_of(position), position.to_move
    return _any_of_the_best(position, lambda move: node.play(move).values()[seat - 1])


def _any_of_the_best(position: Position, score: Callable[[Move], float]) -> Move:
    scores = {move: -math.inf if position.warning(move) else score(move) for move in position.moves()}
    best = max(scores.values())
    return random.choice([move for move, value in scores.items() if value == best])


class _Stones:
    """The board as rows of stones around a point."""

    def __init__(self, position: GomokuPosition) -> None:
        self.position, self.line = position, position.game.line
        self.cells, self.size = position.cells, position.game.size

    def score(self, move: Move) -> float:
        """What a stone on `move` makes, and what it keeps the opponent from making."""
        point = self.position.game.grid.number[move]  # type: ignore[index]
        mine = self.position.colour
        own = sum(self._row(point, axis, mine) for axis in AXES)
        return own + OPPONENT * sum(self._row(point, axis, 3 - mine) for axis in AXES)

    def _row(self, point: int, axis: tuple[int, int], colour: int) -> float:
        """The worth of the row that a stone of `colour` on `point` would make along `axis`."""
        right, down = axis
        ahead, free_ahead = self._stones(point, right, down, colour)
        behind, free_behind = self._stones(point, -right, -down, colour)
        length = 1 + ahead + behind
        worth: int = STEEPER**length
        if length >= self.line:
            return worth * (3 if colour == self.position.colour else 2)  # to win is better than not to lose
        return worth * (free_ahead + free_behind)

    def _stones(self, point: int, right: int, down: int, colour: int) -> tuple[int, bool]:
        """How many stones of `colour` follow each other from `point` on, and whether an empty point follows them."""
        row, column = divmod(point, self.size)
        for stones in range(REACH):
            row, column = row + down, column + right
            if not (0 <= row < self.size and 0 <= column < self.size):
                return stones, False
            there = self.cells[row * self.size + column]
            if there != colour:
                return stones, there == EMPTY
        return REACH, False


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
