"""Agents named by the command that starts them: `files:TEAM:COMMAND`, `gomocup:COMMAND`, `gtp:COMMAND`, `json:COMMAND`.

Knows command lines; runs none.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

from gomogo_core.catalogue._agent import Agent, fit_name
from gomogo_core.catalogue._asked import HELD, Asked
from gomogo_core.catalogue._protocols import GAMES
from gomogo_core.errors import UserError
from gomogo_core.protocols.settings import Settings
from gomogo_core.wire.lines import check_teams

_INTERPRETERS = re.compile(r"(python|node|java|ruby|perl|wine|mono|dotnet|sh|bash|env)[\d.]*")
_SETTINGS = re.compile(r"(.*)\?([A-Za-z_][\w.-]*=[^&?\s]*(?:&[A-Za-z_][\w.-]*=[^&?\s]*)*)")


def of_files(spec: str) -> Agent:
    """A program that plays by files, named by its team and its command: `files:TEAM:COMMAND`."""
    _, team, command = (*spec.split(":", 2), "", "")[:3]
    command, given = _with_settings(command)
    if not given.keys() <= {"ponders", *HELD}:  # a question mark of the command's own
        command, given = spec.split(":", 2)[2], {}
    asked = Asked.of(given, spec)
    words = words_of(command, spec)
    if not team or not words:
        raise UserError(f"{spec!r} does not say which program plays.", "Write files:TEAM:COMMAND LINE.")
    check_teams([team])
    return Agent(
        spec,
        team,
        f"the program {words[0]}",
        tuple(words),
        Path.cwd(),
        settings=asked.settings,
        ponders=bool(asked.ponders),
    )


def of_pipes(spec: str, protocol: str) -> Agent:
    """An engine named by its command, with settings behind the last question mark: `gomocup:./pbrain-x?depth=5`."""
    command, given = _with_settings(spec.partition(":")[2])
    words = words_of(command, spec)
    if not words:
        raise UserError(f"{spec!r} does not say which program plays.", f"Write {protocol}:COMMAND LINE.")
    asked = Asked.of(given, spec)
    told = {name: value for name, value in given.items() if name not in ("name", "ponders")}
    named = [asked.name] if asked.name else [_program(words), *(f"{name}-{value}" for name, value in told.items())]
    return Agent(
        spec=spec,
        name=fit_name("-".join(named)),
        about=f"the program {words[0]}",
        command=tuple(words),
        folder=Path.cwd(),
        games=GAMES[protocol],
        protocol=protocol,
        says_ready=True,
        keep=True,
        settings=Settings.of(told, spec),
        ponders=bool(asked.ponders),
    )


def _with_settings(command: str) -> tuple[str, dict[str, str]]:
    """A command line without the settings behind its last question mark, and these."""
    if match := _SETTINGS.fullmatch(command):
        return match[1], dict(unquote(pair).split("=", 1) for pair in match[2].split("&"))
    return command, {}


def _program(words: Sequence[str]) -> str:
    """What a command line runs: its first word, or the file that an interpreter is given."""
    named = words[0]
    if _INTERPRETERS.fullmatch(Path(named).name.casefold()):
        named = next((word for word in words[1:] if os.path.isfile(word)), named)
    path = Path(named)
    return path.stem if path.suffix.casefold() in (".py", ".js", ".exe", ".jar", ".sh", ".rb", ".pl") else path.name


def words_of(command: str, where: str) -> list[str]:
    """The words of a command line, files with their places. Raises UserError, which names `where` it stands."""
    words = split(command, where)
    # the process starts in its game folder: what names a file here must name it there
    return [_placed(word, _names_a_file(word) if number else "/" in word) for number, word in enumerate(words)]


def _names_a_file(word: str) -> bool:
    """Whether it is a file's name here, or the path of an agent's folder, as in `gomogo engine ./mine`."""
    return os.path.isfile(word) or ("/" in word and os.path.isfile(os.path.join(word, "agent.toml")))


def split(command: str, where: str) -> list[str]:
    """The words of a command line as they are. Raises UserError, which names the place `where` it stands."""
    try:
        return shlex.split(command)
    except ValueError as wrong:
        raise UserError(f"The command in {where} cannot be read: {wrong}.", "Close every quotation mark.") from None


def _placed(word: str, names_a_file: bool) -> str:
    """A word with its place, if it names a file here. A link keeps its name: an environment's python is one."""
    return str(Path(word).absolute()) if names_a_file and os.path.exists(word) else word
