"""A program has a control group of its own where the system lets us make one; its tree is ended in any case."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gomogo_core.processes import process
from gomogo_core.processes.cgroup import Cgroup, own_cgroup_folder, remove_stale_groups
from gomogo_core.processes.process import Process
from tests.processes.test_process import LEAVES_A_GRANDCHILD, gone, start, wait_for


def test_a_program_and_its_children_are_in_their_own_group(tmp_path: Path) -> None:
    started = start(tmp_path, LEAVES_A_GRANDCHILD.format(then="time.sleep(60)"))
    grandchild = wait_for(tmp_path / "grandchild")
    group = Path(f"/proc/{grandchild}/cgroup").read_text().partition("0::")[2].strip()
    started.end()
    assert ("/gomogo-" in group) == bool(own_cgroup_folder())
    assert gone(grandchild)
    assert not own_cgroup_folder() or not Path(f"{own_cgroup_folder()}/{Path(group).name}").exists()


def test_a_tree_is_ended_without_control_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_cgroup_folder", lambda: "")
    started = start(tmp_path, LEAVES_A_GRANDCHILD.format(then="time.sleep(60)"))
    grandchild = wait_for(tmp_path / "grandchild")
    started.end()
    assert gone(grandchild)


@pytest.mark.parametrize("cgroup_path", [True, False])
def test_a_program_starts_without_a_control_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cgroup_path: bool
) -> None:
    folder = tmp_path / "groups"
    if cgroup_path:  # and is no file system of groups
        folder.mkdir()
    monkeypatch.setattr(process, "_cgroup_folder", lambda: str(folder))
    started = Process([sys.executable, "-c", "raise SystemExit(3)"], tmp_path, os.environ)
    assert started.wait(120)
    assert started.exit_description() == "exited with code 3"
    started.end()
    assert not folder.exists() or list(folder.iterdir()) == []


@pytest.mark.parametrize("name", ["swept away", "."])
def test_a_fork_works_without_a_usable_group(tmp_path: Path, name: str) -> None:
    group = Cgroup.__new__(Cgroup)
    group._path = str(tmp_path / name)
    child = group.fork()
    if not child:
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_empty_groups_of_dead_supervisors_are_removed(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    dead, used, alive = (
        f"gomogo-{ended.pid}",
        f"gomogo-{2**22 + 1}",
        f"gomogo-{os.getpid()}",
    )  # the second is no process
    for name in (dead, f"{used}/group", alive, "another"):
        (tmp_path / name).mkdir(parents=True)
    remove_stale_groups(str(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["another", used, alive])
    remove_stale_groups(str(tmp_path / "none"))
