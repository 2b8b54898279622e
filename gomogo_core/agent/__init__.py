"""The agent's side of the file protocol: `run(choose)` makes a function into an agent process.

Knows games and the wire; no other player, no verdict. Standard library only, and quick to import: a process starts
for many a game.
"""

from __future__ import annotations

import contextlib
import signal
import sys
from pathlib import Path

from gomogo_core.agent._options import Choose, options_of, read_options
from gomogo_core.agent._seat import Program
from gomogo_core.errors import UserError
from gomogo_core.wire.lines import check_teams

__all__ = ["Choose", "load_choose", "main", "options_of", "read_options", "run"]

_HOUSE = Path(__file__).resolve().parent.parent.parent / "agents"


def run(choose: Choose, arguments: list[str] | None = None) -> None:
    """Play in this folder as the team named on the command line, until the game and all that follow it are over.

    arguments: TEAM, then NAME=VALUE for each keyword option of `choose`; by default those of the command line.
    `choose(position, clock, **options)` returns a move, or its text ("h8", "resign").
    """
    words = sys.argv[1:] if arguments is None else arguments
    try:
        if not words or "=" in words[0]:
            raise UserError(
                "An agent needs to know its team's name.", f"Run: python {sys.argv[0]} TEAM [NAME=VALUE ...]"
            )
        check_teams(words[:1])
        options = read_options(options_of(choose), dict(word.split("=", 1) for word in words[1:] if "=" in word))
        if stray := [word for word in words[1:] if "=" not in word]:
            raise UserError(f"{stray[0]!r} is no option.", "Write options as NAME=VALUE after the team's name.")
    except UserError as mistake:
        sys.exit(f"{mistake}")
    module = sys.modules.get(choose.__module__)
    with contextlib.suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # leaving in order takes our `.ready` along
    try:
        prepare, plays = getattr(module, "prepare", None), tuple(getattr(module, "GAMES", ()))
        Program(words[0], choose, options, prepare, plays).play_on()
    except UserError as mistake:
        sys.exit(f"{mistake}")
    except KeyboardInterrupt:
        sys.exit(3)
    except OSError as refused:
        if refused.filename is None:
            raise
        sys.exit(f"An agent cannot play here: {refused.filename}: {refused.strerror}.\nPlay in a folder of your own.")


def load_choose(path: Path) -> Choose:
    """The `choose` of the Python file at `path`, executed as a module, helpers beside it importable.

    Raises UserError where the file has none.
    """
    from importlib.util import module_from_spec, spec_from_file_location

    sys.path.insert(0, str(path.parent))
    if path.parent != _HOUSE:
        sys.dont_write_bytecode = True  # a game leaves nothing in other people's folders
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise UserError(f"{path} is no Python file.", "Name a file that ends in .py.")
    module = module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    choose: Choose | None = getattr(module, "choose", None)
    if choose is None:
        raise UserError(f"{path} has no function choose(position, clock).", "Write one, or name it files:TEAM:COMMAND.")
    return choose


def main() -> None:
    """Run the agent of a file: python -m gomogo_core.agent FILE TEAM [NAME=VALUE ...]."""
    try:
        choose = load_choose(Path(sys.argv[1]).resolve())
    except UserError as mistake:
        sys.exit(f"{mistake}")
    run(choose, sys.argv[2:])
