"""Many boards of Gomoku at once, compiled: the rules, the scores of points, and `greedy` as an opponent.

Uses arrays, but no network. Import it by `training.load_boards`, which keeps the compiled code.
"""

from __future__ import annotations

import numpy as np

from training.gomoku.boards import DRAW, UNFINISHED, GomokuBoards
from training.gomoku.greedy import greedy_moves
from training.gomoku.scores import NAMES, ScoreTable, best_missed, point_scores

__all__ = [
    "DRAW",
    "NAMES",
    "UNFINISHED",
    "GomokuBoards",
    "ScoreTable",
    "best_missed",
    "greedy_moves",
    "point_scores",
    "warm",
]


def warm() -> None:
    """Compile every function, or read it from the cache."""
    boards = GomokuBoards(1)
    point_scores(boards, ScoreTable({}, {}))
    greedy_moves(boards, np.random.default_rng(0))
    boards.play(np.array([0]))
    best_missed(boards)
    boards.play_random(np.random.default_rng(0))
