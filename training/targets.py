"""The learning targets of mm_ai's network, and its choice of moves during training.

The targets are rewards for points, by the table of scores, and target values of moves.

The module uses NumPy arrays and the table, but no network, so that each rule can be tested by itself.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from training.gomoku.boards import EMPTY, Array, GomokuBoards
from training.settings import ScoreTableSettings

Scores = Array  # scores of points, as in training.gomoku.scores: -1 if a point is occupied


def planes(boards: GomokuBoards) -> Array:
    """Return the input, float32 of shape (boards, 3, size, size): empty points, own stones, the opponent's stones."""
    points, mover = boards.colours(), boards.to_move()[:, None, None]
    return np.stack((points == EMPTY, points == mover, points == 3 - mover), axis=1).astype(np.float32)


def full_reward_score(scores: ScoreTableSettings) -> float:
    """Return the score with the reward 1: the score of the player's own five."""
    return max(scores.own.five, 1.0)


def short_term_rewards(scores: Scores, full_score: float) -> Array:
    """Return the reward of each point, 0 to 1, by the logarithm of its score; 0 if it is occupied."""
    return np.asarray(np.log1p(np.clip(scores, 0.0, full_score)) / math.log1p(full_score), np.float32)


def short_term_targets(rewards: Any, played_mask: Any, best_next: Any, discount: float) -> Any:
    """Return reward + discount · best next value where a point was played, the reward elsewhere.

    The parameters are arrays or tensors. `rewards` and `played_mask` have the shape (positions, size, size). The mask
    is 1 at the move and 0 elsewhere. `best_next` has one value for each position, 0 if the game was over.
    """
    return rewards + discount * played_mask * best_next[:, None, None]


def choose_moves(
    values: Array, legal: Array, exploration: float, share: float, generator: np.random.Generator
) -> Array:
    """Return the best move of each position or, with the probability `exploration`, a random move from the best `share`
    of the moves.

    `values` and `legal` have the shape (positions, points). A NaN value is never the best. If all legal points have
    NaN, the move is any legal point.
    """
    usable = legal & np.isfinite(values)
    ranked = np.where(usable, values, -np.inf)
    chosen = np.argmax(ranked, axis=1)
    for i in np.flatnonzero(generator.random(len(values)) < exploration):
        candidate_count = max(1, round(share * int(legal[i].sum())))
        best_points = np.argsort(-ranked[i], kind="stable")[:candidate_count]
        chosen[i] = generator.choice(best_points[usable[i][best_points]]) if usable[i].any() else chosen[i]
    for i in np.flatnonzero(~usable.any(axis=1) & legal.any(axis=1)):
        chosen[i] = generator.choice(np.flatnonzero(legal[i]))
    return np.asarray(chosen)


def apply_symmetry(board: Array, symmetry: int) -> Array:
    """Return an array whose last two axes are a board under one of the eight symmetries; 0 is the identity."""
    rotated = np.rot90(board, symmetry % 4, axes=(-2, -1))
    return np.asarray(rotated[..., ::-1] if symmetry >= 4 else rotated)
