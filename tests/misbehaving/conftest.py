"""Short time limits for tests, and a check after each test that no process or file of it is left."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Iterator

import psutil
import pytest

from gomogo_core.processes.run_folder import run_folders_parent
from gomogo_core.wire import waiter

LOADING = 6.0  # seconds: a busy machine takes one of them to start a program
PATIENCE = 120.0  # seconds until an ended process has disappeared from the system's lists


@pytest.fixture(autouse=True)
def short_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """What loads for ever, or never leaves, is waited for less long than usual."""
    monkeypatch.setattr("gomogo_core.protocols.files.START_LIMIT", LOADING)
    monkeypatch.setattr("gomogo_core.protocols.engine_client.START_LIMIT", LOADING)
    monkeypatch.setattr("gomogo_core.arena.shutdown.EXIT_TIMEOUT", 0.3)
    monkeypatch.setattr("gomogo_core.arena._pipe_agents.EXIT_TIMEOUT", 0.3)


def _here() -> tuple[set[psutil.Process], int, int, set[str]]:
    """Processes below us, open descriptors, threads, and the folders of games."""
    own_process = psutil.Process()
    below = {child for child in own_process.children(recursive=True) if child.status() != psutil.STATUS_ZOMBIE}
    descriptors = own_process.num_fds() - len(waiter._idle_watches)  # those are kept for the next game
    return (
        below,
        descriptors,
        threading.active_count(),
        {path.name for path in run_folders_parent()[0].glob("gomogo-*")},
    )


def _folders_of(names: set[str]) -> set[str]:
    return {name for name in names if name.startswith(f"gomogo-{psutil.Process().pid}-")}


@pytest.fixture(autouse=True)
def nothing_is_left(short_limits: None) -> Iterator[None]:
    """No process, descriptor, thread or folder is there that was not there before."""
    gc.collect()
    below, descriptors, threads, folders = _here()
    yield
    until = time.monotonic() + PATIENCE
    while (processes_left := _here()) and time.monotonic() < until:
        if processes_left[0] <= below and processes_left[1] <= descriptors and processes_left[2] <= threads:
            break
        gc.collect()
        time.sleep(0.02)
    assert processes_left[0] <= below
    assert processes_left[1] <= descriptors
    assert processes_left[2] <= threads
    assert _folders_of(processes_left[3]) <= _folders_of(folders)
