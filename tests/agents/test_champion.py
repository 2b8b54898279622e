"""The champion as an agent: its openings, its time margins, and its moves while nothing is compiled yet."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gomogo_core import catalogue
from gomogo_core.agent import AgentClock
from gomogo_core.arena.confinement import resource_limits_of
from gomogo_core.engines import compiling
from gomogo_core.errors import UserError
from gomogo_core.games.base import Position
from gomogo_core.games.gomoku import Choice, Gomoku, GomokuPosition
from gomogo_core.processes.limits import DEFAULT_MEMORY_MB
from tests.agents._matches import EndlessCompilation, agent

PACKAGE = "gomogo_core.engines.gomoku"


@pytest.fixture
def champion() -> Any:
    """Return the agent's module."""
    return sys.modules[agent("champion").__module__]


def random_position(game: Gomoku, plies: int) -> GomokuPosition:
    """Return a game of the champion's player against itself with this number of plies."""
    player: Any = compiling.load(PACKAGE).EnginePlayer(game, memory_mb=1)
    position = game.start()
    for _ in range(plies):
        move, _info = player.choose(position, time.monotonic() + 0.15, nodes=1000)
        position = position.play(move)
    return position


def test_the_size_of_the_table_is_no_limit_of_the_program(tmp_path: Path) -> None:
    assert resource_limits_of(catalogue.agent("champion?memory_mb=1")).memory_mb == DEFAULT_MEMORY_MB + 1
    assert resource_limits_of(catalogue.agent("greedy?memory_mb=200")).memory_mb == 200
    other = tmp_path / "other.py"  # a program that is not Gomogo's cannot raise its own limit
    other.write_text("def choose(position, clock, *, memory_mb: int = 4000):\n    return None\n")
    assert resource_limits_of(catalogue.agent(f"{other}?memory_mb=300")).memory_mb == 300
    assert resource_limits_of(catalogue.agent(str(other))).memory_mb == DEFAULT_MEMORY_MB


@pytest.mark.slow  # compiles the engine
@pytest.mark.parametrize("opening", ["none", "takeover", "swap", "swap2"])
@pytest.mark.parametrize("size", [9, 15])
def test_the_champion_completes_every_opening(opening: str, size: int) -> None:
    position = random_position(Gomoku(size=size, opening=opening), 7)
    assert position.stones >= 4
    assert position.phase.value == "play" or opening == "swap2"


@pytest.mark.slow  # compiles the engine
def test_the_champion_chooses_the_winning_side() -> None:
    game = Gomoku(opening="swap")
    player: Any = compiling.load(PACKAGE).EnginePlayer(game, memory_mb=1)
    for stones, expected_moves in (("h8 a1 h9", Choice.SWAP), ("a1 h8 o15", Choice.STAY)):
        position = game.replay(stones.split())
        assert player.choose(position, time.monotonic() + 1.0)[0] is expected_moves


def test_the_champion_plays_by_other_means_until_compiled(champion: Any, monkeypatch: pytest.MonkeyPatch) -> None:

    monkeypatch.setattr(champion.compiling, "BackgroundLoad", EndlessCompilation)
    monkeypatch.setattr(champion._KeptState, "player_arguments", ())
    game = Gomoku()
    champion.prepare(game)
    position = game.replay(["h8", "a1", "h9", "a3", "h7", "a5", "h6", "a7"])
    clock = AgentClock({"per_move": 1.0}, None)
    assert game.format(champion.choose(position, clock)) in ("h5", "h10")


def test_rows_of_other_lengths_use_iterative_deepening(champion: Any) -> None:
    game = Gomoku(size=9, line=4)
    champion.prepare(game)
    position = game.replay(["e5", "a1", "e6", "a3", "e7", "a5"])
    assert game.format(champion.choose(position, AgentClock({"per_move": 1.0}, None))) in ("e4", "e8")


