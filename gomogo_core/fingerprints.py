"""What tells two versions of an agent apart: a hash of its files.

Knows agents and files; starts nothing.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from gomogo_core.catalogue import Agent


def of_agent(agent: Agent) -> str:
    """A hash of the files that an agent's command names, and of its agent.toml, as hexadecimal digits.

    What a program reads besides is not known, and not part of it.
    """
    found = hashlib.sha256()
    named = [Path(word) for word in agent.command[1:]]
    for path in [*named, agent.folder / "agent.toml"]:
        with suppress(OSError, ValueError):  # most words of a command are no files
            if path.is_file():  # a device would be read without end
                found.update(_of_file(path).encode())
    return found.hexdigest()


def _of_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def of_folder(folder: Path) -> str:
    """A hash of all files below a folder: their names, what is in them, and whether they may be run.

    When they were written does not matter. Raises OSError where one cannot be read.
    """
    found = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        found.update(os.fsencode(path.relative_to(folder)))
        found.update(f"\0{os.access(path, os.X_OK)}\0{_of_file(path)}\n".encode())
    return found.hexdigest()
