"""The starters in agents/starters, example bots in several languages: lists them, and prepares the files of a copy.

Builds nothing and runs no program.
"""

from __future__ import annotations

import re
from pathlib import Path

from gomogo_core.errors import UserError
from gomogo_core.folders import AGENTS_FOLDER

STARTERS = AGENTS_FOLDER / "starters"
_BUILT = ("build", "__pycache__")  # build products in a starter's folder are not copied
_NAME_LINE = re.compile(r"^name = .*$", re.MULTILINE)
_FILES = re.compile(r"^# To play by pipes.*\n", re.MULTILINE)


def starter_languages() -> tuple[str, ...]:
    """Return the languages for which there is a starter."""
    return tuple(sorted(path.parent.name for path in STARTERS.glob("*/agent.toml")))


def starter_folder(language: str) -> Path:
    """Return the folder of a language's starter. Raises UserError if there is none."""
    if language not in starter_languages():
        raise UserError(f"There is no starter for {language!r}.", f"Choose from {', '.join(starter_languages())}.")
    return STARTERS / language


def starter_files(starter: Path, name: str, *, pipes: bool) -> dict[str, str]:
    """Return the text of each file of a starter, by file name, changed for an agent called `name`.

    pipes: whether the agent communicates over pipes instead of files.
    """
    files = (path for path in starter.iterdir() if path.name not in _BUILT)
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(files)}
    protocol = '\nprotocol = "json"' if pipes else ""
    toml = _NAME_LINE.sub(f'name = "{name}"{protocol}', texts["agent.toml"], count=1)
    if pipes:
        toml = _FILES.sub("", toml).replace(', "{team}"', "").replace(", {team} for the name it plays under", "")
    texts["agent.toml"] = toml
    return texts
