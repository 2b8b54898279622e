"""Finds agents by name, and reads how an agent describes itself.

An agent's spec is its identity everywhere: `alpha_beta`, `alpha_beta?depth=3`, `path/bot.py`, `path/folder`,
`files:TEAM:COMMAND`, `gomocup:COMMAND`, `gtp:COMMAND`, `json:COMMAND`, `human`. The package starts no program and plays
no game. It needs only the standard library.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl

from gomogo_core.catalogue._agent import Agent, to_team_name
from gomogo_core.catalogue._checks import check_agents, check_program, why_no_undo, why_unsupported
from gomogo_core.catalogue._commands import files_agent, pipe_agent
from gomogo_core.catalogue._folders import folder_agent
from gomogo_core.catalogue._python_files import file_agent
from gomogo_core.errors import UserError, suggest_name
from gomogo_core.folders import AGENTS_FOLDER
from gomogo_core.protocols import pipe_protocol_names

__all__ = [
    "Agent",
    "agent",
    "agents",
    "check_agents",
    "check_program",
    "to_team_name",
    "why_no_undo",
    "why_unsupported",
]


def agents(folder: Path = AGENTS_FOLDER) -> tuple[str, ...]:
    """Return the names of all agents in a folder: Python files, and folders with an agent.toml."""
    names = [path.stem for path in folder.glob("*.py") if not path.name.startswith("_")]
    names += [path.parent.name for path in folder.glob("*/agent.toml")]
    return tuple(sorted(names))


def agent(spec: str, name: str = "") -> Agent:
    """Return the agent that `spec` names. Raises UserError if the agent does not exist or its description is wrong.

    name: a name that replaces the agent's own.
    """
    result = _read_agent(spec)
    return replace(result, name=name) if name else result


def _read_agent(spec: str) -> Agent:
    if not _can_be_file_name(spec):
        raise UserError(f"{spec!r} is not an agent: a file cannot have this name.", "Name a file, or a built-in agent.")
    if spec.startswith("files:"):
        return files_agent(spec)
    protocol, colon, _ = spec.partition(":")
    if colon and protocol in pipe_protocol_names():
        return pipe_agent(spec, protocol)
    if (name := re.split(r"[:,;= ]", spec)[0]) != spec.split("?")[0] and name in agents():
        raise UserError(f"{spec!r} names no agent.", f"Options follow a question mark, as in {name}?depth=3.")
    if match := re.match(r"([a-z_]+):(?![\\/])", spec):
        suggestion = suggest_name(match[1], ["files", *pipe_protocol_names()])
        raise UserError(f"There is no protocol called {match[1]!r}.", suggestion)
    name_or_path, _, query = spec.partition("?")
    settings = dict(parse_qsl(query, keep_blank_values=True, strict_parsing=False))
    path = _agent_path(name_or_path)
    if path.is_dir():
        return folder_agent(spec, path, settings)
    return file_agent(spec, path, settings)


def _can_be_file_name(text: str) -> bool:
    """Return whether the text can be a file name on this system."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def _agent_path(name_or_path: str) -> Path:
    built_in = AGENTS_FOLDER / f"{name_or_path}.py"
    if re.fullmatch(r"[A-Za-z0-9_-]+", name_or_path):
        if os.path.isfile(built_in) and not name_or_path.startswith("_"):
            return built_in
        if os.path.isfile(AGENTS_FOLDER / name_or_path / "agent.toml"):
            return AGENTS_FOLDER / name_or_path
    path = Path(os.path.expanduser(name_or_path))
    if name_or_path and os.path.exists(path):  # Path.exists would raise an error for a name that is too long
        return path.resolve()
    if "/" in name_or_path or name_or_path.endswith(".py"):
        remedy = "Give the path of a .py file, or of a folder with an agent.toml."
        raise UserError(f"There is no agent at {name_or_path}.", remedy)
    remedy = f"{suggest_name(name_or_path, agents())} `gomogo list agents` lists all agents."
    if name_or_path and os.path.isfile(f"{name_or_path}.py"):
        remedy = f"There is a file of this name: write {name_or_path}.py."
    raise UserError(f"There is no agent called {name_or_path!r}.", remedy)
