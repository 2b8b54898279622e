"""The layout of a board: one int32 array; and of the tree of the search, another one.

Uses numbers only. A flat array instead of an object lets Numba compile every function once, and cache it.

A cell is `row · STRIDE + column`, both counted from 1: the border holds walls, so that no step needs a bounds check.
"""

from __future__ import annotations

import numpy as np

EMPTY, BLACK, WHITE, WALL = 0, 1, 2, 3

MOST_SIZE = 25
STRIDE = MOST_SIZE + 2
CELLS = STRIDE * STRIDE
PASS = 0  # a cell of the border stands for the pass

# COLOUR + cell. Then a record for each cell: the first stone of its chain; the next stone in the ring of the chain; and
# for the first stone of a chain its pseudo-liberties (one for each pair of a stone and an empty neighbour), their sum,
# the sum of their squares, and the number of stones. POSITION: of an empty cell in the list of empty cells.
COLOUR = 0
HEAD, NEXT, LIBERTIES, SUM, SQUARES, SIZE, POSITION, RECORD = 0, 1, 2, 3, 4, 5, 6, 8

RULES = CELLS
KIND, ROWS, COLUMNS, KOMI, LINE, DIAGONALS = RULES, RULES + 1, RULES + 2, RULES + 3, RULES + 4, RULES + 5
SUICIDE, CAPTURES, PASSING, TARGET, MOST_MOVES, KO_RULE = (RULES + i for i in range(6, 12))
SCORING, LIGHT = RULES + 12, RULES + 13  # the scoring of Go; whether playouts are uniform
READS = RULES + 14  # whether the tree reads forced wins and backs up certain results
TURN = RULES + 16
KO = RULES + 17  # the cell that simple ko forbids; UNCHANGED if the last move left the board as it was
PASSES = RULES + 18
NUMBER = RULES + 19  # the number of moves so far
TAKEN = RULES + 20  # + colour: stones that this colour has captured
STONES = RULES + 23  # + colour
LAST, LAST_BUT_ONE = RULES + 26, RULES + 27
EMPTIES = RULES + 28  # the number of empty cells
WINNER = RULES + 29  # the winner of Robogo, once there is a row
LIST = RULES + 32  # the empty cells
RECORDS = LIST + CELLS
BOARD_SIZE = RECORDS + RECORD * CELLS  # copying a board copies the array up to here

UNCHANGED = -1
RANDOM = BOARD_SIZE  # the state of the generator of random numbers
STOP = BOARD_SIZE + 1  # set by a timer: the search returns at once
PLAYED = BOARD_SIZE + 2  # the number of moves in MOVES
PATH_LENGTH = BOARD_SIZE + 3
SEARCHED = BOARD_SIZE + 4  # playouts so far: marks in FIRST_PLAYER differ from playout to playout
STACK = BOARD_SIZE + 8
SEEN = STACK + 4 * CELLS  # marks of cells, by a running number
STAMP = SEEN + CELLS
FIRST_PLAYER = STAMP + 1  # + cell: who played there first, with the number of the playout
MOVES = FIRST_PLAYER + CELLS  # the moves of a playout from the root on: cell · 4 + colour
MOST_PLAYED = 4 * CELLS
PATH = MOVES + MOST_PLAYED
CANDIDATES = PATH + CELLS
STATE_SIZE = CANDIDATES + 64

GO, CAPTURE_GO, ROBOGO = 0, 1, 2
NO_KO, SIMPLE, POSITIONAL, SITUATIONAL = 0, 1, 2, 3
AREA, TERRITORY, STONE = 0, 1, 2

# A node of the tree. Results count in halves: a win is 2, a draw 1, for the player who made MOVE.
MOVE, CHILDREN, COUNT, VISITS, WINS, RAVE_VISITS, RAVE_WINS, PRIOR_VISITS, PRIOR_WINS, BARRED, PROVED = range(11)
NODE = 11
WON, LOST = 1, 2  # PROVED: the certain result for the player who made MOVE; 0 if it is not known

STEPS = np.array((1, STRIDE, -1, -STRIDE), dtype=np.int32)
DIAGONAL = np.array((STRIDE + 1, STRIDE - 1, -STRIDE - 1, -STRIDE + 1), dtype=np.int32)
AROUND = np.array(
    (-STRIDE - 1, -STRIDE, -STRIDE + 1, -1, 1, STRIDE - 1, STRIDE, STRIDE + 1), dtype=np.int32
)  # the neighbours of a pattern, two bits each; the first one has the lowest bits
ROW_STEPS = np.array((1, STRIDE, STRIDE + 1, STRIDE - 1), dtype=np.int32)


def cell_of(column: int, row: int) -> int:
    """Return the cell of a point; columns and rows count from 1."""
    return row * STRIDE + column
