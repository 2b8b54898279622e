"""Plays any empty point at random, without asking whether it may: needs a referee that lets it try again.

    gomogo match go_guesser random_mover --game go -o size=9 --illegal retry

It sees where no stone stands, and knows no rule beside. What the referee refuses, it does not guess again on that
turn. When nothing empty is left to try, or too much was refused, it passes; where nobody may pass, it gives up guessing
and looks up a legal move.
"""

from __future__ import annotations

import random

import _path  # noqa: F401  (lets the file run from a clone that is not installed)

from gomogo_core.games._stones import PASS, StonesPosition
from gomogo_core.games.base import Move
from gomogo_core.wire.agent_clock import AgentClock

GAMES = ("go", "capture_go", "robogo")
KEEP_RUNNING = True  # one process may play many games: a new position makes it forget what was refused
PATIENCE = 60  # refusals of one move after which it stops guessing: the referee bears a hundred


class _Turn:
    """The position it was last asked about, and what it answered to that."""

    position: StonesPosition | None = None
    guessed: frozenset[Move] = frozenset()


def choose(position: StonesPosition, clock: AgentClock) -> Move:
    """Any empty point that was not refused on this turn."""
    if position is not _Turn.position:  # whose guess is refused, is asked about the same position again
        _Turn.position, _Turn.guessed = position, frozenset()
    empty = position.game.plane.listed(position.board.empty)
    left = [point for point in empty if point not in _Turn.guessed]
    if left and len(_Turn.guessed) < PATIENCE:
        guess: Move = random.choice(left)
        _Turn.guessed |= {guess}
        return guess
    return PASS if position.game.passing else next(position.moves())


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
