"""Copy a submission (a folder, a file or a zip) within size limits. The module reads and writes no file outside the
submission and its copy.

The module handles files and archives; it does not look at the content of the files.
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

from gomogo_core.regular_files import NO_LINK_FLAG, READ_FLAGS, open_regular

MAX_FILES = 5_000
MAX_DEPTH = 32  # levels of nested folders
_BLOCK_BYTES = 1 << 20

# files and folders that operating systems and tools create, not the author
IGNORED_NAMES = frozenset({"__MACOSX", "__pycache__", ".git", ".DS_Store"})
_END_RECORD, _END_RECORD_SIZE, _MAX_COMMENT_BYTES = b"PK\5\6", 22, 65_535
_ZIP64_END_RECORD_SIZE, _ZIP64_LOCATOR_SIZE = 56, 20
_MAX_DIRECTORY_BYTES_PER_FILE = 512  # in an archive's directory, including the file's name
_COMPRESSION_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # other methods may need gigabytes of memory
_UNIX_SYSTEM_CODE = 3  # only zip entries with this code have permissions
_EXECUTABLE_SIGNATURES = (b"#!", b"\x7fELF")  # first bytes of executable files


class UnusableSubmission(Exception):
    """The reason why a submission cannot be used, as a sentence for its author."""


@dataclass
class CopyLimits:
    """The limits for copying one submission, and the amounts copied so far.

    max_megabytes: the maximum size of all files together. Each file and each byte counts when it is written, because
    the sizes that an archive declares may be wrong.
    """

    max_megabytes: int
    files_copied: int = 0
    bytes_written: int = 0

    def count_file(self, name: str) -> None:
        """Count one more file or folder. Raises UnusableSubmission for too many files, or for folders nested too
        deeply.
        """
        self.files_copied += 1
        if self.files_copied > MAX_FILES:
            raise UnusableSubmission(f"It contains more than {MAX_FILES:,} files and folders.")
        if len(PurePosixPath(name).parts) > MAX_DEPTH:
            raise UnusableSubmission(f"{name[:60]} … is nested in more than {MAX_DEPTH} folders.")

    def copy_content(self, source: IO[bytes], target: IO[bytes]) -> None:
        """Copy an open file to another. Raises UnusableSubmission if all files together are too large."""
        while block := source.read(_BLOCK_BYTES):
            self.bytes_written += len(block)
            if self.bytes_written > self.max_megabytes * 1_000_000:
                raise UnusableSubmission(f"Its files have more than {self.max_megabytes} MB.")
            target.write(block)


def contains_ignored_name(name: str) -> bool:
    """Return whether a path contains a name that is ignored in every submission."""
    return not IGNORED_NAMES.isdisjoint(PurePosixPath(name).parts)


def copy_folder(source: Path, folder: Path, limits: CopyLimits) -> None:
    """Copy a folder's content into an empty folder. Raises UnusableSubmission for links, devices or too much data."""
    try:
        _copy_tree(source, source, folder, limits)
    except OSError as error:
        raise UnusableSubmission(f"{Path(error.filename or source).name} cannot be read: {error.strerror}.") from None


def _copy_tree(root: Path, source: Path, folder: Path, limits: CopyLimits) -> None:
    for path in sorted(source.iterdir()):
        name = path.relative_to(root).as_posix()
        if contains_ignored_name(name):
            continue
        limits.count_file(name)
        target, mode = folder / name, path.lstat().st_mode
        if stat.S_ISDIR(mode):
            target.mkdir()
            _copy_tree(root, path, folder, limits)
        elif stat.S_ISREG(mode):
            copy_file(path, target, limits)
        else:
            raise UnusableSubmission(f"{name} is a link, or not a plain file.")


def copy_file(source: Path, target: Path, limits: CopyLimits) -> None:
    """Copy one file with its executable bit. Raises OSError if it cannot be read."""
    with open_regular(source, READ_FLAGS | NO_LINK_FLAG) as file, target.open("xb") as copy:
        limits.copy_content(file, copy)
        is_executable = os.fstat(file.fileno()).st_mode & 0o111
    os.chmod(target, 0o755 if is_executable else 0o644)


