"""`gomogo clean` removes the remains of dead runs, and leaves the files of living runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from click.testing import Result
from filelock import FileLock

from gomogo.commands._leftovers import find_leftovers
from gomogo_core.arena import child_environment
from gomogo_core.processes.run_folder import RunFolder
from gomogo_core.records.paths import store_record
from tests.records.conftest import played_by

Gomogo = Callable[..., Result]
DIE = (
    "import os\nfrom gomogo_core.processes.run_folder import RunFolder\n"
    "folder = RunFolder()\n(folder.path / 'game').mkdir()\nprint(folder.path)\n"
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for game folders that no other run on this machine uses."""
    place = tmp_path / "place"
    place.mkdir()
    monkeypatch.setenv("GOMOGO_FOLDER", str(place))
    monkeypatch.setattr("tempfile.tempdir", str(place))
    return place


@pytest.fixture
def dead(place: Path) -> Path:
    """The folder of a run that was killed."""
    died = subprocess.run(
        [sys.executable, "-c", DIE], env=child_environment(), capture_output=True, text=True, check=True
    )
    folder = Path(died.stdout.strip())
    assert folder.parent == place
    return folder


@pytest.fixture
def stray(dead: Path) -> Iterator[subprocess.Popen[bytes]]:
    """An agent that outlived its run."""
    process = subprocess.Popen(["sleep", "60"], cwd=dead / "game", start_new_session=True)
    yield process
    process.kill()
    process.wait()


def test_the_folder_of_a_dead_run_is_removed(run: Gomogo, dead: Path) -> None:
    cleaned = run("clean")
    assert cleaned.stdout == f"removed folder {dead}, whose run died\n"
    assert not dead.exists()


def test_the_folder_of_a_living_run_stays(run: Gomogo, place: Path) -> None:
    living = RunFolder()
    cleaned = run("clean")
    assert cleaned.stderr == "There is nothing to clean.\n"
    assert living.path.is_dir()
    living.close()


def test_a_link_with_the_name_of_a_dead_run_is_not_followed(run: Gomogo, dead: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "precious").write_text("x")
    link = dead.with_name(f"{dead.name[:-1]}z")
    link.symlink_to(tmp_path / "home")
    assert run("clean").stdout == f"removed folder {dead}, whose run died\n"
    assert (tmp_path / "home" / "precious").read_text() == "x"


def test_foreign_folders_stay(run: Gomogo, place: Path) -> None:
    for name in ("gomogo", "gomogo-notes-of-mine", "else"):
        (place / name).mkdir()
    assert run("clean").stdout == ""
    assert len(list(place.iterdir())) == 3


def test_an_agent_that_outlived_its_run_is_ended(run: Gomogo, dead: Path, stray: subprocess.Popen[bytes]) -> None:
    lines = run("clean").stdout.splitlines()
    assert lines[0] == f"removed process {stray.pid} (sleep) in {dead}, whose run died"
    assert lines[1] == f"removed folder {dead}, whose run died"
    assert not psutil.pid_exists(stray.pid)


def test_a_shell_in_the_folder_is_left_alone(
    run: Gomogo, stray: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(psutil.Process, "terminal", lambda _: "/dev/pts/7")
    assert "process" not in run("clean").stdout
    assert stray.poll() is None


def test_a_dry_run_lists_the_remains_and_removes_none(run: Gomogo, dead: Path, stray: subprocess.Popen[bytes]) -> None:
    report = json.loads(run("clean", "--dry-run", "--json").stdout)
    assert report["dry_run"] is True
    assert [leftover["kind"] for leftover in report["removed"]] == ["process", "folder"]
    assert dead.is_dir()
    assert stray.poll() is None
    assert run("clean", "--dry-run").stdout.startswith("would remove process ")


def test_unheld_locks_are_removed_and_held_locks_stay(run: Gomogo, place: Path, tmp_path: Path) -> None:
    stale, held_lock = tmp_path / "gomogo.db.house.lock", tmp_path / "gomogo.db.spring.lock"
    stale.touch()
    with FileLock(held_lock):
        assert run("clean").stdout == f"removed lock {stale}, which no process has locked\n"
        assert held_lock.exists()
    assert not stale.exists()


def test_locks_are_searched_beside_the_named_store(run: Gomogo, place: Path, tmp_path: Path) -> None:
    other = tmp_path / "far" / "mine.db.house.lock"
    other.parent.mkdir()
    other.touch()
    (tmp_path / "gomogo.db.house.lock").touch()
    run("clean", "--store", "far/mine.db")
    assert not other.exists()
    assert (tmp_path / "gomogo.db.house.lock").exists()


def test_live_files_of_dead_referees_are_removed(run: Gomogo, place: Path, tmp_path: Path) -> None:
    dead_process = subprocess.Popen(["true"])
    dead_process.wait()
    live = tmp_path / "live"
    live.mkdir()
    for name, content in {
        "dead": json.dumps({"event": "started", "process": dead_process.pid}) + "\n",
        "running": json.dumps({"event": "started", "process": os.getpid()}) + "\n",
        "strange": "[]\n",
        "empty": "",
    }.items():
        (live / f"{name}.jsonl").write_text(content)
    run("clean")
    assert sorted(path.stem for path in live.iterdir()) == ["empty", "running", "strange"]


def test_undeletable_remains_are_reported_and_others_removed(
    run: Gomogo, dead: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Path) -> None:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "gomogo.db.house.lock").touch()
    monkeypatch.setattr("gomogo.commands._leftovers.remove_tree", refuse)
    cleaned = run("clean")
    assert cleaned.exit_code == 1
    assert cleaned.stderr == f"folder {dead}, whose run died, remains: permission denied\n"
    assert cleaned.stdout.startswith("removed lock ")


def test_a_second_clean_finds_nothing(run: Gomogo, dead: Path) -> None:
    run("clean")
    assert run("clean").stderr == "There is nothing to clean.\n"


def test_a_lock_without_permission_is_left_alone(run: Gomogo, place: Path, tmp_path: Path) -> None:
    (tmp_path / "gomogo.db.house.lock").mkdir()  # opening it fails even if the tests run as root
    assert run("clean").stderr == "There is nothing to clean.\n"


def test_a_lock_taken_after_the_search_stays(place: Path, tmp_path: Path) -> None:
    lock = tmp_path / "gomogo.db.house.lock"
    lock.touch()
    (leftover,) = find_leftovers(tmp_path / "gomogo.db")
    with FileLock(lock), pytest.raises(OSError, match="a process has locked it"):
        leftover.remove()
    assert lock.exists()


def test_old_records_of_games_without_a_writable_home_are_removed(
    run: Gomogo, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("GOMOGO_DATA", str(tmp_path / "file"))
    old, fresh = store_record(played_by()).parent, store_record(played_by()).parent
    long_ago = time.time() - 3600
    os.utime(old, (long_ago, long_ago))
    assert run("clean").stdout == f"removed records {old}, of a game played without a writable home folder\n"
    assert (old.exists(), fresh.exists()) == (False, True)
