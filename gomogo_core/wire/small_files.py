"""Reads and writes the small files of a game folder, which other programs write too.

The files of an agent may be hostile: a FIFO, a device, a link or a gigabyte must neither block nor deceive the reader.
The module does not depend on protocols.
"""

from __future__ import annotations

import errno
import os
import signal
import stat
import sys
from pathlib import Path
from typing import NamedTuple

from gomogo_core import procfs
from gomogo_core.regular_files import NO_LINK_FLAG, READ_FLAGS

try:
    from fcntl import F_RDLCK, F_SETLEASE, F_SETSIG, F_UNLCK, fcntl

    _HAS_LEASES = True
except ImportError:  # not Linux
    _HAS_LEASES = False

_READ_FLAGS = READ_FLAGS | NO_LINK_FLAG
_WRITE_FLAGS = _READ_FLAGS | os.O_WRONLY | os.O_CREAT  # O_RDONLY, a part of _READ_FLAGS, is 0
_FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_GET_FILE_FLAGS, _SET_FILE_FLAGS = 0x80086601, 0x40086602  # FS_IOC_GETFLAGS and FS_IOC_SETFLAGS, linux/fs.h
_UNCHANGEABLE_FLAGS = 0x30  # immutable, or append only
# the errors for a link, a FIFO, a folder or a device, and for a file with a lease, which could block for 45 s
_ERRORS_OF_SPECIAL_FILES = {errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EISDIR, errno.ENODEV, errno.EWOULDBLOCK}


class FileState(NamedTuple):
    """The state of a file at one moment.

    content: the beginning of the file; None if there is no readable regular file, for the reason `why_unreadable`.
    stamp: a value that changes with every write. is_open: whether any process had the file open for writing; None if
    that is unknown or was not checked. is_missing: whether there was no file.
    """

    content: bytes | None
    stamp: tuple[int, ...] = ()
    why_unreadable: str = ""
    is_open: bool | None = None
    is_missing: bool = False


def read_state(
    path: str, max_bytes: int, known_content: bytes | None = None, *, has_changed: bool = False
) -> FileState:
    """Read at most `max_bytes` bytes of a file that another program may be writing. The function never waits and raises
    no error.

    known_content: if the file has this content, do not check whether it is open for writing. has_changed: whether the
    content has probably changed; if so, the check is always made, with a single read.
    """
    try:
        descriptor = open_to_read(path)
    except FileNotFoundError:
        return FileState(None, (), "there is no file", is_missing=True)
    except OSError as error:
        return FileState(None, (), f"it cannot be opened ({error.strerror})")
    try:
        if not has_changed:
            state = _read_descriptor(descriptor, max_bytes)
            if known_content is None or state.content in (None, known_content):
                return state
        return read_state_of_open_file(descriptor, max_bytes)
    finally:
        os.close(descriptor)


def open_to_read(path: str) -> int:
    """Open a file of any kind and return its descriptor. The function refuses a link, and never waits. Raises
    OSError.
    """
    return os.open(path, _READ_FLAGS)


def read_state_of_open_file(descriptor: int, max_bytes: int) -> FileState:
    """Read an open file, and check at the same moment whether it is open for writing. The function raises no error.

    Linux grants a read lease (fcntl(2)) only if no process has the file open for writing. The function returns the
    lease immediately, so a process that opens the file meanwhile waits only for a few microseconds. The kernel then
    sends this process a signal, which is ignored.
    """
    has_lease = _take_lease(descriptor)
    try:
        return _read_descriptor(descriptor, max_bytes, None if has_lease is None else not has_lease)
    finally:
        if has_lease:
            fcntl(descriptor, F_SETLEASE, F_UNLCK)


def _read_descriptor(descriptor: int, max_bytes: int, is_open: bool | None = None) -> FileState:
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return FileState(None, (status.st_ino,), "it is not a regular file", is_open)
        stamp = (status.st_mtime_ns, status.st_ino, status.st_size)
        # Python allocates all requested bytes: with 1 MiB, an agent's turn took three more system calls
        size = min(max_bytes, status.st_size)
        return FileState(os.pread(descriptor, size, 0) if size else b"", stamp, "", is_open)
    except OSError as error:
        return FileState(None, (), f"it cannot be read ({error.strerror})", is_open)


