"""What must start quickly, or run without an installation, imports the standard library and click only."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project._tracked import ROOT, house_agents

OURS = {"gomogo", "gomogo_core", "agents", "_path"}

FENCE = """
import sys
class Fence:
    def find_spec(self, name, path=None, target=None):
        top = name.partition('.')[0]
        if path is None and top not in sys.stdlib_module_names and top not in {allowed!r}:
            raise ModuleNotFoundError(f"{{name}} is beyond the fence", name=name)
sys.meta_path.insert(0, Fence())
"""


def fenced(tmp_path: Path, allowed: set[str]) -> dict[str, str]:
    """An environment in which every Python process, an agent's too, finds only these modules beside the library's."""
    (tmp_path / "sitecustomize.py").write_text(FENCE.format(allowed=allowed | {"sitecustomize"}), encoding="utf-8")
    paths = f"{tmp_path}{os.pathsep}{ROOT}"
    return {**os.environ, "PYTHONPATH": paths, "GOMOGO_DATA": str(tmp_path / "data")}


def run(command: list[str], environment: dict[str, str], cwd: Path) -> str:
    result = subprocess.run(
        [sys.executable, *command], cwd=cwd, env=environment, capture_output=True, encoding="utf-8", timeout=60
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_the_import_fence_blocks_other_packages(tmp_path: Path) -> None:
    environment = fenced(tmp_path, OURS)
    with pytest.raises(AssertionError, match="click is beyond the fence"):
        run(["-c", "import click"], environment, tmp_path)


@pytest.mark.parametrize("command", [["-m", "gomogo", "--help"], ["-m", "gomogo", "--version"]])
def test_the_command_line_needs_click_only(command: list[str], tmp_path: Path) -> None:
    assert "gomogo" in run(command, fenced(tmp_path, OURS | {"click"}), tmp_path)


def test_the_command_line_exits_without_garbage_collection(tmp_path: Path) -> None:
    """Python takes several as it ends: 0.2 s of processor time after the imports of the page."""
    code = "import atexit, gc; atexit.register(lambda: print(gc.get_freeze_count() > 0))"
    output = run(["-c", f"{code}; from gomogo.cli import main; main()", "--version"], {**os.environ}, ROOT)
    assert output.splitlines()[1:] == ["True"]


def test_a_worker_imports_neither_store_nor_screen(tmp_path: Path) -> None:
    """One starts for each core: 0.07 s of processor time."""
    run(["-c", "import tournaments.worker_process"], fenced(tmp_path, OURS | {"tournaments", "msgspec"}), tmp_path)


def test_a_worker_imports_no_module_that_few_games_need(tmp_path: Path) -> None:
    """These took a worker 12 ms of its 85 ms."""
    command = "import tournaments.worker_process, sys; print(*sys.modules)"
    loaded = run(["-S", "-c", command], {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}, tmp_path)
    assert not set(loaded.split()) & {"secrets", "shutil", "tempfile", "tomllib"}


@pytest.mark.parametrize("module", ["agent", "games", "search", "wire"])
def test_an_agent_needs_the_standard_library_only(module: str, tmp_path: Path) -> None:
    run(["-c", f"import gomogo_core.{module}"], fenced(tmp_path, OURS), tmp_path)


def test_our_agents_need_the_standard_library_only(tmp_path: Path) -> None:
    agents = house_agents()
    command = f"import sys; sys.path.insert(0, {str(ROOT / 'agents')!r}); import {', '.join(agents)}"
    run(["-c", command], fenced(tmp_path, OURS | {*agents}), tmp_path)


def test_game_test_needs_click_only_from_the_first_move_to_the_record(tmp_path: Path) -> None:
    command = [str(ROOT / "gameTest.py"), "greedy", "random_mover", "--json", "--option", "size=7", "--time", "5"]
    played = json.loads(run(command, fenced(tmp_path, OURS | {"click", "greedy", "random_mover"}), tmp_path))
    assert played["reason"] in ("line", "board_full")
    assert Path(played["record"]).is_relative_to(tmp_path)


def test_the_referee_needs_click_only(tmp_path: Path) -> None:
    assert "TEAM1 TEAM2" in run([str(ROOT / "referee.py"), "--help"], fenced(tmp_path, OURS | {"click"}), tmp_path)


HEAVY = {
    "argparse",
    "asyncio",
    "concurrent",
    "email",
    "http",
    "logging",
    "multiprocessing",
    "shutil",
    "ssl",
    "subprocess",
}


def test_an_agent_imports_no_heavy_standard_module(tmp_path: Path) -> None:
    command = "import gomogo_core.agent, sys; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    assert not set(run(["-S", "-c", command], environment, tmp_path).split()) & HEAVY
