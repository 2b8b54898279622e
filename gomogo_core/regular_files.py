"""Opens files that a user names or an agent created: regular files only.

A FIFO blocks its reader, and a device may never end. Knows no content. Standard library only.
"""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader

# O_NONBLOCK: a FIFO does not block us, even if it replaced the file after a check
READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def open_regular(path: str | os.PathLike[str], flags: int = READ) -> BufferedReader:
    """Open a regular file to read its bytes. flags: READ, or READ | NO_LINK to refuse a link.

    Raises OSError, whose `strerror` names the kind of file found instead.
    """
    file = os.open(path, flags)
    try:
        kind = os.fstat(file).st_mode
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
        if not stat.S_ISREG(kind):
            raise OSError(errno.EINVAL, "it is no regular file", os.fspath(path))
        return os.fdopen(file, "rb")
    except BaseException:
        os.close(file)
        raise


def read_regular(path: str | os.PathLike[str], most: int = -1) -> bytes:
    """Return at most `most` bytes of a regular file; -1 for all. Raises OSError as `open_regular` does."""
    with open_regular(path) as file:
        return file.read(most)
