"""Reads captures several moves deep, ladders to their end, and weighs areas, eyes and ko. Knows when a pass wins.

    python agents/go_tactician.py TEAM [reading=2]
"""

from __future__ import annotations

import _path  # noqa: F401  (lets the file run from a clone that is not installed)

from gomogo_core.games._board import Board
from gomogo_core.games._stones import PASS, StonesPosition
from gomogo_core.games.base import Move
from gomogo_core.search.go.influence import balance
from gomogo_core.search.go.eyes import eyes
from gomogo_core.search.go.fates import Fate, fates
from gomogo_core.search.go.manners import any_harmless, wins_by_passing
from gomogo_core.search.go.reading import Reader, ko_after
from gomogo_core.search.limits import OutOfLimits
from gomogo_core.wire.agent_clock import AgentClock

GAMES = ("go", "capture_go")
KEEP_RUNNING = True  # one process may play many games: nothing of a game that is over is kept


def judge(board: Board, known: list[Fate], mover: int) -> float:
    """The balance for `mover`, who is to move."""
    plane = board.plane
    gone = 0
    value = 0.0
    hot = []
    for fate in known:
        if fate.lost:
            gone |= fate.stones
        else:
            hot.append((fate.size, fate))
    hot.sort(key=lambda x: -x[0])
    for n, (size, fate) in enumerate(hot):
        # the first goes to the mover, the others half
        if n == 0:
            if fate.colour != mover:
                gone |= fate.stones
        else:
            value += size if fate.colour != mover else -size
    b = balance(board, mover if not known else mover, gone)
    return (b if mover == 1 else -b) + value


def choose(position: StonesPosition, clock: AgentClock, *, reading: int = 1) -> Move:
    """The move after which it expects most."""
    if wins_by_passing(position):
        return PASS
    board, mover = position.board, position.to_move
    plane = board.plane
    reader = Reader(300, clock.stop_at)
    ko = position.ko_mask()
    legal = position.legal & ~eyes(board, mover)
    best = None
    try:
        known = fates(board, reader, reading, mover, ko)
        gone = 0
        for f in known:
            if f.lost: gone |= f.stones
        scored = []
        for i in plane.places(legal):
            after = board.put(mover, i)
            if after.lost: continue
            extra = 0.0
            lost = gone & ~after.taken
            for f in known:
                if f.lost:
                    continue
                if f.colour == mover:
                    if i not in f.defences:
                        extra -= 2*f.size
                elif i in f.attacks:
                    lost |= f.stones & ~after.taken
            bl = balance(after, 3-mover, lost)
            scored.append(((bl if mover == 1 else -bl) + extra, i))
        scored.sort(reverse=True)
        if not scored: return any_harmless(position)
        best = scored[0][1]
        top = -1e9
        here = judge(board, known, mover)
        bestpass = -judge(board, fates(board, reader, reading, 3-mover, 0), 3-mover) if position.game.passing else -1e9
        top, best = bestpass, -1
        if not position.game.passing: best = scored[0][1]
        for v, i in scored[:12]:
            after = board.put(mover, i)
            k = fates(after, reader, reading, 3 - mover, ko_after(after, i))
            e = -judge(after, k, 3 - mover)
            if e > top + 1e-9:
                top, best = e, i
    except OutOfLimits:
        pass
    if best == -1:
        if wants_cleaning(position): 
            for f in known:
                if f.colour != mover:
                    for i in f.attacks:
                        if position.legal >> i & 1: return plane.points[i]
            return any_harmless(position)
        return PASS
    return plane.points[best] if best is not None else any_harmless(position)

def wants_cleaning(position):
    o = position.play(PASS)
    b, w = position.scores() if hasattr(position,'scores') else position.captures
    me = b - w if position.to_move == 1 else w - b
    return me <= 0


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
