"""A position of Go or Capture Go in a search: which moves come first, and what they do, in words.

Knows no method of search, and not what a position is worth: go.py and capture_go.py say that.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Sequence

from gomogo_core.games._board import BLACK, WHITE
from gomogo_core.games._grid import Point
from gomogo_core.games._stones import PASS, StonesPosition
from gomogo_core.games.base import Move
from gomogo_core.search.go.atari import captures, chains, rescues
from gomogo_core.search.go.eyes import edge, eyes
from gomogo_core.search.go.manners import wins_by_passing
from gomogo_core.search.node import Node, result_values, win_in


class StonesNode(Node):
    """A position, as the rules have it, and how many plies it is from the root."""

    __slots__ = ("_certain", "_judged", "over", "ply", "position", "to_move")
    _certain: float | None

    def __init__(self, position: StonesPosition, ply: int = 0) -> None:
        self.position, self.ply = position, ply
        self.to_move = position.to_move
        self.over = position.outcome() is not None
        self._judged = False
        self._certain = None

    @abstractmethod
    def estimate(self) -> float:
        """What the mover leads by, in points, while nothing is certain."""

    def shown(self) -> float | None:
        """The value of a forced win or loss that the position shows, if the mover cannot win by passing; else None."""
        return None

    def play(self, move: Move) -> StonesNode:
        """The node after `move`."""
        return type(self)(self.position.play(move), self.ply + 1)

    # What it is worth

    def verdict(self) -> float | None:
        """The value once the game is over, or where a pass wins it, or where the position shows how it is won."""
        if not self._judged:
            self._judged = True
            if (outcome := self.position.outcome()) is not None:
                self._certain = result_values(outcome, self.ply)[self.to_move - 1]
            elif self.position.passes and wins_by_passing(self.position):
                self._certain = win_in(self.ply + 1)
            else:
                self._certain = self.shown()
        return self._certain

    def value(self) -> float:
        """The certain value, or else the estimate."""
        certain = self.verdict()
        return self.estimate() if certain is None else certain

    def values(self) -> tuple[float, float]:
        """What the mover has, and the opponent has the less."""
        value = self.value()
        return (value, -value) if self.to_move == BLACK else (-value, value)

    def key(self) -> Hashable:
        """The position's own key: nothing of its past that still matters is left out."""
        return self.position.key()

    # What may be played

    def moves(self) -> Sequence[Move]:
        """All moves: captures, rescues, ataris, what is near the last stone and then near any; own eyes at the end."""
        points, seen, found = self.position.game.plane.points, 0, list[Move]()
        legal = self.position.legal
        if self.position.passes and wins_by_passing(self.position):
            found.append(PASS)
        for mask in self._likely():
            new = mask & legal & ~seen
            seen |= new
            while new:
                low = new & -new
                found.append(points[low.bit_length() - 1])
                new ^= low
        if self.position.game.passing and found[:1] != [PASS]:
            filling = (legal & eyes(self.position.board, self.to_move)).bit_count()
            found.insert(len(found) - filling, PASS)
        return found

    def natural_moves(self) -> Sequence[Move]:
        """All moves, in the game's order."""
        return tuple(self.position.moves())

    def _likely(self) -> Iterator[int]:
        """Masks that hold every point in the end, the likely moves first."""
        position, mover = self.position, self.to_move
        board, plane = position.board, position.game.plane
        for place, _ in _largest_first(captures(board, mover)):
            yield 1 << place
        for place, _ in _largest_first(rescues(board, mover)):
            yield 1 << place
        own = eyes(board, mover)
        for colour in (BLACK + WHITE - mover, mover):
            urgent = 0
            for _, liberties, _ in chains(board, colour, 2):
                urgent |= liberties
            yield urgent & ~own
        if isinstance(position.last, Point):
            yield _around(plane.stride, plane.bits[plane.place[position.last]]) & ~own
        yield _around(plane.stride, board.black | board.white) & ~own
        yield plane.full & ~edge(plane) & ~own
        yield plane.full & ~own
        yield plane.full

    # What moves do

    def why(self, move: Move) -> str | None:
        """What `move` takes, saves, or puts into atari; that a pass wins."""
        if move is PASS:
            return "ends the game" if self.position.passes and wins_by_passing(self.position) else None
        board, place = self.position.board, self.position.game.plane.place[move]  # type: ignore[index]
        if taken := captures(board, self.to_move).get(place):
            return f"captures {_stones(taken)}"
        if saved := rescues(board, self.to_move).get(place):
            return f"saves {_stones(saved)} from atari"
        after = board.put(self.to_move, place)
        pressed = 0
        for chain in after.chains_of(after.plane.around[place] & after.stones(BLACK + WHITE - self.to_move)):
            if not chain[1] & (chain[1] - 1):
                pressed |= chain[0]
        return f"puts {_stones(pressed)} into atari" if pressed else None


def _largest_first(found: dict[int, int]) -> list[tuple[int, int]]:
    return sorted(found.items(), key=lambda item: -item[1].bit_count())


def _stones(mask: int) -> str:
    count = mask.bit_count()
    return f"{count} stone{'s' * (count != 1)}"


def _around(stride: int, mask: int) -> int:
    """The points that touch those of `mask`, at a corner too; bits off the board with them."""
    wide = mask | mask << 1 | mask >> 1
    return wide | wide << stride | wide >> stride
