"""Locks on numbers, for cores and for the users of programs. One process of this user on this machine holds a number at
a time.

A claim is a lock on a file, which the system frees when its holder dies, even by kill -9.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def claim_number(kind: str, number: int) -> int | None:
    """Claim a number and return a descriptor, which the caller closes to free it; None if it is claimed."""
    import fcntl

    folder = Path(tempfile.gettempdir()) / f"gomogo-{kind}-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        descriptor = os.open(folder / str(number), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
