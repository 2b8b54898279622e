"""The layout of the two arrays that hold a board's state: an int32 array, and a uint64 array for keys of positions.

The module uses numbers only. With a flat array instead of an object, Numba compiles every function once, and caches it.

The board has rows of STRIDE cells and a border of REACH cells, so that a step along a line never needs a bounds check.
A cell has a record of RECORD numbers, half a cache line. A five through a point, and the stones that would make it
longer, lie within REACH cells on each side of the point.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

# The types of the parameters of compiled functions. Numba takes them from the signatures; these names are for readers.
StateArray: TypeAlias = Any  # int32 (STATE_SIZE,): a board and the state of its search, with the indices below
LineTable: TypeAlias = Any  # uint8: the shapes of a point for each key of its line (shapes.py)
ClassTables: TypeAlias = Any  # int32: the tables of classes, the value network and the policy (classes.py)
HashArray: TypeAlias = Any  # uint64: the keys of positions, with the indices below
TableArray: TypeAlias = Any  # uint64: the transposition table (table.py)
CellArray: TypeAlias = Any  # uint8: the stones of a position, row by row
Cell: TypeAlias = Any  # int64: a point, as in `cell_of`
Colour: TypeAlias = Any  # int64: BLACK or WHITE
PointClass: TypeAlias = Any  # int64: the class of a point for one colour (classes.py)
Mask: TypeAlias = Any  # int64: bits
Number: TypeAlias = Any  # int64: a count, an index, a value or a result
Boolean: TypeAlias = Any

EMPTY, BLACK, WHITE, WALL = 0, 1, 2, 3
OTHER = 3  # OTHER - colour is the colour of the opponent

STRIDE, REACH, ROWS = 32, 5, 37
MOST_SIZE = 26
CELLS = STRIDE * ROWS
RECORD = 8

# A cell's record. SHAPES: 4 bits for each direction, black's in the low half. CLASSES: black's class + 16 × white's.
# POINT: the point's share of VALUE. HISTORY, HISTORY + 1: the history score of a black and of a white stone here.
COLOUR, SHAPES, CLASSES, POINT, HISTORY = 0, 1, 2, 3, 4

HEAD = CELLS * RECORD
TURN = HEAD  # the colour to move
STONES = HEAD + 1
SIZE = HEAD + 2
RULE = HEAD + 3
SPAN = HEAD + 4  # cells on each side that a key holds: 4, or 5 where longer rows do not win
TOP = HEAD + 5  # of the undo stack
STOP = HEAD + 6  # set by a timer; the search then returns at once
NODES = HEAD + 7
NODE_LIMIT = HEAD + 8
VCF_NODES = HEAD + 9
VCF_LIMIT = HEAD + 10
VCF_WEAKEST = HEAD + 11  # the weakest class of the fours that the search for continuous fours tries
LAST_FIVE = HEAD + 12  # + colour: the newest point where this colour can complete a five
VALUE = HEAD + 16  # the sum of the point values, packed: for black to move in the high 16 bits, for white in the low
LAST_MOVE = HEAD + 20
GENERATION = HEAD + 22
ROOT_DEPTH = HEAD + 23
BEST_MOVE = HEAD + 24
SELECTIVE_DEPTH = HEAD + 25
ROOT_COUNT = HEAD + 28
COUNT = HEAD + 32  # + 16 × colour + class: how many empty points are of this class for this colour
MASKS = HEAD + 96  # masks of points, one number for each row
OCCUPIED = MASKS  # + row
FOURS = MASKS + 40  # + 40 × (colour - 1) + row: points that make a four or better
THREES = MASKS + 120  # + 40 × (colour - 1) + row: points that make an open three
BOARD = MASKS + 200  # + row: the points of the board
UNDO = MASKS + 240
UNDO_ENTRY = 4
UNDO_SIZE = UNDO_ENTRY * 56 * 740
MOST_PLY = 200
LIST = UNDO + UNDO_SIZE  # move lists of the search, one a ply: pairs of move and rank
LIST_SIZE = 2 * 512
STACK = LIST + LIST_SIZE * (MOST_PLY + 8)  # + 16 × ply: the state of a search at this ply
ROOT = STACK + 16 * (MOST_PLY + 8)  # root moves: move, value, nodes, excluded
ROOT_ENTRY = 4
COUNTER = ROOT + ROOT_ENTRY * 700  # + 2 × cell + colour - 1: the move that refuted a stone of this colour there
VARIATION = COUNTER + 2 * CELLS
HIDDEN = VARIATION + 256  # the hidden units of the evaluation, while it computes
HIDDEN_UNITS = 16
CONTEXT = HIDDEN + HIDDEN_UNITS  # the hidden units of the policy before a point's shapes are added
SEARCH_PARAMETERS = CONTEXT + HIDDEN_UNITS  # the numbers of the search
STATE_SIZE = SEARCH_PARAMETERS + 32

# The uint64 array. HASH: the Zobrist key of the position. ZOBRIST + 2 × cell + colour - 1.
HASH = 0
ZOBRIST = 8
SIDE = 7  # flipped when the turn passes
VCF_TABLE = ZOBRIST + 2 * CELLS
VCF_ENTRIES = 1 << 16
LINES = VCF_TABLE + VCF_ENTRIES  # + LINES_EACH_WAY × direction + number: the cells of a line, 2 bits each
LINES_EACH_WAY = 64
HASHES_SIZE = LINES + 4 * LINES_EACH_WAY

STEPS = np.array((1, STRIDE, STRIDE + 1, STRIDE - 1), dtype=np.int32)


def cell_of(column: int, row: int) -> int:
    """Return the cell of a point; columns and rows are counted from 0."""
    return (row + REACH) * STRIDE + column + REACH
