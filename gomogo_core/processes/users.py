"""Users without names: if root runs Gomogo, each program in a sandbox runs as a user that no other running program
has.
"""

from __future__ import annotations

import os

from gomogo_core import procfs
from gomogo_core.errors import UserError
from gomogo_core.processes.slot_locks import claim_number

# the first ids of two ranges: unused in systemd's list; and, for containers with few users, systemd's dynamic users
_FIRST_IDS = (2_000_000_000, 61_184)
_IDS_PER_RANGE = 4096


class SandboxUser:
    """A user without a name, whose id no other process can claim until `close`. Raises UserError if no id is free."""

    def __init__(self) -> None:
        first_id = _first_free_range_id()
        for user_id in range(first_id, first_id + _IDS_PER_RANGE):
            if (lock_descriptor := claim_number("users", user_id)) is not None:
                self.user_id, self._id_lock = user_id, lock_descriptor
                return
        raise UserError(
            f"All {_IDS_PER_RANGE} users for programs in a sandbox are in use.",
            "End other runs, or check that the folder gomogo-users-0 in the temporary folder is writable.",
        )

    def close(self) -> None:
        """Free the id. Further calls do nothing."""
        if self._id_lock >= 0:
            os.close(self._id_lock)
            self._id_lock = -1


def _first_free_range_id() -> int:
    """Return the first id of the first range in _FIRST_IDS that exists on this system, because a container may have few
    users.
    """
    ranges = [tuple(map(int, line.split())) for line in procfs.read_file("self/uid_map").splitlines()]
    if not ranges:
        return _FIRST_IDS[0]
    for first_id in _FIRST_IDS:
        last_id = first_id + _IDS_PER_RANGE
        if any(start <= first_id and last_id <= start + count for start, _, count in ranges):
            return first_id
    raise UserError(
        "This container has too few users for one user per program in a sandbox.",
        "Run as an ordinary user, or map 65,536 users into the container.",
    )
