"""On a full disk of game folders, the program that filled it loses, and no other program does.

The disk is a small file system, in a namespace of mounts that goes with the process that looks at it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest

from gomogo_core.arena import Arena
from gomogo_core.catalogue import agent
from gomogo_core.conformance.misbehaving.cases import FAULTS, LONG_LIMIT, honest_program, misbehaving_program
from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.play.events import Event, Started

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
_MOUNT = 'mount -t tmpfs -o size=16m none "$1" && cd / && exec "$2" -c "$3"'


def on_a_small_disk(tmp_path: Path, function: str) -> Any:
    """The JSON output of a function of this module, in a process whose game folders are on a disk of 16 MB."""
    unshare_words = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"])]
    code = f"from tests.misbehaving.test_full_disk import {function}; {function}()"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "GOMOGO_FOLDER": str(tmp_path)}
    words = [*unshare_words, "sh", "-c", _MOUNT, "sh", str(tmp_path), sys.executable, code]
    result = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120, check=False)
    if result.returncode == 1 and "unshare" in result.stderr and "GOMOGO_REQUIRE_ALL" not in os.environ:
        pytest.skip("no file system can be mounted here")
    assert result.returncode == 0, result.stderr
    assert list(tmp_path.iterdir()) == []
    return json.loads(result.stdout)


def fill() -> None:
    """A program fills the disk, while another table plays on the same one."""
    game, over = load("gomoku", size=5), threading.Event()
    report: dict[str, Any] = {"beside": [], "void": 0}

    def beside() -> None:
        with Arena() as arena:
            while not over.is_set():
                try:
                    played = arena.play(
                        game, [honest_program("files"), honest_program("gomocup")], [LONG_LIMIT, LONG_LIMIT]
                    )
                # our own files did not fit on the disk: a match would play this game again
                except (
                    OSError,
                    UserError,
                ):
                    report["void"] += 1
                    continue
                report["beside"] += [reason.value for reason in played.forfeits.values()]
                report["void"] += played.outcome.is_void

    other = threading.Thread(target=beside)
    other.start()
    try:
        with Arena() as arena:
            filler = misbehaving_program(FAULTS["fills_its_folder"], "files", 1, LONG_LIMIT)
            played = arena.play(game, [filler, honest_program("files")], [LONG_LIMIT, LONG_LIMIT])
    finally:
        over.set()
        other.join()
    report["lost"] = {seat: reason.value for seat, reason in played.forfeits.items()}
    report["detail"] = played.outcome.detail
    print(json.dumps(report))


def crash_where_another_filled() -> None:
    """A program cannot write its data: another program has filled the disk, except for a few moves."""
    with Arena() as arena, tempfile.TemporaryDirectory() as other_folder:
        bot = Path(other_folder, "bot.py")
        writes = "open('x', 'wb').write(bytes(1 << 20))"
        bot.write_text(f"def choose(position, clock):\n    {writes}\n    return next(position.moves())\n")

        def full(event: Event) -> None:
            if isinstance(event, Started):
                room = os.statvfs(arena.folder)
                with open(arena.folder / "filler", "wb") as file:
                    os.posix_fallocate(file.fileno(), 0, room.f_bavail * room.f_frsize - (64 << 10))

        agents = [agent(str(bot)), honest_program("gomocup")]
        for attempt in range(10):
            try:
                played = arena.play(load("gomoku", size=5), agents, [LONG_LIMIT, LONG_LIMIT], listeners=[full])
                break
            except OSError:  # our own files did not fit on the disk: a match would play this game again
                (arena.folder / "filler").unlink(missing_ok=True)
                if attempt == 9:
                    raise
    print(json.dumps([played.outcome.is_void, played.outcome.detail, len(played.forfeits)]))


@pytest.mark.needs("unshare")
def test_only_the_program_that_fills_the_disk_loses(tmp_path: Path) -> None:
    report = on_a_small_disk(tmp_path, "fill")
    assert report["lost"] == {"1": "too_much_memory"}
    assert report["detail"].startswith("filled the disk of the game folders; its own folder has 1")
    assert report["beside"] == []


@pytest.mark.needs("unshare")
def test_a_program_that_cannot_write_to_a_full_disk_does_not_lose(tmp_path: Path) -> None:
    assert on_a_small_disk(tmp_path, "crash_where_another_filled") == [True, "the disk of the game folders is full", 0]
