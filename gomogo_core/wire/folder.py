"""Reading and writing the small files of a game folder that somebody else also writes.

What an agent left there is hostile input: a FIFO, a device, a link or a gigabyte must neither hang nor mislead us.
Knows no protocol.
"""

from __future__ import annotations

import errno
import os
import signal
import stat
import sys
from pathlib import Path
from typing import NamedTuple

# O_NOFOLLOW: a link is not followed; O_NONBLOCK: a FIFO does not hang us. Windows has neither, nor FIFOs in folders.
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_READ |= getattr(os, "O_BINARY", 0)
_WRITE = os.O_WRONLY | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
_WRITE |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_GET_MARKS, _SET_MARKS = 0x80086601, 0x40086602  # FS_IOC_GETFLAGS and its sister, linux/fs.h
_FIXED = 0x30  # immutable, or append only
_NO_FILE = {errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EISDIR, errno.ENODEV}  # a link, a FIFO, a folder, a device


class Seen(NamedTuple):
    """A file at one look: its content (its beginning), and what changes when somebody writes it.

    content is None where there is no regular file that can be read; `why` then says what is there instead.
    """

    content: bytes | None
    mark: tuple[int, ...] = ()
    why: str = ""


def look(path: str, most: int) -> Seen:
    """Read at most `most` bytes of a file that somebody else may be writing. Never waits, never raises."""
    try:
        file = os.open(path, _READ)
    except FileNotFoundError:
        return Seen(None, (), "there is no file")
    except OSError as wrong:
        return Seen(None, (), f"it cannot be opened ({wrong.strerror})")
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            return Seen(None, (status.st_ino,), "it is no regular file")
        mark = (status.st_mtime_ns, status.st_ino, status.st_size)
        return Seen(os.read(file, most) if status.st_size else b"", mark)
    except OSError as wrong:
        return Seen(None, (), f"it cannot be read ({wrong.strerror})")
    finally:
        os.close(file)


