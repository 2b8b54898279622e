"""Priors of the new nodes of the tree: virtual visits and wins, by the effects of their moves.

The module uses the board. In Go, fitted weights rank the moves (move_features.py). In Capture Go, captures and threats
to capture count. In Robogo, the windows of a row count too. The weights of these two games were written by hand.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from gomogo_core.engines.go.array_layout import (  # isort: skip
    BLACK, CAPTURE_GO, CAPTURES_ALLOWED, CELL_COUNT, CELL_MARKS_START, CELL_RECORDS_START, CELL_STACK_START, CHAIN_HEAD,
    CHAIN_SIZE, CURRENT_MARK, DIAGONAL_ROWS, EMPTY, GAME_KIND, GO, KNOWS_VITAL_POINTS, LAST_MOVE, MOVE, NEIGHBOUR_STEPS,
    NODE_SIZE, PASS, PASSES, PRIOR_PERCENT, PRIOR_VISITS, PRIOR_WINS, RECORD_SIZE, ROW_LENGTH, ROW_STEPS,
    SECOND_LAST_MOVE, TURN, URGENT_CELLS_START, URGENT_COUNT, WALL, WHITE, BoardArray, BoardStack, Cell, FeatureWeights,
    ForcedWinMemory, Int64, TreeArray,
)  # fmt: skip
from gomogo_core.engines.go.board import copy_board, play
from gomogo_core.engines.go.forced_wins import POSITIONS_LEFT
from gomogo_core.engines.go.ladders import catches_in_ladder

from gomogo_core.engines.go.move_features import (  # isort: skip
    ATARI_FEATURES, CAPTURE_FEATURES, FAILED_RESCUE_FEATURE, RESCUE_FEATURES, UNITS_PER_LOG_ODDS, cell_distance,
    liberties_after_filling, move_rank, stone_count_index,
)  # fmt: skip
from gomogo_core.engines.go.playouts import capped_liberties_after, is_in_atari, matches_pattern

_EVEN_VISITS = 10  # virtual visits of every move of Capture Go, half of them wins
_CAPTURE_VISITS = 200
# In Go, each move gets _FITTED_VISITS virtual visits. The share of wins among them is MAX_WIN_SHARE for the best move,
# and approaches _MIN_WIN_SHARE for moves with low odds. It depends on the odds relative to the best move, to the power
# 1 / _SOFTNESS.
_FITTED_VISITS, _MIN_WIN_SHARE, MAX_WIN_SHARE, _SOFTNESS = 30, 0.2, 0.8, 3.0
# In Robogo, it depends on the square root of the score relative to the best move.
_ROBOGO_VISITS, _MIN_ROBOGO_WIN_SHARE, _MAX_ROBOGO_WIN_SHARE = 40, 0.1, 0.75
# The score of a move of Robogo is a sum over the windows of a row that contain the move and stones of at most one
# player. The window of a player who would lack n stones there after a stone on the point adds entry n of a table (n is
# at most 4): _OWN_WINDOW_SCORES for the mover and for empty windows, _OPPONENT_WINDOW_SCORES for the opponent.
_OWN_WINDOW_SCORES = np.array((40000, 160, 24, 6, 2), np.int32)
_OPPONENT_WINDOW_SCORES = np.array((1500, 70, 14, 4, 0), np.int32)
# A move of Robogo adds this to its score for each stone that it captures, saves from atari, or puts into atari.
_CAPTURE_SCORE, _RESCUE_SCORE, _ATARI_SCORE = 120, 80, 20
_MAX_EYE_SPACE = 6  # the largest number of empty points of an eye space with a vital point
_MAX_LADDER_POSITIONS = 60  # the largest number of positions that a search for one ladder visits


@njit("UniTuple(int64, 3)(int32[::1], int64)", nogil=True, cache=True)
def _affected_stones(board: BoardArray, cell: Cell) -> tuple[Int64, Int64, Int64]:
    """Return the numbers of stones that a move captures, saves from atari, and puts into atari."""
    captured = saved = threatened = np.int64(0)
    opponent = 3 - board[TURN]
    for k in range(4):
        neighbour = cell + NEIGHBOUR_STEPS[k]
        neighbour_colour = board[neighbour]
        if neighbour_colour in (EMPTY, WALL):
            continue
        head = board[CELL_RECORDS_START + RECORD_SIZE * neighbour + CHAIN_HEAD]
        stones = np.int64(board[CELL_RECORDS_START + RECORD_SIZE * head + CHAIN_SIZE])
        if is_in_atari(board, neighbour):
            if neighbour_colour == opponent:
                captured += stones
            else:
                saved += stones
        elif neighbour_colour == opponent and liberties_after_filling(board, neighbour, cell) == 1:
            threatened += stones
    return captured, saved, threatened


@njit("void(int32[::1], int32[::1], int64)", nogil=True, cache=True)
def _set_capture_prior(board: BoardArray, tree: TreeArray, node: Int64) -> None:
    """Give a new node of Capture Go virtual visits and wins, by the effects of its move."""
    cell = np.int64(tree[NODE_SIZE * node + MOVE])
    visits, wins = _EVEN_VISITS, _EVEN_VISITS  # a win counts as two
    if cell == PASS:
        tree[NODE_SIZE * node + PRIOR_VISITS] = visits
        tree[NODE_SIZE * node + PRIOR_WINS] = wins if board[PASSES] else wins // 5
        return
    captured, saved, threatened = _affected_stones(board, cell)
    if captured:
        visits, wins = visits + _CAPTURE_VISITS, wins + 2 * _CAPTURE_VISITS
    if capped_liberties_after(board, cell, board[TURN]) < 2:
        visits += 60
    elif saved:
        visits, wins = visits + 60, wins + 120
    elif threatened:
        visits, wins = visits + 6, wins + 10
    if matches_pattern(board, cell):
        visits, wins = visits + 10, wins + 20
    if board[LAST_MOVE] != PASS:
        distance = cell_distance(cell, board[LAST_MOVE])
        if board[SECOND_LAST_MOVE] != PASS:
            distance = min(distance, 1 + cell_distance(cell, board[SECOND_LAST_MOVE]))
        weight = 16 if distance <= 3 else 10 if distance <= 5 else 4 if distance <= 7 else 0
        visits, wins = visits + weight, wins + 2 * weight
    tree[NODE_SIZE * node + PRIOR_VISITS] = visits
    tree[NODE_SIZE * node + PRIOR_WINS] = wins


@njit("int64(int32[::1], int64)", nogil=True, cache=True)
def _row_score(board: BoardArray, cell: Cell) -> Int64:
    """Return the score of a move of Robogo for the windows of a row that contain it."""
    own_colour, length, score = board[TURN], board[ROW_LENGTH], 0
    for k in range(4 if board[DIAGONAL_ROWS] else 2):
        step = ROW_STEPS[k]
        for steps_back in range(length):
            first = cell - steps_back * step
            last = first + (length - 1) * step
            # a row that leaves the board meets a wall on its way, and so only its ends can be outside of the array
            if first < 0 or last >= CELL_COUNT:
                continue
            own_stones = other_stones = 0
            for point in range(first, last + 1, step):
                colour = board[point]
                if colour == WALL:
                    own_stones = other_stones = 1
                    break
                own_stones += colour == own_colour
                other_stones += colour == 3 - own_colour
            if other_stones == 0:
                score += _OWN_WINDOW_SCORES[min(length - 1 - own_stones, 4)]
            elif own_stones == 0:
                score += _OPPONENT_WINDOW_SCORES[min(length - 1 - other_stones, 4)]
    return score


@njit("int64(int32[::1], int64)", nogil=True, cache=True)
def robogo_score(board: BoardArray, cell: Cell) -> Int64:
    """Return the score of a move of Robogo, at least 1; it is 1 for PASS."""
    if cell == PASS:
        return 1
    score = _row_score(board, cell)
    if board[CAPTURES_ALLOWED]:
        captured, saved, threatened = _affected_stones(board, cell)
        score += _CAPTURE_SCORE * captured + _RESCUE_SCORE * saved + _ATARI_SCORE * threatened
        if score < _OPPONENT_WINDOW_SCORES[0] and capped_liberties_after(board, cell, board[TURN]) < 2:
            score //= 4  # a move into atari that neither completes nor stops a row
    return 1 + score


@njit("int64(int32[::1], int64, int16[::1], int32[:, ::1], int32[::1])", nogil=True, cache=True)
def _rank_change_by_ladders(
    board: BoardArray, cell: Cell, weights: FeatureWeights, boards: BoardStack, memory: ForcedWinMemory
) -> Int64:
    """Return the number that ladders add to the rank of a move of Go.

    An atari that catches a chain in a ladder ranks like the capture of the chain. A rescue of a chain that is caught in
    a ladder afterwards ranks like a failed rescue.
    """
    if cell == PASS:
        return 0
    for k in range(4):
        neighbour = cell + NEIGHBOUR_STEPS[k]
        neighbour_colour = board[neighbour]
        if neighbour_colour in (EMPTY, WALL):
            continue
        is_own, in_atari = neighbour_colour == board[TURN], is_in_atari(board, neighbour)
        if is_own != in_atari or (not is_own and liberties_after_filling(board, neighbour, cell) != 1):
            continue
        if is_own and capped_liberties_after(board, cell, board[TURN]) != 2:
            continue
        head = board[CELL_RECORDS_START + RECORD_SIZE * neighbour + CHAIN_HEAD]
        index = stone_count_index(board[CELL_RECORDS_START + RECORD_SIZE * head + CHAIN_SIZE])
        memory[POSITIONS_LEFT] = _MAX_LADDER_POSITIONS
        copy_board(board, boards[0])
        if is_own:
            play(boards[0], cell)
        if catches_in_ladder(boards, 0, neighbour, 0 if is_own else cell, memory):
            if is_own:
                return np.int64(weights[FAILED_RESCUE_FEATURE]) - weights[RESCUE_FEATURES + index]
            return np.int64(weights[CAPTURE_FEATURES + index]) - weights[ATARI_FEATURES + index]
    return 0


@njit("int64(int32[::1], int64)", nogil=True, cache=True)
def vital_point(board: BoardArray, first_cell: Cell) -> Cell:
    """Return the vital point of the eye space of 3 to 6 empty points that contains `first_cell`; PASS if it has none.

    Stones of one colour surround an eye space. Its vital point has more empty neighbours than each other point: two in
    an eye space of three points, and at least three in a larger one. So a row of four points has none.
    """
    region_start, mark = CELL_STACK_START, board[CURRENT_MARK] + 1
    board[CURRENT_MARK] = mark
    board[region_start], board[CELL_MARKS_START + first_cell] = first_cell, mark
    count, i, border = 1, 0, 0
    while i < count:
        cell = np.int64(board[region_start + i])
        i += 1
        for k in range(4):
            neighbour = cell + NEIGHBOUR_STEPS[k]
            colour = board[neighbour]
            if colour == EMPTY:
                if board[CELL_MARKS_START + neighbour] != mark:
                    if count == _MAX_EYE_SPACE:
                        return PASS
                    board[region_start + count], board[CELL_MARKS_START + neighbour] = neighbour, mark
                    count += 1
            elif colour != WALL:
                border |= colour
    if count < 3 or border == BLACK | WHITE:
        return PASS
    best_cell, most_neighbours, best_count = np.int64(PASS), 2 if count == 3 else 3, 0
    for i in range(count):
        cell = np.int64(board[region_start + i])
        neighbours = 0
        for k in range(4):
            neighbours += board[cell + NEIGHBOUR_STEPS[k]] == EMPTY
        if neighbours > most_neighbours or (neighbours == most_neighbours and best_count == 0):
            best_cell, most_neighbours, best_count = cell, neighbours, 1
        elif neighbours == most_neighbours:
            best_count += 1
    return best_cell if best_count == 1 else PASS


@njit("void(int32[::1], int32[::1], int64, int64, int16[::1], int32[:, ::1], int32[::1])", nogil=True, cache=True)
def set_priors(
    board: BoardArray,
    tree: TreeArray,
    first: Int64,
    end: Int64,
    weights: FeatureWeights,
    boards: BoardStack,
    memory: ForcedWinMemory,
) -> None:
    """Give the new nodes from `first` up to `end` virtual visits and wins, by the effects of their moves.

    The search for ladders overwrites `boards` and `memory`, the working memory of forced_wins.py.
    """
    if board[GAME_KIND] == CAPTURE_GO:
        for child in range(first, end):
            _set_capture_prior(board, tree, child)
    else:
        is_go = board[GAME_KIND] == GO
        best_score = -(1 << 30)
        for child in range(first, end):
            cell = np.int64(tree[NODE_SIZE * child + MOVE])
            if is_go:
                score = move_rank(board, cell, weights) + _rank_change_by_ladders(board, cell, weights, boards, memory)
            else:
                score = robogo_score(board, cell)
            tree[NODE_SIZE * child + PRIOR_WINS] = score
            best_score = max(best_score, score)
        if is_go and (board[KNOWS_VITAL_POINTS] or board[URGENT_COUNT]):
            for child in range(first, end):
                cell = np.int64(tree[NODE_SIZE * child + MOVE])
                is_urgent = board[KNOWS_VITAL_POINTS] != 0 and cell != PASS and vital_point(board, cell) == cell
                for i in range(board[URGENT_COUNT]):
                    is_urgent |= board[URGENT_CELLS_START + i] == cell
                if is_urgent:
                    tree[NODE_SIZE * child + PRIOR_WINS] = best_score
        prior_visits, min_share, max_share = _FITTED_VISITS, _MIN_WIN_SHARE, MAX_WIN_SHARE
        if not is_go:
            prior_visits, min_share, max_share = _ROBOGO_VISITS, _MIN_ROBOGO_WIN_SHARE, _MAX_ROBOGO_WIN_SHARE
        for child in range(first, end):
            score = tree[NODE_SIZE * child + PRIOR_WINS]
            if is_go:
                odds = math.exp((score - best_score) / (UNITS_PER_LOG_ODDS * _SOFTNESS))
            else:
                odds = math.sqrt(score / best_score)
            tree[NODE_SIZE * child + PRIOR_VISITS] = prior_visits
            tree[NODE_SIZE * child + PRIOR_WINS] = int(2 * prior_visits * (min_share + (max_share - min_share) * odds))
    percent = board[PRIOR_PERCENT]
    if percent == 100:
        return
    for child in range(first, end):
        visits, wins = np.int64(tree[NODE_SIZE * child + PRIOR_VISITS]), np.int64(tree[NODE_SIZE * child + PRIOR_WINS])
        scaled_visits = max(1, visits * percent // 100)
        tree[NODE_SIZE * child + PRIOR_VISITS] = scaled_visits
        tree[NODE_SIZE * child + PRIOR_WINS] = wins * scaled_visits // visits
