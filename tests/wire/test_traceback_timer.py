"""The timer that shows where an agent hangs prints the line at the end of a turn's time, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import os, signal, threading, time
{before}
from gomogo_core.agent._traceback import TracebackTimer

def printed():
    return os.fstat(2).st_size

timer = TracebackTimer()
"""
TURNS = """
def choose(left):
    before, pause = printed(), time.monotonic() + 0.05
    timer.begin_turn(left)  # here, since a busy machine may stop the program for the length of the turn
    while printed() == before if left < 1 else time.monotonic() < pause:
        time.sleep(0.001)
    timer.end_turn()

for left in (60.0, 0.03, float("inf"), 60.0, 0.03):
    choose(left)
print(threading.active_count())
"""
# a busy machine may stop the program for the length of a turn before the turn ends: then it has another turn
ENDED_TURN = """
took = left = 0.05
while took >= left:
    before, began = printed(), time.monotonic()
    timer.begin_turn(left)
    timer.end_turn()
    took = time.monotonic() - began
    time.sleep(3 * left)
print(printed() - before)
"""
TIMERS = pytest.mark.parametrize("before", ["", "del signal.SIGRTMAX"], ids=["kernel-timer", "thread"])


def output_of(program: str, folder: Path) -> tuple[str, str]:
    """Run a program, and return its standard output and standard error."""
    with (folder / "errors").open("w+") as errors:
        words = [sys.executable, "-c", program]
        result = subprocess.run(words, stdout=subprocess.PIPE, stderr=errors, text=True, check=True, timeout=120)
    return result.stdout, (folder / "errors").read_text()


@TIMERS
def test_an_overlong_turn_prints_its_line(before: str, tmp_path: Path) -> None:
    output, errors = output_of(PROGRAM.format(before=before) + TURNS, tmp_path)
    assert (output, errors.count(" in choose\n")) == ("1\n", 2)


@TIMERS
def test_no_timer_of_an_ended_turn_fires(before: str, tmp_path: Path) -> None:
    assert output_of(PROGRAM.format(before=before) + ENDED_TURN, tmp_path)[0] == "0\n"