def is_being_written(path: str) -> bool:
    """Whether anybody has this file open to write into it; False where the system cannot say.

    Linux grants a lease to read (fcntl(2)) only where nobody has. It is given back at once; who comes in between makes
    the system send a signal, of those that are ignored.
    """
    try:
        import fcntl

        file = os.open(path, _READ)
    except (ImportError, OSError):
        return False
    try:
        fcntl.fcntl(file, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except (AttributeError, OSError) as wrong:  # not on Linux; not of ours, or on a file system without leases
        return isinstance(wrong, BlockingIOError)
    finally:
        os.close(file)
    return False


def open_to_write(path: str, flags: int = os.O_TRUNC) -> int:
    """The descriptor of a regular file, made if need be. What else stands there, a FIFO or a link, is removed."""
    try:
        file = os.open(path, _WRITE | flags, 0o666)
        if stat.S_ISREG(os.fstat(file).st_mode):
            return file
        os.close(file)
    except FileNotFoundError:  # its folder is not there
        raise
    except OSError as wrong:
        if wrong.errno not in _NO_FILE:
            raise
    clear(path)
    return os.open(path, _WRITE | flags | os.O_EXCL, 0o666)


def create(path: str, content: bytes, user: int | None = None) -> None:
    """Create or overwrite a file where it is: who watches for a created file sees one. user: whose it shall be."""
    file = open_to_write(path)
    os.write(file, content)
    if user is not None:
        os.fchown(file, user, user)
    os.close(file)


def write_in_place(path: str, content: bytes) -> int:
    """Overwrite a file where it is, and return its number (the inode).

    Asked of the open file: by the time we are back, its name may belong to another one.
    """
    file = open_to_write(path)
    try:
        os.write(file, content)
        return os.fstat(file).st_ino
    finally:
        os.close(file)


def put(path: str, content: bytes, aside: str, user: int | None = None) -> None:
    """Replace a file at once by way of `aside`, on the same file system: nobody ever reads half of it, or nothing."""
    create(aside, content, user)
    try:
        os.replace(aside, path)
    except IsADirectoryError:  # an agent's doing
        clear(path)
        os.replace(aside, path)


def appear(path: str, content: bytes, aside: str) -> None:
    """Create a file whole: a link made from a finished file is seen as created, and never empty."""
    create(aside, content)
    try:
        os.link(aside, path)
    except FileExistsError:
        clear(path)
        os.replace(aside, path)
        return
    except OSError:  # a file system without hard links
        os.replace(aside, path)
        return
    os.unlink(aside)


def clear(path: str) -> None:
    """Remove whatever stands there, if anything does."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except (IsADirectoryError, PermissionError):
        if not os.path.isdir(path) or os.path.islink(path):
            raise
        remove_tree(Path(path))


def remove_tree(folder: Path) -> None:
    """Remove a folder and all in it, also where an agent took away our rights to it. Raises OSError if it stays."""
    import shutil  # seldom needed, and 5 ms to import: an agent that starts need not pay them

    try:
        shutil.rmtree(folder)
    except (OSError, RecursionError):
        if os.name == "nt":  # it opens no folders
            raise
        _remove_thoroughly(str(folder))


def _remove_thoroughly(folder: str) -> None:
    """Remove it where that is hard: closed folders are opened, and what lies deep is moved up before it is removed.

    So paths stay short, and nothing recurses: an agent can make folders deeper than either goes. Nothing is done by a
    path: an agent that still runs may put a link to a folder of others where one of its own has just been seen.
    """
    top, mark, moved = _open_folder(folder), f".moved-{os.urandom(8).hex()}-", 0
    try:
        ahead = _empty(top)
        while ahead:
            name = ahead.pop()
            here = _open_folder(name, top)
            try:
                for inner in _empty(here):
                    os.close(_open_folder(inner, here))  # a folder that we may not write cannot be moved
                    os.rename(inner, f"{mark}{moved}", src_dir_fd=here, dst_dir_fd=top)
                    ahead.append(f"{mark}{moved}")
                    moved += 1
            finally:
                os.close(here)
            os.rmdir(name, dir_fd=top)
    finally:
        os.close(top)
    os.rmdir(folder)


def _empty(folder: int) -> list[str]:
    """Remove the files of an open folder, and name the folders in it."""
    with os.scandir(folder) as entries:
        found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_folder in found:
        if not is_folder:
            _unlink(name, folder)
    return [name for name, is_folder in found if is_folder]


def _unlink(name: str, folder: int) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except PermissionError:
        _release(os.open(name, _READ, dir_fd=folder))
        os.unlink(name, dir_fd=folder)


def _open_folder(name: str, within: int | None = None) -> int:
    """Open a folder, and give ourselves all rights to it: to the very one that is opened, and to no link's goal."""
    if sys.platform != "linux":
        os.chmod(name, 0o700, dir_fd=within, follow_symlinks=False)
        return os.open(name, _FOLDER, dir_fd=within)
    found = os.open(name, _FOLDER | os.O_PATH, dir_fd=within)  # for which no rights are needed
    try:
        try:
            os.chmod(f"/proc/self/fd/{found}", 0o700)
        except PermissionError:
            _release(os.open(".", _FOLDER, dir_fd=found))
            os.chmod(f"/proc/self/fd/{found}", 0o700)
        return os.open(".", _FOLDER, dir_fd=found)
    finally:
        os.close(found)


def _release(file: int) -> None:
    """Take the marks from an open file by which root has forbidden all changes of it (chattr +i, +a), and close it.

    Only an agent that is root can have set them, and only root can take them away: raises OSError.
    """
    import fcntl

    try:
        marks = fcntl.ioctl(file, _GET_MARKS, bytes(8))
        fcntl.ioctl(file, _SET_MARKS, (int.from_bytes(marks, sys.byteorder) & ~_FIXED).to_bytes(8, sys.byteorder))
    finally:
        os.close(file)