def extract_zip(archive: Path, folder: Path, limits: CopyLimits) -> None:
    """Unpack a zip into an empty folder.

    Raises UnusableSubmission for a file that is not a zip or is too large. The same error is raised if a path in the
    zip leads out of the folder, is a link, or cannot be read.
    """
    try:
        with open_regular(archive, READ_FLAGS | NO_LINK_FLAG) as file, _open_archive(file, limits) as opened_archive:
            for entry in opened_archive.infolist():
                if not contains_ignored_name(entry.filename):
                    _extract_entry(opened_archive, entry, folder, limits)
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, NotImplementedError, RuntimeError):
        raise UnusableSubmission("It is not a readable zip.") from None
    except OSError as error:
        raise UnusableSubmission(f"It cannot be unpacked: {error.strerror or error}.") from None


def _open_archive(file: BinaryIO, limits: CopyLimits) -> zipfile.ZipFile:
    """Open an archive. Raises UnusableSubmission if its directory is too large, since zipfile loads it into memory."""
    size = os.fstat(file.fileno()).st_size
    if size > limits.max_megabytes * 1_000_000:
        raise UnusableSubmission(f"The zip is larger than {limits.max_megabytes} MB.")
    file.seek(max(0, size - _END_RECORD_SIZE - _MAX_COMMENT_BYTES))
    tail = file.read()
    record_index = tail.rfind(_END_RECORD)
    if record_index < 0 or len(tail) < record_index + _END_RECORD_SIZE:
        raise UnusableSubmission("It is not a readable zip.")
    if _directory_size(tail, record_index) > MAX_FILES * _MAX_DIRECTORY_BYTES_PER_FILE:
        raise UnusableSubmission(f"It lists more than {MAX_FILES:,} files.")
    return zipfile.ZipFile(file)


def _directory_size(tail: bytes, record_index: int) -> int:
    """Return the size in bytes of an archive's directory, from its end record or, for a large zip, its ZIP64 end
    record.

    tail: the end of the archive. record_index: the index of the end record in `tail`.
    """
    zip64_records = tail[max(0, record_index - _ZIP64_END_RECORD_SIZE - _ZIP64_LOCATOR_SIZE) : record_index]
    if not zip64_records[-_ZIP64_LOCATOR_SIZE:].startswith(b"PK\6\7"):
        return int.from_bytes(tail[record_index + 12 : record_index + 16], "little")
    if not zip64_records.startswith(b"PK\6\6"):
        raise UnusableSubmission("It is not a readable zip.")
    return int.from_bytes(zip64_records[40:48], "little")


def _extract_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: Path, limits: CopyLimits) -> None:
    target = folder / _relative_path(entry.filename)
    limits.count_file(entry.filename)
    mode = entry.external_attr >> 16 if entry.create_system == _UNIX_SYSTEM_CODE else 0
    if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise UnusableSubmission(f"{entry.filename} is a link, or not a plain file.")
    if entry.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        return
    if entry.flag_bits & 1:
        raise UnusableSubmission(f"{entry.filename} is encrypted.")
    if entry.compress_type not in _COMPRESSION_METHODS:
        raise UnusableSubmission(f"{entry.filename} uses an unsupported compression: use plain zip.")
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(entry) as source, target.open("xb") as file:  # x: a second file of the same name is an error
        limits.copy_content(source, file)
    is_executable = bool(mode & 0o111)
    if entry.create_system != _UNIX_SYSTEM_CODE:  # entries of other systems have no permissions
        with target.open("rb") as file:
            is_executable = file.read(4).startswith(_EXECUTABLE_SIGNATURES)
    os.chmod(target, 0o755 if is_executable else 0o644)


def _relative_path(name: str) -> Path:
    """Return the relative path of an entry. Raises UnusableSubmission if the path leads out of the folder."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name or not path.parts:
        raise UnusableSubmission(f"{name[:100]} leads out of the zip.")
    return Path(path)
