"""What every command shares: exit codes, and words for every failure."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from gomogo.cli import gomogo, run_for_exit_code
from gomogo.one_game import game_test, referee
from gomogo_core.cancellation import GameCancelled
from gomogo_core.errors import UserError

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (UserError("What.", "Do."), 1),
        (PermissionError(13, "Permission denied", "/x"), 1),
        (OSError(28, "No space left on device"), 1),
        (click.UsageError("no"), 2),
        (KeyboardInterrupt(), 3),
        (click.Abort(), 3),
        (GameCancelled(), 3),
        (ZeroDivisionError("bug"), 4),
    ],
)
def test_each_failure_has_its_exit_code_and_message(
    fault: BaseException,
    code: int,
    capsys: pytest.CaptureFixture[str],
    tmp_path: object,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def body() -> None:
        raise fault

    assert run_for_exit_code(body) == code
    error_text = capsys.readouterr().err
    assert error_text
    assert "Traceback" not in error_text
    if code == 1:
        assert len(error_text.splitlines()) == 2


@pytest.mark.parametrize("group", ["agent", "game", "tournament"])
def test_the_help_of_a_group_does_not_cut_sentences(group: str) -> None:
    command = import_module(f"gomogo.commands.{group}").command
    help_text = CliRunner().invoke(command, ["--help"], terminal_width=60).stdout
    help_text = help_text.partition("Commands:")[2]
    assert "..." not in help_text
    for name in command.commands:
        assert f"  {name} " in help_text


@pytest.mark.parametrize("command", [gomogo, referee, game_test])
def test_help_has_a_short_name(command: click.Command) -> None:
    assert CliRunner().invoke(command, ["-h"]).stdout.startswith("Usage: ")


@pytest.mark.needs("bash")
def test_a_closed_output_pipe_is_not_an_error() -> None:
    command = f"{sys.executable} -m gomogo list games --json | true; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert result.stdout == "0\n"
    assert result.stderr == ""


def test_an_unknown_command_names_the_nearest() -> None:
    result = subprocess.run([sys.executable, "-m", "gomogo", "mtach"], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "Did you mean match?" in result.stderr


HANGS_UP = """
import os, signal, click
from gomogo.cli import run

signal.signal(signal.SIGHUP, signal.{before})

@click.command()
def hang_up():
    os.kill(os.getpid(), signal.SIGHUP)

run(hang_up)
"""


@pytest.mark.parametrize(("before", "code"), [("SIG_DFL", 3), ("SIG_IGN", 0)])  # the latter under nohup
def test_a_hangup_ends_a_command_that_does_not_ignore_it(before: str, code: int) -> None:
    result = subprocess.run([sys.executable, "-c", HANGS_UP.format(before=before)], capture_output=True, check=False)
    assert result.returncode == code


def test_an_interrupt_swallowed_in_a_finalizer_is_repeated() -> None:
    code = """
import click, os, signal
from gomogo.cli import run

class Leaving:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        sum(range(1000))

@click.command()
def command():
    Leaving()
    signal.pause()

signal.signal(signal.SIGINT, signal.default_int_handler)
run(command)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (result.returncode, result.stderr.strip()) == (3, "Interrupted.")


def test_an_interrupt_while_the_command_is_imported_prints_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(60)\n")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    result = subprocess.run([sys.executable, "-m", "gomogo"], env=environment, capture_output=True, check=False)
    assert (result.returncode, result.stderr) == (3, b"")
