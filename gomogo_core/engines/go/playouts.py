"""Random games to the end: uniform ones, and ones that answer the last move.

Uses the board. The second kind looks at the last two moves first: rows that can be completed (Robogo), chains in atari,
3 × 3 patterns; then it plays anywhere, seldom into atari.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from gomogo_core.engines.go.board import (
    UNDECIDED,
    copy,
    is_atari,
    is_eye,
    is_legal,
    makes_row,
    margin,
    play,
    random_below,
    result,
)
from gomogo_core.engines.go.layout import (
    AROUND,
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
)
from gomogo_core.engines.go.patterns import pattern_table
from gomogo_core.engines.unowned import unowned, without_length

PATTERN = pattern_table()
_MOST_CANDIDATES = 60
_LONGEST_WALK = 12  # stones of a chain whose neighbours are examined for a capture
_SAVES = 230  # out of 256: how often a chain in atari is examined
_FITS = 243  # out of 256: how often a pattern is played
_AVOIDS = 230  # out of 256: how often a move into atari is replaced


@njit("int64(int32[::1], int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def liberties_after(board: Any, cell: Any, colour: Any) -> Any:
    """Return the liberties of a stone of `colour` on `cell`, 2 for two or more. A capture counts as two."""
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
                if is_atari(board, first):
                    return 2
                continue
            count += board[first + LIBERTIES]  # a chain that touches the cell twice counts twice, which does no harm
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
def last_liberty(board: Any, cell: Any) -> Any:
    """Return the only liberty of the chain on `cell`, which is in atari."""
    board = without_length(board)
    first = RECORDS + RECORD * board[RECORDS + RECORD * cell + HEAD]
    return board[first + SUM] // board[first + LIBERTIES]


@njit("boolean(int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def in_atari(board: Any, cell: Any) -> Any:
    """Return whether the chain on `cell` has one liberty."""
    return is_atari(board, RECORDS + RECORD * board[RECORDS + RECORD * cell + HEAD])


@njit("int64(int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def pattern_at(board: Any, cell: Any) -> Any:
    """Return 1 if a pattern fits the empty `cell`."""
    board = without_length(board)
    code = 0
    for k in range(8):
        code |= board[cell + AROUND[k]] << 2 * k
    return PATTERN[code >> 5] >> (code & 31) & 1


@njit("int64(int32[::1], int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def saving_moves(board: Any, cell: Any, count: Any) -> Any:
    """Add the moves that save the mover's chain on `cell` from atari to CANDIDATES; returns the new number."""
    board = without_length(board)
    colour = board[TURN]
    stone, walked = cell, 0
    while walked < _LONGEST_WALK:  # captures of its neighbours
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
def _answers_to_atari(board: Any) -> Any:
    """Collect captures and rescues near the last two moves; returns their number."""
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
                found = saving_moves(board, near, found)
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
def completing_move(board: Any, stone: Any, colour: Any) -> Any:
    """Return a legal point on a line through `stone` where `colour` would complete a row; else PASS."""
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
def _fitting_patterns(board: Any) -> Any:
    board = without_length(board)
    found = 0
    for which in range(2):
        last = board[LAST] if which == 0 else board[LAST_BUT_ONE]
        if last == PASS:
            continue
        for k in range(8):
            cell = last + AROUND[k]
            fits = board[cell] == EMPTY and pattern_at(board, cell) and is_legal(board, cell)
            if fits and liberties_after(board, cell, board[TURN]) == 2:
                board[CANDIDATES + found] = cell
                found += 1
        if found:
            break
    return found


@njit("int64(int32[::1], boolean)", nogil=True, cache=True, forceinline=True)  # type: ignore[untyped-decorator,unused-ignore]
def _anywhere(board: Any, careful: Any) -> Any:
    """Return a random legal move that fills no own eye, else PASS."""
    board = without_length(board)
    colour, count = board[TURN], board[EMPTIES]
    second = PASS
    while count:  # swap a refused point to the end, so that the remaining points have the same chance
        at = random_below(board, count)
        cell: Any = np.int64(board[LIST + at])
        # a point beside an empty one is neither an eye nor forbidden: the ko point has stones on every side
        beside = board[cell + 1] * board[cell - 1] * board[cell + STRIDE] * board[cell - STRIDE] == EMPTY
        if beside or (not is_eye(board, cell, colour) and is_legal(board, cell)):
            if not careful or liberties_after(board, cell, colour) == 2 or random_below(board, 256) >= _AVOIDS:
                return cell
            second = cell
        count -= 1
        other = board[LIST + count]
        board[LIST + at], board[LIST + count] = other, cell
        board[RECORDS + RECORD * other + POSITION] = at
        board[RECORDS + RECORD * cell + POSITION] = count
    return second


@njit("int64(int32[::1])", nogil=True, cache=True, forceinline=True)  # type: ignore[untyped-decorator,unused-ignore]
def choose(board: Any) -> Any:
    """Return the next move of a playout."""
    board = without_length(board)
    if board[LIGHT]:
        return _anywhere(board, False)
    if board[KIND] == ROBOGO:
        colour = board[TURN]
        if board[LAST_BUT_ONE] != PASS:
            cell = completing_move(board, board[LAST_BUT_ONE], colour)
            if cell != PASS:
                return cell
        if board[LAST] != PASS:
            cell = completing_move(board, board[LAST], 3 - colour)
            if cell != PASS and is_legal(board, cell):
                return cell
    if board[CAPTURES]:
        if board[KIND] == CAPTURE_GO or random_below(board, 256) < _SAVES:
            found = _answers_to_atari(board)
            if found:
                return board[CANDIDATES + random_below(board, found)]
        if board[KIND] != ROBOGO and random_below(board, 256) < _FITS:
            found = _fitting_patterns(board)
            if found:
                return board[CANDIDATES + random_below(board, found)]
        return _anywhere(board, True)
    return _anywhere(board, False)


@njit("int64(int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def playout(board: Any) -> Any:
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
        cell = choose(board)
        board[MOVES + played] = cell * 4 + board[TURN]
        played += 1
        passes = passes + 1 if cell == PASS else 0
        play(board, cell)
    board[PLAYED] = played
    if found != UNDECIDED:
        return found
    if is_go:
        lead = margin(board)
        return 1 + (lead > 0) - (lead < 0)
    return 1


@njit("void(int32[::1], int32[::1], int64, int64[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def repeat(state: Any, scratch: Any, count: Any, sums: Any) -> None:
    """Run playouts of Go from `state` on `scratch`, to measure them. sums: moves, results, leads in half points."""
    state, board = unowned(state), unowned(scratch)
    for _ in range(count):
        copy(state, board)
        board[PLAYED] = 0
        sums[1] += playout(board)
        sums[0] += board[PLAYED]
        sums[2] += margin(board)
