"""A course with one arena agent, and the command that runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gomogo.cli import gomogo, run_for_exit_code
from tests.tournaments._commands import Command, CommandResult
from tests.tournaments.submissions._class import HOUSE
from tests.tournaments.submissions._course_runs import COURSE_TOML


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run `gomogo tournament ARGUMENTS` in a folder with course.toml and the arena agent house/last.py."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GOMOGO_STORE", raising=False)
    Path("course.toml").write_text(COURSE_TOML)
    Path("house").mkdir()
    Path("house/last.py").write_text(HOUSE)

    def run(*arguments: str) -> CommandResult:
        words = ["tournament", *arguments]
        code = run_for_exit_code(lambda: gomogo.main(words, prog_name="gomogo", standalone_mode=False))
        return CommandResult(code, *capsys.readouterr())

    return run
