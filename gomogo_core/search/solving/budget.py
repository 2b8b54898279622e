"""How much a proof may take: positions remembered, by their memory; time; and whether it is worth beginning at all.

Knows no game and no method of proof.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Hashable

from gomogo_core.errors import UserError
from gomogo_core.search.solving.state import EVER

MEGABYTES = 1000
DEEPEST = 400  # plies in one line: each is a call within the last, and Python allows 1000
HOPELESS = 10**10  # positions: a month would not do, whatever the memory
_ENTRY = 150  # bytes of a table's entry beside its key: the slot in the dictionary, the tuple, its numbers; some 100
_WEIGHED = 64  # one key of so many is weighed
_TIMED = 256  # nodes from one look at the clock to the next


class TooLarge(UserError):
    """A game, or what is left of it, cannot be solved within its budget."""


class Spent(Exception):
    """The nodes of a first look are used up. No error: what it has proved stands."""


class Budget:
    """What a proof may take, and what it has taken. For one proof: a second one needs its own.

    nodes: positions looked at. kept: positions remembered. Raises TooLarge, which calls the game `name`.
    """

    def __init__(
        self,
        name: str,
        megabytes: float = MEGABYTES,
        seconds: float | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name, self.megabytes, self.now, self.allowed = name, megabytes, now, seconds
        self.started = now()
        self.stop_at = math.inf if seconds is None else self.started + seconds
        self.nodes = self.kept = 0
        self.until: float = math.inf  # nodes: the end of a first look
        self._bytes = 0.0

    @property
    def seconds(self) -> float:
        """Time since the proof began."""
        return self.now() - self.started

    def spend(self) -> None:
        """Count a node. Raises Spent at the end of a first look, TooLarge when the time is over."""
        self.nodes += 1
        if self.nodes >= self.until:
            raise Spent
        if self.nodes % _TIMED == 0 and self.now() >= self.stop_at:
            raise TooLarge(
                f"{self.name} is not solved within {self.allowed:g} seconds: {self.nodes:,} positions were looked at.",
                "Allow it more time, or take a smaller board or a later position.",
            )

    def keep(self, key: Hashable) -> None:
        """Count a position newly remembered under `key`. Raises TooLarge when the memory is used up."""
        self.kept += 1
        if self.kept % _WEIGHED == 1:
            self._bytes += _WEIGHED * (_ENTRY + weight(key))
            if self._bytes > self.megabytes * 1e6:
                raise TooLarge(
                    f"{self.name} is too large to solve in {self.megabytes:g} MB of memory: "
                    f"{self.kept:,} positions are remembered, and it is not decided.",
                    "Allow it more memory, or take a smaller board or a later position.",
                )

    def check_depth(self, plies: int) -> None:
        """Raise TooLarge where a single line is longer than the search can follow."""
        if plies > DEEPEST:
            raise TooLarge(
                f"{self.name} is too large to solve: a game can last more than {DEEPEST} plies.",
                "Take a smaller board or a later position.",
            )

    def check_size(self, moves: int, plies: int) -> None:
        """Raise TooLarge where there is no hope. moves: legal now. plies: that the game can last, or EVER."""
        digits = expected(moves, plies)
        if digits > math.log10(HOPELESS):
            length = f", and up to {plies} plies to come" if plies < EVER else ""
            raise TooLarge(
                f"{self.name} is too large to solve: with {moves} moves now{length}, "
                f"some 10^{digits:.0f} positions would have to be looked at.",
                "Take a smaller board, or a position with fewer moves left.",
            )


def expected(moves: int, plies: int) -> float:
    """How many positions a proof may have to look at, as a power of ten.

    A place where one may move becomes the one's, the other's or stays empty: no more than 3^moves boards, nor more than
    the orders in which moves can be made. The best of proofs looks at the square root of all (Knuth and Moore 1975).

    >>> round(expected(25, 25)), round(expected(225, 225)), round(expected(60, 3))
    (6, 54, 3)
    """
    orders = sum(math.log10(max(1, moves - ply)) for ply in range(min(plies, moves))) if plies <= moves else math.inf
    return min(moves * math.log10(3), orders) / 2


def weight(value: Hashable) -> int:
    """The bytes of a key with all that is in it."""
    inside = sum(map(weight, value)) if isinstance(value, (tuple, frozenset)) else 0
    return sys.getsizeof(value) + inside