def test_without_numba_the_error_names_what_to_install(champion: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(champion._KeptState, "player_arguments", ())
    monkeypatch.setattr(compiling, "find_spec", lambda name: None)
    with pytest.raises(UserError) as raised:
        champion.prepare(Gomoku())
    assert "gomogo[engines]" in raised.value.remedy


def test_a_cache_folder_that_cannot_be_created_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setattr(compiling, "cache_folders", lambda package: [tmp_path / "file" / "cache"])
    own = compiling._writable_cache_folder(PACKAGE, must_be_empty=False)
    assert own.is_dir()
    assert tmp_path not in own.parents


def test_another_process_fills_an_incomplete_cache_before_the_engine_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    processes = list[subprocess.Popen[bytes]]()
    begin_process = subprocess.Popen

    def begin_recorded_process(*arguments: Any, **options: Any) -> Any:
        processes.append(begin_process(*arguments, **options))
        return processes[-1]

    monkeypatch.setattr(compiling, "is_compiled", lambda package: False)
    monkeypatch.setattr(subprocess, "Popen", begin_recorded_process)
    monkeypatch.setattr(compiling, "load", lambda package, replace_cache: processes[0].returncode)
    exit_status: Any = compiling.BackgroundLoad("gomogo_core.engines.capture_go").wait(100)
    assert exit_status == 0


def test_the_slower_search_is_prepared_before_the_first_clock(champion: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared_nodes = list[Position]()
    monkeypatch.setattr(champion.compiling, "BackgroundLoad", EndlessCompilation)
    monkeypatch.setattr(champion._KeptState, "player_arguments", ())
    monkeypatch.setattr(champion, "node_of", prepared_nodes.append)
    champion.prepare(Gomoku(size=9))
    assert prepared_nodes == [Gomoku(size=9).start()]


def test_the_player_is_built_outside_of_the_moves(champion: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    module = SimpleNamespace(EnginePlayer=lambda *arguments: threading.current_thread())
    monkeypatch.setattr(champion._KeptState, "player_arguments", ())
    monkeypatch.setattr(compiling, "load", lambda package, replace_cache: module)
    champion.prepare(Gomoku(size=9))
    assert champion._KeptState.background_load.wait(0) is not threading.current_thread()


def test_another_process_replaces_a_broken_cache(tmp_path: Path) -> None:
    package = "gomogo_core.engines.capture_go"
    compiling.load(package)
    complete = next(folder for folder in compiling.cache_folders(package) if (folder / "complete").exists())
    broken = shutil.copytree(complete, tmp_path / "broken")
    for path in broken.rglob("*.nb?"):
        path.write_bytes(path.read_bytes()[:100])
    script = f"""
import shutil
from pathlib import Path
from gomogo_core.engines import compiling

def replace_cache(package):
    shutil.copytree({str(complete)!r}, {str(broken)!r}, dirs_exist_ok=True)
    return True

compiling.cache_folders = lambda package: [Path({str(broken)!r})]
compiling._compile_in_other_process = replace_cache
module = compiling.BackgroundLoad({package!r}).wait(100)
print(sum(module.search.attacker_wins.stats.cache_misses.values()))
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert result.stdout.strip() == "0", result.stderr


def test_no_thread_compiles_while_the_interpreter_exits(tmp_path: Path) -> None:
    # LLVM aborts such a process
    (tmp_path / "slow_engine.py").write_text("""
import os, time
from numba.core.compiler_lock import global_compiler_lock

def compile_functions():
    for _ in range(1000):
        with global_compiler_lock:
            print("compiles", flush=True)
            time.sleep(0.05)
            print("pauses", flush=True)
        time.sleep(0.01)
""")
    script = f"""
import sys, time
from pathlib import Path
sys.path.insert(0, {str(tmp_path)!r})
from gomogo_core.engines import compiling
compiling.cache_folders = lambda package: [Path({str(tmp_path / "cache")!r})]
compiling.is_compiled = lambda package: True
compiling.BackgroundLoad("slow_engine")
time.sleep(0.1)
while "slow_engine" not in sys.modules or not hasattr(sys.modules["slow_engine"], "compile_functions"):
    time.sleep(0.01)
time.sleep(0.06)
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout.split()[-1:]) == (0, ["pauses"]), result.stderr


@pytest.mark.long
def test_a_truncated_cache_is_built_again(tmp_path: Path) -> None:
    compiling.load(PACKAGE)
    full = next(folder for folder in compiling.cache_folders(PACKAGE) if folder.is_dir())
    broken = tmp_path / "broken"
    shutil.copytree(full, broken)
    for path in broken.rglob("*.nb?"):
        path.write_bytes(path.read_bytes()[:100])
    script = (
        "from pathlib import Path; from gomogo_core.engines import compiling;"
        f"compiling.cache_folders = lambda package: [Path({str(broken)!r})];"
        f"print(compiling.load({PACKAGE!r}).__name__)"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert result.stdout.strip() == PACKAGE, result.stderr
