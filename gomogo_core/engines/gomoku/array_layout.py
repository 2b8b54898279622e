"""The layout of the two arrays that hold a board's state: an int32 array, and a uint64 array for keys of positions.

The module uses numbers only. With a flat array instead of an object, Numba compiles every function once, and caches it.

The board has rows of STRIDE cells and a border of BORDER_WIDTH cells, so that a step along a line never needs a bounds
check. A cell has a record of RECORD_SIZE numbers, which fill half a cache line. A row of five through a point lies
within BORDER_WIDTH cells on each side of the point, and so do the stones that would make the row longer.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

# The types of the parameters of compiled functions. Numba takes them from the signatures; these names are for readers.
StateArray: TypeAlias = Any  # int32 (STATE_SIZE,): a board and the state of its search, with the indices below
ShapeTable: TypeAlias = Any  # uint8: the shapes of a point for each key of its line (shapes.py)
ClassTables: TypeAlias = Any  # int32: the tables of classes, the value network and the policy (classes.py)
HashArray: TypeAlias = Any  # uint64: the keys of positions, with the indices below
TranspositionTable: TypeAlias = Any  # uint64: the transposition table (table.py)
FeatureArray: TypeAlias = Any  # int16: the features of the points in the line network (line_network.py)
RowTable: TypeAlias = Any  # int16: the rows of the line network for each code of a line
CellArray: TypeAlias = Any  # uint8: the stones of a position, row by row
Cell: TypeAlias = Any  # int64: a point, as in `cell_of`
Colour: TypeAlias = Any  # int64: BLACK or WHITE
PointClass: TypeAlias = Any  # int64: the class of a point for one colour (classes.py)
Mask: TypeAlias = Any  # int64: bits
Int64: TypeAlias = Any  # a count, an index, a value or a result
Boolean: TypeAlias = Any


class Arrays(NamedTuple):
    """The arrays of an engine. Most compiled functions take this tuple as their first parameter."""

    state: StateArray
    shape_table: ShapeTable
    class_tables: ClassTables
    hashes: HashArray
    table: TranspositionTable
    features: FeatureArray
    rows: RowTable


EMPTY, BLACK, WHITE, WALL = 0, 1, 2, 3
COLOUR_SUM = 3  # COLOUR_SUM - colour is the colour of the opponent

STRIDE, BORDER_WIDTH, ROW_COUNT = 32, 5, 37
MAX_BOARD_SIZE = 26
CELL_COUNT = STRIDE * ROW_COUNT
RECORD_SIZE = 8

# A cell's record. POINT_SHAPES: 4 bits for each direction, black's in the low half. POINT_CLASSES: black's class + 16 ×
# white's. POINT_VALUE: the point's share of POINT_VALUE_SUM. HISTORY_SCORES, HISTORY_SCORES + 1: the history score of a
# black and of a white stone here.
COLOUR, POINT_SHAPES, POINT_CLASSES, POINT_VALUE, HISTORY_SCORES = 0, 1, 2, 3, 4

COUNTERS_START = CELL_COUNT * RECORD_SIZE
TURN = COUNTERS_START  # the colour to move
STONE_COUNT = COUNTERS_START + 1
BOARD_SIZE = COUNTERS_START + 2
RULE = COUNTERS_START + 3
KEY_SPAN = COUNTERS_START + 4  # cells on each side of a point in its key: 4, or 5 if rows of six do not win
UNDO_TOP = COUNTERS_START + 5  # the top of the undo stack
NODE_COUNT = COUNTERS_START + 7
NODE_LIMIT = COUNTERS_START + 8
VCF_NODE_COUNT = COUNTERS_START + 9
VCF_NODE_LIMIT = COUNTERS_START + 10
VCF_WEAKEST_CLASS = COUNTERS_START + 11  # the weakest class of the fours that the search for continuous fours tries
VCF_MOVE = COUNTERS_START + 12  # the first move of the last win by continuous fours that `threats.vcf` found
LAST_FIVE_POINTS_START = COUNTERS_START + 12  # + colour, 1 or 2: the newest point where this colour can make a five
# the sum of the point values, packed: if black is to move in the high 16 bits, if white is to move in the low 16 bits
POINT_VALUE_SUM = COUNTERS_START + 16
STOP_FLAG = COUNTERS_START + 17  # set in time or by an interrupt: the search returns at once; 3 numbers (stop_flag.py)
LAST_MOVE = COUNTERS_START + 20
TABLE_GENERATION = COUNTERS_START + 22
ROOT_DEPTH = COUNTERS_START + 23
BEST_MOVE = COUNTERS_START + 24
SELECTIVE_DEPTH = COUNTERS_START + 25
ROOT_MOVE_COUNT = COUNTERS_START + 28
SUMMED_STONE_COUNT = COUNTERS_START + 29  # the number of stones in the line network's sums; -1 before its first use
UNCHANGED_STONE_COUNT = COUNTERS_START + 30  # the number of these stones that have stayed on the board
# at + 16 × colour + class: the number of empty points that have this class for this colour
CLASS_COUNTS_START = COUNTERS_START + 32
ROW_MASKS_START = COUNTERS_START + 96  # masks of points, one number for each row
OCCUPIED_MASKS_START = ROW_MASKS_START  # + row
FOUR_MASKS_START = ROW_MASKS_START + 40  # + 40 × (colour - 1) + row: points that make a four or better
THREE_MASKS_START = ROW_MASKS_START + 120  # + 40 × (colour - 1) + row: points that make an open three
BOARD_MASKS_START = ROW_MASKS_START + 200  # + row: the points of the board
UNDO_STACK_START = ROW_MASKS_START + 240
UNDO_ENTRY_SIZE = 4
UNDO_STACK_SIZE = UNDO_ENTRY_SIZE * 56 * 740
MAX_PLIES = 200
MOVE_LISTS_START = UNDO_STACK_START + UNDO_STACK_SIZE  # move lists of the search, one per ply: pairs of move and rank
MOVE_LIST_SIZE = 2 * 512
SEARCH_STACK_START = MOVE_LISTS_START + MOVE_LIST_SIZE * (
    MAX_PLIES + 8
)  # + 16 × ply: the state of a search at this ply
# four numbers for each root move: the move, its value, its nodes, and whether it is excluded
ROOT_MOVES_START = SEARCH_STACK_START + 16 * (MAX_PLIES + 8)
ROOT_MOVE_SIZE = 4
# at + 2 × cell + colour - 1: the move that refuted a stone of this colour on this cell
COUNTER_MOVES_START = ROOT_MOVES_START + ROOT_MOVE_SIZE * 700
HIDDEN_SUMS_START = COUNTER_MOVES_START + 2 * CELL_COUNT  # the network's hidden units during an evaluation
HIDDEN_UNITS = 16
# the part of the policy's hidden units that is the same for all points
POLICY_CONTEXT_START = HIDDEN_SUMS_START + HIDDEN_UNITS
SEARCH_PARAMETERS_START = POLICY_CONTEXT_START + HIDDEN_UNITS  # the parameters of the search (search.py)
MAX_STONES = MAX_BOARD_SIZE * MAX_BOARD_SIZE
# at + number: the stone with this number in the order of moves, as cell + 4096 × colour
STONES_START = SEARCH_PARAMETERS_START + 32

# The line network (line_network.py). NETWORK_STONES_START: the stones that the sums contain, as in STONES_START.
CHANNELS = 64
LINE_SUMS_START = STONES_START + MAX_STONES  # the sums of the features over the board
NETWORK_STONES_START = LINE_SUMS_START + CHANNELS
SAVED_SUMS_START = NETWORK_STONES_START + MAX_STONES  # + CHANNELS × number: the sums before this stone was added
STATE_SIZE = SAVED_SUMS_START + CHANNELS * MAX_STONES

# The uint64 array. POSITION_KEY: the Zobrist key of the position. ZOBRIST_KEYS_START + 2 × cell + colour - 1.
POSITION_KEY = 0
ZOBRIST_KEYS_START = 8
TURN_KEY = 7  # combined with POSITION_KEY by exclusive or when the turn passes
VCF_TABLE_START = ZOBRIST_KEYS_START + 2 * CELL_COUNT
VCF_TABLE_SIZE = 1 << 16
# at + LINES_PER_DIRECTION × direction + number: the cells of the line with this number, 2 bits for each cell
BOARD_LINES_START = VCF_TABLE_START + VCF_TABLE_SIZE
LINES_PER_DIRECTION = 64
# the lines of the board as they were when the sums of the line network were last updated
NETWORK_LINES_START = BOARD_LINES_START + 4 * LINES_PER_DIRECTION
HASH_ARRAY_SIZE = NETWORK_LINES_START + 4 * LINES_PER_DIRECTION


def cell_of(column: int, row: int) -> int:
    """Return the cell of a point; columns and rows are counted from 0."""
    return (row + BORDER_WIDTH) * STRIDE + column + BORDER_WIDTH
