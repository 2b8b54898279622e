"""Checks for `gomogo doctor`: Python, folders in memory, file notifications, the clock, ending processes, the sandbox.

Plays no game, and removes the files that it creates.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import platform
import queue
import shutil
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from gomogo.commands._diagnosis import Diagnosis, Health
from gomogo_core import procfs
from gomogo_core.arena import child_environment
from gomogo_core.errors import UserError
from gomogo_core.processes.process import Process
from gomogo_core.processes.run_folder import RunFolder, run_folders_parent
from gomogo_core.wire import inotify
from gomogo_core.wire.process_alive import is_alive
from gomogo_core.wire.small_files import write_in_place
from gomogo_core.wire.waiting import Waiter

_OLDEST_PYTHON = (3, 11)
_WAKE_UP_COUNT = 50  # the number of files written to measure how soon their reader wakes up
_FAST_WAKE_UP_SECONDS = 0.002  # inotify takes 0.1 ms, polling 1 ms and more
_INOTIFY_INSTANCES_PER_GAME = 4  # for two players: each needs one in the referee and one in the agent
_MAX_CLOCK_TICK = 0.001  # seconds: a clock with longer ticks cannot measure whether a move was late
_DAEMON_STARTER = """
import subprocess, sys
far = subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)"], start_new_session=True)
open("grandchild", "w").write(str(far.pid))
"""


def check_machine() -> Iterator[Diagnosis]:
    """Yield the results of all checks. If no folder is writable, the later checks are left out."""
    yield _check_python()
    try:
        run = RunFolder()
    except OSError as wrong:
        place = run_folders_parent()[0]
        why = f"{place} is not writable ({wrong.strerror}): choose another folder with GOMOGO_FOLDER"
        yield Diagnosis("game folders", Health.MISSING, why, necessary=True)
        return
    with contextlib.closing(run):
        yield _check_game_folders()
        yield _check_file_notifications(run.path)
        yield from _check_inotify_limit()
        yield _measure_wake_up(run.path)
        yield _check_clock()
        yield _check_process_tree(run.path)
        yield _check_sandbox()


def _check_python() -> Diagnosis:
    version = f"{platform.python_implementation()} {platform.python_version()}"
    if sys.version_info < _OLDEST_PYTHON:
        return Diagnosis("Python", Health.MISSING, f"{version}; Gomogo needs 3.11 or later", necessary=True)
    return Diagnosis("Python", Health.OK, version)


def _check_game_folders() -> Diagnosis:
    place, in_memory = run_folders_parent()
    free_space = f"{shutil.disk_usage(place).free / 1e6:,.0f} MB free"
    if in_memory:
        return Diagnosis("game folders", Health.OK, f"in memory, {place}, {free_space}")
    why = "set by GOMOGO_FOLDER" if "GOMOGO_FOLDER" in os.environ else "no folder in memory has free space"
    return Diagnosis(
        "game folders", Health.DEGRADED, f"{place}, {free_space}: {why}; a move on disk takes 3 to 6 times as long"
    )


def _check_file_notifications(folder: Path) -> Diagnosis:
    """Write a file, and check whether the kernel reports it."""
    polling = "files are polled instead, and a move takes milliseconds instead of 0.1 ms"
    if os.environ.get("GOMOGO_INOTIFY") == "off":
        return Diagnosis("inotify", Health.DEGRADED, f"switched off by GOMOGO_INOTIFY: {polling}")
    try:
        watch = inotify.InotifyWatch(str(folder), inotify.CREATE)
    except OSError as wrong:
        return Diagnosis("inotify", Health.DEGRADED, f"not available ({wrong}): {polling}")
    try:
        write_in_place(str(folder / "seen"), b"?")
        reported = (inotify.CREATE, b"seen") in watch.events()
    finally:
        watch.close()
    if not reported:
        return Diagnosis("inotify", Health.DEGRADED, f"does not report a new file in {folder}: {polling}")
    return Diagnosis("inotify", Health.OK, "reports a new file")


def _check_inotify_limit() -> Iterator[Diagnosis]:
    """Yield the number of inotify instances that are still available; nothing if there is no limit."""
    limit = int(procfs.read("sys/fs/inotify/max_user_instances") or 0)
    if not limit:
        return
    left = limit - sum(map(_count_inotify_instances, procfs.processes()))
    games = max(0, left) // _INOTIFY_INSTANCES_PER_GAME
    words = f"{left} of {limit} left, for {games} games at a time"
    if games:
        yield Diagnosis("inotify instances", Health.OK, words)
    else:
        words += ": further games will poll; raise fs.inotify.max_user_instances, or close programs that use inotify"
        yield Diagnosis("inotify instances", Health.DEGRADED, words)


def _count_inotify_instances(process: int) -> int:
    owned = procfs.owner(process) == os.getuid()
    return sum(map(_is_inotify_instance, procfs.open_file_paths(process))) if owned else 0


def _is_inotify_instance(open_file: str) -> bool:
    with contextlib.suppress(OSError):  # the file has just been closed
        return "inotify" in os.readlink(open_file)
    return False


def _measure_wake_up(folder: Path) -> Diagnosis:
    """Write files, and measure the time until a waiting thread wakes up."""
    waiter, woken = Waiter(folder, inotify.CREATE), queue.SimpleQueue[float]()

    def wait_for_files() -> None:
        for number in range(_WAKE_UP_COUNT):
            since = time.monotonic()
            while not (folder / f"wake-{number}").exists() and time.monotonic() < since + 1:
                waiter.wait(since, since + 1)
            woken.put(time.monotonic())
            waiter.events()

    sleeper = threading.Thread(target=wait_for_files)
    sleeper.start()
    seconds = []
    for number in range(_WAKE_UP_COUNT):
        time.sleep(0.002)  # the reader must be asleep when the file is written
        written = time.monotonic()
        write_in_place(str(folder / f"wake-{number}"), b"")
        seconds.append(woken.get() - written)
    sleeper.join()
    waiter.close()
    median = statistics.median(seconds)
    state = Health.OK if median < _FAST_WAKE_UP_SECONDS else Health.DEGRADED
    return Diagnosis("wake-up", state, f"the reader of a new file runs after {median * 1e6:,.0f} µs (median)")


def _check_clock() -> Diagnosis:
    readings = [time.monotonic() for _ in range(1000)]
    steps = [later - sooner for sooner, later in itertools.pairwise(readings) if later > sooner]
    step = max(min(steps, default=1.0), time.get_clock_info("monotonic").resolution)
    if step <= _MAX_CLOCK_TICK:
        return Diagnosis("clock", Health.OK, f"ticks every {step * 1e9:,.0f} ns")
    return Diagnosis(
        "clock", Health.DEGRADED, f"ticks only every {step * 1000:.0f} ms: time limits are no more precise than this"
    )


def _check_sandbox() -> Diagnosis:
    """Check that the sandbox level bwrap works. The levels none and limits need no check."""
    from gomogo_core.processes import sandbox

    try:
        sandbox.require_sandbox()
    except UserError as fault:
        words = f"levels none and limits work; bwrap does not: {fault.problem} {fault.remedy}"
        return Diagnosis("sandbox", Health.DEGRADED, words)
    whose = "each program runs as a separate user" if os.geteuid() == 0 else "in user namespaces"
    return Diagnosis("sandbox", Health.OK, f"levels none, limits and bwrap work, {whose}")


def _check_process_tree(folder: Path) -> Diagnosis:
    """Run a program that leaves behind a process in a new session, and check that this process is ended, too."""
    process = Process([sys.executable, "-I", "-S", "-c", _DAEMON_STARTER], folder, child_environment())
    process.wait(10)
    process.end()
    try:
        far = int((folder / "grandchild").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return Diagnosis(
            "processes", Health.MISSING, f"a program cannot start: {process.exit_description()}", necessary=True
        )
    if not is_alive(far):
        return Diagnosis("processes", Health.OK, "all processes of an agent are ended, even in another session")
    with contextlib.suppress(OSError):
        os.kill(far, 9)
    words = "a process that leaves its session outlives its agent: run `gomogo clean` after untrusted programs"
    return Diagnosis("processes", Health.DEGRADED, words)
