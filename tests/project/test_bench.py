"""Each program of bench/ runs with the smallest numbers that it accepts, and prints JSON. No figure is judged."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.project._tracked import ROOT, python_files

SLOW = pytest.mark.slow
PROGRAMS = [
    pytest.param("boards", "--seconds 0.01 --rounds 1", ("numba",)),
    pytest.param("champion", "--positions 2 --puzzles 1", ("numba",), marks=SLOW),
    pytest.param("cores", "--games 1 --rounds 1", ()),
    pytest.param("endings", "--size 4 -n 1 --playouts 10", ("numba",), marks=SLOW),
    pytest.param("fives", "--games 2", ("numba", "onnxruntime")),
    pytest.param("games", "--games 2", (), marks=SLOW),
    pytest.param("gnugo", "go_random -n 1 --size 5 --time 0.1", (), marks=pytest.mark.needs("gnugo")),
    pytest.param("late", "--games 2 --workers 1 --burners 0 --time 0.05", ()),
    pytest.param("neural", "--rounds 1", ("numba", "onnxruntime"), marks=SLOW),
    pytest.param("openings", "--openings 1 --games 1", ()),
    pytest.param("page", "--watchers 1 --rounds 1 --think 0.01", (), marks=SLOW),
    pytest.param("pipes", "--rounds 1 --games 2", (), marks=[SLOW, pytest.mark.needs("gcc")]),
    pytest.param("playouts", "--seconds 0.01 --rounds 1", ("numpy",), marks=SLOW),
    pytest.param("referee", "--rounds 1", ()),
    pytest.param("sandbox", "--starts 1 --games 1", (), marks=[SLOW, pytest.mark.needs("bwrap")]),
    pytest.param("search", "--positions 1 --repetitions 1", (), marks=SLOW),
    pytest.param("start", "--rounds 1", (), marks=SLOW),
    pytest.param("stored", "--games 4 --rounds 1", (), marks=SLOW),
    pytest.param("tournament_report", "--games 3", (), marks=SLOW),
]


@pytest.mark.parametrize(("program", "arguments", "packages"), PROGRAMS)
def test_a_bench_program_runs_and_prints_json(program: str, arguments: str, packages: tuple[str, ...]) -> None:
    for package in packages:
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    command = [sys.executable, "-m", f"bench.{program}", *arguments.split(), "--json"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)


def test_every_bench_program_is_run() -> None:
    programs = {path.stem for path in python_files("bench") if not path.stem.startswith("_")}
    assert programs == {case.values[0] for case in PROGRAMS}
