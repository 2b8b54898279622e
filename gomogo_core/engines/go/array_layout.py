"""The layout of two int32 arrays: one holds a board and the state of its search, the other the tree of a search.

The module uses numbers only. With flat arrays instead of objects, Numba compiles every function once, and caches it.

A cell is `row · STRIDE + column`, both counted from 1. The border consists of walls, so that no step needs a bounds
check.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

# The types of the parameters of compiled functions. Numba takes them from the signatures; these names are for readers.
BoardArray: TypeAlias = Any  # int32 (STATE_SIZE,): a board and the state of its search, with the indices below
BoardStack: TypeAlias = Any  # int32 (levels, numbers): one board for each level of a search
# int32: the nodes of the tree, NODE_SIZE numbers each; the first number is the number of nodes
TreeArray: TypeAlias = Any
ForcedWinMemory: TypeAlias = Any  # int32: the working memory of forced_wins.py
EstimateMemory: TypeAlias = Any  # int32: the working memory of capture_estimates.py
TranspositionTable: TypeAlias = Any  # int64 (entries, 2): a transposition table
SearchMemory: TypeAlias = Any  # int64: the counter of nodes and the killer moves of capture_search.py
MoveList: TypeAlias = Any  # int64: moves with their scores
MoveLists: TypeAlias = Any  # int64 (levels, moves): one list of moves for each level of a search
BoardHashes: TypeAlias = Any  # int64: the number of earlier boards, then their hashes
FeatureWeights: TypeAlias = Any  # int16 (features,): the weights of move_features.py
PlayoutSums: TypeAlias = Any  # int64: the sums that `measure_playouts` adds to
EndSums: TypeAlias = Any  # int64 (END_SUMS_SIZE,): sums over the ends of playouts of Go, with the indices below
Cell: TypeAlias = Any  # int64: a point, as `row · STRIDE + column`, or PASS
CellPair: TypeAlias = Any  # two cells
Colour: TypeAlias = Any  # int64: BLACK or WHITE
Int64: TypeAlias = Any  # a count, an index, a result or a value
Boolean: TypeAlias = Any

EMPTY, BLACK, WHITE, WALL = 0, 1, 2, 3

MAX_BOARD_SIZE = 25
STRIDE = MAX_BOARD_SIZE + 2
CELL_COUNT = STRIDE * STRIDE
PASS = 0  # a cell of the border stands for the pass

# The colour of a cell is at the index of the cell. The record of a cell is at CELL_RECORDS_START + RECORD_SIZE · cell.
# It holds the first stone of its chain (CHAIN_HEAD) and the next stone in the ring of the chain. The record of the
# first stone also holds the number of the chain's pseudo-liberties (pairs of a stone and an empty neighbour), the sum
# of these neighbours' cells, the sum of the squares of these cells, and the number of the chain's stones. EMPTY_INDEX
# is the index of an empty cell in the list of empty cells.
CHAIN_HEAD, NEXT_STONE, PSEUDO_LIBERTIES, LIBERTY_SUM, LIBERTY_SQUARES, CHAIN_SIZE, EMPTY_INDEX = range(7)
RECORD_SIZE = 8

RULES_START = CELL_COUNT
GAME_KIND, ROWS, COLUMNS, DOUBLED_KOMI, ROW_LENGTH, DIAGONAL_ROWS = range(RULES_START, RULES_START + 6)
SUICIDE_ALLOWED, CAPTURES_ALLOWED, PASSING_ALLOWED, CAPTURE_TARGET, MAX_MOVES, KO_RULE = range(
    RULES_START + 6, RULES_START + 12
)
SCORING, RANDOM_PLAYOUTS = (
    RULES_START + 12,
    RULES_START + 13,
)  # the scoring of Go; whether playouts are uniformly random
READS_FORCED_WINS = RULES_START + 14  # whether the tree reads forced wins, and passes proved results up
# parameters of the tree: the percentage of the game's RAVE_EQUIVALENCE, the visits at which a leaf gets children, the
# percentage of the priors' virtual visits
RAVE_PERCENT, EXPANSION_VISITS, PRIOR_PERCENT = RULES_START + 15, RULES_START + 30, RULES_START + 31
TURN = RULES_START + 16
KO_CELL = RULES_START + 17  # the cell that simple ko forbids; BOARD_UNCHANGED if the last move left the board as it was
PASSES = RULES_START + 18
MOVE_NUMBER = RULES_START + 19  # the number of moves so far
CAPTURE_COUNTS_START = RULES_START + 20  # + colour: stones that this colour has captured
STONE_COUNTS_START = RULES_START + 23  # + colour: the number of stones of this colour on the board
LAST_MOVE, SECOND_LAST_MOVE = RULES_START + 26, RULES_START + 27
EMPTY_COUNT = RULES_START + 28  # the number of empty cells
WINNER = RULES_START + 29  # the winner of Robogo, once there is a row
EMPTY_CELLS_START = RULES_START + 32  # the empty cells
CELL_RECORDS_START = EMPTY_CELLS_START + CELL_COUNT
BOARD_ARRAY_SIZE = CELL_RECORDS_START + RECORD_SIZE * CELL_COUNT  # a copy of a board copies the array up to here

BOARD_UNCHANGED = -1
RANDOM_STATE = BOARD_ARRAY_SIZE  # the state of the generator of random numbers
PLAYOUT_MOVE_COUNT = BOARD_ARRAY_SIZE + 2  # the number of moves in PLAYOUT_MOVES_START
PATH_LENGTH = BOARD_ARRAY_SIZE + 3
# the number of playouts so far, which makes the marks in FIRST_PLAYERS_START differ between playouts
PLAYOUT_COUNT = BOARD_ARRAY_SIZE + 4
STOP_FLAG = BOARD_ARRAY_SIZE + 5  # set in time or by an interrupt: the search returns at once; 3 numbers (stop_flag.py)
CELL_STACK_START = BOARD_ARRAY_SIZE + 8
# marks of cells; a cell is marked if it holds the current number at CURRENT_MARK
CELL_MARKS_START = CELL_STACK_START + 4 * CELL_COUNT
CURRENT_MARK = CELL_MARKS_START + CELL_COUNT
FIRST_PLAYERS_START = CURRENT_MARK + 1  # + cell: the player who played there first, with the number of the playout
PLAYOUT_MOVES_START = FIRST_PLAYERS_START + CELL_COUNT  # the moves of a playout from the root on: cell · 4 + colour
MAX_PLAYOUT_MOVES = 4 * CELL_COUNT
TREE_PATH_START = PLAYOUT_MOVES_START + MAX_PLAYOUT_MOVES
CANDIDATES_START = TREE_PATH_START + CELL_COUNT
# children of the root that get a minimum share of the playouts: their number, then their nodes
SHARING_COUNT = CANDIDATES_START + 64
SHARING_NODES_START = SHARING_COUNT + 1
MAX_SHARING_NODES = 16
# parameters of the tree in Go: the percentage of the points in the reward of a playout, the lead in half points that is
# worth half of it, and whether the priors know the vital points of small eye spaces
POINTS_PERCENT = SHARING_NODES_START + MAX_SHARING_NODES
EVEN_LEAD, KNOWS_VITAL_POINTS = POINTS_PERCENT + 1, POINTS_PERCENT + 2
# empty cells whose moves have the best prior in the whole tree: their number, then the cells
URGENT_COUNT = POINTS_PERCENT + 3
URGENT_CELLS_START = URGENT_COUNT + 1
MAX_URGENT_CELLS = 16
STATE_SIZE = URGENT_CELLS_START + MAX_URGENT_CELLS

GO, CAPTURE_GO, ROBOGO = 0, 1, 2
NO_KO, SIMPLE_KO, POSITIONAL_SUPERKO, SITUATIONAL_SUPERKO = 0, 1, 2, 3
AREA_SCORING, TERRITORY_SCORING, STONE_SCORING = 0, 1, 2

# The numbers of a node of the tree. WINS counts a win as 2 and a draw as 1, for the player who made MOVE. REWARDS and
# RAVE_REWARDS count a win as 2 · REWARD_UNIT, or a part of it that depends on the points (POINTS_PERCENT).
(
    MOVE, FIRST_CHILD, CHILD_COUNT, VISITS, WINS, REWARDS, RAVE_VISITS, RAVE_REWARDS, PRIOR_VISITS, PRIOR_WINS,
    REPEATS_BOARD, PROVED_RESULT,
) = range(12)  # fmt: skip
NODE_SIZE = 12
REWARD_UNIT = 32  # so that int32 holds the rewards of 30 million playouts
WON, LOST = 1, 2  # values of PROVED_RESULT: the certain result for the player who made MOVE; 0 if it is not known

# Sums over the ends of playouts. At the index of a cell: the number of playouts after which black owns the cell, minus
# the number after which white owns it. Then: the number of playouts, the sum of black's leads in half points, and the
# sum of the squares of these leads. All sums so far leave out the playouts that only give a root move its minimum share
# (SHARING_NODES_START). Then for each cell, with 0 for the pass: the number of all playouts that begin with this move,
# and the sum of black's leads after these playouts.
END_COUNT, END_LEADS, END_SQUARED_LEADS = CELL_COUNT, CELL_COUNT + 1, CELL_COUNT + 2
MOVE_END_COUNTS_START = CELL_COUNT + 3  # + cell
MOVE_END_LEADS_START = MOVE_END_COUNTS_START + CELL_COUNT  # + cell
END_SUMS_SIZE = MOVE_END_LEADS_START + CELL_COUNT

NEIGHBOUR_STEPS = np.array((1, STRIDE, -1, -STRIDE), dtype=np.int32)
DIAGONAL_STEPS = np.array((STRIDE + 1, STRIDE - 1, -STRIDE - 1, -STRIDE + 1), dtype=np.int32)
# from a point to its eight neighbours; a pattern has two bits for each of them, the lowest for the first
NEIGHBOUR_OFFSETS = np.array((-STRIDE - 1, -STRIDE, -STRIDE + 1, -1, 1, STRIDE - 1, STRIDE, STRIDE + 1), dtype=np.int32)
ROW_STEPS = np.array((1, STRIDE, STRIDE + 1, STRIDE - 1), dtype=np.int32)


def cell_of(column: int, row: int) -> int:
    """Return the cell of a point; columns and rows are counted from 1."""
    return row * STRIDE + column
