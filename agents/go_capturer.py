"""Captures as many stones as it can with one move; else plays anywhere except into own eyes; passes if a pass wins.

python agents/go_capturer.py TEAM

It sees stones in atari, which are chains with one liberty. It also counts the score: if the opponent has passed and
would have fewer points at the end, it passes too.
"""

from __future__ import annotations

import random

import _path  # noqa: F401  (lets the file run from a clone without installation)

from gomogo_core.agent import AgentClock
from gomogo_core.games.base import Move
from gomogo_core.games.stones.rules import PASS, GoFamilyPosition
from gomogo_core.search.go.atari import capturing_points
from gomogo_core.search.go.passing import random_harmless_move, wins_by_passing

GAMES = ("go", "capture_go")
KEEP_RUNNING = True  # one process may play many games: no state survives a game


def choose(position: GoFamilyPosition, clock: AgentClock) -> Move:
    """Return a pass that wins, or one of the largest captures, or a random move that fills no own eye."""
    if wins_by_passing(position):
        return PASS
    return find_largest_capture(position) or random_harmless_move(position)


def find_largest_capture(position: GoFamilyPosition) -> Move | None:
    """Return a point with the largest capture, or None if no stone captures."""
    captures = capturing_points(position.board, position.to_move)
    sizes = {index: stones.bit_count() for index, stones in captures.items() if position.legal_mask >> index & 1}
    max_size = max(sizes.values(), default=0)
    best_indices = [index for index, size in sizes.items() if size == max_size]
    return position.game.bit_geometry.points[random.choice(best_indices)] if best_indices else None


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
