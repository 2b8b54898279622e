"""The starters of agents/starters: which languages there are, and what a copy of one holds.

Knows folders and texts; builds and runs nothing.
"""

from __future__ import annotations

import re
from pathlib import Path

from gomogo_core.catalogue import HOUSE
from gomogo_core.errors import UserError

STARTERS = HOUSE / "starters"
_BUILT = ("build", "__pycache__")  # what a build leaves in a starter's folder is not copied
_NAME = re.compile(r"^name = .*$", re.MULTILINE)


def starters() -> tuple[str, ...]:
    """The names of all starters, each LANGUAGE-files or LANGUAGE-pipes."""
    return tuple(sorted(path.parent.name for path in STARTERS.glob("*/agent.toml")))


def languages() -> tuple[str, ...]:
    """The languages in which there are starters."""
    return tuple(sorted({name.rpartition("-")[0] for name in starters()}))


def starter(language: str, *, pipes: bool) -> Path:
    """The folder of a language's starter, for pipes or for files. Raises UserError where there is none."""
    name = f"{language}-{'pipes' if pipes else 'files'}"
    if name not in starters():
        raise UserError(f"There is no starter for {language!r}.", f"There is one in {', '.join(languages())}.")
    return STARTERS / name


def texts_of(starter: Path, name: str) -> dict[str, str]:
    """The files of a starter, by name, for an agent that is called `name`."""
    files = (path for path in starter.iterdir() if path.name not in _BUILT)
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(files)}
    texts["agent.toml"] = _NAME.sub(f'name = "{name}"', texts["agent.toml"], count=1)
    return texts
