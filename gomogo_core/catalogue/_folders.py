"""Reads agents that are a folder with an agent.toml, a file of keys and values."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from gomogo_core import games
from gomogo_core.catalogue._agent import Agent, to_team_name
from gomogo_core.catalogue._commands import split_command
from gomogo_core.catalogue._common_settings import (
    ARENA_SETTING_NAMES,
    LIMIT_NAMES,
    SWITCH_NAMES,
    CommonSettings,
    name_parts,
)
from gomogo_core.errors import UserError, suggest_name
from gomogo_core.protocols import pipe_protocol_names, protocols_by_name
from gomogo_core.protocols.settings import LIMIT_SETTINGS, Settings
from gomogo_core.regular_files import read_user_file

TOML_KEYS = {"name": str, "command": (str, list), "protocol": str, "games": list, "build": str, "ready": bool}
TOML_KEYS |= {"ponders": bool, "classic_pace": bool, "options": dict, **dict.fromkeys(LIMIT_SETTINGS, int)}
_MAX_TOML_BYTES = 1_000_000


def folder_agent(spec: str, folder: Path, overrides: Mapping[str, str] = MappingProxyType({})) -> Agent:
    """Return the agent in a folder. Raises UserError if its agent.toml is missing, incomplete or wrong.

    overrides: settings in the spec, which replace those of agent.toml.
    """
    import tomllib  # imported here, because few agents need it, and the import takes each worker 2 ms

    source = folder / "agent.toml"
    if not source.is_file():
        remedy = 'Write one, with a line like command = "./bot {team}".'
        raise UserError(f"The folder {folder} has no agent.toml.", remedy)
    content = read_user_file(source, _MAX_TOML_BYTES, "Use a short, regular file that you may read.")
    try:
        settings = tomllib.loads(content.decode())
    except (ValueError, RecursionError) as error:
        # numbers of 5000 digits and deeply nested brackets also make tomllib raise these errors
        raise UserError(f"{source} is not valid TOML: {error}.", "Fix that line.") from None
    _check_toml(source, settings)
    command = settings["command"]
    words = command if isinstance(command, list) else split_command(command, str(source))
    if words and _belongs_to_folder(folder, words[0], is_built="build" in settings):
        words = [str(folder / words[0]), *words[1:]]
    for placeholder in re.findall(r"\{(\w+)\}", " ".join(words)):
        if placeholder not in ("here", "team"):
            suggestion = suggest_name(placeholder, ["here", "team"])
            raise UserError(f"{source}: {{{placeholder}}} has no meaning in a command.", suggestion)
    name, protocol = settings.get("name", folder.name), settings.get("protocol", "files")
    uses_pipes, common_settings = protocol != "files", CommonSettings.parse(overrides, spec)
    switches = {name: getattr(common_settings, name) for name in SWITCH_NAMES}
    switches = {name: settings.get(name, False) if value is None else value for name, value in switches.items()}
    own_overrides = {name: value for name, value in overrides.items() if name not in ARENA_SETTING_NAMES}
    return Agent(
        spec=spec,
        name=to_team_name(common_settings.name or "-".join([name, *name_parts(overrides)])),
        summary=f"the program in {folder.name}/",
        command=tuple(words),
        folder=folder,
        games=tuple(settings.get("games", protocols_by_name()[protocol].games if uses_pipes else ())),
        protocol=protocol,
        says_ready=True if uses_pipes else settings.get("ready"),
        keeps_running=uses_pipes,
        needs_balanced_openings=uses_pipes,
        build_command=settings.get("build", ""),
        settings=_merge_settings(source, settings, own_overrides, spec, uses_pipes),
        owns_folder=True,
        ponders=switches["ponders"],
        classic_pace=switches["classic_pace"],
        fixed_team=None if uses_pipes or any("{team}" in word for word in words) else to_team_name(name),
        own_time_control=common_settings.own_time_control,
    )


def _belongs_to_folder(folder: Path, program: str, *, is_built: bool) -> bool:
    """Return whether a program belongs to the folder. is_built: whether a build command creates files there."""
    if Path(program).is_absolute() or program.startswith("{"):
        return False
    import shutil  # imported here, because few agents need it, and the import takes each worker 3 ms

    return os.path.exists(folder / program) or (is_built and ("/" in program or shutil.which(program) is None))


def _merge_settings(
    source: Path, settings: Mapping[str, Any], overrides: Mapping[str, str], spec: str, uses_pipes: bool
) -> Settings:
    own_settings = {name: str(settings[name]) for name in LIMIT_SETTINGS if name in settings}
    for name, value in settings.get("options", {}).items():
        if isinstance(value, dict | list):
            raise UserError(f"{source}: options: {name} must be one value.", "Write a text or a number.")
        own_settings[name] = str(value).lower() if isinstance(value, bool) else str(value)
    for checked_settings, place in ((own_settings, str(source)), (overrides, spec)):
        if not uses_pipes and (refused_names := [name for name in checked_settings if name not in LIMIT_NAMES]):
            raise UserError(
                f"{place}: {refused_names[0]} is only for engines that play over pipes.",
                "Write the program's own options into its command.",
            )
    return Settings.parse({**own_settings, **overrides}, spec if overrides else str(source))


def _check_toml(source: Path, settings: Mapping[str, Any]) -> None:
    for key, value in settings.items():
        if key not in TOML_KEYS:
            raise UserError(f"{source} has an unknown key {key!r}.", suggest_name(key, TOML_KEYS))
        if not isinstance(value, TOML_KEYS[key]):  # type: ignore[arg-type]
            raise UserError(f"{source}: {key} = {value!r} has the wrong type.", f"See `gomogo agent new` for {key}.")
    command = settings.get("command") or ""
    if not str(command if isinstance(command, str) else command[0]).strip():
        raise UserError(f"{source} names no command.", 'Write a line like command = "./bot {team}".')
    if (protocol := settings.get("protocol", "files")) != "files" and protocol not in pipe_protocol_names():
        suggestion = suggest_name(protocol, ["files", *pipe_protocol_names()])
        raise UserError(f"{source}: there is no protocol {protocol!r}.", suggestion)
    for key in ("command", "games"):
        if isinstance(settings.get(key), list) and not all(isinstance(word, str) for word in settings[key]):
            raise UserError(f"{source}: {key} must contain texts only.", f"Write {key} as a list of texts.")
    for game in settings.get("games", ()):
        if game not in games.names():
            raise UserError(f"{source}: there is no game called {game!r}.", suggest_name(game, games.names()))
