"""Matches between agents that are called as functions, for tests of their strength.

The module starts no process and writes no file. Both games of a pair begin with the same random moves, with swapped
seats.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gomogo_core.agent import AgentClock, Choose, load_choose
from gomogo_core.games import load
from gomogo_core.games.base import Game, Position
from gomogo_core.games.stones.rules import PASS

AGENTS = Path(__file__).parents[2] / "agents"
REFUSALS = 100  # refusals of one move, as many as the referee allows


@cache
def agent(name: str) -> Choose:
    """Return the agent's own function."""
    return load_choose(AGENTS / f"{name}.py")


def clock(seconds: float) -> AgentClock:
    """Return a clock with this many seconds from now."""
    return AgentClock({"per_move": seconds}, None)


class Side(NamedTuple):
    """An agent and its options."""

    name: str
    options: Mapping[str, Any] = {}

    def choose(self, position: Position, seconds: float) -> Position:
        """Return the position after this side's move. After a refused move the side tries again; after too many, it
        loses.
        """
        for _ in range(REFUSALS):
            move = agent(self.name)(position, clock(seconds), **self.options)
            if position.why_illegal(move) is None:
                return position.play(move)
        pytest.fail(f"{self.name} plays no legal move in {position}")


class EndlessCompilation:
    """A compilation of a package that does not end, in place of a BackgroundLoad."""

    def __init__(self, package: str, create: object = None) -> None:
        assert package.startswith("gomogo_core.engines.")

    def wait(self, seconds: float) -> None:
        return None


class Match(NamedTuple):
    """Two sides, a game with its options, and the number of random moves at the start, out of `near` if given."""

    first: Side
    second: Side
    game: str
    options: Mapping[str, Any] = {}
    seconds: float = 1.0
    moves: int = 2
    first_moves: tuple[str, ...] = ()

    def opening(self, seed: int) -> Position:
        """Return the position after random moves without passes, which the seed decides."""
        rng, game = random.Random(seed), load(self.game, **self.options)
        position = game.start()
        for _ in range(self.moves):
            near_moves = [move for move in position.moves() if move is not PASS and self._may_be_first_move(game, move)]
            position = position.play(rng.choice(near_moves))
        return position

    def _may_be_first_move(self, game: Game, move: Any) -> bool:
        return not self.first_moves or game.format(move) in self.first_moves

    def play_game(self, number: int) -> float:
        """Return the score of the first side in the game of this number."""
        position = self.opening(number // 2)
        random.seed(number)
        seats = (self.first, self.second) if number % 2 == 0 else (self.second, self.first)
        while (outcome := position.outcome()) is None:
            position = seats[position.to_move - 1].choose(position, self.seconds)
        return 0.5 if outcome.winner is None else float(seats[outcome.winner - 1] is self.first)

    def total_score(self, games: int, run: Callable[..., Iterable[float]] = map) -> float:
        """Return the score of the first side in this many games."""
        return sum(run(self.play_game, range(games)))

    def check_stronger_in_forty_games(self) -> float:
        """Play forty games on two cores, and check that the lower bound of the first side's score is above one half."""
        with ProcessPoolExecutor(2) as workers:
            points = self.total_score(40, workers.map)
        print(f"{self.first} - {self.second}: {points:g} of 40")
        assert lower_bound(points, 40) > 0.5, f"{points:g} of 40"
        return points


def lower_bound(points: float, games: int) -> float:
    """Return the lower end of the 95 % interval of the score (Wilson, JASA 22, 1927)."""
    z, share = 1.96, points / games
    middle = share + z * z / (2 * games)
    reach = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    return (middle - reach) / (1 + z * z / games)
