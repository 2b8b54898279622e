"""Helpers of the command tests: they run a command as a person does, in a separate folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gomogo.cli import gomogo

Gomogo = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Gomogo:
    """Run `gomogo WORDS` in an empty folder; a mistake of the user is the result's `exception`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GOMOGO_STORE", raising=False)
    monkeypatch.setenv("GOMOGO_DATA", str(tmp_path_factory.mktemp("data")))

    def invoke(*words: str) -> Result:
        return CliRunner().invoke(gomogo, list(words))

    return invoke
