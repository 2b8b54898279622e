"""Captures stones, and rescues its own, the larger chain first; else plays anywhere except into own eyes.

python agents/go_evader.py TEAM

A rescued stone counts as much as a captured one. The agent rescues stones in atari by extending them, by connecting
them to others, or by capturing their attackers, which counts as rescue and as capture. The agent looks only one move
ahead, so it extends a chain in a ladder until the edge of the board.
"""

from __future__ import annotations

import random
from collections import Counter

import _path  # noqa: F401  (lets the file run from a clone without installation)

from gomogo_core.agent import AgentClock
from gomogo_core.games.base import Move
from gomogo_core.games.stones.rules import PASS, GoFamilyPosition
from gomogo_core.search.go.atari import capturing_points, points_safe_from_atari, rescuing_points
from gomogo_core.search.go.passing import random_harmless_move, wins_by_passing

GAMES = ("go", "capture_go")
KEEP_RUNNING = True  # one process may play many games: no state survives a game


def choose(position: GoFamilyPosition, clock: AgentClock) -> Move:
    """Return a pass that wins, or the move that captures and rescues most stones, or a random harmless move."""
    if wins_by_passing(position):
        return PASS
    return find_largest_capture_or_rescue(position) or random_harmless_move(
        position, points_safe_from_atari(position.board, position.to_move, position.legal_mask)
    )


def find_largest_capture_or_rescue(position: GoFamilyPosition) -> Move | None:
    """Return a point that captures and rescues the most stones, or None if no point does either."""
    board, mover = position.board, position.to_move
    stone_counts: Counter[int] = Counter()
    for stones_by_point in (capturing_points(board, mover), rescuing_points(board, mover)):
        for point_index, mask in stones_by_point.items():
            if position.legal_mask >> point_index & 1:
                stone_counts[point_index] += mask.bit_count()
    best_indices = [point_index for point_index, count in stone_counts.items() if count == max(stone_counts.values())]
    return position.game.bit_geometry.points[random.choice(best_indices)] if best_indices else None


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
