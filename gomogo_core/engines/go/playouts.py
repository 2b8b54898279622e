"""Random games to the end: with uniformly random moves, or with moves that answer the last moves.

The module uses the board. A playout of the second kind first looks near the last two moves for three things: a row to
complete (Robogo), chains in atari, and 3 × 3 patterns. Without such an answer it plays anywhere, seldom into atari.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from gomogo_core.engines.go.array_layout import (
    CANDIDATES,
    CAPTURE_GO,
    CAPTURES,
    DIAGONALS,
    EMPTIES,
    EMPTY,
    GO,
    HEAD,
    KIND,
    LAST,
    LAST_BUT_ONE,
    LIBERTIES,
    LIGHT,
    LINE,
    LIST,
    MOST_PLAYED,
    MOVES,
    NEIGHBOUR_OFFSETS,
    NEXT,
    PASS,
    PLAYED,
    POSITION,
    RECORD,
    RECORDS,
    ROBOGO,
    ROW_STEPS,
    SQUARES,
    STEPS,
    STRIDE,
    SUM,
    TURN,
    WALL,
    BoardArray,
    Boolean,
    Cell,
    Colour,
    Number,
    Sums,
)
from gomogo_core.engines.go.board import (
    UNDECIDED,
    copy,
    doubled_lead,
    has_one_liberty,
    is_eye,
    is_legal,
    makes_row,
    play,
    random_below,
    result,
)
from gomogo_core.engines.go.patterns import pattern_table
from gomogo_core.engines.unowned import unowned, without_length

PATTERN = pattern_table()
_MOST_CANDIDATES = 60
_LONGEST_WALK = 12  # the largest number of stones of a chain whose neighbours are examined for a capture
_ATARI_CHANCE = 230  # out of 256: how often the playout looks for chains in atari
_PATTERN_CHANCE = 243  # out of 256: how often the playout looks for patterns
_SELF_ATARI_CHANCE = 230  # out of 256: how often a move into atari is replaced by another move


@njit("int64(int32[::1], int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def liberties_after(board: BoardArray, cell: Cell, colour: Colour) -> Number:
    """Return the number of liberties of a stone of `colour` on `cell`; 2 means two or more, or a capture."""
    board = without_length(board)
    count = total = squares = 0
    for k in range(4):
        near = cell + STEPS[k]
        c = board[near]
        if c == EMPTY:
            count += 1
            total += near
            squares += near * near
        elif c != WALL:
            head = board[RECORDS + RECORD * near + HEAD]
            first = RECORDS + RECORD * head
            if c != colour:
                if has_one_liberty(board, first):
                    return 2
                continue
            # a chain that touches the cell twice counts twice, which does not change the result
            count += board[first + LIBERTIES]
            total += board[first + SUM]
            squares += board[first + SQUARES]
            for j in range(4):  # do not count the liberty that the stone takes
                beside = cell + STEPS[j]
                if board[beside] == colour and board[RECORDS + RECORD * beside + HEAD] == head:
                    count -= 1
                    total -= cell
                    squares -= cell * cell
    if count == 0:
        return 0
    return 1 if count * squares == total * total else 2


@njit("int64(int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def last_liberty(board: BoardArray, cell: Cell) -> Cell:
    """Return the only liberty of the chain on `cell`, which is in atari."""
    board = without_length(board)
    first = RECORDS + RECORD * board[RECORDS + RECORD * cell + HEAD]
    return board[first + SUM] // board[first + LIBERTIES]


@njit("boolean(int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def in_atari(board: BoardArray, cell: Cell) -> Boolean:
    """Return whether the chain on `cell` has one liberty."""
    return has_one_liberty(board, RECORDS + RECORD * board[RECORDS + RECORD * cell + HEAD])


@njit("int64(int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def matches_pattern(board: BoardArray, cell: Cell) -> Number:
    """Return 1 if a pattern matches the empty `cell`, else 0."""
    board = without_length(board)
    code = 0
    for k in range(8):
        code |= board[cell + NEIGHBOUR_OFFSETS[k]] << 2 * k
    return PATTERN[code >> 5] >> (code & 31) & 1


@njit("int64(int32[::1], int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def add_saving_moves(board: BoardArray, cell: Cell, count: Number) -> Number:
    """Add the moves that save the mover's chain on `cell` from atari to CANDIDATES; return the new number of
    candidates.
    """
    board = without_length(board)
    colour = board[TURN]
    stone, walked = cell, 0
    while walked < _LONGEST_WALK:  # captures of neighbouring chains
        for k in range(4):
            near = stone + STEPS[k]
            if board[near] == 3 - colour and in_atari(board, near):
                hit = last_liberty(board, near)
                if count < _MOST_CANDIDATES and is_legal(board, hit):
                    board[CANDIDATES + count] = hit
                    count += 1
        stone = board[RECORDS + RECORD * stone + NEXT]
        walked += 1
        if stone == cell:
            break
    out = last_liberty(board, cell)
    if count < _MOST_CANDIDATES and liberties_after(board, out, colour) == 2 and is_legal(board, out):
        board[CANDIDATES + count] = out
        count += 1
    return count


@njit("int64(int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _write_answers_to_atari(board: BoardArray) -> Number:
    """Write the captures and rescues near the last two moves to CANDIDATES; return their number."""
    board = without_length(board)
    colour, found = board[TURN], 0
    last = board[LAST]
    if last != PASS:
        if board[last] == 3 - colour and in_atari(board, last):
            hit = last_liberty(board, last)
            if is_legal(board, hit):
                board[CANDIDATES] = hit
                found = 1
        for k in range(4):
            near = last + STEPS[k]
            if board[near] == colour and in_atari(board, near):
                found = add_saving_moves(board, near, found)
    last = board[LAST_BUT_ONE]
    if last != PASS:
        for k in range(4):
            near = last + STEPS[k]
            if board[near] == 3 - colour and in_atari(board, near):
                hit = last_liberty(board, near)
                if is_legal(board, hit):
                    board[CANDIDATES + found] = hit
                    found += 1
    return found


@njit("int64(int32[::1], int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def row_completing_move(board: BoardArray, stone: Cell, colour: Colour) -> Cell:
    """Return a legal point on a line through `stone` where `colour` would complete a row, or PASS."""
    for k in range(4 if board[DIAGONALS] else 2):
        for sign in range(2):
            step = ROW_STEPS[k] if sign else -ROW_STEPS[k]
            cell = stone + step
            for _ in range(board[LINE] - 1):
                if board[cell] == EMPTY:
                    if makes_row(board, cell, colour) and is_legal(board, cell):
                        return cell
                    break
                if board[cell] != colour:
                    break
                cell += step
    return PASS


@njit("int64(int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _write_pattern_moves(board: BoardArray) -> Number:
    board = without_length(board)
    found = 0
    for which in range(2):
        last = board[LAST] if which == 0 else board[LAST_BUT_ONE]
        if last == PASS:
            continue
        for k in range(8):
            cell = last + NEIGHBOUR_OFFSETS[k]
            fits = board[cell] == EMPTY and matches_pattern(board, cell) and is_legal(board, cell)
            if fits and liberties_after(board, cell, board[TURN]) == 2:
                board[CANDIDATES + found] = cell
                found += 1
        if found:
            break
    return found


@njit("int64(int32[::1], boolean)", nogil=True, cache=True, forceinline=True)  # type: ignore[untyped-decorator,unused-ignore]
def _random_move(board: BoardArray, careful: Boolean) -> Cell:
    """Return a random legal move that fills no own eye, or PASS. With `careful`, moves into atari are rare."""
    board = without_length(board)
    colour, count = board[TURN], board[EMPTIES]
    second = PASS
    while count:  # swap a refused point to the end, so that the remaining points have the same chance
        at = random_below(board, count)
        cell: Any = np.int64(board[LIST + at])
        # a point beside an empty one is neither an eye nor the ko point, which has stones on every side
        beside = board[cell + 1] * board[cell - 1] * board[cell + STRIDE] * board[cell - STRIDE] == EMPTY
        if beside or (not is_eye(board, cell, colour) and is_legal(board, cell)):
            if (
                not careful
                or liberties_after(board, cell, colour) == 2
                or random_below(board, 256) >= _SELF_ATARI_CHANCE
            ):
                return cell
            second = cell
        count -= 1
        other = board[LIST + count]
        board[LIST + at], board[LIST + count] = other, cell
        board[RECORDS + RECORD * other + POSITION] = at
        board[RECORDS + RECORD * cell + POSITION] = count
    return second


@njit("int64(int32[::1])", nogil=True, cache=True, forceinline=True)  # type: ignore[untyped-decorator,unused-ignore]
def playout_move(board: BoardArray) -> Cell:
    """Return the next move of a playout."""
    board = without_length(board)
    if board[LIGHT]:
        return _random_move(board, False)
    if board[KIND] == ROBOGO:
        colour = board[TURN]
        if board[LAST_BUT_ONE] != PASS:
            cell = row_completing_move(board, board[LAST_BUT_ONE], colour)
            if cell != PASS:
                return cell
        if board[LAST] != PASS:
            cell = row_completing_move(board, board[LAST], 3 - colour)
            if cell != PASS and is_legal(board, cell):
                return cell
    if board[CAPTURES]:
        if board[KIND] == CAPTURE_GO or random_below(board, 256) < _ATARI_CHANCE:
            found = _write_answers_to_atari(board)
            if found:
                return board[CANDIDATES + random_below(board, found)]
        if board[KIND] != ROBOGO and random_below(board, 256) < _PATTERN_CHANCE:
            found = _write_pattern_moves(board)
            if found:
                return board[CANDIDATES + random_below(board, found)]
        return _random_move(board, True)
    return _random_move(board, False)


@njit("int64(int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def run_playout(board: BoardArray) -> Number:
    """Play to the end, and return the result: 2 if black wins, 1 for a draw, 0 if white wins."""
    board = without_length(board)
    played = board[PLAYED]
    longest = min(MOST_PLAYED - 1, played + 3 * board[EMPTIES] + 20)
    passes = 0
    found = UNDECIDED
    is_go = board[KIND] == GO
    while played < longest:
        if is_go:
            if passes >= 2:
                break
        else:
            found = result(board)
            if found != UNDECIDED:
                break
            if passes >= 2:
                break
        cell = playout_move(board)
        board[MOVES + played] = cell * 4 + board[TURN]
        played += 1
        passes = passes + 1 if cell == PASS else 0
        play(board, cell)
    board[PLAYED] = played
    if found != UNDECIDED:
        return found
    if is_go:
        lead = doubled_lead(board)
        return 1 + (lead > 0) - (lead < 0)
    return 1


@njit("void(int32[::1], int32[::1], int64, int64[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def measure_playouts(state: BoardArray, scratch: BoardArray, count: Number, sums: Sums) -> None:
    """Run `count` playouts of Go from `state` on `scratch`, to measure them.

    `sums` receives the sums of the numbers of moves, the results, and black's leads in half points.
    """
    state, board = unowned(state), unowned(scratch)
    for _ in range(count):
        copy(state, board)
        board[PLAYED] = 0
        sums[1] += run_playout(board)
        sums[0] += board[PLAYED]
        sums[2] += doubled_lead(board)
