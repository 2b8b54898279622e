"""Writes a file completely or not at all, and recognizes file names.

Does not handle the content.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterable
from pathlib import Path

from gomogo_core.errors import UserError


def write_atomically(path: Path, content: bytes | Iterable[bytes], *, new: bool = False) -> None:
    """Write `content` to `path`, piece by piece if it is an iterable. If that fails, the previous file remains.

    new: raise FileExistsError if the file exists. Raises OSError.
    """
    path = Path(os.path.realpath(path))
    # a device or a pipe, such as /dev/stdout, must not be replaced by a file
    if path.exists() and not path.is_file() and not new:
        _write_content(path, content)
        return
    if path.is_file() and not new:
        path.open("ab").close()  # do not replace a file that we may not write, although its folder allows it
    aside = path if new else path.with_name(f".gomogo-{secrets.token_hex(4)}")
    aside.open("xb").close()
    try:
        _write_content(aside, content)
        if not new and path.exists():
            shutil.copymode(path, aside)
        aside.replace(path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def write_output(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Write the user's file at `path`, and create its folders. Raises UserError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, content)
    except OSError as fault:
        raise UserError(f"{path} cannot be written: {fault.strerror}.", "Choose another path with -o.") from None


def _write_content(path: Path, content: bytes | Iterable[bytes]) -> None:
    if isinstance(content, bytes):
        path.write_bytes(content)
        return
    with path.open("wb") as file:
        file.writelines(content)


def is_file_name(word: str, endings: tuple[str, ...]) -> bool:
    """Tell whether `word` means a file: it exists, names a folder, or ends as such files do."""
    path = Path(word)
    return path.is_file() or path.name != word or path.suffix.removeprefix(".").casefold() in endings
