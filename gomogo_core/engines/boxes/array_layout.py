"""The layout of a board's two arrays: uint64 numbers for its geometry, and int64 numbers for the state of a search.

A position is four uint64 numbers: the free horizontal edges, the free vertical edges, the packed independent chains and
the packed independent loops. In the first number, the bits b and b + stride are the upper and the lower edge of box b.
In the second number, the bits b and b + 1 are its left and its right edge. A row has one bit more than it has boxes.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

# The types of the parameters of compiled functions. Numba takes them from the signatures; these names are for readers.
GeometryArray: TypeAlias = Any  # uint64 (GEOMETRY_SIZE,): the board's size and masks, with the indices below
StateArray: TypeAlias = Any  # int64 (STATE_SIZE,): the counters, the limits and the working memory of a search
TranspositionTable: TypeAlias = Any  # uint64: the transposition table
MoveStack: TypeAlias = Any  # uint64 (MOVE_STACK_SIZE,): moves of each ply, NUMBERS_PER_SACRIFICE numbers each
SymmetryTables: TypeAlias = Any  # uint64 (symmetries, 16, 256, 2): the image of each byte of a position
TreeArray: TypeAlias = Any  # int64 (nodes, NODE_SIZE): the tree of the playouts
PlayoutSums: TypeAlias = Any  # float64 (nodes, 2): the sums of rewards and of margins at each node
Path: TypeAlias = Any  # int64: the nodes of a path from the root of the tree
HorizontalEdges: TypeAlias = Any  # uint64: a mask of horizontal edges
VerticalEdges: TypeAlias = Any  # uint64: a mask of vertical edges
BoxMask: TypeAlias = Any  # uint64: a mask of boxes
Mask: TypeAlias = Any  # uint64: bits
PackedChains: TypeAlias = Any  # uint64: the number of independent chains, or of loops, of each length
Box: TypeAlias = Any  # int64: the bit of a box
Int64: TypeAlias = Any  # a count, an index, a result or a value
Boolean: TypeAlias = Any


class Arrays(NamedTuple):
    """All arrays of a solver. The functions of a search take this tuple as their first parameter."""

    geometry: GeometryArray
    state: StateArray
    table: TranspositionTable
    moves: MoveStack
    symmetry_tables: SymmetryTables


class PackedPosition(NamedTuple):
    """A position without captures: free edges, packed independent chains and loops, and the number of open boxes."""

    free_h: HorizontalEdges
    free_v: VerticalEdges
    chains: PackedChains
    loops: PackedChains
    boxes: Int64


MAX_BOXES = 36  # limited by the 64 bits of the counters of chains
WORD_BITS = 64  # a number has 64 bits, which limits (rows + 1) × (cols + 1)

# The indices of the uint64 array. At CHAIN_UNITS_START + n is the number to add for one chain of n boxes, and at
# LOOP_UNITS_START + n for one loop.
ALL_BOXES, TOP_EDGES, BOTTOM_EDGES, LEFT_EDGES, RIGHT_EDGES = range(5)
CHAIN_UNITS_START = 8
LOOP_UNITS_START = CHAIN_UNITS_START + MAX_BOXES + 1
# Twins are edges on the rim of the same box, which have equal values. Each group of twins takes TWIN_GROUP_SIZE
# numbers: the masks of its horizontal and vertical edges, its number of edges, then each edge as two masks.
TWIN_GROUPS_START = LOOP_UNITS_START + MAX_BOXES + 1
TWIN_MASKS, TWIN_COUNT, TWIN_EDGES = 0, 2, 3
TWIN_GROUP_SIZE = TWIN_EDGES + 2 * 4
MAX_TWIN_GROUPS = MAX_BOXES
GEOMETRY_SIZE = TWIN_GROUPS_START + TWIN_GROUP_SIZE * MAX_TWIN_GROUPS

# The indices of the int64 array. At CHAIN_LENGTHS_OF_BITS_START + bit is the length of the chains that the counter with
# this bit counts; for loops, at LOOP_LENGTHS_OF_BITS_START + bit. STOP_FLAG takes three numbers (stop_flag.py).
(
    STRIDE, STOP_FLAG, _, _, NODE_COUNT, NODE_LIMIT, BUCKET_COUNT, TWIN_GROUP_COUNT, SYMMETRY_COUNT,
    MIRRORING_THRESHOLD, RANDOM_STATE, TREE_SIZE,
) = range(12)  # fmt: skip
CHAIN_LENGTHS_OF_BITS_START = 16
LOOP_LENGTHS_OF_BITS_START = CHAIN_LENGTHS_OF_BITS_START + 64
CHAIN_VALUES_START = LOOP_LENGTHS_OF_BITS_START + 64  # working memory for the values of independent chains
LOOP_LENGTHS_START = CHAIN_VALUES_START + 32  # working memory for the lengths of independent loops
EDGE_RANKS_START = CHAIN_VALUES_START + 64  # the rank of each edge; edges with a higher rank are tried earlier
STATE_SIZE = EDGE_RANKS_START + 2 * WORD_BITS

NUMBERS_PER_SACRIFICE = 5  # in the move stack: the four of the position, and one with packed counts
MAX_MOVES = 84 + MAX_BOXES
MAX_PLIES = 90
MOVE_STACK_SIZE = NUMBERS_PER_SACRIFICE * MAX_MOVES * MAX_PLIES


def counter_widths(box_count: int, lengths: list[int]) -> list[int]:
    """Return the number of bits that count the chains of each length. Short chains need one bit, since a pair of them
    cancels out.

    >>> counter_widths(16, [1, 2, 3, 8])
    [1, 1, 3, 2]
    """
    return [1 if length < 3 else (box_count // length).bit_length() for length in lengths]
