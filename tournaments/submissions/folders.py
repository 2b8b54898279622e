"""Copy a submitted folder, and nothing outside of it.

Uses files, but not their content.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from gomogo_core.regular_files import NO_LINK, READ, open_regular
from tournaments.submissions.limits import Allowance, Unusable, is_left_out


def copy(source: Path, folder: Path, allowance: Allowance) -> None:
    """Copy the content of a folder into an empty one. Raises Unusable for links, devices, and too much data."""
    try:
        _copy(source, source, folder, allowance)
    except OSError as fault:
        raise Unusable(f"{Path(fault.filename or source).name} cannot be read: {fault.strerror}.") from None


def _copy(top: Path, source: Path, folder: Path, allowance: Allowance) -> None:
    for one in sorted(source.iterdir()):
        name = one.relative_to(top).as_posix()
        if is_left_out(name):
            continue
        allowance.file(name)
        target, mode = folder / name, one.lstat().st_mode
        if stat.S_ISDIR(mode):
            target.mkdir()
            _copy(top, one, folder, allowance)
        elif stat.S_ISREG(mode):
            copy_file(one, target, allowance)
        else:
            raise Unusable(f"{name} is a link, or not a plain file.")


def copy_file(source: Path, target: Path, allowance: Allowance) -> None:
    """Copy one file with its executable bit. Raises OSError if it cannot be read."""
    with open_regular(source, READ | NO_LINK) as file, target.open("xb") as copied:
        allowance.write(file, copied)
        runs = os.fstat(file.fileno()).st_mode & 0o111
    os.chmod(target, 0o755 if runs else 0o644)
