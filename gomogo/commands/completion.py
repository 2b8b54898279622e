"""The command `gomogo completion`: install completion by the Tab key in a shell.

The module handles shells and their configuration files; complete.py finds the words to complete.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from gomogo.command_group import CommandGroup
from gomogo_core.errors import UserError
from gomogo_core.folders import data_folder

_SHELLS = ("bash", "zsh", "fish")
_LINE_MARKER = "# completion of gomogo"
_shell_argument = click.argument("shell", type=click.Choice(_SHELLS), required=False)


@click.group(cls=CommandGroup, short_help="Complete commands, agents, games, runs and files in the shell.")
def command() -> None:
    """Completion by the Tab key in bash (4.4 and later), zsh and fish."""


@command.command()
@_shell_argument
def install(shell: str | None) -> None:
    """Install completion for SHELL, by default your own shell. Run this again after an update of Gomogo.

    In bash and zsh this adds a line to ~/.bashrc or ~/.zshrc; delete the line to remove completion. For fish it writes
    a file of completions.
    """
    shell = shell or _current_shell()
    script = _completion_script(shell)
    if shell == "fish":
        path = (
            Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "fish" / "completions" / "gomogo.fish"
        )
        _write_script(path, script)
        click.echo(f"Completion is in {path}. Open a new terminal.")
        return
    path = data_folder() / f"completion.{shell}"
    _write_script(path, script)
    settings = Path(os.environ.get("ZDOTDIR") or Path.home(), ".zshrc") if shell == "zsh" else Path.home() / ".bashrc"
    old_text = settings.read_text(encoding="utf-8", errors="surrogateescape") if settings.exists() else ""
    if _LINE_MARKER not in old_text:
        ready = "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }; " if shell == "zsh" else ""
        quoted = shlex.quote(str(path))
        end = "" if old_text.endswith("\n") or not old_text else "\n"
        line = f"{end}[ ! -f {quoted} ] || {{ {ready}. {quoted}; }}  {_LINE_MARKER}\n"
        with settings.open("a", encoding="utf-8") as file:
            file.write(line)
    click.echo(f"Completion is in {path}, and {settings} reads it. Open a new terminal.")


@command.command()
@_shell_argument
def show(shell: str | None) -> None:
    """Print the completion script for SHELL, so that you can install it in another way."""
    click.echo(_completion_script(shell or _current_shell()))


def _current_shell() -> str:
    name = Path(os.environ.get("SHELL", "")).name
    if name not in _SHELLS:
        raise UserError("Cannot detect your shell.", f"Name your shell: {', '.join(_SHELLS)}.")
    return name


def _completion_script(shell: str) -> str:
    from gomogo.cli import gomogo

    kind = get_completion_class(shell)
    assert kind is not None
    return kind(gomogo, {}, "gomogo", "_GOMOGO_COMPLETE").source()


def _write_script(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(
            f"{path} cannot be written: {error.strerror}.",
            "Use `gomogo completion show` and install its output yourself.",
        ) from None
