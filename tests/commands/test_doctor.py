"""`gomogo doctor`: its checks, and its messages where one fails."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from click.testing import Result

from gomogo.commands import _installation, _machine
from gomogo.commands._diagnosis import Health
from gomogo_core.processes.process import Process
from gomogo_core.processes.run_folder import run_folders_parent
from gomogo_core.wire.inotify import CREATE, InotifyWatch

Gomogo = Callable[..., Result]


def findings(result: Result) -> dict[str, tuple[str, str]]:
    return {finding["name"]: (finding["state"], finding["words"]) for finding in json.loads(result.stdout)["findings"]}


def test_the_doctor_finds_no_fault_on_this_machine(run: Gomogo) -> None:
    result = run("doctor")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert {line[:10].strip() for line in lines} <= {"ok", "degraded", "missing"}
    names = [line[10:].partition(":")[0] for line in lines]
    for name in ("Python", "game folders", "inotify", "wake-up", "clock", "processes", "packages", "store", "records"):
        assert name in names


def test_json_contains_the_same_findings(run: Gomogo) -> None:
    result = run("doctor", "--json")
    assert json.loads(result.stdout)["works"] is True
    assert findings(result)["processes"][0] == "ok"


def test_polling_is_detected_and_named(run: Gomogo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOMOGO_INOTIFY", "off")
    state, words = findings(run("doctor", "--json"))["inotify"]
    assert state == "degraded"
    assert "switched off by GOMOGO_INOTIFY" in words


def test_a_kernel_that_refuses_a_watch_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(24, "too many open files")

    monkeypatch.setattr("gomogo_core.wire.inotify.InotifyWatch", refuse)
    finding = _machine._check_file_notifications(tmp_path)
    assert finding.health is Health.DEGRADED
    assert "too many open files" in finding.sentence


def test_inotify_instances_in_use_are_counted(tmp_path: Path) -> None:
    def left() -> int:
        (finding,) = _machine._check_inotify_limit()
        return int(finding.sentence.split(" ")[0])

    def counted() -> bool:
        before = left()
        with ExitStack() as watches:
            try:
                for _ in range(8):
                    watches.callback(InotifyWatch(str(tmp_path), CREATE).close)
            except OSError:  # other programs on this machine use nearly all
                return left() < 8
            return before - left() >= 8 - 6  # six: other programs may have freed some in the meantime

    assert any(counted() for _ in range(20))


def test_a_game_folder_on_disk_is_reported_as_degraded(
    run: Gomogo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOMOGO_FOLDER", str(tmp_path))
    state, words = findings(run("doctor", "--json"))["game folders"]
    assert state == "degraded"
    assert words.startswith(str(tmp_path))
    assert run_folders_parent() == (tmp_path, False)
    assert list(tmp_path.iterdir()) == []  # no file of the examination remains


def test_an_unusable_place_for_game_folders_is_a_failure(
    run: Gomogo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GOMOGO_FOLDER", str(tmp_path / "file"))
    result = run("doctor")
    assert result.exit_code == 1
    assert "missing   game folders: " in result.stdout


def test_a_store_that_cannot_be_written_makes_the_machine_unfit(run: Gomogo, tmp_path: Path) -> None:
    (tmp_path / "store.db").mkdir()
    result = run("doctor", "--store", "postgresql+nothing://nobody@localhost/x", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["works"] is False
    assert findings(result)["store"][0] == "missing"


def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        _installation, "_read_requirement_lines", lambda: ["click >= 8", "no-such-thing>=1", 'psycopg; extra == "p"']
    )
    findings = {finding.part_name: finding for finding in _installation.check_installation(None)}
    assert findings["packages"].is_fatal
    assert "pip install no-such-thing" in findings["packages"].sentence
    assert findings["store"].is_fatal
    assert not findings["extra p"].is_fatal


def test_requirements_are_read_as_packaging_writes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    written = ["click>=8.1", "psycopg[binary]>=3.1; extra == 'postgres'", 'pytest>=8 ; extra == "dev"']
    monkeypatch.setattr(_installation, "_read_requirement_lines", lambda: written)
    assert _installation._read_requirements() == (["click"], {"postgres": ["psycopg"]})


def test_a_process_that_outlives_its_agent_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Process, "end", lambda self: None)  # as on a system without a supervisor
    started: list[Process] = []
    original = Process.__init__

    def remember(self: Process, *args: object, **options: object) -> None:
        started.append(self)
        original(self, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Process, "__init__", remember)
    monkeypatch.setattr(_machine, "is_alive", lambda _: True)
    finding = _machine._check_process_tree(tmp_path)
    monkeypatch.undo()
    for process in started:
        process.end()
    assert finding.health is Health.DEGRADED
    assert "outlives its agent" in finding.sentence


def test_leftovers_are_counted(run: Gomogo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOMOGO_FOLDER", str(tmp_path))
    # the number of this process with another start time: an earlier process
    (tmp_path / f"gomogo-{os.getpid()}-1-abcd").mkdir()
    state, words = findings(run("doctor", "--json"))["left-overs"]
    assert state == "degraded"
    assert words.startswith("1 folders of runs that were killed")


def test_requirements_are_unknown_outside_an_installation(run: Gomogo, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> list[str]:
        raise FileNotFoundError(2, "No such file or directory", "pyproject.toml")

    monkeypatch.setattr(_installation, "_read_requirement_lines", unknown)
    result = run("doctor", "--json")
    assert result.exit_code == 0
    state, words = findings(result)["packages"]
    assert state == "missing"
    assert words.startswith("unknown: Gomogo is not installed")
    assert findings(result)["store"][0] == "ok"
