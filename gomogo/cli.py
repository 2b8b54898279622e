"""The `gomogo` command. Finds its subcommands by file name, and turns every error into a message and an exit code.

A subcommand is imported only when it is run. `gomogo --help` reads the first line of each module without importing it.
"""

from __future__ import annotations

import ast
import gc
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

import click
from click.shell_completion import CompletionItem

from gomogo_core import __version__
from gomogo_core.cancellation import GameCancelled
from gomogo_core.errors import UserError, suggest_name
from gomogo_core.printable import printable

EXIT_USER_ERROR, EXIT_USAGE_ERROR, EXIT_INTERRUPTED, EXIT_BUG = 1, 2, 3, 4
HELP_SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
_INTERRUPT_AGAIN_SECONDS = 0.01  # the delay before an ignored interrupt is raised again
# new objects between two garbage collections: imports and games make many objects, but few reference cycles
_GARBAGE_COLLECTION_THRESHOLD = 50_000
_COMMANDS = Path(__file__).with_name("commands")


class _Subcommands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        paths = [*_COMMANDS.glob("[!_]*.py"), *(path.parent for path in _COMMANDS.glob("[!_]*/__init__.py"))]
        return sorted(path.stem.replace("_", "-") for path in paths)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = import_module(f"gomogo.commands.{cmd_name.replace('-', '_')}").command
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the completions: the subcommands, without importing them, and the options of `gomogo` itself."""
        names = (name for name in self.list_commands(ctx) if name.startswith(incomplete))
        subcommands = [CompletionItem(name, help=_read_summary(name)) for name in names]
        return [*subcommands, *click.Command.shell_complete(self, ctx, incomplete)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        names = self.list_commands(ctx)
        if args and args[0] not in names and not args[0].startswith("-"):
            raise click.UsageError(f"There is no command {args[0]!r}. {suggest_name(args[0], names)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the first line of each command's docstring. The modules are not imported, so `--help` is fast."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, _read_summary(name)) for name in self.list_commands(ctx)])


def _read_summary(name: str) -> str:
    """Return the first line of a command's docstring, without importing its module."""
    path = _COMMANDS / f"{name.replace('-', '_')}.py"
    source = (path if path.is_file() else path.with_suffix("") / "__init__.py").read_text(encoding="utf-8")
    line = (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
    summary = line.removeprefix(f"The command `gomogo {name}`: ")  # the list already names the command
    return summary[:1].upper() + summary[1:]


@click.group(cls=_Subcommands, context_settings=HELP_SETTINGS)
@click.version_option(__version__, prog_name="gomogo")
def gomogo() -> None:
    """Let programs and people play board games under a referee."""


def main() -> None:
    """Run the command line, and end the process with its exit code."""
    run(gomogo)


def run(command: click.Command, name: str | None = None) -> None:
    """Run `command`, and end the process with an exit code: 0 success, 1 user error, 2 wrong usage, 3 interrupted, 4 a
    bug of Gomogo.
    """
    gc.set_threshold(_GARBAGE_COLLECTION_THRESHOLD)
    for signal_number in signal.Signals:
        # a signal that is ignored, such as SIGHUP under nohup, remains ignored
        if signal_number.name in ("SIGTERM", "SIGHUP") and signal.getsignal(signal_number) is not signal.SIG_IGN:
            signal.signal(signal_number, _interrupt)
    if hasattr(signal, "setitimer"):  # not on Windows
        signal.signal(signal.SIGALRM, _interrupt)
        sys.unraisablehook = _interrupt_again
    code = run_for_exit_code(lambda: command.main(prog_name=name, standalone_mode=False))
    # otherwise Python would collect garbage at its exit, although the end of the process frees all memory
    gc.freeze()
    sys.exit(code)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    """Handle a termination signal like Ctrl-C: processes end, temporary folders are removed, finished games are
    kept.
    """
    raise KeyboardInterrupt


def _interrupt_again(unraisable_error: sys.UnraisableHookArgs) -> None:
    """Raise an interrupt again shortly after Python has ignored it. Python ignores exceptions that are raised in a
    finalizer or in an import callback.
    """
    if unraisable_error.exc_type is KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, _INTERRUPT_AGAIN_SECONDS)
    else:
        sys.__unraisablehook__(unraisable_error)


def run_for_exit_code(command_function: Callable[[], Any]) -> int:
    """Run `command_function`, and return the exit code. An error is printed as a message."""
    stdout = sys.stdout
    try:
        result = command_function()
        sys.stdout.flush()
    except click.exceptions.Exit as command_exit:
        return command_exit.exit_code
    except click.UsageError as error:
        error.show()
        return EXIT_USAGE_ERROR
    except click.ClickException as error:
        error.show()
        return EXIT_USER_ERROR
    except UserError as error:
        # the message may quote the output of an untrusted program
        click.echo(printable(f"{error.problem}\n{error.remedy}", lines=True), err=True)
        return EXIT_USER_ERROR
    except SystemExit as error:  # after a broken pipe, click replaces stdout and exits with 1
        return 0 if sys.stdout is not stdout else _exit_code(error.code)
    except (KeyboardInterrupt, click.Abort, GameCancelled):
        click.echo("Interrupted.", err=True)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # the program that read the output has exited
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if error.filename is None and error.errno is None:
            return _report_bug(error)
        click.echo(printable(_system_error_text(error), lines=True), err=True)
        return EXIT_USER_ERROR
    except Exception as error:
        return _report_bug(error)
    return result if isinstance(result, int) else 0


def _exit_code(code: object) -> int:
    return code if isinstance(code, int) else EXIT_USER_ERROR if code else 0


def _system_error_text(error: OSError) -> str:
    """Return the message for an error of the operating system, such as a missing permission or a full disk."""
    file_prefix = f"{error.filename}: " if error.filename else ""
    return (
        f"The operating system reports an error: {file_prefix}{(error.strerror or str(error)).lower()}.\n"
        "Check the permissions and the free disk space, or choose another path."
    )


def _report_bug(error: BaseException) -> int:
    """Write a bug report to a file and print its path."""
    with tempfile.NamedTemporaryFile(
        "w", prefix="gomogo-report-", suffix=".txt", delete=False, encoding="utf-8", errors="backslashreplace"
    ) as report:
        report.write(f"gomogo {__version__}, Python {sys.version}, {sys.platform}\n{' '.join(sys.argv)}\n\n")
        report.write("".join(traceback.format_exception(error)))
    click.echo(
        printable(f"This is a bug in Gomogo: {type(error).__name__}: {error}.", lines=True)
        + f"\nPlease send us the report: {report.name}",
        err=True,
    )
    return EXIT_BUG
