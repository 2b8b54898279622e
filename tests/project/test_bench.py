"""Each program of bench/ runs with the smallest numbers that it accepts, and prints JSON. No figure is judged."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from importlib.util import find_spec

import pytest

from bench import gnugo
from gomogo_core import games
from gomogo_core.games.base import RESIGN
from gomogo_core.games.go import Go
from tests.project._tracked import ROOT, python_files

PROGRAMS = [
    pytest.param("boards", "--seconds 0.01 --rounds 1", ("numba",)),
    pytest.param("champion", "--positions 2 --puzzles 1", ("numba",)),
    pytest.param("core_pinning", "--games 1 --rounds 1", ()),
    pytest.param("wrong_endings", "--size 4 -n 1 --playouts 10", ("numba",)),
    pytest.param("missed_fives", "--games 2", ("numba", "onnxruntime")),
    pytest.param("games", "--games 2", ()),
    pytest.param("gnugo", "go_random -n 1 --size 5 --time 0.1", (), marks=pytest.mark.needs("gnugo")),
    pytest.param("late_moves", "--games 2 --workers 1 --burners 0 --time 0.05", ()),
    pytest.param("neural", "--rounds 1", ("numba", "onnxruntime")),
    pytest.param("openings", "--openings 1 --games 1", ()),
    pytest.param("page", "--clicks 1 --analyses 1 --moves 2 --watchers 1 --rounds 1 --think 0", ()),
    pytest.param("pipes", "--rounds 1 --games 2", (), marks=pytest.mark.needs("gcc")),
    pytest.param("playouts", "--seconds 0.01 --rounds 1", ("numpy",)),
    pytest.param("referee", "--rounds 1", ()),
    pytest.param("reviews", "-n 1 --rate 100", ("numba",)),
    pytest.param("sandbox", "--starts 1 --games 1", (), marks=pytest.mark.needs("bwrap")),
    pytest.param("search", "--positions 1 --repetitions 1", ()),
    pytest.param("start", "--rounds 1", ()),
    pytest.param("stored_games", "--games 4 --rounds 1", ()),
    pytest.param("tournament_report", "--games 3", ()),
    pytest.param("win_chances", "gomoku --games 1 --nodes 10 --scoring-nodes 10", ("numba",)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("program", "arguments", "packages"), PROGRAMS)
def test_a_bench_program_runs_and_prints_json(program: str, arguments: str, packages: tuple[str, ...]) -> None:
    for package in packages:
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    command = [sys.executable, "-m", f"bench.{program}", *arguments.split(), "--json"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)


@pytest.mark.needs("gnugo")
def test_a_resignation_ends_a_game_against_gnu_go() -> None:
    game = games.load("go", size=5)
    assert isinstance(game, Go)
    result = gnugo.play(lambda position, clock: RESIGN, {}, game, 2, 0, 0.1, 1)
    assert (result.margin, len(result.moves), result.moves[-1]) == (-math.inf, 2, RESIGN)


def test_every_bench_program_is_run() -> None:
    programs = {path.stem for path in python_files("bench") if not path.stem.startswith("_")}
    assert programs == {case.values[0] for case in PROGRAMS}
