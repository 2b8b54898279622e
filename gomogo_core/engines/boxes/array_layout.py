"""The layout of a board's arrays: its geometry in uint64 numbers, and the counters of a search in int64 numbers.

A position is four uint64 numbers: the free horizontal edges, the free vertical edges, the packed independent chains and
the packed independent loops. The upper and lower edges of box b are the bits b and b + stride of the first number; its
left and right edges are the bits b and b + 1 of the second. A row has one bit more than it has boxes.
"""

from __future__ import annotations

from typing import Any, TypeAlias

# The types of the parameters of compiled functions. Numba takes them from the signatures; these names are for readers.
GeometryArray: TypeAlias = Any  # uint64 (GEOMETRY_SIZE,): the board's size and masks, with the indices below
StateArray: TypeAlias = Any  # int64 (STATE_SIZE,): the counters and the working memory of a search
TableArray: TypeAlias = Any  # uint64: the transposition table
MoveStack: TypeAlias = Any  # uint64 (MOVES_SIZE,): the moves of each ply of a search, ENTRY numbers each
SymmetryTables: TypeAlias = Any  # uint64 (symmetries, 16, 256, 2): the image of each byte of a position
TreeArray: TypeAlias = Any  # int64 (nodes, NODE): the tree of the playouts
SumsArray: TypeAlias = Any  # float64 (nodes, 2): the sums of the playouts of each node
HorizontalEdges: TypeAlias = Any  # uint64: a mask of horizontal edges
VerticalEdges: TypeAlias = Any  # uint64: a mask of vertical edges
BoxMask: TypeAlias = Any  # uint64: a mask of boxes
Mask: TypeAlias = Any  # uint64: bits
PackedChains: TypeAlias = Any  # uint64: the number of independent chains, or of loops, of each length
Box: TypeAlias = Any  # int64: the bit of a box
Number: TypeAlias = Any  # int64: a count, an index, a result or a value
Boolean: TypeAlias = Any

MOST_BOXES = 36  # limited by the 64 bits of the counters of chains
MOST_BITS = 64  # a number has 64 bits, which limits (rows + 1) × (cols + 1)

# The indices of the uint64 array. At CHAIN + n is the number to add for one chain of n boxes, at LOOP + n for one loop.
INSIDE, TOP, BOTTOM, LEFT, RIGHT = range(5)
CHAIN = 8
LOOP = CHAIN + MOST_BOXES + 1
# Twins are edges on the rim of the same box, which have equal values. Each group of twins takes TWIN_SIZE numbers: the
# masks of its horizontal and vertical edges, its number of edges, then each edge as two masks.
TWINS = LOOP + MOST_BOXES + 1
TWIN_MASKS, TWIN_COUNT, TWIN_EDGES = 0, 2, 3
TWIN_SIZE = TWIN_EDGES + 2 * 4
MOST_GROUPS = MOST_BOXES
GEOMETRY_SIZE = TWINS + TWIN_SIZE * MOST_GROUPS

# The indices of the int64 array. At CHAIN_LENGTH + bit and LOOP_LENGTH + bit is the length of the chains or loops that
# the counter with this bit counts.
STRIDE, STOP, NODES, NODE_LIMIT, BUCKETS, GROUPS, SYMMETRIES, MIRRORED, SEED, USED = range(10)
CHAIN_LENGTH = 16
LOOP_LENGTH = CHAIN_LENGTH + 64
VALUES = LOOP_LENGTH + 64  # working memory for the values of independent chains
LENGTHS = VALUES + 32  # working memory for the lengths of independent loops
RANK = VALUES + 64  # the rank of each edge; edges with a higher rank are tried earlier
STATE_SIZE = RANK + 2 * MOST_BITS

ENTRY = 5  # numbers per sacrifice in the move stack: the four of the position, and one with packed counts
MOST_MOVES = 84 + MOST_BOXES
MOST_PLY = 90
MOVES_SIZE = ENTRY * MOST_MOVES * MOST_PLY


def field_widths(boxes: int, lengths: list[int]) -> list[int]:
    """Return the number of bits of the counter of the chains of each length; 1 for short chains, since pairs cancel.

    >>> field_widths(16, [1, 2, 3, 8])
    [1, 1, 3, 2]
    """
    return [1 if length < 3 else (boxes // length).bit_length() for length in lengths]
