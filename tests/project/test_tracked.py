"""Files that a user adds to the clone are no part of the project: no test of the project looks at them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project._tracked import ROOT, copy_project, tracked

OF_A_USER = {  # each of these files would fail a test, or a check of `make lint`, if git tracked it
    "mine.py": "import os,sys\nx: int = 'no'\n",
    "agents/mine.py": "import tournaments\ndef choose(position, clock): return 'h8'\n",
    "bench/mine.py": "print('GOMOGO_MINE')\n",
    "docs/notes.md": "See [this](nowhere.md).\n\n```console\n$ nosuchprogram\n```\n",
    "gomogo_core/scratch/mine.py": "import agents\n",
    "run.log": f"{Path.home()}/games: played\n",
}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The project without git, with a user's files in it."""
    copy_project(tmp_path / "gomogo")
    return tmp_path / "gomogo"


def put_in(root: Path) -> None:
    for name, text in OF_A_USER.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def commit(root: Path) -> None:
    """Let git track what is there."""
    for words in (["init", "-q"], ["add", "--all"]):
        subprocess.run(["git", *words], cwd=root, check=True)


@pytest.mark.needs("git")
def test_the_project_consists_of_tracked_files(clone: Path) -> None:
    commit(clone)
    put_in(clone)
    assert [path.relative_to(clone) for path in tracked(clone)] == [path.relative_to(ROOT) for path in tracked()]


def test_without_git_the_source_distribution_lists_the_files(clone: Path) -> None:
    before = set(tracked(clone))
    assert {path.relative_to(clone) for path in before} == {path.relative_to(ROOT) for path in tracked()}
    put_in(clone)
    assert not {clone / "mine.py", clone / "run.log"} & set(tracked(clone))


@pytest.mark.slow
@pytest.mark.needs("git")
def test_files_of_a_user_break_no_test_or_check(clone: Path) -> None:
    commit(clone)
    put_in(clone)
    (clone / ".venv").mkdir()
    (clone / ".venv/bin").symlink_to(Path(sys.prefix) / "bin")
    (clone / ".venv/installed-dev").touch()
    if (checked := ROOT / ".mypy_cache").is_dir():  # only the user's files are new to mypy
        shutil.copytree(checked, clone / ".mypy_cache")
    environment = {**os.environ, "PYTHONPATH": str(clone)}
    pytest_words = [sys.executable, "-m", "pytest", "-q", "-n", "2", "tests/project", "tests/commands/test_list.py"]
    for words in (["make", "lint"], [*pytest_words, "tests/test_catalogue.py"]):
        result = subprocess.run(words, cwd=clone, env=environment, capture_output=True, encoding="utf-8", check=False)
        assert result.returncode == 0, result.stdout + result.stderr
