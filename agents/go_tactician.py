"""Reads captures several moves deep and ladders to their end, weighs areas, keeps eyes, and knows when a pass wins.

    python agents/go_tactician.py TEAM [reading=N]

What go_evader sees of stones in atari, it sees of all chains with few liberties: which can be taken whatever their
owner does, in one, two, three or more moves, which are saved by the next move, and which are lost; `reading` says how
many moves of a line may leave the chain room (gomogo_core/search/go/reading.py). Stones that are lost count for the
other already, so that it plays on where that is not yet clear, and nowhere else. Of all points it takes the one after
which areas and chains look best for it, with the opponent to move: so it makes room and eyes for its own stones, and
takes them from others. A ko that is forbidden it reads as forbidden, and threatens something larger first.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import _path  # noqa: F401  (lets the file run from a clone that is not installed)

from gomogo_core.games._board import BLACK, Board
from gomogo_core.games._stones import PASS, StonesPosition
from gomogo_core.games.base import Move
from gomogo_core.games.capture_go import CaptureGo
from gomogo_core.search.go.atari import captures
from gomogo_core.search.go.eyes import eyes
from gomogo_core.search.go.fates import Fate, fates
from gomogo_core.search.go.influence import balance
from gomogo_core.search.go.manners import any_harmless, wins_by_passing
from gomogo_core.search.go.reading import Reader, ko_after
from gomogo_core.search.limits import OutOfLimits
from gomogo_core.wire.agent_clock import AgentClock

GAMES = ("go", "capture_go")
KEEP_RUNNING = True  # one process may play many games: nothing of a game that is over is kept
NODES = 300  # of reading for one question about one chain
LOOKED_AT = 12  # of the points that look best at once, so many are judged with all chains read again
DECISIVE = 10_000.0  # points: more than anything but the game
PRIZE = 12.0  # points a stone is worth beside its place where captures win the game


def choose(position: StonesPosition, clock: AgentClock, *, reading: int = 1) -> Move:
    """The move after which it expects most, or a pass that wins."""
    if wins_by_passing(position):
        return PASS
    return _Tactician(position, reading, clock.stop_at).choice()


class _Tactician:
    """One turn. known: what the chains' fates are, as far as they can be taken at all."""

    def __init__(self, position: StonesPosition, reading: int, stop_at: float) -> None:
        self.position, self.board, self.mover = position, position.board, position.to_move
        self.reading, self.reader = reading, Reader(NODES, stop_at)
        self.known: list[Fate] = []
        self.prize = PRIZE if isinstance(position.game, CaptureGo) else 0.0

    def choice(self) -> Move:
        position, points = self.position, self.position.game.plane.points
        best: Move | None = None
        if (place := self._decisive(self.board, self.mover)) is not None and position.legal >> place & 1:
            return points[place]
        try:
            self.known = fates(self.board, self.reader, self.reading, self.mover, position.ko_mask())
            promising = self._promising()
            if promising:
                best = points[promising[0]]
            most = -float("inf")
            if position.game.passing:
                most, best = self._after_pass(), PASS
            for i in promising[:LOOKED_AT]:
                after = self.board.put(self.mover, i)
                won = self.prize * (after.taken.bit_count() - after.lost.bit_count())
                worth = won + self._worth(after, ko_after(after, i))
                if worth > most:
                    most, best = worth, points[i]
        except OutOfLimits:
            pass
        if best is PASS and self._must_play_on():
            return self._cleaning()
        return any_harmless(position) if best is None else best

    def _promising(self) -> list[int]:
        """The places of all moves but into own eyes, those first that seem best if nothing is read anew."""
        lost = sum(fate.stones for fate in self.known if fate.lost)
        worths: dict[int, float] = {}
        for i in self.board.plane.places(self.position.legal & ~eyes(self.board, self.mover)):
            after = self.board.put(self.mover, i)
            if after.lost:
                continue
            dead, worth = lost & ~after.taken, self.prize * after.taken.bit_count()
            if self._decisive(after, 3 - self.mover) is not None:
                worth -= DECISIVE
            for fate in self.known:
                if fate.lost:
                    continue
                if fate.colour == self.mover and i not in fate.defences:
                    worth -= (2 + self.prize) * fate.size
                elif fate.colour != self.mover and i in fate.attacks:
                    dead |= fate.stones & ~after.taken
            worths[i] = worth + self._for_mover(after, 3 - self.mover, dead) + random.random() / 100
        return sorted(worths, key=lambda i: -worths[i])

    def _decisive(self, board: Board, mover: int) -> int | None:
        """A place where `mover` takes the last stones that they need to win, in Capture Go; else None."""
        game = self.position.game
        if not isinstance(game, CaptureGo):
            return None
        wanted = game.target - self.position.captures[mover - 1]
        return next((i for i, taken in captures(board, mover).items() if taken.bit_count() >= wanted), None)

    def _worth(self, after: Board, ko: int) -> float:
        """What the mover has after a move, the opponent to move and every chain read again. Raises OutOfLimits."""
        if self._decisive(after, 3 - self.mover) is not None:
            return -DECISIVE
        known = fates(after, self.reader, self.reading, 3 - self.mover, ko)
        return -self._judged(after, known, 3 - self.mover)

    def _after_pass(self) -> float:
        return self._worth(self.board, 0)

    def _judged(self, board: Board, known: Sequence[Fate], mover: int) -> float:
        """What `mover`, who is to move, has: of the chains that hang, the largest is theirs, the others both halves."""
        gone = sum(fate.stones for fate in known if fate.lost)
        hanging = sorted((fate for fate in known if not fate.lost), key=lambda fate: -fate.size)
        worth = 0.0
        for fate in hanging[1:]:
            worth += (1 + self.prize) * (fate.size if fate.colour != mover else -fate.size)
        if hanging and hanging[0].colour != mover:
            gone |= hanging[0].stones
        if self.prize:
            own = board.stones(mover)
            worth += self.prize * ((gone & ~own).bit_count() - (gone & own).bit_count())
        lead = balance(board, mover, gone)
        return worth + (lead if mover == BLACK else -lead)

    def _for_mover(self, board: Board, to_move: int, dead: int) -> float:
        lead = balance(board, to_move, dead)
        return lead if self.mover == BLACK else -lead

    def _must_play_on(self) -> bool:
        """Whether a pass would be answered by one that loses the game, or gives it away."""
        ahead = self.position.facts().get("scores") or self.position.captures
        return bool(ahead[self.mover - 1] <= ahead[2 - self.mover])

    def _cleaning(self) -> Move:
        """A move that takes stones which are lost, since what stands counts; else one that does no harm."""
        for fate in self.known:
            if fate.colour != self.mover:
                for i in fate.attacks:
                    if self.position.legal >> i & 1:
                        return self.position.game.plane.points[i]
        return any_harmless(self.position)


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
