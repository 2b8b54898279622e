"""Line shapes: the shape that a stone makes along one line through its point, derived from the rules for every pattern.

The module uses one line at a time. A shape tells how many stones of one colour a five still needs, and how many points
allow the next step:

    WINNING_ROW        a row that wins
    OPEN_FOUR          an unbroken row of four stones, with two points that make a five
    DOUBLE_FOUR        two points that make a five, without such a row (in Renju, two fours in one line)
    FOUR               one point that makes a five
    STRONG_OPEN_THREE  an open three: several points make it an open four
    WEAK_OPEN_THREE    an open three: one point makes it an open four
    THREE_CLOSED       a point that makes a four
    STRONG_OPEN_TWO    four or more points that make an open three
    OPEN_TWO           three points that make an open three
    WEAK_OPEN_TWO      one or two points that make an open three
    TWO_CLOSED         a point that makes a closed three
    ONE_OPEN           a point that makes an open two
    ONE_CLOSED         a point that makes a closed two
    OVERLINE           a row too long to win
    NOTHING            no five can arise here any more

The recursion is the definition of threats in L. V. Allis, Searching for Solutions in Games and Artificial Intelligence
(1994), ch. 5; Renju's terms are those of the RIF's rules, section 3.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from gomogo_core.engines.gomoku.array_layout import BLACK, EMPTY, WHITE

NOTHING, OVERLINE, ONE_CLOSED, ONE_OPEN, TWO_CLOSED, WEAK_OPEN_TWO, OPEN_TWO, STRONG_OPEN_TWO = range(8)
THREE_CLOSED, WEAK_OPEN_THREE, STRONG_OPEN_THREE, FOUR, DOUBLE_FOUR, OPEN_FOUR, WINNING_ROW = range(8, 15)

# The rows with which a colour wins: five or longer; exactly five; exactly five, where only straight fours count as
# fours in threes (Renju's black).
ANY_ROW, EXACT_ROW, RENJU_ROW = 0, 1, 2

FREESTYLE, STANDARD, RENJU = 0, 1, 2
_ROW_KINDS = {FREESTYLE: (ANY_ROW, ANY_ROW), STANDARD: (EXACT_ROW, EXACT_ROW), RENJU: (RENJU_ROW, ANY_ROW)}


def key_span(rule: int) -> int:
    """Return the number of cells on each side of a point that its key contains. The point's shapes depend on no other
    cells.
    """
    return 4 if rule == FREESTYLE else 5


@njit("uint8[::1](int64, int64)", cache=True, nogil=True)
def _shapes_by_pattern(span: int, rows: int) -> np.ndarray:
    """Return the shape for each pattern of `span` cells on each side of a stone.

    A pattern is a number in base 3 with one digit for each cell: 0 for blocked, 1 for empty, 2 for an own stone. An
    additional own stone gives a larger number, so each shape depends only on shapes of larger numbers. The function
    therefore begins with the largest number. `rows` is ANY_ROW, EXACT_ROW or RENJU_ROW.
    """
    cells = 2 * span
    powers = np.empty(cells, np.int64)
    powers[0] = 1
    for i in range(1, cells):
        powers[i] = powers[i - 1] * 3
    shapes = np.zeros(powers[-1] * 3, np.uint8)
    line = np.empty(cells + 1, np.int64)
    ways = np.empty(16, np.int64)
    for number in range(shapes.size - 1, -1, -1):
        digits_left = number
        for i in range(cells + 1):
            if i == span:
                line[i] = 2
            else:
                line[i] = digits_left % 3
                digits_left //= 3
        first = last = span
        while first > 0 and line[first - 1] == 2:
            first -= 1
        while last < cells and line[last + 1] == 2:
            last += 1
        row = last - first + 1
        if row == 5 or (row > 5 and rows == ANY_ROW):
            shapes[number] = WINNING_ROW
            continue
        if row > 5:
            shapes[number] = OVERLINE
            continue
        ways[:] = 0
        fives_from = fives_to = 0
        for i in range(cells + 1):
            if line[i] != 1:
                continue
            after = shapes[number + powers[i if i < span else i - 1]]
            ways[after] += 1
            if after == WINNING_ROW:
                fives_to = i
                if ways[WINNING_ROW] == 1:
                    fives_from = i
        fours = ways[OPEN_FOUR] + (0 if rows == RENJU_ROW else ways[DOUBLE_FOUR])
        threes = ways[WEAK_OPEN_THREE] + ways[STRONG_OPEN_THREE]
        if ways[WINNING_ROW] >= 2:
            straight = ways[WINNING_ROW] == 2 and fives_to - fives_from == 5
            shape = OPEN_FOUR if straight else DOUBLE_FOUR
        elif ways[WINNING_ROW] == 1:
            shape = FOUR
        elif fours:
            shape = STRONG_OPEN_THREE if fours > 1 else WEAK_OPEN_THREE
        elif ways[FOUR] + ways[DOUBLE_FOUR]:
            shape = THREE_CLOSED
        elif threes:
            shape = STRONG_OPEN_TWO if threes > 3 else OPEN_TWO if threes > 2 else WEAK_OPEN_TWO
        elif ways[THREE_CLOSED]:
            shape = TWO_CLOSED
        elif ways[WEAK_OPEN_TWO] + ways[OPEN_TWO] + ways[STRONG_OPEN_TWO]:
            shape = ONE_OPEN
        elif ways[TWO_CLOSED]:
            shape = ONE_CLOSED
        else:
            shape = NOTHING
        shapes[number] = shape
    return shapes


@njit("uint8[::1](int64, uint8[::1], uint8[::1])", cache=True, nogil=True)
def _shapes_by_key(span: int, black: np.ndarray, white: np.ndarray) -> np.ndarray:
    """Return black's shape + 16 × white's shape for every key; a key has 2 bits for each cell."""
    cells = 2 * span
    table = np.empty(1 << (2 * cells), np.uint8)
    for key in range(table.size):
        for_black = for_white = 0
        power = 1
        for i in range(cells):
            code = (key >> (2 * i)) & 3
            if code == EMPTY:
                for_black += power
                for_white += power
            elif code == BLACK:
                for_black += 2 * power
            elif code == WHITE:
                for_white += 2 * power
            power *= 3
        table[key] = black[for_black] + 16 * white[for_white]
    return table


def shape_table_of_rule(rule: int) -> np.ndarray:
    """Return the table of the shapes of both colours by key, uint8, 64 KB or 1 MB.

    `rule` is FREESTYLE, STANDARD or RENJU.
    """
    span = key_span(rule)
    black, white = (_shapes_by_pattern(span, rows) for rows in _ROW_KINDS[rule])
    return _shapes_by_key(span, black, white)


def widen_keys(shape_table: np.ndarray) -> np.ndarray:
    """Return the table for keys with two more bits in the middle. These bits stand for the point itself, and are 0."""
    half_size = 1 << (shape_table.size.bit_length() // 2)
    widened = np.zeros((half_size, 4, half_size), np.uint8)
    widened[:, 0] = shape_table.reshape(half_size, half_size)
    return widened.ravel()