def _take_lease(descriptor: int) -> bool | None:
    """Take a read lease, during which no process can open the file for writing. Return False if a process already has
    the file open for writing.

    Returns None if leases are not possible: outside Linux, on some file systems, and for files of another user.
    """
    if not _HAS_LEASES:
        return None
    try:
        fcntl(descriptor, F_SETSIG, signal.SIGURG)
        fcntl(descriptor, F_SETLEASE, F_RDLCK)
    except OSError as error:
        return False if isinstance(error, BlockingIOError) else None
    return True


def is_open_to_write(path: str) -> bool:
    """Return whether any process has this file open for writing; False if the system cannot say."""
    return read_state(path, 0, known_content=b"\0").is_open is True


def open_to_write(path: str, flags: int = os.O_TRUNC) -> int:
    """Open or create a regular file and return its descriptor. A FIFO, a link, or a file with a lease is replaced."""
    return _open_to_write(path, flags)[0]


def create_to_write(path: str) -> int:
    """Create a file that probably does not exist, and return its descriptor; replace it if it exists.

    A new file is certainly regular, so this function needs one system call less than `open_to_write`.
    """
    try:
        return os.open(path, _WRITE_FLAGS | os.O_EXCL, 0o666)
    except FileExistsError:
        return open_to_write(path)


def _open_to_write(path: str, flags: int) -> tuple[int, int]:
    """Do the work of `open_to_write`. Returns the descriptor and the inode."""
    try:
        descriptor = os.open(path, _WRITE_FLAGS | flags, 0o666)
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode):
            return descriptor, status.st_ino
        os.close(descriptor)
    except FileNotFoundError:  # the folder of the file does not exist
        raise
    except OSError as error:
        if error.errno not in _ERRORS_OF_SPECIAL_FILES:
            raise
    remove_path(path)
    descriptor = os.open(path, _WRITE_FLAGS | flags | os.O_EXCL, 0o666)
    return descriptor, os.fstat(descriptor).st_ino


def create_file(path: str, content: bytes, user_id: int | None = None) -> None:
    """Create or overwrite a file in place, so that its watchers receive a CREATE event. user_id: the id of the file's
    new owner.
    """
    descriptor = create_to_write(path)
    os.write(descriptor, content)
    if user_id is not None:
        os.fchown(descriptor, user_id, user_id)
    os.close(descriptor)


def write_in_place(path: str, content: bytes) -> int:
    """Overwrite a file in place, and return its inode.

    The inode is read from the open file, because the name may already belong to another file.
    """
    descriptor, inode = _open_to_write(path, os.O_TRUNC)
    try:
        os.write(descriptor, content)
        return inode
    finally:
        os.close(descriptor)


def replace_file(path: str, content: bytes, temporary_path: str, user_id: int | None = None) -> None:
    """Replace a file atomically, so that no reader sees a part of it. temporary_path: an unused path on the same file
    system.
    """
    create_file(temporary_path, content, user_id)
    try:
        os.replace(temporary_path, path)
    except IsADirectoryError:  # an agent has created a folder there
        remove_path(path)
        os.replace(temporary_path, path)


def create_atomically(path: str, content: bytes, temporary_path: str) -> None:
    """Create a file that is never empty, by a link to a finished file, so that its watchers receive a CREATE event."""
    create_file(temporary_path, content)
    try:
        os.link(temporary_path, path)
    except FileExistsError:
        remove_path(path)
        os.replace(temporary_path, path)
        return
    except OSError:  # a file system without hard links
        os.replace(temporary_path, path)
        return
    os.unlink(temporary_path)


