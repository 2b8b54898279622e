"""Lists the starters in agents/starters, which are example bots in several languages, and prepares a copy of one.

The module builds nothing and runs no program.
"""

from __future__ import annotations

import re
from pathlib import Path

from gomogo_core.errors import UserError
from gomogo_core.folders import AGENTS_FOLDER

STARTERS_FOLDER = AGENTS_FOLDER / "starters"
_BUILD_PRODUCTS = ("build", "__pycache__")  # are not copied
_NAME_LINE_PATTERN = re.compile(r"^name = .*$", re.MULTILINE)
_PIPES_COMMENT_PATTERN = re.compile(r"^# To play by pipes.*\n", re.MULTILINE)


def starter_languages() -> tuple[str, ...]:
    """Return the languages for which there is a starter."""
    return tuple(sorted(path.parent.name for path in STARTERS_FOLDER.glob("*/agent.toml")))


def starter_folder(language: str) -> Path:
    """Return the folder of a language's starter. Raises UserError if there is none."""
    if language not in starter_languages():
        raise UserError(f"There is no starter for {language!r}.", f"Choose from {', '.join(starter_languages())}.")
    return STARTERS_FOLDER / language


def starter_files(starter: Path, name: str, *, pipes: bool) -> dict[str, str]:
    """Return the text of each file of a starter, by file name, changed for an agent called `name`.

    pipes: whether the agent communicates over pipes instead of files.
    """
    files = (path for path in starter.iterdir() if path.name not in _BUILD_PRODUCTS)
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(files)}
    protocol = '\nprotocol = "json"' if pipes else ""
    toml = _NAME_LINE_PATTERN.sub(f'name = "{name}"{protocol}', texts["agent.toml"], count=1)
    if pipes:
        toml = (
            _PIPES_COMMENT_PATTERN.sub("", toml)
            .replace(', "{team}"', "")
            .replace(", {team} for the name it plays under", "")
        )
    texts["agent.toml"] = toml
    return texts
