"""Describes agents that are a Python file with a function `choose`, without running the file.

The module parses the file, and reads only literal values (strings, numbers, lists) from it.
"""

from __future__ import annotations

import ast
import sys
import threading
from pathlib import Path
from typing import Any

from gomogo_core.catalogue._agent import Agent, to_team_name
from gomogo_core.catalogue._common_settings import COMMON_SETTING_NAMES, LIMIT_NAMES, CommonSettings, name_parts
from gomogo_core.errors import UserError
from gomogo_core.folders import AGENTS_FOLDER
from gomogo_core.regular_files import read_regular

_RUN_SCRIPT = "from gomogo_core.agent import main; main()"


def file_agent(spec: str, path: Path, settings: dict[str, str]) -> Agent:
    """Return the agent in a Python file. settings: the agent's options and common settings, from its spec.

    Raises UserError if the file is not an agent, or an option is unknown.
    """
    module = _parse_file(path)
    choose = next((node for node in module.body if isinstance(node, ast.FunctionDef) and node.name == "choose"), None)
    if choose is None:
        raise UserError(
            f"{path.name} has no function choose(position, clock): it seems to read the game's files itself.",
            f'Name it "files:TEAM:python {path} TEAM" to play it unchanged.',
        )
    literals = _literal_constants(module)
    game_names = literals.get("GAMES", ())
    if not isinstance(game_names, tuple | list | set) or not all(isinstance(game, str) for game in game_names):
        problem = f"{path.name}: GAMES = {game_names!r} is not a list of names."
        raise UserError(problem, 'Write for example GAMES = ("gomoku",).')
    summary = (ast.get_docstring(module) or "").partition("\n")[0]
    option_names = {option.arg for option in choose.args.kwonlyargs}
    own_names = {name for name in settings if name in option_names or name not in COMMON_SETTING_NAMES}
    option_texts = {name: settings[name] for name in settings if name in own_names}
    common_texts = {name: settings[name] for name in settings if name in LIMIT_NAMES or name not in own_names}
    common_settings, option_values = CommonSettings.parse(common_texts, spec), _option_values(choose, option_texts)
    is_human = path == AGENTS_FOLDER / "human.py"
    if is_human:
        for name, value in common_settings.limits.limits.items():
            raise UserError(f"{name} = {value}: a human has no limits", "Leave it out.")
    options = [f"{name}={value}" for name, value in option_texts.items()]
    return Agent(
        spec=spec,
        name=to_team_name(common_settings.name or "-".join([path.stem, *name_parts(settings, option_texts)])),
        summary=summary,
        command=(sys.executable, "-P", "-c", _RUN_SCRIPT, str(path), "{team}", *options),
        folder=path.parent,
        games=tuple(game_names),
        protocol="human" if is_human else "files",
        says_ready=True,
        keeps_running=bool(literals.get("KEEP_RUNNING", False)),
        settings=common_settings.limits,
        ponders=bool(common_settings.ponders),
        classic_pace=bool(common_settings.classic_pace),
        own_time_control=common_settings.own_time_control,
        receives_clock=not is_human,
        needs_balanced_openings=bool(literals.get("ENGINE", False)),
        engine_package=str(literals.get("COMPILED", "")),
        extra=str(literals.get("EXTRA", "")),
        numeric_option_values=tuple(item for item in option_values.items() if type(item[1]) in (int, float)),
    )


# Python 3.11 counts the recursion of all threads together, so parsing in two threads may raise SystemError
_parser_lock = threading.Lock()


def _parse_file(path: Path) -> ast.Module:
    try:
        with _parser_lock:
            return ast.parse(read_regular(path), path.name)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        # the last two errors mean that the code is nested too deeply
        raise UserError(
            f"{path} is not valid Python: {str(error) or 'it is nested too deeply'}.",
            "Fix that line.",
        ) from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}.", "Use a regular file that you may read.") from None


_LITERAL_ERRORS = (ValueError, TypeError, SyntaxError, RecursionError, MemoryError)  # the errors of ast.literal_eval


def _literal_constants(module: ast.Module) -> dict[str, Any]:
    constants: dict[str, Any] = {}
    for node in module.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            try:
                constants[node.targets[0].id] = ast.literal_eval(node.value)
            except _LITERAL_ERRORS:
                continue
    return constants


def _option_values(choose: ast.FunctionDef, settings: dict[str, str]) -> dict[str, Any]:
    """Return the values of all options. Raises UserError for a wrong value, as the agent itself would do."""
    defaults: dict[str, Any] = {}
    for name, default in zip(choose.args.kwonlyargs, choose.args.kw_defaults, strict=True):
        try:
            defaults[name.arg] = ast.literal_eval(default) if default is not None else ""
        except _LITERAL_ERRORS:
            defaults[name.arg] = ""
    if not settings:
        return defaults
    # imported here, because this module loads the agent's side of the protocol, which a referee does not need
    from gomogo_core.agent import read_options

    return {**defaults, **read_options(defaults, settings)}
