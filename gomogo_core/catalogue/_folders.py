"""Agents that are a folder with an agent.toml.

Knows that file's keys; what a command's words mean is for others.
"""

from __future__ import annotations

import os
import re
import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from gomogo_core import games
from gomogo_core.catalogue._agent import Agent, fit_name
from gomogo_core.catalogue._asked import HELD, Asked
from gomogo_core.catalogue._commands import split
from gomogo_core.catalogue._protocols import GAMES, PIPES
from gomogo_core.errors import UserError, nearest
from gomogo_core.protocols.settings import LIMITS, Settings

KEYS = {"name": str, "command": (str, list), "protocol": str, "games": list, "build": str, "ready": bool}
KEYS |= {"ponders": bool, "options": dict, **dict.fromkeys(LIMITS, int)}
_MOST_BYTES = 1_000_000


def of_folder(spec: str, folder: Path, given: Mapping[str, str] = MappingProxyType({})) -> Agent:
    """The agent that a folder is; settings `given` in its spec go before those of its agent.toml.

    Raises UserError for what that does not say, or cannot say.
    """
    source = folder / "agent.toml"
    if not source.is_file():
        raise UserError(
            f"The folder {folder} has no agent.toml.", 'Write one, with a line like command = "./bot {team}".'
        )
    try:
        with source.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise UserError(f"{source} is larger than a megabyte.", "Write what `gomogo agent new` writes.")
        told = tomllib.loads(content.decode())
    except (ValueError, RecursionError) as wrong:  # numbers of 5000 digits, too, and brackets in brackets
        raise UserError(f"{source} is no TOML: {wrong}.", "Mend that line.") from None
    except OSError as wrong:
        raise UserError(f"{source} cannot be read: {wrong.strerror}.", "Give yourself the right to read it.") from None
    _check_toml(source, told)
    command = told["command"]
    words = command if isinstance(command, list) else split(command, str(source))
    if words and _is_of(folder, words[0], built="build" in told):
        words = [str(folder / words[0]), *words[1:]]
    for known in re.findall(r"\{(\w+)\}", " ".join(words)):
        if known not in ("here", "team"):
            raise UserError(f"{source}: nothing is filled in for {{{known}}}.", nearest(known, ["here", "team"]))
    name, protocol = told.get("name", folder.name), told.get("protocol", "files")
    piped, asked = protocol in PIPES, Asked.of(given, spec)
    told_now = {name: value for name, value in given.items() if name not in ("name", "ponders")}
    named = [name, *(f"{setting}-{value}" for setting, value in told_now.items())]
    return Agent(
        spec=spec,
        name=fit_name(asked.name or "-".join(named)),
        about=f"the program in {folder.name}/",
        command=tuple(words),
        folder=folder,
        games=tuple(told.get("games", GAMES.get(protocol, ()))),
        protocol=protocol,
        says_ready=True if piped else told.get("ready"),
        keep=piped,
        build=told.get("build", ""),
        settings=_settings(source, told, told_now, spec, piped),
        owns_folder=True,
        ponders=told.get("ponders", False) if asked.ponders is None else asked.ponders,
    )


def _is_of(folder: Path, program: str, *, built: bool) -> bool:
    """Whether a program is the folder's own, though it may not be there before it is built."""
    if Path(program).is_absolute() or program.startswith("{"):
        return False
    return os.path.exists(folder / program) or (built and ("/" in program or shutil.which(program) is None))


def _settings(source: Path, told: Mapping[str, Any], now: Mapping[str, str], spec: str, piped: bool) -> Settings:
    given = {name: str(told[name]) for name in LIMITS if name in told}
    for name, value in told.get("options", {}).items():
        if isinstance(value, dict | list):
            raise UserError(f"{source}: options: {name} is no single value.", "Write a text or a number.")
        given[name] = str(value).lower() if isinstance(value, bool) else str(value)
    for asked, where in ((given, str(source)), (now, spec)):
        if not piped and (others := [name for name in asked if name not in HELD]):
            raise UserError(
                f"{where}: {others[0]} is for engines reached through pipes.",
                "Write what the program needs into its command.",
            )
    return Settings.of({**given, **now}, spec if now else str(source))


def _check_toml(source: Path, told: Mapping[str, Any]) -> None:
    for key, value in told.items():
        if key not in KEYS:
            raise UserError(f"{source} has a key {key!r} that means nothing.", nearest(key, KEYS))
        if not isinstance(value, KEYS[key]):  # type: ignore[arg-type]
            raise UserError(f"{source}: {key} = {value!r} is of the wrong kind.", f"See `gomogo agent new` for {key}.")
    if not told.get("command"):
        raise UserError(f"{source} names no command.", 'Write a line like command = "./bot {team}".')
    if (protocol := told.get("protocol", "files")) not in ("files", *PIPES):
        raise UserError(f"{source}: there is no protocol {protocol!r}.", nearest(protocol, ["files", *PIPES]))
    for key in ("command", "games"):
        if isinstance(told.get(key), list) and not all(isinstance(word, str) for word in told[key]):
            raise UserError(f"{source}: {key} holds something that is no text.", f"Write {key} as a list of texts.")
    for game in told.get("games", ()):
        if game not in games.names():
            raise UserError(f"{source}: there is no game called {game!r}.", nearest(game, games.names()))
