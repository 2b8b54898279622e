"""All legal boards of up to 16 points, one of each set of mirror images, and the boards after each stone.

A board is two bit masks; the point (row, column) is bit `row * columns + column`. The *code* of a board is a number in
base 3 with one digit for each point. The least code among its mirror images represents all of them, and the *number* of
a board is the rank of that code among all legal boards. The set of codes is an array of 64-bit words, with one bit
for each code. A second array has the count of the bits before each word.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numba import njit

# The types of the parameters of compiled functions. Numba takes them from the signatures; these names are for readers.
RulesArray: TypeAlias = Any  # int64: the size, the scoring and the winning rows, with the indices below
ResultArray: TypeAlias = Any  # int8 (boards,): Black's result on each board
ResultTable: TypeAlias = Any  # int8 (kinds of positions, boards): the results that Black can force
IndexArray: TypeAlias = Any  # int32: numbers of boards, or counts of them
BooleanArray: TypeAlias = Any  # boolean (boards,)
MaskArray: TypeAlias = Any  # int32 (boards,): a mask of points for each board
ImageCodes: TypeAlias = Any  # int32 (masks, symmetries): the code of each mask of black stones under each symmetry
CodeBits: TypeAlias = Any  # uint64: the set of the codes of all boards, as bits
PointMask: TypeAlias = Any  # int64: a mask of points
Int64: TypeAlias = Any  # a count, an index, a code or a result
Boolean: TypeAlias = Any

MAX_POINTS = 16
# the points that count after two passes; with ONLY_ROWS_WIN, none count, since only rows win
AREA_SCORING, TERRITORY_SCORING, STONE_SCORING, ONLY_ROWS_WIN = range(4)
NO_ROW = -128  # in `final_results`: the board has no row, so the game is not over

# The indices of the int64 array `rules`: the size, the scoring, and the length and the directions of winning rows.
BOARD_COLUMNS, BOARD_ROWS, SCORING, WINNING_LENGTH, DIAGONAL_ROWS = range(5)


@njit("int64(int64[::1], int64)", cache=True, nogil=True)
def touching_points(rules: RulesArray, stones: PointMask) -> PointMask:
    """Return the mask of the points next to a stone of `stones`; it may contain some of the stones."""
    columns, points = rules[BOARD_COLUMNS], rules[BOARD_COLUMNS] * rules[BOARD_ROWS]
    first = 0
    for row in range(rules[BOARD_ROWS]):
        first |= 1 << (row * columns)
    last = first << (columns - 1)
    neighbours = ((stones & ~last) << 1) | ((stones & ~first) >> 1) | (stones << columns) | (stones >> columns)
    return neighbours & ((1 << points) - 1)


@njit("int64(int64[::1], int64, int64)", cache=True, nogil=True)
def connected_points(rules: RulesArray, seed: PointMask, within: PointMask) -> PointMask:
    """Return the points of `within` that are next to `seed`, or connected with such a point inside `within`."""
    connected = touching_points(rules, seed) & within
    while True:
        grown_mask = connected | (touching_points(rules, connected) & within)
        if grown_mask == connected:
            return connected
        connected = grown_mask


@njit("int64(int64)", cache=True, nogil=True)
def bit_count(mask: PointMask) -> Int64:
    """Return the number of set bits."""
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@njit("int64(int32[:, ::1], int64, int64)", cache=True, nogil=True)
def least_code(image_codes: ImageCodes, black: PointMask, white: PointMask) -> Int64:
    """Return the least code among the mirror images of a board.

    `image_codes[mask, symmetry]` is the code of a mask of black stones under a symmetry.
    """
    best = np.int64(image_codes[black, 0]) + 2 * np.int64(image_codes[white, 0])
    for image in range(1, image_codes.shape[1]):
        best = min(best, np.int64(image_codes[black, image]) + 2 * np.int64(image_codes[white, image]))
    return best


@njit("int64(uint64[::1], int32[::1], int64)", cache=True, nogil=True)
def rank_of_code(code_bits: CodeBits, ranks_before_words: IndexArray, code: Int64) -> Int64:
    """Return the rank of a code in the set of codes."""
    word = code_bits[code >> 6] & ((np.uint64(1) << np.uint64(code & 63)) - np.uint64(1))
    count = np.int64(ranks_before_words[code >> 6])
    while word:
        word &= word - np.uint64(1)
        count += 1
    return count


@njit("int64(int64[::1], int32[:, ::1], uint64[::1], int64)", cache=True, nogil=True)
def add_legal_boards(rules: RulesArray, image_codes: ImageCodes, code_bits: CodeBits, black: PointMask) -> Int64:
    """Add the codes of the legal boards with these black stones, one per set of mirror images; return their number."""
    full_mask = (1 << (rules[BOARD_COLUMNS] * rules[BOARD_ROWS])) - 1
    points_left = full_mask & ~black
    white, count = points_left, 0
    while True:
        empty_points = points_left & ~white
        code = np.int64(image_codes[black, 0]) + 2 * np.int64(image_codes[white, 0])
        is_least = True
        for image in range(1, image_codes.shape[1]):
            if np.int64(image_codes[black, image]) + 2 * np.int64(image_codes[white, image]) < code:
                is_least = False
                break
        if (
            is_least
            and connected_points(rules, empty_points, black) == black
            and connected_points(rules, empty_points, white) == white
        ):
            code_bits[code >> 6] |= np.uint64(1) << np.uint64(code & 63)
            count += 1
        if not white:
            return count
        white = (white - 1) & points_left


@njit("void(uint64[::1], int64, int32[::1], int32[::1], int32[::1])", cache=True, nogil=True)
def decode_boards(
    code_bits: CodeBits, points: Int64, ranks_before_words: IndexArray, black_masks: MaskArray, white_masks: MaskArray
) -> None:
    """Write the count of the codes before each word, and the masks of black and white stones of each board."""
    number = 0
    for word_index in range(len(code_bits)):
        ranks_before_words[word_index] = number
        word = code_bits[word_index]
        for bit in range(64):
            if (word >> np.uint64(bit)) & np.uint64(1):
                code, black, white = word_index * 64 + bit, 0, 0
                for point in range(points):
                    digit = code % 3
                    code //= 3
                    if digit == 1:
                        black |= 1 << point
                    elif digit == 2:
                        white |= 1 << point
                black_masks[number], white_masks[number] = black, white
                number += 1


@njit("boolean(int64[::1], int64)", cache=True, nogil=True)
def has_row(rules: RulesArray, stones: PointMask) -> Boolean:
    """Return whether `stones` contains a winning row."""
    columns, rows, line = rules[BOARD_COLUMNS], rules[BOARD_ROWS], rules[WINNING_LENGTH]
    for row in range(rows):
        for column in range(columns):
            for direction in range(4 if rules[DIAGONAL_ROWS] else 2):
                row_step = 0 if direction == 0 else 1
                column_step = 1 if direction in (0, 2) else 0 if direction == 1 else -1
                end_row, end_column = row + row_step * (line - 1), column + column_step * (line - 1)
                if end_row >= rows or end_column >= columns or end_column < 0:
                    continue
                count = 0
                while (
                    count < line and (stones >> ((row + row_step * count) * columns + column + column_step * count)) & 1
                ):
                    count += 1
                if count == line:
                    return True
    return False


@njit("int64(int64[::1], int64, int64)", cache=True, nogil=True)
def score_of(rules: RulesArray, black: PointMask, white: PointMask) -> Int64:
    """Return Black's points minus White's after two passes, without komi."""
    if rules[SCORING] == ONLY_ROWS_WIN:
        return 0
    score = 0 if rules[SCORING] == TERRITORY_SCORING else bit_count(black) - bit_count(white)
    if rules[SCORING] != STONE_SCORING:
        empty_points = ((1 << (rules[BOARD_COLUMNS] * rules[BOARD_ROWS])) - 1) & ~(black | white)
        near_black = connected_points(rules, black, empty_points)
        near_white = connected_points(rules, white, empty_points)
        score += bit_count(near_black & ~near_white) - bit_count(near_white & ~near_black)
    return score


@njit("int64(int64[::1], int64, int64, int64)", cache=True, nogil=True)
def captured_stones(rules: RulesArray, own: PointMask, other: PointMask, bit: PointMask) -> PointMask:
    """Return the mask of the stones that a stone of the mover on `bit` captures, or -1 for suicide."""
    empty_points = ((1 << (rules[BOARD_COLUMNS] * rules[BOARD_ROWS])) - 1) & ~(own | other | bit)
    captured = other & ~connected_points(rules, empty_points, other)
    if not captured and connected_points(rules, empty_points, own | bit) != own | bit:
        return -1
    return captured


@njit(
    "int64(int64[::1], int32[:, ::1], uint64[::1], int32[::1], int32[::1], int32[::1], int8[::1], int8[::1],"
    " int32[::1], int32[::1], int64, int64)",
    cache=True,
    nogil=True,
)
def write_successors(
    rules: RulesArray,
    image_codes: ImageCodes,
    code_bits: CodeBits,
    ranks_before_words: IndexArray,
    black_masks: MaskArray,
    white_masks: MaskArray,
    scores: ResultArray,
    final_results: ResultArray,
    successor_starts: IndexArray,
    successors: IndexArray,
    first: Int64,
    last: Int64,
) -> Int64:
    """Write the scores, the results of boards with a row, and the next boards, for the boards first to last - 1.

    `successors` lists the boards after each stone. The part for Black's stones on board n begins at `successor_starts[2
    · n]`, and the part for White's stones at `successor_starts[2 · n + 1]`. Return the end of the list.
    """
    list_end = np.int64(successor_starts[2 * first])
    full_mask = (1 << (rules[BOARD_COLUMNS] * rules[BOARD_ROWS])) - 1
    for number in range(first, last):
        black, white = np.int64(black_masks[number]), np.int64(white_masks[number])
        scores[number] = score_of(rules, black, white)
        final_results[number] = NO_ROW
        if rules[SCORING] == ONLY_ROWS_WIN:
            if has_row(rules, black):
                final_results[number] = 1
            elif has_row(rules, white):
                final_results[number] = -1
        for colour in range(2):
            own, other = (black, white) if colour == 0 else (white, black)
            points_left = full_mask & ~(black | white) if final_results[number] == NO_ROW else 0
            while points_left:
                bit = points_left & -points_left
                points_left ^= bit
                captured = captured_stones(rules, own, other, bit)
                if captured >= 0:
                    own_after, other_after = own | bit, other & ~captured
                    code = (
                        least_code(image_codes, own_after, other_after)
                        if colour == 0
                        else least_code(image_codes, other_after, own_after)
                    )
                    successors[list_end] = rank_of_code(code_bits, ranks_before_words, code)
                    list_end += 1
            successor_starts[2 * number + colour + 1] = list_end
    return list_end
