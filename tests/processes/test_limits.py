"""At the level `limits`, and above, the supervisor ends a program that exceeds a limit, and reports the amount."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gomogo_core.processes.limits import ResourceLimits
from gomogo_core.processes.process import Process
from gomogo_core.procfs import is_alive
from gomogo_core.wire.small_files import remove_tree

Start = Callable[..., Process]

GROWS = "import time; held = bytearray({mb} << 20); print('has it', flush=True); time.sleep(60)"
SHARES = """
import os, time
held = bytearray(60 << 20)
if not os.fork() or not os.fork() or not os.fork():
    time.sleep(60)
open("forked", "w").close()
time.sleep(60)
"""
HIDES = "import os, time; os.write(os.memfd_create('x'), bytes(200 << 20)); time.sleep(60)"
# a page of shared memory keeps all of it, and the others are in no process's own
UNMAPS = """
import ctypes, time
library = ctypes.CDLL(None)
library.mmap.restype, library.mmap.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 4]
library.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
for _ in range(20):
    place = library.mmap(None, 10 << 20, 3, 0x21, -1, 0)  # to read and write; shared, anonymous
    ctypes.memset(place, 1, 10 << 20)
    library.munmap(place + 4096, (10 << 20) - 4096)
time.sleep(60)
"""
DELETES = """
import mmap, os, time
file = os.open('hidden', os.O_CREAT | os.O_RDWR)
os.unlink('hidden')
os.write(file, bytes(200 << 20))
kept = mmap.mmap(file, 4096)
os.closerange(3, 100)
time.sleep(60)
"""
SHOWS = """
import mmap, os, time
held = mmap.mmap(-1, 60 << 20)
held.write(b'x' * (60 << 20))
os.fork()
sum(held[::4096])
open("forked", "w").close()
time.sleep(60)
"""
FILLS = "import time; open('{name}', 'wb').write(bytes(20 << 20)); time.sleep(60)"
LITTERS = "import time\nfor n in range(300): open(f'{n}', 'w').close()\ntime.sleep(60)"
DIGS = "import os, time\nfor n in range({depth}): os.mkdir('d'); os.chdir('d')\ntime.sleep(60)"
# a child ends where it has slept: if it went on with the loop, each would start others, without end
FORKS = """
import os, time
for _ in range(40):
    if not os.fork():
        time.sleep(60)
        os._exit(0)
time.sleep(60)
"""
THREAD_COUNT_FIELD = """
import threading, time
for _ in range(40):
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
time.sleep(60)
"""


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started = []

    def begin(code: str, limits: ResourceLimits | None) -> Process:
        process = Process([sys.executable, "-c", code], tmp_path, os.environ, limits=limits)
        started.append(process)
        return process

    yield begin
    for process in started:
        process.end()
    for entry in list(tmp_path.iterdir()):
        if entry.is_dir():  # even after a failure: pytest cannot remove folders nested so deeply
            remove_tree(entry)


# to look behind what is mapped is for root alone, as docs/how-to/run-untrusted-programs.md says
HIDDEN = [
    (code, ResourceLimits(memory_mb=100), " MB; the limit is 100 MB", True)
    for code in (UNMAPS, DELETES)
    if os.geteuid() == 0
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "limits", "message", "memory"),
    [
        (GROWS.format(mb=300), ResourceLimits(memory_mb=100), " MB; the limit is 100 MB", True),
        (HIDES, ResourceLimits(memory_mb=100), " MB; the limit is 100 MB", True),
        (FILLS.format(name="big"), ResourceLimits(folder_mb=10), " MB in its game folder; the limit is 10 MB", True),
        (LITTERS, ResourceLimits(folder_entries=100), "had more than 100 files in its game folder", True),
        (
            DIGS.format(depth=300),
            ResourceLimits(folder_entries=100),
            "had more than 100 files in its game folder",
            True,
        ),
        (FORKS, ResourceLimits(tasks=20), " processes and threads; the limit is 20", False),
        (THREAD_COUNT_FIELD, ResourceLimits(tasks=20), " processes and threads; the limit is 20", False),
        *HIDDEN,
    ],
    ids=[
        *("memory", "nameless-files", "folder", "files", "folders-in-folders", "forks", "threads"),
        *("unmapped", "deleted")[: len(HIDDEN)],
    ],
)
def test_a_program_that_exceeds_a_limit_is_ended(
    start: Start, code: str, limits: ResourceLimits, message: str, memory: bool
) -> None:
    process = start(code, limits)
    assert process.wait(120)
    ended = process.exit_description()
    assert ended is not None
    assert ended.endswith(message)
    assert process.too_much_memory is memory


@pytest.mark.slow
def test_very_deep_folders_exceed_the_limit_and_are_removed(start: Start, tmp_path: Path) -> None:
    process = start(DIGS.format(depth=2500), ResourceLimits())  # deeper than any path can reach
    assert process.wait(120)
    message = "had folders in its game folder that were nested too deeply for the paths of this system"
    assert process.exit_description() == message
    process.end()
    remove_tree(tmp_path / "d")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("code", [SHARES, SHOWS], ids=["pages", "shared-memory"])
def test_memory_that_forked_processes_share_counts_once(start: Start, tmp_path: Path, code: str) -> None:
    process = start(code, ResourceLimits(memory_mb=150))  # each shows 70 MB, all together have 90
    limit = time.monotonic() + 120
    while not (tmp_path / "forked").exists():
        assert time.monotonic() < limit
        time.sleep(0.01)
    assert not process.wait(0.5)  # several checks


def test_a_program_without_limits_is_not_watched(start: Start) -> None:
    process = start(FORKS.replace("60", "0.5"), None)
    assert process.wait(120)
    assert process.exit_description() == "exited with code 0"


def test_the_folder_of_the_next_game_is_watched_too(start: Start, tmp_path: Path) -> None:
    following = tmp_path.with_name(f"{tmp_path.name}-next")
    following.mkdir()
    process = start(
        f"import os, time; time.sleep(0.3); os.chdir({str(following)!r}); {FILLS.format(name='big')}",
        ResourceLimits(folder_mb=10),
    )
    process.change_folder(following)
    assert process.wait(120)
    assert str(process.exit_description()).endswith(" MB in its game folder; the limit is 10 MB")


def test_a_program_has_the_system_resource_limits(start: Start, tmp_path: Path) -> None:
    code = "import json, resource as r; print(json.dumps([r.getrlimit(k)[1] for k in ({})]))"
    kinds = "r.RLIMIT_CORE, r.RLIMIT_FSIZE, r.RLIMIT_NOFILE, r.RLIMIT_CPU"
    process = start(code.format(kinds), ResourceLimits())
    assert process.wait(120)
    process.end()
    core, size, files, seconds = map(int, process.output_text.strip("[]\n").split(","))
    assert (core, size) == (0, 4 << 30)
    assert 0 < files <= 4096
    assert 0 < seconds <= 86400 * (os.cpu_count() or 1)


def test_every_process_of_a_flood_is_ended(start: Start, tmp_path: Path) -> None:
    code = """
import os, time
for _ in range(200):  # each generation leaves its session, and its parent
    if os.fork():
        time.sleep(0.005)
        break
    os.setsid()
    open(str(os.getpid()), "w").close()
time.sleep(60)
"""
    process = start(code, ResourceLimits(tasks=30))
    assert process.wait(120)
    process.end()
    assert not [path.name for path in tmp_path.iterdir() if is_alive(int(path.name))]
