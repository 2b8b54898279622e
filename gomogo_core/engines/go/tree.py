"""Monte Carlo tree search with RAVE and priors, on the compiled board.

Uses the board and the playouts. The tree is one array of nodes; the children of a node lie side by side. RAVE: S. Gelly
and D. Silver, Monte-Carlo tree search and rapid action value estimation in computer Go (2011).
"""

from __future__ import annotations

import math
from typing import Any

from numba import njit

from gomogo_core.engines.go.board import UNDECIDED, board_hash, copy, is_eye, is_legal, makes_row, play, result
from gomogo_core.engines.go.forced_wins import FOUND, wins
from gomogo_core.engines.go.layout import (
    BARRED,
    BLACK,
    CAPTURE_GO,
    CAPTURES,
    CHILDREN,
    COUNT,
    EMPTIES,
    EMPTY,
    FIRST_PLAYER,
    GO,
    HEAD,
    KIND,
    KO_RULE,
    LAST,
    LAST_BUT_ONE,
    LIST,
    LOST,
    MOVE,
    MOVES,
    NODE,
    PASS,
    PASSES,
    PASSING,
    PATH,
    PATH_LENGTH,
    PLAYED,
    POSITIONAL,
    PRIOR_VISITS,
    PRIOR_WINS,
    PROVED,
    RAVE_VISITS,
    RAVE_WINS,
    READS,
    RECORD,
    RECORDS,
    ROBOGO,
    SEARCHED,
    SIZE,
    STEPS,
    STOP,
    TURN,
    VISITS,
    WALL,
    WINS,
    WON,
)
from gomogo_core.engines.go.move_features import UNIT, liberties_left, rank, steps_between
from gomogo_core.engines.go.playouts import in_atari, liberties_after, pattern_at, playout
from gomogo_core.engines.unowned import unowned

# after this number of visits, RAVE and the node's own results have about the same weight
RAVE_EQUAL, RAVE_EQUAL_IN_GO = 3000.0, 8000.0
EXPAND = 6  # visits after which a leaf gets children
_EVEN = 10  # visits of the prior that every move gets, half of them won
_LONGEST_PATH = 300
_WIN_NOW = 200
_READ, _READ_FIRST = 30, 20_000  # positions read for a forced win: at a new node, and at the root
# In Go: virtual visits of each move; the share of them that is won, of a move without any odds and of the best one;
# and the root that is taken of the other moves' odds, relative to the best move's, to place them in between.
_FITTED_VISITS, _LEAST_SHARE, _MOST_SHARE, _SOFTNESS = 30, 0.2, 0.8, 3.0


