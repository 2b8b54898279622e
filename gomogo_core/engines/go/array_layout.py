"""The layout of two int32 arrays: one holds a board, the other the tree of a search.

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
TreeArray: TypeAlias = Any  # int32: the nodes of the tree, NODE numbers each; the first number is the number of nodes
MemoryArray: TypeAlias = Any  # int32: the working memory of forced_wins.py
WorkArray: TypeAlias = Any  # int32: the working memory of capture_estimates.py
TableArray: TypeAlias = Any  # int64 (entries, 2): a transposition table
PathArray: TypeAlias = Any  # int64: the counter of nodes and the killer moves of capture_search.py
MoveList: TypeAlias = Any  # int64: moves with their scores
MoveLists: TypeAlias = Any  # int64 (levels, moves): one list of moves for each level of a search
BoardHashes: TypeAlias = Any  # int64: the number of earlier boards, then their hashes
FeatureWeights: TypeAlias = Any  # int16 (features,): the weights of move_features.py
Sums: TypeAlias = Any  # int64: the sums that `measure_playouts` adds to
Cell: TypeAlias = Any  # int64: a point, as `row · STRIDE + column`, or PASS
CellPair: TypeAlias = Any  # two cells
Colour: TypeAlias = Any  # int64: BLACK or WHITE
Number: TypeAlias = Any  # int64: a count, an index, a result or a value
Boolean: TypeAlias = Any

EMPTY, BLACK, WHITE, WALL = 0, 1, 2, 3

MOST_SIZE = 25
STRIDE = MOST_SIZE + 2
CELLS = STRIDE * STRIDE
PASS = 0  # a cell of the border stands for the pass

# The colour of a cell is at COLOUR + cell. The record of a cell, at RECORDS + RECORD · cell, holds the first stone of
# its chain (HEAD) and the next stone in the ring of the chain. The record of the first stone also holds the number of
# the chain's pseudo-liberties (pairs of a stone and an empty neighbour), the sum of their cells, the sum of the
# squares, and the number of stones. POSITION is the place of an empty cell in the list of empty cells.
COLOUR = 0
HEAD, NEXT, LIBERTIES, SUM, SQUARES, SIZE, POSITION, RECORD = 0, 1, 2, 3, 4, 5, 6, 8

RULES = CELLS
KIND, ROWS, COLUMNS, KOMI, LINE, DIAGONALS = RULES, RULES + 1, RULES + 2, RULES + 3, RULES + 4, RULES + 5
SUICIDE, CAPTURES, PASSING, TARGET, MOST_MOVES, KO_RULE = (RULES + i for i in range(6, 12))
SCORING, LIGHT = RULES + 12, RULES + 13  # the scoring of Go; whether playouts are uniformly random
READS = RULES + 14  # whether the tree reads forced wins and backs up certain results
# parameters of the tree: percent of the game's RAVE_EQUAL, visits at which a leaf gets children, percent of the priors'
# virtual visits
RAVE_PERCENT, EXPAND_AT, PRIOR_PERCENT = RULES + 15, RULES + 30, RULES + 31
TURN = RULES + 16
KO = RULES + 17  # the cell that simple ko forbids; UNCHANGED if the last move left the board as it was
PASSES = RULES + 18
NUMBER = RULES + 19  # the number of moves so far
TAKEN = RULES + 20  # + colour: stones that this colour has captured
STONES = RULES + 23  # + colour: the number of stones of this colour on the board
LAST, LAST_BUT_ONE = RULES + 26, RULES + 27
EMPTIES = RULES + 28  # the number of empty cells
WINNER = RULES + 29  # the winner of Robogo, once there is a row
LIST = RULES + 32  # the empty cells
RECORDS = LIST + CELLS
BOARD_SIZE = RECORDS + RECORD * CELLS  # a copy of a board copies the array up to here

UNCHANGED = -1
RANDOM = BOARD_SIZE  # the state of the generator of random numbers
STOP = BOARD_SIZE + 1  # set by a timer: the search returns at once
PLAYED = BOARD_SIZE + 2  # the number of moves in MOVES
PATH_LENGTH = BOARD_SIZE + 3
# the number of playouts so far, which makes the marks in FIRST_PLAYER differ between playouts
SEARCHED = BOARD_SIZE + 4
STACK = BOARD_SIZE + 8
SEEN = STACK + 4 * CELLS  # marks of cells; a cell is marked if it holds the current number at STAMP
STAMP = SEEN + CELLS
FIRST_PLAYER = STAMP + 1  # + cell: the player who played there first, with the number of the playout
MOVES = FIRST_PLAYER + CELLS  # the moves of a playout from the root on: cell · 4 + colour
MOST_PLAYED = 4 * CELLS
PATH = MOVES + MOST_PLAYED
CANDIDATES = PATH + CELLS
STATE_SIZE = CANDIDATES + 64

GO, CAPTURE_GO, ROBOGO = 0, 1, 2
NO_KO, SIMPLE, POSITIONAL, SITUATIONAL = 0, 1, 2, 3
AREA, TERRITORY, STONE = 0, 1, 2

# The numbers of a node of the tree. WINS counts a win as 2 and a draw as 1, for the player who made MOVE.
MOVE, CHILDREN, COUNT, VISITS, WINS, RAVE_VISITS, RAVE_WINS, PRIOR_VISITS, PRIOR_WINS, BARRED, PROVED = range(11)
NODE = 11
WON, LOST = 1, 2  # values of PROVED: the certain result for the player who made MOVE; 0 if it is not known

STEPS = np.array((1, STRIDE, -1, -STRIDE), dtype=np.int32)
DIAGONAL = np.array((STRIDE + 1, STRIDE - 1, -STRIDE - 1, -STRIDE + 1), dtype=np.int32)
# from a point to its eight neighbours; a pattern has two bits for each of them, the lowest for the first
NEIGHBOUR_OFFSETS = np.array((-STRIDE - 1, -STRIDE, -STRIDE + 1, -1, 1, STRIDE - 1, STRIDE, STRIDE + 1), dtype=np.int32)
ROW_STEPS = np.array((1, STRIDE, STRIDE + 1, STRIDE - 1), dtype=np.int32)


def cell_of(column: int, row: int) -> int:
    """Return the cell of a point; columns and rows are counted from 1."""
    return row * STRIDE + column
