"""Plays any legal move, each as likely as the next: the opponent that every other one must beat.

python agents/random_mover.py TEAM
"""

from __future__ import annotations

import random

import _path  # noqa: F401  (lets the file run from a clone that is not installed)

from gomogo_core.games.base import Move, Position
from gomogo_core.wire.agent_clock import AgentClock

KEEP_RUNNING = True  # one process may play many games: nothing of a game that is over is kept


def choose(position: Position, clock: AgentClock) -> Move:
    """Any legal move."""
    return random.choice(list(position.moves()))


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