@njit("void(int32[::1], int32[::1], int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _set_prior(b: Any, t: Any, node: Any, cell: Any) -> None:
    """Give a new node of Capture Go or Robogo virtual visits and wins, by what its move does."""
    visits, wins = _EVEN, _EVEN  # wins are halves
    colour, other = b[TURN], 3 - b[TURN]
    goal = b[KIND]
    if b[CAPTURES]:
        captured = saved = threatened = 0
        for k in range(4):
            near = cell + STEPS[k]
            c = b[near]
            if c in (EMPTY, WALL):
                continue
            stones = b[RECORDS + RECORD * b[RECORDS + RECORD * near + HEAD] + SIZE]
            if in_atari(b, near):
                if c == other:
                    captured += stones
                else:
                    saved += stones
            elif c == other and liberties_left(b, near, cell) == 1:
                threatened += 1
        if captured:
            weight = _WIN_NOW if goal == CAPTURE_GO else 15 if captured == 1 else 30
            visits, wins = visits + weight, wins + 2 * weight
        if liberties_after(b, cell, colour) < 2:
            visits += 60 if goal == CAPTURE_GO else 15
        elif saved:
            weight = 60 if goal == CAPTURE_GO else 10 if saved == 1 else 20
            visits, wins = visits + weight, wins + 2 * weight
        elif threatened:
            visits, wins = visits + 6, wins + 10
    if goal == ROBOGO:
        if makes_row(b, cell, colour):
            visits, wins = visits + _WIN_NOW, wins + 2 * _WIN_NOW
        elif makes_row(b, cell, other):
            visits, wins = visits + 100, wins + 200
    elif pattern_at(b, cell):
        visits, wins = visits + 10, wins + 20
    if b[LAST] != PASS:
        steps = steps_between(cell, b[LAST])
        if b[LAST_BUT_ONE] != PASS:
            steps = min(steps, 1 + steps_between(cell, b[LAST_BUT_ONE]))
        weight = 16 if steps <= 3 else 10 if steps <= 5 else 4 if steps <= 7 else 0
        visits, wins = visits + weight, wins + 2 * weight
    t[NODE * node + PRIOR_VISITS] = visits
    t[NODE * node + PRIOR_WINS] = wins


@njit("void(int32[::1], int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _clear(t: Any, node: Any, move: Any) -> None:
    """Make a new node for a move."""
    for i in range(NODE):
        t[NODE * node + i] = 0
    t[NODE * node + MOVE] = move


@njit("void(int32[::1], int32[::1], int64, int64, int16[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _set_fitted_priors(b: Any, t: Any, first: Any, end: Any, weights: Any) -> None:
    """Give the new nodes `first` to `end` of Go virtual visits and wins, by the ranks of their moves."""
    top = -(1 << 30)
    for child in range(first, end):
        found = rank(b, t[NODE * child + MOVE], weights)
        t[NODE * child + PRIOR_WINS] = found
        top = max(top, found)
    for child in range(first, end):
        odds = math.exp((t[NODE * child + PRIOR_WINS] - top) / (UNIT * _SOFTNESS))
        t[NODE * child + PRIOR_VISITS] = _FITTED_VISITS
        t[NODE * child + PRIOR_WINS] = int(2 * _FITTED_VISITS * (_LEAST_SHARE + (_MOST_SHARE - _LEAST_SHARE) * odds))


@njit("boolean(int32[::1], int32[::1], int64, int16[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def expand(b: Any, t: Any, node: Any, weights: Any) -> Any:
    """Give a leaf its children: legal moves that fill no own eye, and the pass. Returns whether there was room."""
    free, record = t[0], NODE * node
    if NODE * (free + b[EMPTIES] + 2) > len(t):
        return False
    child = free
    for with_eyes in range(2):
        for i in range(b[EMPTIES]):
            cell = b[LIST + i]
            if not with_eyes and b[KIND] != ROBOGO and is_eye(b, cell, b[TURN]):
                continue
            if is_legal(b, cell):
                _clear(t, child, cell)
                if b[KIND] != GO:
                    _set_prior(b, t, child, cell)
                child += 1
        if child > free or b[PASSING]:
            break  # fill own eyes only if no other move is legal
    if b[PASSING]:
        _clear(t, child, PASS)
        t[NODE * child + PRIOR_VISITS] = _EVEN
        t[NODE * child + PRIOR_WINS] = _EVEN if b[PASSES] else _EVEN // 5
        child += 1
    if child == free:
        return False
    if b[KIND] == GO:
        _set_fitted_priors(b, t, free, child, weights)
    t[record + CHILDREN] = free
    t[record + COUNT] = child - free
    t[0] = child
    return True


@njit("int64(int32[::1], int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _select(b: Any, t: Any, node: Any) -> Any:
    """Return the child with the best mixture of results and RAVE; 0 if every one is barred."""
    first, count = t[NODE * node + CHILDREN], t[NODE * node + COUNT]
    best, highest = 0, -1.0
    equal = RAVE_EQUAL_IN_GO if b[KIND] == GO else RAVE_EQUAL
    for child in range(first, first + count):
        record = NODE * child
        if t[record + BARRED] or t[record + PROVED] == LOST:
            continue
        if t[record + PROVED] == WON:
            return child
        visits = t[record + VISITS] + t[record + PRIOR_VISITS]
        value = (t[record + WINS] + t[record + PRIOR_WINS]) / (2.0 * visits)
        seen = t[record + RAVE_VISITS]
        if seen:
            beta = seen / (seen + visits + visits * seen / equal)
            value += beta * (t[record + RAVE_WINS] / (2.0 * seen) - value)
        if value > highest:
            best, highest = child, value
    return best


@njit("void(int32[::1], int32[::1], int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _learn(b: Any, t: Any, outcome: Any, number: Any) -> None:
    """Enter a result into the nodes of the path, and into the RAVE values of their children."""
    length, played = b[PATH_LENGTH], b[PLAYED]
    mark = (number & 0x0FFFFFFF) << 2
    at = played - 1
    for depth in range(length - 1, -1, -1):
        while at >= depth:  # the path is read backwards, so the first player on a cell is entered last
            b[FIRST_PLAYER + (b[MOVES + at] >> 2)] = mark | b[MOVES + at] & 3
            at -= 1
        node = b[PATH + depth]
        mover = 3 - (b[MOVES + depth - 1] & 3) if depth else b[PATH - 1]
        won = outcome if mover == BLACK else 2 - outcome
        t[NODE * node + VISITS] += 1
        t[NODE * node + WINS] += 2 - won  # the wins of the player who moved here
        first = t[NODE * node + CHILDREN]
        for child in range(first, first + t[NODE * node + COUNT]):
            record = NODE * child
            if t[record + MOVE] != PASS and b[FIRST_PLAYER + t[record + MOVE]] == mark | mover:
                t[record + RAVE_VISITS] += 1
                t[record + RAVE_WINS] += won


@njit("void(int32[::1], int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _back_up_proof(b: Any, t: Any, length: Any) -> None:
    """Carry the proved result of the last node of the path towards the root: MCTS-Solver."""
    for depth in range(length - 1, 0, -1):
        parent = b[PATH + depth - 1]
        if t[NODE * b[PATH + depth] + PROVED] == WON:
            t[NODE * parent + PROVED] = LOST
            continue
        first = t[NODE * parent + CHILDREN]
        for child in range(first, first + t[NODE * parent + COUNT]):
            if t[NODE * child + PROVED] != LOST and not t[NODE * child + BARRED]:
                return
        t[NODE * parent + PROVED] = WON


@njit("void(int32[::1], int32[::1], int32[:, ::1], int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _prove_root(s: Any, t: Any, boards: Any, memory: Any) -> None:
    """Tell the tree a forced win of the player to move at the root, if there is one."""
    t[NODE + PROVED] = 0
    if not s[READS]:
        return
    copy(s, boards[0])
    if not wins(boards, 0, memory, _READ_FIRST):
        return
    first = t[NODE + CHILDREN]
    for child in range(first, first + t[NODE + COUNT]):
        if t[NODE * child + MOVE] == memory[FOUND]:
            t[NODE * child + PROVED] = WON
            t[NODE * child + VISITS] += 1
            t[NODE * child + WINS] += 2
            t[NODE + PROVED] = LOST


@njit(  # type: ignore[untyped-decorator,unused-ignore]
    "int64(int32[::1], int32[::1], int32[::1], int64[::1], int64, int16[::1], int32[:, ::1], int32[::1])",
    nogil=True,
    cache=True,
)
def search(state: Any, scratch: Any, nodes: Any, past: Any, most: Any, weights: Any, boards: Any, memory: Any) -> Any:
    """Run up to `most` playouts from the board `state`, on the board `scratch`, until state[STOP] is set. Returns how
    many.

    nodes: the tree; nodes[0] is their number, the root is node 1. past: numbers of earlier boards, past[0] of them.
    weights: of the features of moves (`move_features`).
    """
    s, b, t = unowned(state), unowned(scratch), unowned(nodes)
    done = 0
    if t[NODE + CHILDREN] == 0:
        expand(s, t, 1, weights)
    _prove_root(s, t, boards, memory)
    while done < most and s[STOP] == 0 and t[NODE + PROVED] == 0:
        copy(s, b)
        b[PATH - 1] = b[TURN]
        b[PATH] = node = 1
        b[PATH_LENGTH] = length = 1
        played, known = 0, past[0]
        found = UNDECIDED
        while True:
            if t[NODE * node + CHILDREN] == 0 and (t[NODE * node + VISITS] < EXPAND or not expand(b, t, node, weights)):
                break
            child = _select(b, t, node)
            if child == 0 or length >= _LONGEST_PATH:
                break
            cell = t[NODE * child + MOVE]
            b[MOVES + played] = cell << 2 | b[TURN]
            played += 1
            play(b, cell)
            if b[KO_RULE] >= POSITIONAL and b[CAPTURES]:
                number, repeats = board_hash(b), False
                if cell != PASS:
                    for i in range(known):
                        repeats |= past[1 + i] == number
                if repeats:
                    t[NODE * child + BARRED] = 1
                    length = 0
                    break
                past[1 + known] = number
                known += 1
            node = child
            b[PATH + length] = node
            length += 1
            found = result(b)
            if b[READS]:
                if found == UNDECIDED and t[NODE * node + VISITS] == 0:
                    copy(b, boards[0])
                    if wins(boards, 0, memory, _READ):
                        t[NODE * node + PROVED] = LOST
                elif found in (0, 2):
                    t[NODE * node + PROVED] = LOST if (found == 2) == (b[TURN] == BLACK) else WON
                if t[NODE * node + PROVED]:
                    found = 2 if (t[NODE * node + PROVED] == LOST) == (b[TURN] == BLACK) else 0
                    _back_up_proof(b, t, length)
            if found != UNDECIDED:
                break
        done += 1
        if length == 0:
            continue
        b[PATH_LENGTH], b[PLAYED] = length, played
        if found == UNDECIDED:
            found = playout(b)
        _learn(b, t, found, s[SEARCHED] + done)
    s[SEARCHED] += done
    return done


@njit("void(int32[::1], int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def keep(t: Any, spare: Any, node: Any) -> None:
    """Copy the part of the tree below `node` to `spare`, as its root."""
    for i in range(NODE):
        spare[NODE + i] = t[NODE * node + i]
    free, at = 2, 1
    while at < free:
        record = NODE * at
        first, count = spare[record + CHILDREN], spare[record + COUNT]
        if count:
            spare[record + CHILDREN] = free
            for i in range(NODE * count):
                spare[NODE * free + i] = t[NODE * first + i]
            free += count
        at += 1
    spare[0] = free
