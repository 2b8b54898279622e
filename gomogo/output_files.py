"""Writes a file completely or not at all, and recognizes file names. The module does not interpret the content."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterable
from pathlib import Path

from gomogo_core.errors import UserError


def write_atomically(path: Path, content: bytes | Iterable[bytes], *, must_be_new: bool = False) -> None:
    """Write `content`, or its parts one after another, to `path`. If that fails, the previous file remains.

    must_be_new: whether to raise FileExistsError if the file exists. Raises OSError for other errors.
    """
    path = Path(os.path.realpath(path))
    # a device or pipe such as /dev/stdout must not be replaced by a file
    if path.exists() and not path.is_file() and not must_be_new:
        _write_content(path, content)
        return
    if path.is_file() and not must_be_new:
        path.open("ab").close()  # raises PermissionError: a read-only file must not be replaced
    temporary_path = path if must_be_new else path.with_name(f".gomogo-{secrets.token_hex(4)}")
    temporary_path.open("xb").close()
    try:
        _write_content(temporary_path, content)
        if not must_be_new and path.exists():
            shutil.copymode(path, temporary_path)
        temporary_path.replace(path)
    except BaseException:
        temporary_path.unlink(missing_ok=True)
        raise


def write_output(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Write `content` to the file that the user has named, and create its folder. Raises UserError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, content)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}.", "Choose another path with -o.") from None


def _write_content(path: Path, content: bytes | Iterable[bytes]) -> None:
    if isinstance(content, bytes):
        path.write_bytes(content)
        return
    with path.open("wb") as file:
        file.writelines(content)


def is_file_name(word: str, suffixes: tuple[str, ...]) -> bool:
    """Return whether `word` names a file: it exists, contains a folder, or has one of these endings."""
    path = Path(word)
    return path.is_file() or path.name != word or path.suffix.removeprefix(".").casefold() in suffixes
