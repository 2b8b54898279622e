"""Locks on numbers, such as the numbers of cores. Only one process of this user on this machine can hold a number at a
time.

Each lock is a lock on a file. The system frees it when the holder dies, even by kill -9.
"""

from __future__ import annotations

import os
from pathlib import Path


def claim_number(kind: str, number: int) -> int | None:
    """Lock a number and return a descriptor, which the caller closes to free the number; None if it is locked.

    kind: the kind of things that are numbered, for example "cores".
    """
    import fcntl
    import tempfile  # it takes 3 ms to import, and workers lock no number

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
