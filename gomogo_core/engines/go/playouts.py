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
def liberties_after(b: Any, cell: Any, colour: Any) -> Any:
    """Return the liberties of a stone of `colour` on `cell`, 2 for two or more. A capture counts as two."""
    b = without_length(b)
    count = total = squares = 0
    for k in range(4):
        near = cell + STEPS[k]
        c = b[near]
        if c == EMPTY:
            count += 1
            total += near
            squares += near * near
        elif c != WALL:
            head = b[RECORDS + RECORD * near + HEAD]
            first = RECORDS + RECORD * head
            if c != colour:
                if is_atari(b, first):
                    return 2
                continue
            count += b[first + LIBERTIES]  # a chain that touches the cell twice counts twice, which does no harm
            total += b[first + SUM]
            squares += b[first + SQUARES]
            for j in range(4):  # do not count the liberty that the stone takes
                beside = cell + STEPS[j]
                if b[beside] == colour and b[RECORDS + RECORD * beside + HEAD] == head:
                    count -= 1
                    total -= cell
                    squares -= cell * cell
    if count == 0:
        return 0
    return 1 if count * squares == total * total else 2


@njit("int64(int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def last_liberty(b: Any, cell: Any) -> Any:
    """Return the only liberty of the chain on `cell`, which is in atari."""
    b = without_length(b)
    first = RECORDS + RECORD * b[RECORDS + RECORD * cell + HEAD]
    return b[first + SUM] // b[first + LIBERTIES]


@njit("boolean(int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def in_atari(b: Any, cell: Any) -> Any:
    """Return whether the chain on `cell` has one liberty."""
    return is_atari(b, RECORDS + RECORD * b[RECORDS + RECORD * cell + HEAD])


@njit("int64(int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def pattern_at(b: Any, cell: Any) -> Any:
    """Return 1 if a pattern fits the empty `cell`."""
    b = without_length(b)
    code = 0
    for k in range(8):
        code |= b[cell + AROUND[k]] << 2 * k
    return PATTERN[code >> 5] >> (code & 31) & 1


@njit("int64(int32[::1], int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def saving_moves(b: Any, cell: Any, found: Any) -> Any:
    """Add the moves that save the mover's chain on `cell` from atari to CANDIDATES; returns the new number."""
    b = without_length(b)
    colour = b[TURN]
    stone, walked = cell, 0
    while walked < _LONGEST_WALK:  # captures of its neighbours
        for k in range(4):
            near = stone + STEPS[k]
            if b[near] == 3 - colour and in_atari(b, near):
                hit = last_liberty(b, near)
                if found < _MOST_CANDIDATES and is_legal(b, hit):
                    b[CANDIDATES + found] = hit
                    found += 1
        stone = b[RECORDS + RECORD * stone + NEXT]
        walked += 1
        if stone == cell:
            break
    out = last_liberty(b, cell)
    if found < _MOST_CANDIDATES and liberties_after(b, out, colour) == 2 and is_legal(b, out):
        b[CANDIDATES + found] = out
        found += 1
    return found


@njit("int64(int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _answers_to_atari(b: Any) -> Any:
    """Collect captures and rescues near the last two moves; returns their number."""
    b = without_length(b)
    colour, found = b[TURN], 0
    last = b[LAST]
    if last != PASS:
        if b[last] == 3 - colour and in_atari(b, last):
            hit = last_liberty(b, last)
            if is_legal(b, hit):
                b[CANDIDATES] = hit
                found = 1
        for k in range(4):
            near = last + STEPS[k]
            if b[near] == colour and in_atari(b, near):
                found = saving_moves(b, near, found)
    last = b[LAST_BUT_ONE]
    if last != PASS:
        for k in range(4):
            near = last + STEPS[k]
            if b[near] == 3 - colour and in_atari(b, near):
                hit = last_liberty(b, near)
                if is_legal(b, hit):
                    b[CANDIDATES + found] = hit
                    found += 1
    return found


@njit("int64(int32[::1], int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def completing_move(b: Any, stone: Any, colour: Any) -> Any:
    """Return a legal point on a line through `stone` where `colour` would complete a row; else PASS."""
    for k in range(4 if b[DIAGONALS] else 2):
        for sign in range(2):
            step = ROW_STEPS[k] if sign else -ROW_STEPS[k]
            cell = stone + step
            for _ in range(b[LINE] - 1):
                if b[cell] == EMPTY:
                    if makes_row(b, cell, colour) and is_legal(b, cell):
                        return cell
                    break
                if b[cell] != colour:
                    break
                cell += step
    return PASS


@njit("int64(int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _fitting_patterns(b: Any) -> Any:
    b = without_length(b)
    found = 0
    for which in range(2):
        last = b[LAST] if which == 0 else b[LAST_BUT_ONE]
        if last == PASS:
            continue
        for k in range(8):
            cell = last + AROUND[k]
            fits = b[cell] == EMPTY and pattern_at(b, cell) and is_legal(b, cell)
            if fits and liberties_after(b, cell, b[TURN]) == 2:
                b[CANDIDATES + found] = cell
                found += 1
        if found:
            break
    return found


@njit("int64(int32[::1], boolean)", nogil=True, cache=True, forceinline=True)  # type: ignore[untyped-decorator,unused-ignore]
def _anywhere(b: Any, careful: Any) -> Any:
    """Return a random legal move that fills no own eye, else PASS."""
    b = without_length(b)
    colour, count = b[TURN], b[EMPTIES]
    second = PASS
    while count:  # swap a refused point to the end, so that the remaining points have the same chance
        at = random_below(b, count)
        cell: Any = np.int64(b[LIST + at])
        # a point beside an empty one is neither an eye nor forbidden: the ko point has stones on every side
        beside = b[cell + 1] * b[cell - 1] * b[cell + STRIDE] * b[cell - STRIDE] == EMPTY
        if beside or (not is_eye(b, cell, colour) and is_legal(b, cell)):
            if not careful or liberties_after(b, cell, colour) == 2 or random_below(b, 256) >= _AVOIDS:
                return cell
            second = cell
        count -= 1
        other = b[LIST + count]
        b[LIST + at], b[LIST + count] = other, cell
        b[RECORDS + RECORD * other + POSITION] = at
        b[RECORDS + RECORD * cell + POSITION] = count
    return second


@njit("int64(int32[::1])", nogil=True, cache=True, forceinline=True)  # type: ignore[untyped-decorator,unused-ignore]
def choose(b: Any) -> Any:
    """Return the next move of a playout."""
    b = without_length(b)
    if b[LIGHT]:
        return _anywhere(b, False)
    if b[KIND] == ROBOGO:
        colour = b[TURN]
        if b[LAST_BUT_ONE] != PASS:
            cell = completing_move(b, b[LAST_BUT_ONE], colour)
            if cell != PASS:
                return cell
        if b[LAST] != PASS:
            cell = completing_move(b, b[LAST], 3 - colour)
            if cell != PASS and is_legal(b, cell):
                return cell
    if b[CAPTURES]:
        if b[KIND] == CAPTURE_GO or random_below(b, 256) < _SAVES:
            found = _answers_to_atari(b)
            if found:
                return b[CANDIDATES + random_below(b, found)]
        if b[KIND] != ROBOGO and random_below(b, 256) < _FITS:
            found = _fitting_patterns(b)
            if found:
                return b[CANDIDATES + random_below(b, found)]
        return _anywhere(b, True)
    return _anywhere(b, False)


@njit("int64(int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def playout(b: Any) -> Any:
    """Play to the end, and return the result: 2 if black wins, 1 for a draw, 0 if white wins."""
    b = without_length(b)
    played = b[PLAYED]
    longest = min(MOST_PLAYED - 1, played + 3 * b[EMPTIES] + 20)
    passes = 0
    found = UNDECIDED
    is_go = b[KIND] == GO
    while played < longest:
        if is_go:
            if passes >= 2:
                break
        else:
            found = result(b)
            if found != UNDECIDED:
                break
            if passes >= 2:
                break
        cell = choose(b)
        b[MOVES + played] = cell * 4 + b[TURN]
        played += 1
        passes = passes + 1 if cell == PASS else 0
        play(b, cell)
    b[PLAYED] = played
    if found != UNDECIDED:
        return found
    if is_go:
        lead = margin(b)
        return 1 + (lead > 0) - (lead < 0)
    return 1


@njit("void(int32[::1], int32[::1], int64, int64[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def repeat(state: Any, scratch: Any, count: Any, sums: Any) -> None:
    """Run playouts of Go from `state` on `scratch`, to measure them. sums: moves, results, leads in half points."""
    s, b = unowned(state), unowned(scratch)
    for _ in range(count):
        copy(s, b)
        b[PLAYED] = 0
        sums[1] += playout(b)
        sums[0] += b[PLAYED]
        sums[2] += margin(b)
