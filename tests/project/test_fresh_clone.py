"""A newcomer's first minutes: a clone of the committed files, and the README's two commands."""

from __future__ import annotations

import os
import subprocess
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(tmp_path / "gomogo")], check=True)
    return tmp_path / "gomogo"


def make(verb: str, clone: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "PYTHON"))}
    result = subprocess.run(
        ["make", verb], cwd=clone, env={**environment, "GOMOGO_REQUIRE_ALL": "1"}, capture_output=True, encoding="utf-8"
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.long
@pytest.mark.needs("git")
def test_make_tournament_plays_to_its_table(clone: Path) -> None:
    table = make("tournament", clone)
    for agent in ("random_mover", "greedy", "minimax", "alpha_beta", "iterative_deepening"):
        assert agent in table


@pytest.mark.long
@pytest.mark.needs("git")
def test_make_test_passes(clone: Path) -> None:
    assert " passed" in make("test", clone).splitlines()[-1]
    changed = subprocess.run(["git", "status", "--porcelain"], cwd=clone, capture_output=True, check=True)
    assert not changed.stdout, "the tests leave files behind"


@pytest.mark.long
@pytest.mark.needs("git")
def test_a_wheel_contains_agents_starters_and_the_default_tournament(clone: Path, tmp_path: Path) -> None:
    make("lint", clone)
    subprocess.run(
        [clone / ".venv/bin/python", "-m", "pip", "wheel", "--no-deps", "-w", tmp_path, "."], cwd=clone, check=True
    )
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        file_names = set(wheel.namelist())
    assert {"gomogo_core/agents/alpha_beta.py", "tournaments/house.toml", "gomogo/cli.py"} <= file_names
    assert {name.split("/")[0].partition("-")[0] for name in file_names} == {"gomogo", "gomogo_core", "tournaments"}
    starters = {f"gomogo_core/{path.relative_to(clone)}" for path in (clone / "agents" / "starters").glob("*/*")}
    assert "gomogo_core/agents/starters/c/bot.c" in starters
    assert starters <= file_names
