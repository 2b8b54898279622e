"""The timer that shows where an agent hangs prints the line at the end of a turn's time, and nothing else."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import signal, threading, time
{before}
from gomogo_core.agent._traceback import TracebackTimer
def choose():
    list(map(time.sleep, [0.001] * 100))
timer = TracebackTimer()
for left in {turns}:
    timer.begin_turn(left)
    choose()
    timer.end_turn()
    time.sleep(0.03)
print(threading.active_count())
"""


@pytest.mark.parametrize("before", ["", "del signal.SIGRTMAX"], ids=["kernel-timer", "thread"])
def test_an_overlong_turn_prints_its_line(before: str) -> None:
    program = PROGRAM.format(before=before, turns="(60.0, 0.03, float('inf'), 60.0, 0.03)")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.count(", line 6 in choose\n") == 2
    assert done.stdout == "1\n"


def test_no_timer_of_an_ended_turn_fires() -> None:
    program = PROGRAM.format(before="", turns=(0.04,)).replace("[0.001] * 100", "[]")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not done.stderr
