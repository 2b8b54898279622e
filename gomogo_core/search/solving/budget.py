"""The budget of a proof: memory for stored positions, time, and an estimate of the effort before the start.

The module depends on no game and no method of proof.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Hashable

from gomogo_core.errors import UserError
from gomogo_core.search.solving.state import UNLIMITED_PLIES

DEFAULT_MEGABYTES = 1000
MAX_DEPTH = 400  # plies in one line: each is a nested call, and Python allows 1000
MAX_ESTIMATED_POSITIONS = 10**10  # positions; more would take over a month, with any memory
_ENTRY_BYTES = 150  # bytes of a table's entry without its key (dictionary slot, tuple, numbers), with a margin
_KEYS_PER_MEASUREMENT = 64  # the size of one key out of this number is measured, and counts for all of them
_NODES_PER_CLOCK_CHECK = 256  # nodes between two readings of the clock


class ProofTooLarge(UserError):
    """A position cannot be solved within its budget."""


class BudgetSpent(Exception):
    """The nodes of a first, shallow proof are used up. The proofs so far are valid."""


class Budget:
    """The budget of one proof, and the amounts that it has used so far. Each proof needs its own object.

    `nodes` counts the visited positions, and `stored` the stored positions. The messages call the game `name`.
    """

    def __init__(
        self,
        name: str,
        megabytes: float = DEFAULT_MEGABYTES,
        seconds: float | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name, self.megabytes, self.now, self.time_limit = name, megabytes, now, seconds
        self.started_at = now()
        self.stop_at = math.inf if seconds is None else self.started_at + seconds
        self.nodes = self.stored = 0
        self.node_limit: float = math.inf  # the number of nodes at which a first, shallow proof ends
        self._stored_bytes = 0.0

    @property
    def seconds(self) -> float:
        """The seconds since the proof began."""
        return self.now() - self.started_at

    def count_node(self) -> None:
        """Count a node. Raises BudgetSpent at the node limit, and ProofTooLarge after the time limit."""
        self.nodes += 1
        if self.nodes >= self.node_limit:
            raise BudgetSpent
        if self.nodes % _NODES_PER_CLOCK_CHECK == 0 and self.now() >= self.stop_at:
            raise ProofTooLarge(
                f"{self.name} is not solved within {self.time_limit:g} seconds: {self.nodes:,} positions were visited.",
                "Allow it more time, or take a smaller board or a later position.",
            )

    def count_stored_position(self, key: Hashable) -> None:
        """Count a new position stored under `key`. Raises ProofTooLarge when the memory is used up."""
        self.stored += 1
        if self.stored % _KEYS_PER_MEASUREMENT == 1:
            self._stored_bytes += _KEYS_PER_MEASUREMENT * (_ENTRY_BYTES + size_in_bytes(key))
            if self._stored_bytes > self.megabytes * 1e6:
                raise ProofTooLarge(
                    f"{self.name} is too large to solve in {self.megabytes:g} MB of memory: "
                    f"{self.stored:,} positions are stored, and the result is still open.",
                    "Allow it more memory, or take a smaller board or a later position.",
                )

    def check_depth(self, plies: int) -> None:
        """Raise ProofTooLarge if a line of `plies` plies is longer than the search can follow."""
        if plies > MAX_DEPTH:
            raise ProofTooLarge(
                f"{self.name} is too large to solve: a game can last more than {MAX_DEPTH} plies.",
                "Take a smaller board or a later position.",
            )

    def check_size(self, move_count: int, plies: int) -> None:
        """Raise ProofTooLarge if the proof is hopeless for this number of legal moves and of plies to the end.

        `plies` is the largest number of plies to come, or UNLIMITED_PLIES.
        """
        digits = estimated_digits(move_count, plies)
        if digits > math.log10(MAX_ESTIMATED_POSITIONS):
            length = f", and up to {plies} plies to come" if plies < UNLIMITED_PLIES else ""
            raise ProofTooLarge(
                f"{self.name} is too large to solve: with {move_count} moves now{length}, "
                f"a proof would visit some 10^{digits:.0f} positions.",
                "Take a smaller board, or a position with fewer moves left.",
            )


def estimated_digits(move_count: int, plies: int) -> float:
    """Return the estimated number of positions in a proof, as a power of ten.

    There are at most 3^moves boards, since either the first player makes a move, or the second, or nobody. The number
    of boards is at most the number of orders in which the moves can be made. The best proof visits the square root of
    that number (Knuth and Moore 1975).

    >>> round(estimated_digits(25, 25)), round(estimated_digits(225, 225)), round(estimated_digits(60, 3))
    (6, 54, 3)
    """
    order_digits = math.inf
    if plies <= move_count:
        order_digits = sum(math.log10(max(1, move_count - ply)) for ply in range(plies))
    return min(move_count * math.log10(3), order_digits) / 2


def size_in_bytes(value: Hashable) -> int:
    """Return the size of a key with all its contents, in bytes."""
    content_bytes = sum(map(size_in_bytes, value)) if isinstance(value, (tuple, frozenset)) else 0
    return sys.getsizeof(value) + content_bytes
