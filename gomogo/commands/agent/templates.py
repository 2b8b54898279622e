"""Writes a new agent: a Python file with `choose`, a folder with that file and an agent.toml, or a copy of a starter.

The module checks the name of the agent, and runs no program.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from gomogo.commands.agent.starters import starter_files
from gomogo.output_files import write_atomically
from gomogo_core.catalogue import agents
from gomogo_core.errors import UserError

_AGENT_NAME_PATTERN = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,35}")
_BOT_TEMPLATE = '''"""{name}: plays a move that wins at once if there is one, else a random move."""

from __future__ import annotations

import random
import time

{path}from gomogo_core.games.base import Move, Position
from gomogo_core.agent import AgentClock
{games}

def choose(position: Position, clock: AgentClock) -> Move:
    """Return one of position.moves(), not later than clock.stop_at."""
    moves = list(position.moves())
    for move in moves:
        if time.monotonic() > clock.stop_at:
            break
        outcome = position.play(move).outcome()
        if outcome is not None and outcome.winner == position.to_move:
            return move
    return random.choice(moves)


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
'''
_TOML_TEMPLATE = """# How Gomogo runs this program. {{team}} stands for its name in a game, {{here}} for this folder.
name = "{name}"
command = [{python}, "{{here}}/{name}.py", "{{team}}"]

# When it is loaded, it writes its process id into the file TEAM.ready. Remove this line for a legacy program, which
# does not read game.json and history_file: it gets 10 s per move, and one second to load.
ready = true
{games}
# protocol = "files"       # how the referee communicates with it: files, json, gomocup or gtp
# build = "make"           # the command that builds it, run in this folder
"""
_GAMES_COMMENT = "# the games that it plays; without this line, all"


def write_agent(
    parent: Path, name: str, game: str | None, *, folder: bool, starter: Path | None = None, pipes: bool = False
) -> Path:
    """Write the agent `name` into `parent`, and return its path, relative to `parent`.

    game: the only game that the agent plays; None for all games. starter: the folder of a starter to copy; with
    `pipes`, the copy communicates over pipes. Without a starter, the agent is a Python file; with `folder`, this file
    is in a folder with an agent.toml. Raises UserError for an invalid name, and if a file or folder of this name
    already exists.
    """
    _check_name(name)
    target = Path(name if folder or starter else f"{name}.py")
    try:
        if starter is not None:
            _write_folder(parent / target, starter_files(starter, name, pipes=pipes))
        elif folder:
            _write_folder(
                parent / target, {"agent.toml": _toml_text(name, game), f"{name}.py": _bot_text(None, name, game)}
            )
        else:
            write_atomically(parent / target, _bot_text(parent, name, game).encode(), must_be_new=True)
    except FileExistsError:
        raise UserError(f"{target} already exists.", "Choose another name, or remove it.") from None
    return target


def _write_folder(folder: Path, texts: Mapping[str, str]) -> None:
    """Create a folder with these files, or raise FileExistsError or another OSError and leave no folder."""
    folder.mkdir()
    try:
        for file, text in texts.items():
            write_atomically(folder / file, text.encode(), must_be_new=True)
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _check_name(name: str) -> None:
    if not _AGENT_NAME_PATTERN.fullmatch(name):
        raise UserError(
            f"{name!r} is not a valid name for an agent, since it is also the name of a Python file.",
            "Use at most 36 letters, digits and '_', and begin with a letter.",
        )
    if name.casefold() in {word.casefold() for word in (*agents(), "agent", "referee")}:
        raise UserError(f"An agent or a file of Gomogo is already called {name}.", "Choose another name.")
    if name in sys.stdlib_module_names or name in ("gomogo", "gomogo_core", "tournaments"):
        raise UserError(f"{name} is the name of a Python module, which the bot would shadow.", f"Try my_{name}.")


def _bot_text(folder: Path | None, name: str, game: str | None) -> str:
    is_beside_our_agents = folder is not None and (folder / "_path.py").is_file()
    path_import = (
        "import _path  # noqa: F401  (lets the file run from a clone that is not installed)\n\n"
        if is_beside_our_agents
        else ""
    )
    games = f'\nGAMES = ("{game}",)  {_GAMES_COMMENT}\n' if game else ""
    return _BOT_TEMPLATE.format(name=name, path=path_import, games=games)


def _toml_text(name: str, game: str | None) -> str:
    games = f'\ngames = ["{game}"]  {_GAMES_COMMENT}\n' if game else ""
    return _TOML_TEMPLATE.format(name=name, python=json.dumps(_python_command()), games=games)


def _python_command() -> str:
    """Return the command for this Python: `python3` or `python` if one of them starts it, else its path."""
    for name in ("python3", "python"):
        executable = shutil.which(name)
        if executable is not None and Path(executable).resolve() == Path(sys.executable).resolve():
            return name
    return Path(sys.executable).as_posix()
