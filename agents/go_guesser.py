"""Plays any empty point at random, legal or not, and needs a referee that allows another try.

gomogo match go_guesser random_mover --game go -o size=9 --illegal retry

Its only rule is that a stone needs an empty point. It does not repeat a refused point on the same turn. When no empty
point is left to try, or after too many refusals, it passes; if passing is not allowed, it plays a legal move.
"""

from __future__ import annotations

import random

import _path  # noqa: F401  (lets the file run from a clone without installation)

from gomogo_core.agent import AgentClock
from gomogo_core.games.base import Move
from gomogo_core.games.stones.rules import PASS, GoFamilyPosition

GAMES = ("go", "capture_go", "robogo")
KEEP_RUNNING = True  # one process may play many games: a new position clears the refused moves
MAX_REFUSALS = 60  # after this number of refusals on one turn, it stops guessing; the referee allows a hundred


class _LastRequest:
    """The position of the last request, and the points that it has tried there."""

    position: GoFamilyPosition | None = None
    refused: frozenset[Move] = frozenset()


def choose(position: GoFamilyPosition, clock: AgentClock) -> Move:
    """Return any empty point that was not refused on this turn."""
    if position is not _LastRequest.position:  # after a refusal, the referee asks for the same position again
        _LastRequest.position, _LastRequest.refused = position, frozenset()
    empty_points = position.game.bit_geometry.points_in(position.board.empty_mask)
    untried_points = [point for point in empty_points if point not in _LastRequest.refused]
    if untried_points and len(_LastRequest.refused) < MAX_REFUSALS:
        untried_point: Move = random.choice(untried_points)
        _LastRequest.refused |= {untried_point}
        return untried_point
    return PASS if position.game.passing else next(position.moves())


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
