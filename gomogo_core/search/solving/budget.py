"""The budget of a proof: memory for stored positions, time, and an estimate of the effort before the start.

Needs no game and no method of proof.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Hashable

from gomogo_core.errors import UserError
from gomogo_core.search.solving.state import EVER

MEGABYTES = 1000
DEEPEST = 400  # plies in one line: each is a nested call, and Python allows 1000
HOPELESS = 10**10  # positions: more would take over a month, with any memory
_ENTRY = 150  # bytes of a table's entry without its key (dictionary slot, tuple, numbers): about 100
_WEIGHED = 64  # one key in this many is measured
_TIMED = 256  # nodes between two readings of the clock


class ProofTooLarge(UserError):
    """A game, or the rest of it, cannot be solved within its budget."""


class BudgetSpent(Exception):
    """The nodes of a first, shallow proof are used up. This is not an error: the proofs so far are valid."""


class Budget:
    """The budget of one proof, and its use. Each proof needs its own object.

    nodes: positions visited. kept: positions stored. Raises ProofTooLarge, which names the game by `name`.
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
        self.until: float = math.inf  # in nodes: the end of the first, shallow proof
        self._bytes = 0.0

    @property
    def seconds(self) -> float:
        """Return the time since the proof began."""
        return self.now() - self.started

    def spend(self) -> None:
        """Count a node. Raises BudgetSpent at the end of the first, shallow proof, ProofTooLarge after the time
        limit.
        """
        self.nodes += 1
        if self.nodes >= self.until:
            raise BudgetSpent
        if self.nodes % _TIMED == 0 and self.now() >= self.stop_at:
            raise ProofTooLarge(
                f"{self.name} is not solved within {self.allowed:g} seconds: {self.nodes:,} positions were visited.",
                "Allow it more time, or take a smaller board or a later position.",
            )

    def keep(self, key: Hashable) -> None:
        """Count a new position stored under `key`. Raises ProofTooLarge when the memory is used up."""
        self.kept += 1
        if self.kept % _WEIGHED == 1:
            self._bytes += _WEIGHED * (_ENTRY + weight(key))
            if self._bytes > self.megabytes * 1e6:
                raise ProofTooLarge(
                    f"{self.name} is too large to solve in {self.megabytes:g} MB of memory: "
                    f"{self.kept:,} positions are remembered, and it is not decided.",
                    "Allow it more memory, or take a smaller board or a later position.",
                )

    def check_depth(self, plies: int) -> None:
        """Raise ProofTooLarge if a line is longer than the search can follow."""
        if plies > DEEPEST:
            raise ProofTooLarge(
                f"{self.name} is too large to solve: a game can last more than {DEEPEST} plies.",
                "Take a smaller board or a later position.",
            )

    def check_size(self, moves: int, plies: int) -> None:
        """Raise ProofTooLarge if the proof is hopeless. moves: legal now. plies: the longest game, or EVER."""
        digits = expected(moves, plies)
        if digits > math.log10(HOPELESS):
            length = f", and up to {plies} plies to come" if plies < EVER else ""
            raise ProofTooLarge(
                f"{self.name} is too large to solve: with {moves} moves now{length}, "
                f"some 10^{digits:.0f} positions would have to be looked at.",
                "Take a smaller board, or a position with fewer moves left.",
            )


def expected(moves: int, plies: int) -> float:
    """Estimate the number of positions in a proof, as a power of ten.

    Each place ends up as the first player's, the second player's or empty: at most 3^moves boards, and at most as many
    as the orders of moves. The best proof visits the square root of all (Knuth and Moore 1975).

    >>> round(expected(25, 25)), round(expected(225, 225)), round(expected(60, 3))
    (6, 54, 3)
    """
    orders = sum(math.log10(max(1, moves - ply)) for ply in range(min(plies, moves))) if plies <= moves else math.inf
    return min(moves * math.log10(3), orders) / 2


def weight(value: Hashable) -> int:
    """Return the bytes of a key with all its contents."""
    inside = sum(map(weight, value)) if isinstance(value, (tuple, frozenset)) else 0
    return sys.getsizeof(value) + inside
