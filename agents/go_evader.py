"""Takes stones, and saves its own from being taken, the larger chain first; else plays anywhere but into its own eyes.

    python agents/go_evader.py TEAM

What go_capturer sees of the opponent's stones, it sees of its own too: a stone saved is worth a stone taken. It saves
stones in atari by extending them, by joining them to others, and by taking what attacks them; then both count. It
looks no further: a chain in a ladder it extends to the end of the board.
"""

from __future__ import annotations

import random
from collections import Counter

import _path  # noqa: F401  (lets the file run from a clone that is not installed)

from gomogo_core.games._stones import PASS, StonesPosition
from gomogo_core.games.base import Move
from gomogo_core.search.go.atari import captures, rescues, safe_from_atari
from gomogo_core.search.go.manners import any_harmless, wins_by_passing
from gomogo_core.wire.agent_clock import AgentClock

GAMES = ("go", "capture_go")
KEEP_RUNNING = True  # one process may play many games: nothing of a game that is over is kept


def choose(position: StonesPosition, clock: AgentClock) -> Move:
    """The pass that wins, the move that takes and saves the most stones, or anything harmless."""
    if wins_by_passing(position):
        return PASS
    return most_stones(position) or any_harmless(
        position, safe_from_atari(position.board, position.to_move, position.legal)
    )


def most_stones(position: StonesPosition) -> Move | None:
    """A point where the most stones are taken or saved, or None where none are."""
    board, mover = position.board, position.to_move
    stones: Counter[int] = Counter()
    for found in (captures(board, mover), rescues(board, mover)):
        for i, mask in found.items():
            if position.legal >> i & 1:
                stones[i] += mask.bit_count()
    best = [i for i, size in stones.items() if size == max(stones.values())]
    return position.game.plane.points[random.choice(best)] if best else None


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
