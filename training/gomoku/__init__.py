"""Many boards of Gomoku at once, compiled: the rules, the scores of points, and `greedy` as an opponent.

The package uses arrays, but no network. Import it by `training.load_boards`, which manages the cache of compiled code.
"""

from __future__ import annotations

import numpy as np

from training.gomoku.boards import DRAW, UNFINISHED, GomokuBoards
from training.gomoku.greedy import greedy_moves
from training.gomoku.scores import SCORE_NAMES, ScoreTable, point_scores, required_points

__all__ = [
    "DRAW",
    "SCORE_NAMES",
    "UNFINISHED",
    "GomokuBoards",
    "ScoreTable",
    "compile_functions",
    "greedy_moves",
    "point_scores",
    "required_points",
]


def compile_functions() -> None:
    """Compile every function, or read it from the cache."""
    boards = GomokuBoards(1)
    point_scores(boards, ScoreTable({}, {}))
    greedy_moves(boards, np.random.default_rng(0))
    boards.play(np.array([0]))
    required_points(boards)
    boards.play_random_games(np.random.default_rng(0))
