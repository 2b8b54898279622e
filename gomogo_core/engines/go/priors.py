"""Priors of the new nodes of the tree: virtual visits and wins, by the effects of their moves.

The module uses the board. In Go, fitted weights rank the moves (move_features.py). In Capture Go, captures and threats
to capture count. In Robogo, the windows of a row count too. The weights of these two games were written by hand.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from gomogo_core.engines.go.array_layout import (
    CAPTURE_GO,
    CAPTURES,
    CELLS,
    DIAGONALS,
    EMPTY,
    GO,
    HEAD,
    KIND,
    LAST,
    LAST_BUT_ONE,
    LINE,
    MOVE,
    NODE,
    PASS,
    PASSES,
    PRIOR_PERCENT,
    PRIOR_VISITS,
    PRIOR_WINS,
    RECORD,
    RECORDS,
    ROW_STEPS,
    SIZE,
    STEPS,
    TURN,
    WALL,
    BoardArray,
    Cell,
    FeatureWeights,
    Number,
    TreeArray,
)
from gomogo_core.engines.go.move_features import UNIT, liberties_left, move_rank, steps_between
from gomogo_core.engines.go.playouts import in_atari, liberties_after, matches_pattern

_EVEN_VISITS = 10  # virtual visits of every move of Capture Go, half of them wins
_WIN_NOW_VISITS = 200
# In Go, each move gets _FITTED_VISITS virtual visits. The share of them that is won is _MOST_SHARE for the best move,
# and approaches _LEAST_SHARE for moves with low odds: the odds relative to the best move, to the power 1 / _SOFTNESS,
# decide.
_FITTED_VISITS, _LEAST_SHARE, _MOST_SHARE, _SOFTNESS = 30, 0.2, 0.8, 3.0
# In Robogo, likewise: the square root of the score relative to the best move decides.
_ROW_VISITS, _LEAST_ROW_SHARE, _MOST_ROW_SHARE = 40, 0.1, 0.75
# The score of a move of Robogo is a sum over the windows of a row around it in which only one player has stones, or
# nobody. The index is the number of stones that this player would lack in the window after a stone there, at most 4: in
# _OWN_SCORES for the mover and for empty windows, in _OTHER_SCORES for the opponent.
_OWN_SCORES = np.array((40000, 160, 24, 6, 2), np.int32)
_OTHER_SCORES = np.array((1500, 70, 14, 4, 0), np.int32)
# A move of Robogo adds this to its score for each stone that it captures, saves from atari, or puts into atari.
_CAPTURE_SCORE, _RESCUE_SCORE, _ATARI_SCORE = 120, 80, 20


@njit("UniTuple(int64, 3)(int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _stones_in_danger(board: BoardArray, cell: Cell) -> tuple[Number, Number, Number]:
    """Return the numbers of stones that a move captures, saves from atari, and puts into atari."""
    captured = saved = threatened = np.int64(0)
    other = 3 - board[TURN]
    for k in range(4):
        near = cell + STEPS[k]
        c = board[near]
        if c in (EMPTY, WALL):
            continue
        stones = np.int64(board[RECORDS + RECORD * board[RECORDS + RECORD * near + HEAD] + SIZE])
        if in_atari(board, near):
            if c == other:
                captured += stones
            else:
                saved += stones
        elif c == other and liberties_left(board, near, cell) == 1:
            threatened += stones
    return captured, saved, threatened


@njit("void(int32[::1], int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _set_capture_prior(board: BoardArray, tree: TreeArray, node: Number) -> None:
    """Give a new node of Capture Go virtual visits and wins, by the effects of its move."""
    cell = np.int64(tree[NODE * node + MOVE])
    visits, wins = _EVEN_VISITS, _EVEN_VISITS  # a win counts as two
    if cell == PASS:
        tree[NODE * node + PRIOR_VISITS] = visits
        tree[NODE * node + PRIOR_WINS] = wins if board[PASSES] else wins // 5
        return
    captured, saved, threatened = _stones_in_danger(board, cell)
    if captured:
        visits, wins = visits + _WIN_NOW_VISITS, wins + 2 * _WIN_NOW_VISITS
    if liberties_after(board, cell, board[TURN]) < 2:
        visits += 60
    elif saved:
        visits, wins = visits + 60, wins + 120
    elif threatened:
        visits, wins = visits + 6, wins + 10
    if matches_pattern(board, cell):
        visits, wins = visits + 10, wins + 20
    if board[LAST] != PASS:
        steps = steps_between(cell, board[LAST])
        if board[LAST_BUT_ONE] != PASS:
            steps = min(steps, 1 + steps_between(cell, board[LAST_BUT_ONE]))
        weight = 16 if steps <= 3 else 10 if steps <= 5 else 4 if steps <= 7 else 0
        visits, wins = visits + weight, wins + 2 * weight
    tree[NODE * node + PRIOR_VISITS] = visits
    tree[NODE * node + PRIOR_WINS] = wins


@njit("int64(int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _row_score(board: BoardArray, cell: Cell) -> Number:
    """Return the score of a move of Robogo for the windows of a row that contain it."""
    own, length, score = board[TURN], board[LINE], 0
    for k in range(4 if board[DIAGONALS] else 2):
        step = ROW_STEPS[k]
        for back in range(length):
            first = cell - back * step
            last = first + (length - 1) * step
            # a row that leaves the board meets a wall on its way, and so only its ends can be outside of the array
            if first < 0 or last >= CELLS:
                continue
            mine = theirs = 0
            for at in range(first, last + 1, step):
                c = board[at]
                if c == WALL:
                    mine = theirs = 1
                    break
                mine += c == own
                theirs += c == 3 - own
            if theirs == 0:
                score += _OWN_SCORES[min(length - 1 - mine, 4)]
            elif mine == 0:
                score += _OTHER_SCORES[min(length - 1 - theirs, 4)]
    return score


@njit("int64(int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def robogo_score(board: BoardArray, cell: Cell) -> Number:
    """Return the score of a move of Robogo, at least 1; it is 1 for PASS."""
    if cell == PASS:
        return 1
    score = _row_score(board, cell)
    if board[CAPTURES]:
        captured, saved, threatened = _stones_in_danger(board, cell)
        score += _CAPTURE_SCORE * captured + _RESCUE_SCORE * saved + _ATARI_SCORE * threatened
        if score < _OTHER_SCORES[0] and liberties_after(board, cell, board[TURN]) < 2:
            score //= 4  # a move into atari that neither completes nor stops a row
    return 1 + score


@njit("void(int32[::1], int32[::1], int64, int64, int16[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _set_standard_priors(
    board: BoardArray, tree: TreeArray, first: Number, end: Number, weights: FeatureWeights
) -> None:
    if board[KIND] == CAPTURE_GO:
        for child in range(first, end):
            _set_capture_prior(board, tree, child)
        return
    is_go = board[KIND] == GO
    top = -(1 << 30)
    for child in range(first, end):
        cell = np.int64(tree[NODE * child + MOVE])
        found = move_rank(board, cell, weights) if is_go else robogo_score(board, cell)
        tree[NODE * child + PRIOR_WINS] = found
        top = max(top, found)
    visits, least, most = _FITTED_VISITS, _LEAST_SHARE, _MOST_SHARE
    if not is_go:
        visits, least, most = _ROW_VISITS, _LEAST_ROW_SHARE, _MOST_ROW_SHARE
    for child in range(first, end):
        found = tree[NODE * child + PRIOR_WINS]
        odds = math.exp((found - top) / (UNIT * _SOFTNESS)) if is_go else math.sqrt(found / top)
        tree[NODE * child + PRIOR_VISITS] = visits
        tree[NODE * child + PRIOR_WINS] = int(2 * visits * (least + (most - least) * odds))


@njit("void(int32[::1], int32[::1], int64, int64, int16[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def set_priors(board: BoardArray, tree: TreeArray, first: Number, end: Number, weights: FeatureWeights) -> None:
    """Give the new nodes from `first` up to `end` virtual visits and wins, by the effects of their moves."""
    _set_standard_priors(board, tree, first, end, weights)
    percent = board[PRIOR_PERCENT]
    if percent == 100:
        return
    for child in range(first, end):
        visits, wins = np.int64(tree[NODE * child + PRIOR_VISITS]), np.int64(tree[NODE * child + PRIOR_WINS])
        visits_now = max(1, visits * percent // 100)
        tree[NODE * child + PRIOR_VISITS] = visits_now
        tree[NODE * child + PRIOR_WINS] = wins * visits_now // visits
