"""Point classes: the class of a point depends on the shapes that a stone there makes along its four lines.

The module computes the tables of classes, with the value of each, from the parameters of the evaluation (PARAMETERS).
It also loads the network that ranks moves.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numba import njit

from gomogo_core.engines.gomoku.array_layout import CHANNELS, HIDDEN_UNITS

from gomogo_core.engines.gomoku.shapes import (  # isort: skip
    DOUBLE_FOUR, FOUR, OPEN_FOUR, OVERLINE, RENJU, STRONG_OPEN_THREE, STRONG_OPEN_TWO, THREE_CLOSED, WEAK_OPEN_THREE,
    WEAK_OPEN_TWO, WINNING_ROW,
)  # fmt: skip
from gomogo_core.engines.gomoku.weights import PARAMETERS

# Point classes, the strongest last. Fours leave the opponent one answer or none; the classes below THREE are no
# threats.
NO_THREAT, SINGLE_TWO, CLOSED_THREE, DOUBLE_TWO, CLOSED_THREE_AND_TWO = range(5)
THREE, THREE_AND_MORE, DOUBLE_THREE, PLAIN_FOUR, FOUR_AND_MORE, FOUR_THREE, WINNING_FOUR, FIVE = range(5, 13)
FORBIDDEN = 15  # forbidden to Renju's black
CLASS_COUNT = 16

SHAPE_COUNT = 15
# The parameters: for each shape, then each class, the value that it adds to a point for the mover and for the opponent.
PARAMETER_COLUMNS = 2
# a class table has a row for each four shapes, with two columns: class + 16 × number of the set of shapes, and value
CLASS_TABLE_COLUMNS = 2

PARAMETER_FRACTION_BITS = 4  # binary digits of a parameter after the binary point

# In the array of `evaluation_tables`, the value network (head.npy) follows the class tables. Its rows have HIDDEN_UNITS
# numbers. The first three rows are the biases of the hidden units, their weights for the sum of the point values, and
# their weights in the result. The fourth row begins with the weight of that sum in the result, and the bias of the
# result. Then, for each colour (the mover first) and each class from SINGLE_TWO to FOUR_THREE, there is a row for each
# of the COUNT_STEPS steps of the number of points of this class.
VALUE_NETWORK_OFFSET = 2 * 65536 * CLASS_TABLE_COLUMNS
FIRST_COUNTED_CLASS, COUNTED_CLASSES = SINGLE_TWO, 10
COUNT_STEPS = 8
STEP_OF_COUNT = np.array([0, 1, 2, 3, 3, 4, 4, 4, *[5] * 8, *[6] * 16, *[7] * 32], np.int32)
VALUE_NETWORK_ROWS = 4 + 2 * COUNTED_CLASSES * COUNT_STEPS
# the numbers of binary digits after the point in a hidden unit, and in the result before it is rounded
HIDDEN_BITS, RESULT_BITS = 10, 14

# The policy (policy.npy) follows the value network. It ranks a point by its shapes for both colours, and by the counts
# of the classes. Its rows have POLICY_ROW_SIZE numbers. The first two rows are the biases of the hidden units, and
# their weights in the rank. Then come the rows of the counts, as in the value network; then a row for each of the
# SHAPE_SET_COUNT sets of four shapes of the mover, and a row for each set of the opponent. The last number of a row of
# shapes belongs to no hidden unit: it is added directly to the rank.
POLICY_OFFSET = VALUE_NETWORK_OFFSET + VALUE_NETWORK_ROWS * HIDDEN_UNITS
POLICY_UNITS, POLICY_ROW_SIZE = 15, 16
POLICY_OWN_SHAPES_ROW = 2 + 2 * COUNTED_CLASSES * COUNT_STEPS  # the first row of the mover's shapes
SHAPE_SET_COUNT = 3060  # ways to take four of the shapes, in any order
POLICY_ROWS = POLICY_OWN_SHAPES_ROW + 2 * SHAPE_SET_COUNT
# the numbers of binary digits after the point in a hidden unit, in a direct addition to the rank, and in a weight
POLICY_BITS, DIRECT_BITS, RANK_BITS = 8, 4, 6

# The head of the line network follows the policy. Its rows have HIDDEN_UNITS numbers. The first two rows are the biases
# of the hidden units, and their weights in the result. Then come their weights for each channel of the line network,
# beginning with the mover's own channels. Then come the rows of the counts, as in the value network. The last unit is
# not rectified.
LINE_HEAD_OFFSET = POLICY_OFFSET + POLICY_ROWS * POLICY_ROW_SIZE
LINE_HEAD_COUNTS_OFFSET = LINE_HEAD_OFFSET + (2 + CHANNELS) * HIDDEN_UNITS
# The policy of the line network has CHANNELS weights for the features of a point, and as many for each hidden unit
# except the last.
LINE_POLICY_OFFSET = LINE_HEAD_COUNTS_OFFSET + 2 * COUNTED_CLASSES * COUNT_STEPS * HIDDEN_UNITS
# LINE_POLICY_BITS: binary digits after the point of a policy weight. LINE_POLICY_SHIFT: the number of binary digits
# that are cut off from a hidden unit before it is multiplied, and again from the sum of the products.
LINE_POLICY_BITS, LINE_POLICY_SHIFT = 10, 5
LINE_SUM_BITS = 13  # binary digits that are cut off from the weighted sum of the channels to get a hidden unit
MIDDLE_SIZES = range(16, 20)  # rows of the boards with a line network of their own


@cache
def shipped_value_network() -> np.ndarray:
    """Return the value network that the engine uses, an int32 array that training/gomoku_head.py computed."""
    value_network: np.ndarray = np.load(Path(__file__).with_name("head.npy")).astype(np.int32)
    return value_network.ravel()


@cache
def shipped_policy() -> np.ndarray:
    """Return the policy that the engine uses, an int32 array that training/gomoku_policy.py computed."""
    policy: np.ndarray = np.load(Path(__file__).with_name("policy.npy")).astype(np.int32)
    return policy.ravel()


@cache
def shipped_line_network(for_middle_sizes: bool = False) -> dict[str, np.ndarray]:
    """Return the line network that the engine uses, which training/gomoku_lines.py fits.

    Boards of MIDDLE_SIZES have a network of their own, because the other one was fitted only on boards of 15 and 20
    rows. `rows`, int16, are those of line_network.row_table. `head` and `policy`, int32, have rows of HIDDEN_UNITS and
    of CHANNELS numbers, as described at LINE_HEAD_OFFSET.
    """
    name = "line_network_16_to_19.npz" if for_middle_sizes else "line_network.npz"
    with np.load(Path(__file__).with_name(name)) as network:
        return dict(network)


@cache
def shape_sets() -> np.ndarray:
    """Return a table whose index is the 16 bits of four shapes.

    An entry is the number of the set of these shapes, which does not depend on their order.

    The entry is -1 for bits that are not four shapes.
    """
    shapes = (np.arange(1 << 16)[:, None] >> np.array([0, 4, 8, 12])) & 15
    possible = shapes.max(axis=1) < SHAPE_COUNT
    keys = np.sort(shapes[possible], axis=1) @ SHAPE_COUNT ** np.arange(4)
    sets = np.full(1 << 16, -1, np.int32)
    sets[possible] = np.unique(keys, return_inverse=True)[1]
    return sets


def shipped_parameters() -> np.ndarray:
    """Return the parameters that the engine uses, in sixteenths of a unit of value."""
    return np.array(PARAMETERS, np.int32)


@njit("int64(int64, int64, int64, int64, boolean)", cache=True, nogil=True)
def _class_of(first: int, second: int, third: int, fourth: int, renju: bool) -> int:
    """Return the class of a point from its shapes along the four directions; `renju` is true for black in Renju."""
    fives = fours = open_fours = threes = closed = twos = longs = 0
    for shape in (first, second, third, fourth):
        if shape == WINNING_ROW:
            fives += 1
        elif shape == OPEN_FOUR:
            open_fours += 1
            fours += 1
        elif shape == DOUBLE_FOUR:
            open_fours += 1
            fours += 2
        elif shape == FOUR:
            fours += 1
        elif shape in (WEAK_OPEN_THREE, STRONG_OPEN_THREE):
            threes += 1
        elif shape == THREE_CLOSED:
            closed += 1
        elif WEAK_OPEN_TWO <= shape <= STRONG_OPEN_TWO:
            twos += 1
        elif shape == OVERLINE:
            longs += 1
    if fives:
        return FIVE
    if renju and (longs or fours > 1):
        return FORBIDDEN
    if open_fours or fours > 1:
        return WINNING_FOUR
    if fours:
        return FOUR_THREE if threes else FOUR_AND_MORE if closed + twos else PLAIN_FOUR
    if threes:
        return DOUBLE_THREE if threes > 1 else THREE_AND_MORE if closed + twos else THREE
    if closed:
        return CLOSED_THREE_AND_TWO if closed + twos > 1 else CLOSED_THREE
    return DOUBLE_TWO if twos > 1 else SINGLE_TWO if twos else NO_THREAT


@njit("int32[:, ::1](int32[::1], boolean, boolean)", cache=True, nogil=True)
def _class_table(parameters: np.ndarray, white: bool, renju: bool) -> np.ndarray:
    table = np.zeros((1 << 16, CLASS_TABLE_COLUMNS), np.int32)
    sums = np.empty(PARAMETER_COLUMNS, np.int64)
    for shapes in range(1 << 16):
        a, b, c, d = shapes & 15, (shapes >> 4) & 15, (shapes >> 8) & 15, shapes >> 12
        if max(a, b, c, d) >= SHAPE_COUNT:
            continue
        kind = _class_of(a, b, c, d, renju)
        for i in range(PARAMETER_COLUMNS):
            sums[i] = parameters[(SHAPE_COUNT + kind) * PARAMETER_COLUMNS + i]
            for shape in (a, b, c, d):
                sums[i] += parameters[shape * PARAMETER_COLUMNS + i]
        if kind == FORBIDDEN:
            sums[:] = 0
        for i in range(PARAMETER_COLUMNS):
            sums[i] = (sums[i] + (1 << (PARAMETER_FRACTION_BITS - 1))) >> PARAMETER_FRACTION_BITS
        table[shapes, 0] = kind
        table[shapes, 1] = sums[0] - sums[1] * 65536 if white else sums[0] * 65536 - sums[1]
    return table


def evaluation_tables(
    parameters: np.ndarray,
    rule: int,
    value_network: np.ndarray | None = None,
    policy: np.ndarray | None = None,
    line_network: dict[str, np.ndarray] | None = None,
) -> np.ndarray:
    """Return the class tables of black and white, the value network, the policy, and the head and policy of the line
    network, as one flat int32 array.

    For the four shapes of a point, a class table has two numbers. The first is the point's class, plus 16 × the index
    of its set of shapes. The second is its value. The value is packed: the high 16 bits count if black is to move, the
    low 16 bits if white is. The value is from the view of the player to move: for a point of the opponent it is
    negative.
    """
    tables = [_class_table(parameters, white, rule == RENJU and not white) for white in (False, True)]
    for table in tables:
        table[:, 0] += 16 * shape_sets()
    later_tables = [
        shipped_value_network() if value_network is None else value_network,
        shipped_policy() if policy is None else policy,
        *((line_network or shipped_line_network())[part].astype(np.int32).ravel() for part in ("head", "policy")),
    ]
    return np.concatenate([table.ravel() for table in tables] + later_tables)
