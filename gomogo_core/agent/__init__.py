"""The agent's side of the file protocol: `run(choose)` turns a function into an agent process.

The package depends on games and the file protocol. It needs only the standard library and is quick to import, because
many games start a new process for each agent.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from gomogo_core.agent._options import Choose, options_of, read_options
from gomogo_core.agent._program import AgentProgram
from gomogo_core.agent.clock import AgentClock
from gomogo_core.errors import UserError
from gomogo_core.folders import AGENTS_FOLDER
from gomogo_core.games.base import Game
from gomogo_core.wire.lines import check_teams

__all__ = ["AgentClock", "Choose", "load_choose", "main", "options_of", "read_options", "run"]

_GOMOGO_CORE_FOLDER = Path(__file__).resolve().parent.parent
# the code whose frames are hidden in tracebacks, because the authors of agents do not need them
_HIDDEN_PACKAGES = ("agent", "wire", "games")
_FOLDERS_HIDDEN_IN_TRACEBACKS = tuple(f"{_GOMOGO_CORE_FOLDER / package}{os.sep}" for package in _HIDDEN_PACKAGES)


def run(choose: Choose, arguments: list[str] | None = None) -> None:
    """Play this game and all following games in this folder, as the team named on the command line.

    choose: `choose(position, clock, **options)` returns a move, or its text ("h8", "resign"). arguments: TEAM, then
    NAME=VALUE for each option of `choose`; by default the arguments of the command line.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        if not arguments or "=" in arguments[0]:
            remedy = f"Run: python {sys.argv[0]} TEAM [NAME=VALUE ...]"
            raise UserError("An agent needs to know its team's name.", remedy)
        check_teams(arguments[:1])
        options = read_options(options_of(choose), dict(word.split("=", 1) for word in arguments[1:] if "=" in word))
        if words_without_value := [word for word in arguments[1:] if "=" not in word]:
            remedy = "Write options as NAME=VALUE after the team's name."
            raise UserError(f"{words_without_value[0]!r} is not an option.", remedy)
    except UserError as error:
        sys.exit(f"{error}")
    sys.excepthook = _print_agent_traceback
    module = sys.modules.get(choose.__module__)
    with contextlib.suppress(ValueError):  # signals can be handled only in the main thread
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # an orderly exit removes `TEAM.ready`
    try:
        prepare = _bind_options(getattr(module, "prepare", None), options)
        AgentProgram(arguments[0], choose, options, prepare, tuple(getattr(module, "GAMES", ()))).play_games()
    except UserError as error:
        sys.exit(f"{error}")
    except KeyboardInterrupt:
        sys.exit(3)
    except OSError as error:
        if error.filename is None:
            raise
        sys.exit(f"An agent cannot play here: {error.filename}: {error.strerror}.\nPlay in a folder of your own.")


def _bind_options(prepare: Callable[..., None] | None, options: Mapping[str, Any]) -> Callable[[Game], None] | None:
    """Return a function that calls `prepare` with a game, and with those of the agent's options that `prepare`
    accepts.
    """
    if prepare is None:
        return None
    return partial(prepare, **{name: options[name] for name in options_of(prepare) if name in options})


def _print_agent_traceback(
    error_type: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    """Print an error with a traceback that contains only the agent's own code."""
    frames, next_frame = list[TracebackType](), traceback
    while next_frame is not None:
        file_name = next_frame.tb_frame.f_code.co_filename
        if not file_name.startswith(_FOLDERS_HIDDEN_IN_TRACEBACKS) and not (file_name.startswith("<") and not frames):
            frames.append(next_frame)
        next_frame = next_frame.tb_next
    agent_traceback: TracebackType | None = None
    for frame in reversed(frames):
        agent_traceback = TracebackType(agent_traceback, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    sys.__excepthook__(error_type, error.with_traceback(agent_traceback), agent_traceback)


def load_choose(path: Path) -> Choose:
    """Return the function `choose` of the Python file at `path`, which is executed as a module.

    Modules beside the file are importable. Raises UserError if the file has no `choose`.
    """
    from importlib.util import module_from_spec, spec_from_file_location

    sys.path.insert(0, str(path.parent))
    if path.parent != AGENTS_FOLDER:
        sys.dont_write_bytecode = True  # do not write bytecode into the user's folder
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise UserError(f"{path} is not a Python file.", "Name a file that ends in .py.")
    module = module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    choose: Choose | None = getattr(module, "choose", None)
    if choose is None:
        raise UserError(
            f"{path} has no function choose(position, clock).",
            "Write that function, or start the agent as files:TEAM:COMMAND.",
        )
    return choose


def main() -> None:
    """Run the agent of a file: python -m gomogo_core.agent FILE TEAM [NAME=VALUE ...]."""
    sys.excepthook = _print_agent_traceback
    try:
        choose = load_choose(Path(sys.argv[1]).resolve())
    except UserError as error:
        sys.exit(f"{error}")
    run(choose, sys.argv[2:])
