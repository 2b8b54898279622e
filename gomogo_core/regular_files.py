"""Opens files that a user names or that an agent created, and refuses everything except regular files.

A FIFO would block its reader, and reading a device may never end. The module does not interpret contents.
"""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from gomogo_core.errors import UserError

# with O_NONBLOCK, a FIFO does not block the caller, even if it replaced the file after a check
READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
NO_LINK_FLAG = getattr(os, "O_NOFOLLOW", 0)
_PIECE_BYTES = 1 << 20


def open_regular(path: str | os.PathLike[str], flags: int = READ_FLAGS) -> BufferedReader:
    """Open a regular file to read its bytes. flags: READ_FLAGS, or READ_FLAGS | NO_LINK_FLAG to refuse a symbolic link.

    Raises OSError; if the path is another kind of file, its `strerror` says so.
    """
    descriptor = os.open(path, flags)
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "it is not a regular file", os.fspath(path))
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_regular(path: str | os.PathLike[str], limit: int = -1) -> bytes:
    """Return the first `limit` bytes of a regular file; -1 for all. Raises OSError as `open_regular` does."""
    with open_regular(path) as file:
        return file.read() if limit < 0 else read_at_most(file, limit)


def read_at_most(file: BinaryIO, limit: int) -> bytes:
    """Return the next `limit` bytes of a file. `file.read(limit)` would take `limit` bytes of memory for any file."""
    content = bytearray()
    while piece := file.read(min(_PIECE_BYTES, limit - len(content))):
        content += piece
    return bytes(content)


def read_user_file(path: Path, limit: int, remedy: str) -> bytes:
    """Return the content of a file that the user names. Raises UserError with this remedy if that fails.

    limit: the largest size of the file in bytes, a multiple of a million.
    """
    try:
        content = read_regular(path, limit + 1)
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}.", remedy) from None
    if len(content) > limit:
        raise UserError(f"{path} is larger than {limit // 1_000_000} MB.", remedy)
    return content