def remove_path(path: str) -> None:
    """Remove the file or folder of this path, if there is one."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except (IsADirectoryError, PermissionError):
        if not os.path.isdir(path) or os.path.islink(path):
            raise
        remove_tree(Path(path))


def remove_tree(folder: Path) -> None:
    """Remove a folder and its content, even if an agent has removed this user's permissions. Raises OSError on
    failure.
    """
    import shutil  # rarely needed, and it takes 5 ms to import, which would delay the start of each agent

    try:
        shutil.rmtree(folder)
    except (OSError, RecursionError):
        if os.name == "nt":  # os.open cannot open folders on Windows
            raise
        _remove_thoroughly(str(folder))


def _remove_thoroughly(folder: str) -> None:
    """Remove a difficult folder: make inaccessible folders accessible, and move inner folders up before removing them.

    An agent can nest folders deeper than paths or recursion allow, so this function uses short paths and no recursion.
    It refers to folders by descriptors instead of paths, because an agent that still runs may replace one of its
    folders by a link.
    """
    top_descriptor, name_prefix, moved_count = _open_folder(folder), f".moved-{os.urandom(8).hex()}-", 0
    try:
        subfolders = _remove_files_and_list_subfolders(top_descriptor)
        while subfolders:
            name = subfolders.pop()
            descriptor = _open_folder(name, top_descriptor)
            try:
                for inner_name in _remove_files_and_list_subfolders(descriptor):
                    os.close(_open_folder(inner_name, descriptor))  # a folder without write permission cannot be moved
                    os.rename(
                        inner_name, f"{name_prefix}{moved_count}", src_dir_fd=descriptor, dst_dir_fd=top_descriptor
                    )
                    subfolders.append(f"{name_prefix}{moved_count}")
                    moved_count += 1
            finally:
                os.close(descriptor)
            os.rmdir(name, dir_fd=top_descriptor)
    finally:
        os.close(top_descriptor)
    os.rmdir(folder)


def _remove_files_and_list_subfolders(descriptor: int) -> list[str]:
    """Remove the files of an open folder, and return the names of its subfolders."""
    with os.scandir(descriptor) as entries:
        names_and_kinds = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_folder in names_and_kinds:
        if not is_folder:
            _unlink(name, descriptor)
    return [name for name, is_folder in names_and_kinds if is_folder]


def _unlink(name: str, folder_descriptor: int) -> None:
    try:
        os.unlink(name, dir_fd=folder_descriptor)
    except PermissionError:
        _allow_changes_and_close(os.open(name, _READ_FLAGS, dir_fd=folder_descriptor))
        os.unlink(name, dir_fd=folder_descriptor)


def _open_folder(name: str, parent_descriptor: int | None = None) -> int:
    """Open a folder, and give this user all permissions on that folder itself, never on the target of a link."""
    if sys.platform != "linux":
        os.chmod(name, 0o700, dir_fd=parent_descriptor, follow_symlinks=False)
        return os.open(name, _FOLDER_FLAGS, dir_fd=parent_descriptor)
    path_descriptor = os.open(name, _FOLDER_FLAGS | os.O_PATH, dir_fd=parent_descriptor)  # O_PATH needs no permissions
    try:
        try:
            os.chmod(procfs.descriptor_path(path_descriptor), 0o700)
        except PermissionError:
            _allow_changes_and_close(os.open(".", _FOLDER_FLAGS, dir_fd=path_descriptor))
            os.chmod(procfs.descriptor_path(path_descriptor), 0o700)
        return os.open(".", _FOLDER_FLAGS, dir_fd=path_descriptor)
    finally:
        os.close(path_descriptor)


def _allow_changes_and_close(descriptor: int) -> None:
    """Clear the attributes of an open file that forbid changes (chattr +i, +a), and close the file.

    Only root can set or remove these attributes. Raises OSError if this process is not run by root.
    """
    import fcntl

    try:
        attributes = fcntl.ioctl(descriptor, _GET_FILE_FLAGS, bytes(8))
        fcntl.ioctl(
            descriptor,
            _SET_FILE_FLAGS,
            (int.from_bytes(attributes, sys.byteorder) & ~_UNCHANGEABLE_FLAGS).to_bytes(8, sys.byteorder),
        )
    finally:
        os.close(descriptor)
