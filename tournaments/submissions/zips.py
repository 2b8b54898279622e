"""Takes a zip apart that a stranger has made: nothing of it lands outside, nothing grows without end.

Knows archives; not what is in them.
"""

from __future__ import annotations

import os
import stat
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from tournaments.submissions.limits import MOST_FILES, Allowance, Unusable, left_out

_END, _END_SIZE, _MOST_COMMENT = b"PK\5\6", 22, 65_535
_LARGE_END, _LOCATOR = 56, 20  # bytes of the end of a large zip, and of what says where it is
_ENTRY = 512  # bytes of an archive's list for each file, with a name as long as they are
_READ = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # what else there is lets a file ask for gigabytes to be read
_UNIX = 3  # the system that made an entry, where rights are kept
_PROGRAMS = (b"#!", b"\x7fELF")  # how files begin that are run


def extract(archive: Path, folder: Path, allowance: Allowance) -> None:
    """Write what a zip holds into an empty folder.

    Raises Unusable for what is no zip, is too large, leads outside, holds a link, or cannot be read.
    """
    try:
        _check_size(archive, allowance)
        with zipfile.ZipFile(archive) as opened:
            for entry in opened.infolist():
                if not left_out(entry.filename):
                    _write(opened, entry, folder, allowance)
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, NotImplementedError, RuntimeError):
        raise Unusable("It is no zip that can be read.") from None
    except OSError as fault:
        raise Unusable(f"It cannot be taken apart: {fault.strerror or fault}.") from None


def _check_size(archive: Path, allowance: Allowance) -> None:
    """Refuse what would fill the memory before the first file is written: the list of an archive is read at once."""
    size = archive.stat().st_size
    if size > allowance.megabytes * 1_000_000:
        raise Unusable(f"The zip is larger than {allowance.megabytes} MB.")
    with archive.open("rb") as file:
        file.seek(max(0, size - _END_SIZE - _MOST_COMMENT))
        tail = file.read()
    place = tail.rfind(_END)
    if place < 0 or len(tail) < place + _END_SIZE:
        raise Unusable("It is no zip that can be read.")
    if _listed(tail, place) > MOST_FILES * _ENTRY:
        raise Unusable(f"It lists more than {MOST_FILES:,} files.")


def _listed(tail: bytes, place: int) -> int:
    """How many bytes an archive's list has: as its end says, or another end before that, which large zips have."""
    before = tail[max(0, place - _LARGE_END - _LOCATOR) : place]
    if not before[-_LOCATOR:].startswith(b"PK\6\7"):
        return int.from_bytes(tail[place + 12 : place + 16], "little")
    if not before.startswith(b"PK\6\6"):
        raise Unusable("It is no zip that can be read.")
    return int.from_bytes(before[40:48], "little")


def _write(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: Path, allowance: Allowance) -> None:
    target = folder / _inside(entry.filename)
    allowance.file(entry.filename)
    mode = entry.external_attr >> 16 if entry.create_system == _UNIX else 0
    if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise Unusable(f"{entry.filename} is a link, or no plain file.")
    if entry.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        return
    if entry.flag_bits & 1:
        raise Unusable(f"{entry.filename} is encrypted.")
    if entry.compress_type not in _READ:
        raise Unusable(f"{entry.filename} is packed in a way that is not read: use plain zip.")
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(entry) as source, target.open("xb") as file:  # x: a name that comes twice is refused
        allowance.write(source, file)
    runs = bool(mode & 0o111)
    if entry.create_system != _UNIX:  # such zips know no rights
        with target.open("rb") as file:
            runs = file.read(4).startswith(_PROGRAMS)
    os.chmod(target, 0o755 if runs else 0o644)


def _inside(name: str) -> Path:
    """The path of an entry below the folder. Raises Unusable for one that leads out of it."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name or not path.parts:
        raise Unusable(f"{name[:100]} leads out of the zip.")
    return Path(path)
