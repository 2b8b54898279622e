"""Copies a folder that a stranger has filled, so that nothing outside of it comes along.

Knows files; not what is in them.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from tournaments.submissions.limits import Allowance, Unusable, left_out

# a link is not followed, and a FIFO that takes a file's place after we looked does not hang us
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def copy(source: Path, folder: Path, allowance: Allowance) -> None:
    """Copy what a folder holds into an empty one. Raises Unusable for links, devices, and what is too large."""
    try:
        _copy(source, source, folder, allowance)
    except OSError as fault:
        raise Unusable(f"{Path(fault.filename or source).name} cannot be read: {fault.strerror}.") from None


def _copy(top: Path, source: Path, folder: Path, allowance: Allowance) -> None:
    for one in sorted(source.iterdir()):
        name = one.relative_to(top).as_posix()
        if left_out(name):
            continue
        allowance.file(name)
        target, mode = folder / name, one.lstat().st_mode
        if stat.S_ISDIR(mode):
            target.mkdir()
            _copy(top, one, folder, allowance)
        elif stat.S_ISREG(mode):
            copy_file(one, target, allowance)
        else:
            raise Unusable(f"{name} is a link, or no plain file.")


def copy_file(source: Path, target: Path, allowance: Allowance) -> None:
    """Copy one file, and whether it may be run. Raises OSError where it cannot be read."""
    with os.fdopen(os.open(source, _READ), "rb") as file, target.open("xb") as copied:
        allowance.write(file, copied)
        runs = os.fstat(file.fileno()).st_mode & 0o111
    os.chmod(target, 0o755 if runs else 0o644)
