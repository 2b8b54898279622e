"""Copy a submission, which is a folder, a file or a zip, within its limits. No file outside of it is read or written.

Uses files and archives, but not their content.
"""

from __future__ import annotations

import os
import stat
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO

from gomogo_core.regular_files import NO_LINK, READ, open_regular

MOST_FILES = 5_000
MOST_DEEP = 32  # levels of nested folders
_PIECE = 1 << 20

LEFT_OUT = frozenset({"__MACOSX", "__pycache__", ".git", ".DS_Store"})  # files of operating systems, not of the agent
_END, _END_SIZE, _MOST_COMMENT = b"PK\5\6", 22, 65_535
_LARGE_END, _LOCATOR = 56, 20  # bytes of the end records of a large zip
_ENTRY = 512  # bytes of the directory for each file, with a name of the same length
_READ = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # other methods let a file request gigabytes of memory
_UNIX = 3  # the code of Unix in a zip entry, which then holds permissions
_PROGRAMS = (b"#!", b"\x7fELF")  # first bytes of executable files


class Unusable(Exception):
    """The reason why a submission cannot be used, as a sentence for its author."""


@dataclass
class Allowance:
    """The remaining size of a submission. Each file and each byte counts as it is written, not as announced.

    megabytes: of all its files together.
    """

    megabytes: int
    files: int = 0
    written: int = 0

    def file(self, name: str) -> None:
        """Count one more file or folder. Raises Unusable if there are too many, or it is nested too deeply."""
        self.files += 1
        if self.files > MOST_FILES:
            raise Unusable(f"It holds more than {MOST_FILES:,} files and folders.")
        if len(PurePosixPath(name).parts) > MOST_DEEP:
            raise Unusable(f"{name[:60]} … lies in more than {MOST_DEEP} folders.")

    def write(self, source: IO[bytes], target: IO[bytes]) -> None:
        """Copy an open file to another. Raises Unusable if all files together are too large."""
        while piece := source.read(_PIECE):
            self.written += len(piece)
            if self.written > self.megabytes * 1_000_000:
                raise Unusable(f"Its files hold more than {self.megabytes} MB.")
            target.write(piece)


def is_left_out(name: str) -> bool:
    """Return whether a path contains a name that is left out of every submission."""
    return not LEFT_OUT.isdisjoint(PurePosixPath(name).parts)


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


def extract(archive: Path, folder: Path, allowance: Allowance) -> None:
    """Unpack a zip into an empty folder.

    Raises Unusable for a file that is no zip, is too large, leads outside, contains a link, or cannot be read.
    """
    try:
        with open_regular(archive, READ | NO_LINK) as file, _open_archive(file, allowance) as opened:
            for entry in opened.infolist():
                if not is_left_out(entry.filename):
                    _write(opened, entry, folder, allowance)
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, NotImplementedError, RuntimeError):
        raise Unusable("It is not a readable zip.") from None
    except OSError as fault:
        raise Unusable(f"It cannot be taken apart: {fault.strerror or fault}.") from None


def _open_archive(file: BinaryIO, allowance: Allowance) -> zipfile.ZipFile:
    """Open an archive. Refuse one whose directory would fill the memory: zipfile reads that at once."""
    size = os.fstat(file.fileno()).st_size
    if size > allowance.megabytes * 1_000_000:
        raise Unusable(f"The zip is larger than {allowance.megabytes} MB.")
    file.seek(max(0, size - _END_SIZE - _MOST_COMMENT))
    tail = file.read()
    place = tail.rfind(_END)
    if place < 0 or len(tail) < place + _END_SIZE:
        raise Unusable("It is not a readable zip.")
    if _directory_size(tail, place) > MOST_FILES * _ENTRY:
        raise Unusable(f"It lists more than {MOST_FILES:,} files.")
    return zipfile.ZipFile(file)


def _directory_size(tail: bytes, place: int) -> int:
    """Return the size of an archive's directory: from its end record, or from the one before that in large zips."""
    before = tail[max(0, place - _LARGE_END - _LOCATOR) : place]
    if not before[-_LOCATOR:].startswith(b"PK\6\7"):
        return int.from_bytes(tail[place + 12 : place + 16], "little")
    if not before.startswith(b"PK\6\6"):
        raise Unusable("It is not a readable zip.")
    return int.from_bytes(before[40:48], "little")


def _write(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: Path, allowance: Allowance) -> None:
    target = folder / _path_below(entry.filename)
    allowance.file(entry.filename)
    mode = entry.external_attr >> 16 if entry.create_system == _UNIX else 0
    if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise Unusable(f"{entry.filename} is a link, or not a plain file.")
    if entry.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        return
    if entry.flag_bits & 1:
        raise Unusable(f"{entry.filename} is encrypted.")
    if entry.compress_type not in _READ:
        raise Unusable(f"{entry.filename} uses an unsupported compression: use plain zip.")
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(entry) as source, target.open("xb") as file:  # x: a second file of the same name is refused
        allowance.write(source, file)
    runs = bool(mode & 0o111)
    if entry.create_system != _UNIX:  # such zips hold no permissions
        with target.open("rb") as file:
            runs = file.read(4).startswith(_PROGRAMS)
    os.chmod(target, 0o755 if runs else 0o644)


def _path_below(name: str) -> Path:
    """Return the path of an entry below the folder. Raises Unusable for one that leads out of it."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name or not path.parts:
        raise Unusable(f"{name[:100]} leads out of the zip.")
    return Path(path)
