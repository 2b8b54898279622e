"""Takes as many stones as it can at once; else plays anywhere but into its own eyes. Passes when that wins.

    python agents/go_capturer.py TEAM

It sees what is in atari: stones with one liberty left. And it knows the score: when the opponent has passed, and would
have fewer points if the game ended now, it passes too.
"""

from __future__ import annotations

import random

import _path  # noqa: F401  (lets the file run from a clone that is not installed)

from gomogo_core.games._stones import PASS, StonesPosition
from gomogo_core.games.base import Move
from gomogo_core.search.go.atari import captures
from gomogo_core.search.go.manners import any_harmless, wins_by_passing
from gomogo_core.wire.agent_clock import AgentClock

GAMES = ("go", "capture_go")
KEEP_RUNNING = True  # one process may play many games: nothing of a game that is over is kept


def choose(position: StonesPosition, clock: AgentClock) -> Move:
    """The pass that wins, one of the largest captures, or anything harmless."""
    if wins_by_passing(position):
        return PASS
    return largest_capture(position) or any_harmless(position)


def largest_capture(position: StonesPosition) -> Move | None:
    """A point where the most stones are taken, or None where none can be."""
    taken = captures(position.board, position.to_move)
    sizes = {i: stones.bit_count() for i, stones in taken.items() if position.legal >> i & 1}
    most = max(sizes.values(), default=0)
    best = [i for i, size in sizes.items() if size == most]
    return position.game.plane.points[random.choice(best)] if best else None


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
