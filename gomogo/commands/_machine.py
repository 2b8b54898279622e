"""Checks for `gomogo doctor`: Python, the game folders, file notifications, the clock, processes and the sandbox.

The module plays no game, and removes the files that it creates.
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
from gomogo_core.procfs import is_alive
from gomogo_core.wire import inotify
from gomogo_core.wire.small_files import write_in_place
from gomogo_core.wire.waiter import Waiter

_MIN_PYTHON_VERSION = (3, 11)
_WAKE_UP_COUNT = 50  # the number of files written to measure how soon their reader wakes up
_MAX_GOOD_WAKE_UP_SECONDS = 0.002  # a reader wakes up in 0.1 ms with inotify, and in 1 ms or more with polling
_INOTIFY_INSTANCES_PER_GAME = 4  # for two players: each needs one in the referee and one in the agent
_MAX_CLOCK_TICK_SECONDS = 0.001  # a clock with longer ticks cannot measure whether a move was late
_DAEMON_STARTER = """
import subprocess, sys
grandchild = subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)"], start_new_session=True)
open("grandchild", "w").write(str(grandchild.pid))
"""


def check_machine() -> Iterator[Diagnosis]:
    """Yield the results of all checks. If no folder for games is writable, only the first two checks are made."""
    yield _check_python()
    try:
        run = RunFolder()
    except OSError as error:
        parent = run_folders_parent()[0]
        sentence = f"{parent} is not writable ({error.strerror}): choose another folder with GOMOGO_FOLDER"
        yield Diagnosis("game folders", Health.MISSING, sentence, is_necessary=True)
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
    if sys.version_info < _MIN_PYTHON_VERSION:
        return Diagnosis("Python", Health.MISSING, f"{version}; Gomogo needs 3.11 or later", is_necessary=True)
    return Diagnosis("Python", Health.OK, version)


def _check_game_folders() -> Diagnosis:
    parent, is_in_memory = run_folders_parent()
    free_space = f"{shutil.disk_usage(parent).free / 1e6:,.0f} MB free"
    if is_in_memory:
        return Diagnosis("game folders", Health.OK, f"in memory, {parent}, {free_space}")
    reason = "set by GOMOGO_FOLDER" if "GOMOGO_FOLDER" in os.environ else "no folder in memory has free space"
    return Diagnosis(
        "game folders", Health.DEGRADED, f"{parent}, {free_space}: {reason}; a move on disk takes 3 to 6 times as long"
    )


def _check_file_notifications(folder: Path) -> Diagnosis:
    """Write a file, and check whether the kernel reports it."""
    consequence = "files are polled instead, and a move takes milliseconds instead of 0.1 ms"
    if os.environ.get("GOMOGO_INOTIFY") == "off":
        return Diagnosis("inotify", Health.DEGRADED, f"switched off by GOMOGO_INOTIFY: {consequence}")
    try:
        watch = inotify.InotifyWatch(str(folder), inotify.CREATE)
    except OSError as error:
        return Diagnosis("inotify", Health.DEGRADED, f"not available ({error}): {consequence}")
    try:
        write_in_place(str(folder / "seen"), b"?")
        is_reported = (inotify.CREATE, b"seen") in watch.events()
    finally:
        watch.close()
    if not is_reported:
        return Diagnosis("inotify", Health.DEGRADED, f"does not report a new file in {folder}: {consequence}")
    return Diagnosis("inotify", Health.OK, "reports a new file")


def _check_inotify_limit() -> Iterator[Diagnosis]:
    """Yield the number of inotify instances that are still available; nothing if there is no limit."""
    limit = int(procfs.read_file("sys/fs/inotify/max_user_instances") or 0)
    if not limit:
        return
    instances_left = limit - sum(map(_count_inotify_instances, procfs.process_ids()))
    game_count = max(0, instances_left) // _INOTIFY_INSTANCES_PER_GAME
    sentence = f"{instances_left} of {limit} left, for {game_count} games at a time"
    if game_count:
        yield Diagnosis("inotify instances", Health.OK, sentence)
    else:
        sentence += ": further games will poll; raise fs.inotify.max_user_instances, or close programs that use inotify"
        yield Diagnosis("inotify instances", Health.DEGRADED, sentence)


def _count_inotify_instances(pid: int) -> int:
    is_own = procfs.owner_id(pid) == os.getuid()
    return sum(map(_is_inotify_instance, procfs.open_file_paths(pid))) if is_own else 0


def _is_inotify_instance(open_file: str) -> bool:
    with contextlib.suppress(OSError):  # the file has just been closed
        return "inotify" in os.readlink(open_file)
    return False


def _measure_wake_up(folder: Path) -> Diagnosis:
    """Write files, and measure the time until a thread that waits for them wakes up."""
    waiter, wake_up_times = Waiter(folder, inotify.CREATE), queue.SimpleQueue[float]()

    def wait_for_files() -> None:
        for file_number in range(_WAKE_UP_COUNT):
            begin = time.monotonic()
            while not (folder / f"wake-{file_number}").exists() and time.monotonic() < begin + 1:
                waiter.wait(begin, begin + 1)
            wake_up_times.put(time.monotonic())
            waiter.events()

    reader = threading.Thread(target=wait_for_files)
    reader.start()
    delays = []
    for file_number in range(_WAKE_UP_COUNT):
        time.sleep(0.002)  # the reader must be asleep when the file is written
        write_time = time.monotonic()
        write_in_place(str(folder / f"wake-{file_number}"), b"")
        delays.append(wake_up_times.get() - write_time)
    reader.join()
    waiter.close()
    median_delay = statistics.median(delays)
    state = Health.OK if median_delay < _MAX_GOOD_WAKE_UP_SECONDS else Health.DEGRADED
    return Diagnosis("wake-up", state, f"the reader of a new file runs after {median_delay * 1e6:,.0f} µs (median)")


def _check_clock() -> Diagnosis:
    readings = [time.monotonic() for _ in range(1000)]
    steps = [later - earlier for earlier, later in itertools.pairwise(readings) if later > earlier]
    step = max(min(steps, default=1.0), time.get_clock_info("monotonic").resolution)
    if step <= _MAX_CLOCK_TICK_SECONDS:
        return Diagnosis("clock", Health.OK, f"ticks every {step * 1e9:,.0f} ns")
    return Diagnosis(
        "clock", Health.DEGRADED, f"ticks only every {step * 1000:.0f} ms: time limits are no more precise than this"
    )


def _check_sandbox() -> Diagnosis:
    """Check that the sandbox level bwrap works. The levels none and limits need no check."""
    from gomogo_core.processes import sandbox

    try:
        sandbox.require_sandbox()
    except UserError as error:
        sentence = f"levels none and limits work; bwrap does not: {error.problem} {error.remedy}"
        return Diagnosis("sandbox", Health.DEGRADED, sentence)
    isolation = "each program runs as a separate user" if os.geteuid() == 0 else "in user namespaces"
    return Diagnosis("sandbox", Health.OK, f"levels none, limits and bwrap work, {isolation}")


def _check_process_tree(folder: Path) -> Diagnosis:
    """Run a program that starts a process in another session, and check that Gomogo ends this process, too."""
    process = Process([sys.executable, "-I", "-S", "-c", _DAEMON_STARTER], folder, child_environment())
    process.wait(10)
    process.end()
    try:
        grandchild = int((folder / "grandchild").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return Diagnosis(
            "processes", Health.MISSING, f"a program cannot start: {process.exit_description()}", is_necessary=True
        )
    if not is_alive(grandchild):
        return Diagnosis("processes", Health.OK, "all processes of an agent are ended, even in another session")
    with contextlib.suppress(OSError):
        os.kill(grandchild, 9)
    sentence = "a process that leaves its session outlives its agent: run `gomogo clean` after untrusted programs"
    return Diagnosis("processes", Health.DEGRADED, sentence)
