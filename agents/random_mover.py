"""Plays any legal move with equal probability: the opponent that every other agent must beat.

python agents/random_mover.py TEAM
"""

from __future__ import annotations

import random

import _path  # noqa: F401  (lets the file run from a clone without installation)

from gomogo_core.agent import AgentClock
from gomogo_core.games.base import Move, Position

KEEP_RUNNING = True  # one process may play many games: no state survives a game


def choose(position: Position, clock: AgentClock) -> Move:
    """Return any legal move."""
    return random.choice(list(position.moves()))


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
