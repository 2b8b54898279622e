"""Users of no name: when we are root, each program in a sandbox runs as one that no other running program has.

Knows numbers and claims on them; no sandbox.
"""

from __future__ import annotations

import os
from pathlib import Path

from gomogo_core.errors import UserError
from gomogo_core.processes.claims import claimed

_RANGES = (2_000_000_000, 61_184)  # free by systemd's list; that of its own nameless users, for containers with 65,536
_SLOTS = 4096


class User:
    """One user's number, for us alone until `close`."""

    def __init__(self) -> None:
        first = _first()
        for number in range(first, first + _SLOTS):
            if (claim := claimed("users", number)) is not None:
                self.number, self._claim = number, claim
                return
        raise UserError(
            f"No user is free of the {_SLOTS} that programs in a sandbox run as.",
            "End other runs, or see whether the folder gomogo-users-0 for temporary files can be written.",
        )

    def close(self) -> None:
        """Let others have it. Safe to call again."""
        if self._claim >= 0:
            os.close(self._claim)
            self._claim = -1


def _first() -> int:
    """The first of a range that exists here: a container may have few users."""
    try:
        known = [line.split() for line in Path("/proc/self/uid_map").read_text().splitlines()]
    except OSError:
        return _RANGES[0]
    for first in _RANGES:
        if any(int(start) <= first and first + _SLOTS <= int(start) + int(count) for start, _, count in known):
            return first
    raise UserError(
        "This container has too few users to give each program in a sandbox one of its own.",
        "Run as an ordinary user, or map 65,536 users into the container.",
    )
