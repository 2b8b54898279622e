"""A program is started, heard, and ended with everything it started itself."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gomogo_core.processes.process import Process
from gomogo_core.procfs import is_alive

LEAVES_A_GRANDCHILD = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
open("grandchild", "w").write(str(child.pid))
{then}
"""


def start(folder: Path, code: str) -> Process:
    return Process([sys.executable, "-c", code], folder, os.environ)


def wait_for(path: Path) -> int:
    limit = time.monotonic() + 120
    while not (path.exists() and path.read_text()):
        assert time.monotonic() < limit
        time.sleep(0.01)
    return int(path.read_text())


def gone(pid: int) -> bool:
    limit = time.monotonic() + 120
    while is_alive(pid):
        if time.monotonic() > limit:
            return False
        time.sleep(0.01)
    return True


@pytest.mark.parametrize(
    ("code", "ended"),
    [
        ("pass", "exited with code 0"),
        ("raise SystemExit(3)", "exited with code 3"),
        ("import os; os.kill(os.getpid(), 9)", "ended by signal 9 (SIGKILL)"),
        ("import os; os.abort()", "ended by signal 6 (SIGABRT)"),
    ],
)
def test_the_exit_of_a_program_is_described(tmp_path: Path, code: str, ended: str) -> None:
    process = start(tmp_path, code)
    assert process.wait(120)
    assert process.exit_description() == ended
    process.end()


def test_a_failed_start_gives_the_reason(tmp_path: Path) -> None:
    process = Process(["./no-such-program"], tmp_path, os.environ)
    assert process.wait(120)
    assert process.exit_description() == "cannot be started: No such file or directory"
    process.end()


def test_the_exit_descriptor_becomes_readable_at_the_end_of_a_program(tmp_path: Path) -> None:
    process = start(tmp_path, "input()")  # its input is empty
    assert process.exit_fd is not None
    assert select.select([process.exit_fd], [], [], 10)[0]
    assert process.exit_description() == "exited with code 1"
    process.end()
    assert "EOFError" in process.output_text


def test_the_output_of_a_running_program_can_be_captured(tmp_path: Path) -> None:
    printing = "import sys, time; print('thinking', file=sys.stderr, flush=True); open('said', 'w').write('1'); {then}"
    process = start(tmp_path, printing.format(then="time.sleep(60)"))
    wait_for(tmp_path / "said")
    process.capture_output()
    assert process.output_text == "thinking\n"
    assert process.exit_description() is None
    process.end()
    assert process.output_text == "thinking\n"
    process.capture_output()  # no process is left


def test_the_output_of_a_program_that_prints_without_end_is_captured(tmp_path: Path) -> None:
    process = start(tmp_path, "open('said', 'w').write('1')\nwhile True: print('x' * 1000)")
    wait_for(tmp_path / "said")
    limit = time.monotonic() + 120
    while not process.output_text.startswith("xxx"):
        process.capture_output()
        assert time.monotonic() < limit
    assert process.exit_description() is None
    process.end()


def test_the_last_output_of_an_ended_program_is_captured(tmp_path: Path) -> None:
    process = start(tmp_path, "print('bye')")
    assert process.wait(120)
    process.capture_output(10)
    assert process.output_text == "bye\n"
    process.end()


def test_the_start_and_the_end_of_long_output_are_kept(tmp_path: Path) -> None:
    process = start(tmp_path, "print('first'); print('x' * 10_000_000); print('last')")
    assert process.wait(120)
    process.end()
    assert process.output_text.startswith("first\n")
    assert process.output_text.endswith("last\n")
    assert "bytes left out" in process.output_text
    assert len(process.output_text) < 50_000


def test_ending_a_program_ends_a_grandchild_in_its_own_session(tmp_path: Path) -> None:
    process = start(tmp_path, LEAVES_A_GRANDCHILD.format(then="time.sleep(60)"))
    grandchild = wait_for(tmp_path / "grandchild")
    process.end()
    assert gone(grandchild)
    assert process.exit_description() == "ended by the referee"


def test_children_of_an_exited_program_are_ended(tmp_path: Path) -> None:
    process = start(tmp_path, LEAVES_A_GRANDCHILD.format(then=""))
    assert process.wait(120)
    process.end()
    assert gone(int((tmp_path / "grandchild").read_text()))


def test_a_program_that_ignores_every_signal_is_ended(tmp_path: Path) -> None:
    code = """
import signal, time
for number in (1, 2, 15):
    signal.signal(number, signal.SIG_IGN)
open("up", "w").write("1")
time.sleep(60)
"""
    process = start(tmp_path, code)
    wait_for(tmp_path / "up")
    process.end()
    assert process.exit_description() == "ended by the referee"


def test_a_stopped_program_is_ended(tmp_path: Path) -> None:
    process = start(
        tmp_path, "import os, signal; open('up', 'w').write(str(os.getpid())); os.kill(os.getpid(), signal.SIGSTOP)"
    )
    pid = wait_for(tmp_path / "up")
    process.end()
    assert gone(pid)


def test_agents_of_a_killed_referee_end(tmp_path: Path) -> None:
    code = (
        "import os, sys, time\nfrom pathlib import Path\nfrom gomogo_core.processes.process import Process\n"
        f"agent = {LEAVES_A_GRANDCHILD.format(then='time.sleep(60)')!r}\n"
        "Process([sys.executable, '-c', agent], Path('.'), os.environ)\n"
        "time.sleep(60)"
    )
    root = str(Path(__file__).resolve().parents[2])
    referee = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, env={**os.environ, "PYTHONPATH": root})
    grandchild = wait_for(tmp_path / "grandchild")
    referee.send_signal(signal.SIGKILL)
    referee.wait()
    assert gone(grandchild)


def test_many_starts_and_ends_leave_no_descriptor(tmp_path: Path) -> None:
    def descriptors() -> int:
        return len(os.listdir("/proc/self/fd"))

    before = descriptors()
    for _ in range(5):
        process = start(tmp_path, "pass")
        process.wait(120)
        process.end()
        process.end()
    assert descriptors() == before


@pytest.mark.slow
@pytest.mark.parametrize(("then", "survivors"), [("", 1), ("child.kill()", 0), ("os.kill(os.getpid(), 9)", 1)])
def test_a_supervisor_counts_the_processes_of_its_own_tree_that_outlive_the_program(
    tmp_path: Path, then: str, survivors: int
) -> None:
    (tmp_path / "other").mkdir()
    other = start(tmp_path / "other", LEAVES_A_GRANDCHILD.format(then="time.sleep(60)"))
    wait_for(tmp_path / "other" / "grandchild")
    process = start(tmp_path, LEAVES_A_GRANDCHILD.format(then=then))
    process.waits_for_survivors = True
    assert process.wait(120)
    process.end()
    assert process.survivor_count == survivors
    assert gone(wait_for(tmp_path / "grandchild"))
    other.end()


def test_a_helper_that_exits_shortly_after_the_program_does_not_count(tmp_path: Path) -> None:
    helper = "import os, sys, time; sys.stdin.read(); time.sleep(0.2)"
    process = start(
        tmp_path, f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {helper!r}], stdin=subprocess.PIPE)"
    )
    process.waits_for_survivors = True
    assert process.wait(120)
    process.end()
    assert process.survivor_count == 0


def test_a_tree_is_ended_without_counting_survivors(tmp_path: Path) -> None:
    process = start(tmp_path, LEAVES_A_GRANDCHILD.format(then=""))
    assert process.wait(120)
    process.end()
    assert process.survivor_count == 0
    assert gone(wait_for(tmp_path / "grandchild"))
