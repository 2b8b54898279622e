"""The layout of a board's arrays: its geometry in uint64 numbers, and the counters of a search in int64 numbers.

Uses numbers only. A position is four uint64 numbers: the free horizontal edges, the free vertical edges, and the packed
independent chains and loops. Box b has the bits b and b + stride of the first number (its upper and lower edge), and
the bits b and b + 1 of the second (left and right). A row has one bit more than it has boxes.
"""

from __future__ import annotations

MOST_BOXES = 36  # bits of the fields that count chains
MOST_BITS = 64  # a number has 64 bits, which limits (rows + 1) × (cols + 1)

# The uint64 array. CHAIN + n: the number to add for one chain of n boxes. LOOP + n: for a loop.
INSIDE, TOP, BOTTOM, LEFT, RIGHT = range(5)
CHAIN = 8
LOOP = CHAIN + MOST_BOXES + 1
# Groups of edges on the rim with equal values, for boxes with two or more of them: for each group two masks, then its
# number of edges, then each edge as two masks.
TWINS = LOOP + MOST_BOXES + 1
TWIN_MASKS, TWIN_COUNT, TWIN_EDGES = 0, 2, 3
TWIN_SIZE = TWIN_EDGES + 2 * 4
MOST_GROUPS = MOST_BOXES
GEOMETRY_SIZE = TWINS + TWIN_SIZE * MOST_GROUPS

# The int64 array. CHAIN_LENGTH + bit, LOOP_LENGTH + bit: the length of the chains counted in the field with this bit.
STRIDE, STOP, NODES, NODE_LIMIT, BUCKETS, GROUPS, SYMMETRIES, MIRRORED, SEED, USED = range(10)
CHAIN_LENGTH = 16
LOOP_LENGTH = CHAIN_LENGTH + 64
VALUES = LOOP_LENGTH + 64  # working memory for the values of independent chains
LENGTHS = VALUES + 32  # working memory for the lengths of independent loops
RANK = VALUES + 64  # for each edge: the higher, the earlier it is tried
STATE_SIZE = RANK + 2 * MOST_BITS

ENTRY = 5  # numbers of one child in the move stack: the position, and packed counts
MOST_MOVES = 84 + MOST_BOXES
MOST_PLY = 90
MOVES_SIZE = ENTRY * MOST_MOVES * MOST_PLY


def field_widths(boxes: int, lengths: list[int]) -> list[int]:
    """Return the bits needed to count the chains of each length on a board; one for pairs of short chains.

    >>> field_widths(16, [1, 2, 3, 8])
    [1, 1, 3, 2]
    """
    return [1 if length < 3 else (boxes // length).bit_length() for length in lengths]
