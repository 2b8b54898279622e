"""`gomogo warm`: every engine compiled, each in its own process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from gomogo.commands.warm import ENGINES
from gomogo_core.engines import compiling

pytestmark = pytest.mark.slow
COMMAND = [sys.executable, "-m", "gomogo", "warm"]


def test_every_engine_is_compiled_afterwards() -> None:
    ended = subprocess.run(COMMAND, capture_output=True, text=True, timeout=300, check=True)
    assert sorted(line.partition(":")[0] for line in ended.stdout.splitlines()) == sorted(ENGINES)
    assert all(compiling.is_compiled(package) for package in ENGINES.values())


def test_ctrl_c_ends_all_its_processes_without_a_traceback() -> None:
    with subprocess.Popen(
        COMMAND, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()  # two engines are loaded at a time, and five in all
        os.killpg(process.pid, signal.SIGINT)
        output, _ = process.communicate(timeout=60)  # ends with the last process that holds the pipe
    assert "Traceback" not in output
