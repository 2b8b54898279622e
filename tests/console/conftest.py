"""A folder to play in: a bot that always answers alike, and the commands as a person starts them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from gomogo.cli import gomogo, run_for_exit_code

ROOT = Path(__file__).resolve().parents[2]
BOT = '''"""Plays far from everything, then the last empty point."""
import time


def choose(position, clock, *, wait: float = 0.0):
    time.sleep(wait)
    empty = [position.game.format(move) for move in position.moves()]
    return next((point for point in ("e5", "a5", "e1", "b4") if point in empty), empty[-1])
'''


class PlayFolder:
    """A folder with `bot.py` in it, and nothing stored yet."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "bot.py").write_text(BOT)
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("GOMOGO", "NO_COLOR"))},
            "PYTHONPATH": str(ROOT),
            "GOMOGO_DATA": str(folder / "data"),
            "TERM": "xterm",
            "COLUMNS": "80",
        }

    def words(self, *arguments: str, script: str = "") -> list[str]:
        """A command line of `gomogo`, of a script beside it, or of another module."""
        start = [str(ROOT / script)] if script.endswith(".py") else ["-m", script or "gomogo"]
        return [sys.executable, "-W", "error", "-W", "ignore:invalid escape sequence", *start, *arguments]

    def run(self, arguments: Sequence[str], typed: str = "", script: str = "") -> subprocess.CompletedProcess[str]:
        """Run it with these lines on its standard input. If it hangs, the test fails and says where."""
        pipe, words = subprocess.PIPE, self.words(*arguments, script=script)
        environment = {**self.environment, "PYTHONFAULTHANDLER": "1"}
        with subprocess.Popen(
            words, cwd=self.folder, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True
        ) as process:
            try:
                out, err = process.communicate(typed, timeout=120)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGABRT)  # faulthandler then writes the stack of each thread
                out, err = process.communicate()
                pytest.fail(f"it did not end\n{out}\n{err}")
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def run_in_process(self, arguments: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> int:
        """Run `gomogo` within this process, for what ends before anything is played: its exit code."""
        monkeypatch.chdir(self.folder)
        return run_for_exit_code(lambda: gomogo.main(list(arguments), prog_name="gomogo", standalone_mode=False))

    def play(self, *arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        """Run `gomogo play` on a small board where three in a row win."""
        return self.run(["play", *arguments, "-o", "size=5", "-o", "line=3"], typed)


@pytest.fixture
def place(tmp_path: Path) -> PlayFolder:
    return PlayFolder(tmp_path)
