"""Agents named by the command that starts them: `files:TEAM:COMMAND`, `gomocup:COMMAND`, `gtp:COMMAND`, `json:COMMAND`.

The module parses command lines, and runs none of them.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn
from urllib.parse import unquote

from gomogo_core.catalogue._agent import Agent, to_team_name
from gomogo_core.catalogue._common_settings import (
    ARENA_SETTING_NAMES,
    LIMIT_NAMES,
    SWITCH_NAMES,
    TIME_NAMES,
    CommonSettings,
    name_parts,
)
from gomogo_core.errors import UserError, suggest_name
from gomogo_core.protocols import protocols_by_name
from gomogo_core.protocols.settings import Settings
from gomogo_core.wire.lines import check_teams

_SCRIPT_SUFFIXES = (".py", ".js", ".mjs", ".jar", ".sh", ".rb", ".pl")
_FILES_SETTING_NAMES = {*SWITCH_NAMES, *TIME_NAMES, *LIMIT_NAMES}
_INTERPRETER_PATTERN = re.compile(r"(python|node|java|ruby|perl|wine|mono|dotnet|sh|bash|env)[\d.]*")
_SETTINGS_PATTERN = re.compile(r"(.*)\?([A-Za-z_][\w.-]*=[^&?\s]*(?:&[A-Za-z_][\w.-]*=[^&?\s]*)*)")
# matches settings after the last question mark if one of them has no value
_INCOMPLETE_SETTINGS_PATTERN = re.compile(r"\?([A-Za-z_][\w.-]*(?:=[^?\s&]*)?(?:&[^?\s&]*)+)$")


def files_agent(spec: str) -> Agent:
    """Return the agent of a spec `files:TEAM:COMMAND`, a program that plays by files. Raises UserError."""
    _, team, command = (*spec.split(":", 2), "", "")[:3]
    command, settings = _split_settings(command)
    if settings and not settings.keys() <= _FILES_SETTING_NAMES:
        if _is_part_of_command(command, settings, team):
            command, settings = spec.split(":", 2)[2], {}
        else:
            _refuse_settings(settings, spec, team)
    common_settings = CommonSettings.parse(settings, spec)
    words = command_words(command, spec)
    if not team or not words:
        raise UserError(f"{spec!r} names no program.", "Write files:TEAM:COMMAND LINE.")
    check_teams([team])
    return Agent(
        spec,
        team,
        f"the program {words[0]}",
        tuple(words),
        Path.cwd(),
        settings=common_settings.limits,
        ponders=bool(common_settings.ponders),
        classic_pace=bool(common_settings.classic_pace),
        fixed_team=None if any("{team}" in word for word in words) else team,
        own_time_control=common_settings.own_time_control,
    )


def _is_part_of_command(command: str, settings: Mapping[str, str], team: str) -> bool:
    """Return whether a question mark belongs to the command, for example to a URL, and does not start settings.

    The question mark starts settings if it follows the program, a file or the team, or if the name of a setting
    resembles a known name. command: the command up to the question mark. settings: the text after the question mark,
    parsed as settings.
    """
    from difflib import get_close_matches  # seldom needed

    try:
        words = shlex.split(command)
    except ValueError:
        return True
    if "name" in settings or any(get_close_matches(name, _FILES_SETTING_NAMES, n=1) for name in settings):
        return False
    return len(words) > 1 and words[-1] != team and not _is_file_word(words[-1])


def _refuse_settings(settings: Mapping[str, str], spec: str, team: str) -> NoReturn:
    """Raise UserError about the first setting that the protocol `files` does not have."""
    unknown_name = next(name for name in settings if name not in _FILES_SETTING_NAMES)
    if unknown_name == "name":
        raise UserError(
            f"{spec}: the name of a program that plays by files is its team, {team}.",
            f"Write files:{to_team_name(settings['name'])}:COMMAND if the program uses that name.",
        )
    suggestion = suggest_name(unknown_name, _FILES_SETTING_NAMES)
    raise UserError(
        f"{spec}: {unknown_name} is not a setting of a program that plays by files.",
        f"{suggestion} Put options of the program itself into its command, in quotes.",
    )


def pipe_agent(spec: str, protocol: str) -> Agent:
    """Return the agent of a spec `PROTOCOL:COMMAND?SETTINGS`, for example `gomocup:./pbrain-x?depth=5`."""
    command, program_settings = _split_settings(spec.partition(":")[2])
    words = command_words(command, spec)
    if not words:
        raise UserError(f"{spec!r} names no program.", f"Write {protocol}:COMMAND LINE.")
    if (incomplete := _INCOMPLETE_SETTINGS_PATTERN.search(command)) is not None:
        raise UserError(
            f"{spec}: {incomplete[1]!r} is not a list of settings.",
            "Write NAME=VALUE for each setting, and & between them.",
        )
    common_settings = CommonSettings.parse(program_settings, spec)
    own_settings = {name: value for name, value in program_settings.items() if name not in ARENA_SETTING_NAMES}
    names = [common_settings.name] if common_settings.name else [_program_name(words), *name_parts(program_settings)]
    return Agent(
        spec=spec,
        name=to_team_name("-".join(names)),
        summary=f"the program {words[0]}",
        command=tuple(words),
        folder=Path.cwd(),
        games=protocols_by_name()[protocol].games,
        protocol=protocol,
        says_ready=True,
        needs_balanced_openings=True,
        keeps_running=True,
        settings=Settings.parse(own_settings, spec),
        ponders=bool(common_settings.ponders),
        classic_pace=bool(common_settings.classic_pace),
        own_time_control=common_settings.own_time_control,
    )


def _split_settings(command: str) -> tuple[str, dict[str, str]]:
    """Split the settings after the last question mark off a command line. Return the command and the settings."""
    if match := _SETTINGS_PATTERN.fullmatch(command):
        return match[1], dict(unquote(pair).split("=", 1) for pair in match[2].split("&"))
    return command, {}


def _program_name(words: Sequence[str]) -> str:
    """Return the name of the program that a command line runs: its first word, or the file that an interpreter runs."""
    program = words[0]
    if _INTERPRETER_PATTERN.fullmatch(Path(program).name.casefold()):
        program = next((word for word in words[1:] if os.path.isfile(word)), program)
    path = Path(program)
    return path.stem if path.suffix.casefold() in (".py", ".js", ".exe", ".jar", ".sh", ".rb", ".pl") else path.name


def missing_script(words: Sequence[str]) -> str | None:
    """Return the script that a command passes to an interpreter if that file does not exist, else None."""
    if not _INTERPRETER_PATTERN.fullmatch(Path(words[0]).name.casefold()):
        return None
    script = next((word for word in words[1:] if not word.startswith("-")), "")
    return script if script.casefold().endswith(_SCRIPT_SUFFIXES) and not os.path.isfile(script) else None


def command_words(command: str, source: str) -> list[str]:
    """Return the words of a command line, with absolute paths. Raises UserError. source: the file or spec with it."""
    words = split_command(command, source)
    # the process starts in its game folder, in which a relative path would name another file
    return [_absolute_word(word, _is_file_word(word) if index else "/" in word) for index, word in enumerate(words)]


def _is_file_word(word: str) -> bool:
    """Return whether a word names a file, or the folder of an agent, as in `gomogo engine ./mine`."""
    return os.path.isfile(word) or ("/" in word and os.path.isfile(os.path.join(word, "agent.toml")))


def split_command(command: str, source: str) -> list[str]:
    """Return the words of a command line, unchanged. Raises UserError. source: the file or spec with the command."""
    try:
        return shlex.split(command)
    except ValueError as error:
        raise UserError(f"The command in {source} cannot be read: {error}.", "Close every quotation mark.") from None


def _absolute_word(word: str, is_file: bool) -> str:
    """Return a word as an absolute path if it names a file.

    Symbolic links are not resolved, because the python of a virtual environment is a link.
    """
    return str(Path(word).absolute()) if is_file and os.path.exists(word) else word
