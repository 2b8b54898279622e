"""Hashes of an agent's files, by which a match or tournament notices that an agent has changed.

The module reads the files of agents, and starts no process.
"""

from __future__ import annotations

import hashlib
import os
import sys
from contextlib import suppress
from pathlib import Path

from gomogo_core.catalogue import Agent
from gomogo_core.regular_files import open_regular


def agent_fingerprint(agent: Agent) -> str:
    """Return the SHA-256 of the files that an agent's command names, and of its agent.toml, as hexadecimal digits.

    Other files that the program may read are not part of the hash.
    """
    digest = hashlib.sha256()
    program, *arguments = agent.command or ("",)
    # a program such as python3 is not a file of the agent
    own_programs = [program] if os.path.dirname(program) and program != sys.executable else []
    for path in [*map(Path, own_programs + arguments), agent.folder / "agent.toml"]:
        with suppress(OSError, ValueError):  # most words of a command are not files
            digest.update(_file_fingerprint(path).encode())
    return digest.hexdigest()


def _file_fingerprint(path: Path) -> str:
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def folder_fingerprint(folder: Path) -> str:
    """Return the SHA-256 of all files below a folder: their names, their contents and whether they are executable.

    Modification times are not part of the hash. Raises OSError if a file cannot be read.
    """
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(os.fsencode(path.relative_to(folder)))
        digest.update(f"\0{os.access(path, os.X_OK)}\0{_file_fingerprint(path)}\n".encode())
    return digest.hexdigest()
