"""Point classes: the class of a point depends on the shapes that a stone there makes along its four lines.

The module computes the tables of classes, with the value of each, from the parameters of the evaluation (PARAMETERS).
It also loads the network that ranks moves.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numba import njit

from gomogo_core.engines.gomoku.array_layout import HIDDEN_UNITS
from gomogo_core.engines.gomoku.shapes import (
    FOUR,
    FOUR_TWICE,
    LINE,
    LONG,
    OPEN_FOUR,
    RENJU,
    THREE_CLOSED,
    THREE_MANY,
    THREE_ONE,
    TWO_1,
    TWO_3,
)
from gomogo_core.engines.gomoku.weights import PARAMETERS

# Point classes, the strongest last. Fours leave the opponent one answer or none; the classes below THREE are no
# threats.
NONE, ONE_TWO, CLOSED_THREE, TWO_TWOS, CLOSED_AND_TWO = range(5)
THREE, THREE_AND_MORE, TWO_THREES, FOUR_PLAIN, FOUR_AND_MORE, FOUR_THREE, WINNING_FOUR, WIN = range(5, 13)
FORBIDDEN = 15  # forbidden to Renju's black
CLASSES = 16

SHAPE_COUNT = 15
# The parameters: for each shape, then each class, the value that it adds to a point for the mover and for the opponent.
COLUMNS = 2
TABLE_COLUMNS = 2  # columns of a class table, whose index is four shapes: class + 16 × number of the set, and value

FRACTION = 4  # binary digits of a parameter after the binary point

# The head of the evaluation, behind the tables of classes: rows of HIDDEN_UNITS numbers. First the hidden units' bias,
# their weights for the sum of the point values, their weights in the result, and a row that begins with the weight of
# that sum in the result and the bias. Then, for each colour (the mover first) and class from ONE_TWO to FOUR_THREE, a
# row for each of COUNT_STEPS steps of the number of such points.
HEAD = 2 * 65536 * TABLE_COLUMNS
COUNTED_FROM, COUNTED = ONE_TWO, 10
COUNT_STEPS = 8
STEPS_OF_COUNTS = np.array([0, 1, 2, 3, 3, 4, 4, 4, *[5] * 8, *[6] * 16, *[7] * 32], np.int32)
HEAD_ROWS = 4 + 2 * COUNTED * COUNT_STEPS
# binary digits after the point: of a hidden unit, and of the result before it is rounded
HIDDEN_BITS, RESULT_BITS = 10, 14

# The policy, behind the head: rows of POLICY_WIDTH numbers, by which a point's place in move ordering is computed from
# its shapes for both colours and from the head's counts. First the hidden units' bias, and their weights in the rank;
# then rows by the counts, as in the head; then a row for each of SHAPE_SETS sets of four shapes of the mover, and one
# for each of the opponent. The last number of a row of shapes is no hidden unit: it adds to the rank at once.
POLICY = HEAD + HEAD_ROWS * HIDDEN_UNITS
POLICY_UNITS, POLICY_WIDTH = 15, 16
POLICY_OWN = 2 + 2 * COUNTED * COUNT_STEPS  # the first row of the mover's shapes
SHAPE_SETS = 3060  # ways to take four of the shapes, in any order
POLICY_ROWS = POLICY_OWN + 2 * SHAPE_SETS
# binary digits after the point: of a hidden unit, of a direct addition to the rank, and of a weight
POLICY_BITS, DIRECT_BITS, RANK_BITS = 8, 4, 6


@cache
def shipped_value_network() -> np.ndarray:
    """Return the head that the engine plays with, an int32 array that training/gomoku_head.py computed."""
    value_network: np.ndarray = np.load(Path(__file__).with_name("head.npy")).astype(np.int32)
    return value_network.ravel()


@cache
def shipped_policy() -> np.ndarray:
    """Return the policy that the engine plays with, an int32 array that training/gomoku_policy.py computed."""
    policy: np.ndarray = np.load(Path(__file__).with_name("policy.npy")).astype(np.int32)
    return policy.ravel()


@cache
def shape_sets() -> np.ndarray:
    """Return the table from the 16 bits of four shapes to the number of their set, which ignores their order.

    The number is -1 for bits that are not four shapes.
    """
    shapes = (np.arange(1 << 16)[:, None] >> np.array([0, 4, 8, 12])) & 15
    possible = shapes.max(axis=1) < SHAPE_COUNT
    keys = np.sort(shapes[possible], axis=1) @ SHAPE_COUNT ** np.arange(4)
    sets = np.full(1 << 16, -1, np.int32)
    sets[possible] = np.unique(keys, return_inverse=True)[1]
    return sets


def shipped_parameters() -> np.ndarray:
    """Return the parameters that the engine plays with, in sixteenths."""
    return np.array(PARAMETERS, np.int32)


@njit("int64(int64, int64, int64, int64, boolean)", cache=True, nogil=True)
def _class_of(a: int, b: int, c: int, d: int, renju: bool) -> int:
    """Return the class of a point from its shapes along the four directions; `renju` is true for black in Renju."""
    fives = fours = open_fours = threes = closed = twos = longs = 0
    for shape in (a, b, c, d):
        if shape == LINE:
            fives += 1
        elif shape == OPEN_FOUR:
            open_fours += 1
            fours += 1
        elif shape == FOUR_TWICE:
            open_fours += 1
            fours += 2
        elif shape == FOUR:
            fours += 1
        elif shape in (THREE_ONE, THREE_MANY):
            threes += 1
        elif shape == THREE_CLOSED:
            closed += 1
        elif TWO_1 <= shape <= TWO_3:
            twos += 1
        elif shape == LONG:
            longs += 1
    if fives:
        return WIN
    if renju and (longs or fours > 1):
        return FORBIDDEN
    if open_fours or fours > 1:
        return WINNING_FOUR
    if fours:
        return FOUR_THREE if threes else FOUR_AND_MORE if closed + twos else FOUR_PLAIN
    if threes:
        return TWO_THREES if threes > 1 else THREE_AND_MORE if closed + twos else THREE
    if closed:
        return CLOSED_AND_TWO if closed + twos > 1 else CLOSED_THREE
    return TWO_TWOS if twos > 1 else ONE_TWO if twos else NONE


@njit("int32[:, ::1](int32[::1], boolean, boolean)", cache=True, nogil=True)
def _class_table(parameters: np.ndarray, white: bool, renju: bool) -> np.ndarray:
    table = np.zeros((1 << 16, TABLE_COLUMNS), np.int32)
    sums = np.empty(COLUMNS, np.int64)
    for shapes in range(1 << 16):
        a, b, c, d = shapes & 15, (shapes >> 4) & 15, (shapes >> 8) & 15, shapes >> 12
        if max(a, b, c, d) >= SHAPE_COUNT:
            continue
        kind = _class_of(a, b, c, d, renju)
        for i in range(COLUMNS):
            sums[i] = parameters[(SHAPE_COUNT + kind) * COLUMNS + i]
            for shape in (a, b, c, d):
                sums[i] += parameters[shape * COLUMNS + i]
        if kind == FORBIDDEN:
            sums[:] = 0
        for i in range(COLUMNS):
            sums[i] = (sums[i] + (1 << (FRACTION - 1))) >> FRACTION
        table[shapes, 0] = kind
        table[shapes, 1] = sums[0] - sums[1] * 65536 if white else sums[0] * 65536 - sums[1]
    return table


def class_table(
    parameters: np.ndarray, rule: int, value_network: np.ndarray | None = None, policy: np.ndarray | None = None
) -> np.ndarray:
    """Return the class tables of black and white, the head and the policy, as one flat int32 array.

    For the four shapes of a point, a class table has two numbers. The first is the point's class + 16 × the number of
    its set of shapes. The second is its value. The value is packed: the high 16 bits count if black is to move, the low
    16 bits if white is. It is a value for the player to move, so the opponent's is subtracted.
    """
    tables = [_class_table(parameters, white, rule == RENJU and not white) for white in (False, True)]
    for table in tables:
        table[:, 0] += 16 * shape_sets()
    rest = [
        shipped_value_network() if value_network is None else value_network,
        shipped_policy() if policy is None else policy,
    ]
    return np.concatenate([table.ravel() for table in tables] + rest)
