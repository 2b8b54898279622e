"""Reading what strangers left in a folder, writing so that nobody reads half, waiting with and without inotify."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from gomogo_core.agent import AgentClock
from gomogo_core.games import load
from gomogo_core.wire import inotify
from gomogo_core.wire.position_json import PositionFormatter
from gomogo_core.wire.small_files import (
    create_atomically,
    is_open_to_write,
    read_state,
    remove_path,
    remove_tree,
    replace_file,
    write_in_place,
)
from gomogo_core.wire.waiter import Waiter


def test_a_regular_file_is_read_up_to_a_limit(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x" * 100)
    assert read_state(str(tmp_path / "f"), 10).content == b"x" * 10


@pytest.mark.parametrize("kind", ["missing", "fifo", "folder", "link", "socket"])
def test_a_path_that_is_not_a_file_reads_as_absent_without_blocking(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "f"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "link":
        path.symlink_to("/etc/passwd")
    elif kind == "socket":
        os.mknod(path, 0o140600)
    state_read = read_state(str(path), 10)
    assert state_read.content is None
    assert state_read.why_unreadable


def test_a_sparse_file_is_read_up_to_the_limit(tmp_path: Path) -> None:
    with open(tmp_path / "f", "wb") as file:
        file.truncate(1 << 30)
    assert read_state(str(tmp_path / "f"), 10).content == bytes(10)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has leases")
def test_a_file_open_for_writing_is_detected(tmp_path: Path) -> None:
    path = tmp_path / "f"
    assert not is_open_to_write(str(path))
    with path.open("wb"):
        assert is_open_to_write(str(path))
    with path.open("rb"):
        assert not is_open_to_write(str(path))


@pytest.mark.parametrize("entry_kind", ["nothing", "file", "folder"])
def test_put_and_create_at_once_replace_existing_entries(tmp_path: Path, entry_kind: str) -> None:
    for write in (replace_file, create_atomically):
        path = tmp_path / write.__name__
        if entry_kind == "file":
            path.write_text("old and longer")
        elif entry_kind == "folder":
            (path / "inside").mkdir(parents=True)
        write(str(path), b"new", f"{path}.aside")
        assert path.read_bytes() == b"new"
        assert not Path(f"{path}.aside").exists()


def test_writing_in_place_keeps_the_inode_and_truncates(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("long text")
    before = path.stat().st_ino
    assert write_in_place(str(path), b"x") == before == path.stat().st_ino
    assert path.read_bytes() == b"x"


def test_a_tree_without_permissions_is_removed(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "f").write_text("x")
    inner.chmod(0o000)
    (tmp_path / "a").chmod(0o500)
    remove_tree(tmp_path / "a")
    assert not (tmp_path / "a").exists()


def deep(folder: Path, depth: int = 2000) -> None:
    """Make folders within a folder, more than shutil.rmtree can remove."""
    start = os.open(folder, os.O_RDONLY)
    here = start
    for _ in range(depth):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)


def test_names_like_temporary_ones_do_not_prevent_removal(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for number in range(5):
        (tree / f".moved-{number}" / "inner").mkdir(parents=True)
    deep(tree)
    remove_tree(tree)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere folders have no numbers to be opened by")
def test_a_link_that_replaces_a_folder_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent may still run while what it has replace_file in the place of a file is removed."""
    tree, outside = tmp_path / "tree", tmp_path / "outside"
    (tree / "inner").mkdir(parents=True)
    outside.mkdir(mode=0o750)
    (outside / "precious").write_text("x")
    deep(tree)
    read_state_of_open_file, looks = os.scandir, 0

    def swap(folder: int | str) -> object:
        nonlocal looks
        states, looks = list(read_state_of_open_file(folder)), looks + 1
        if looks > 1 and (tree / "inner").is_dir() and not (tree / "inner").is_symlink():  # after shutil's own
            (tree / "inner").rmdir()
            (tree / "inner").symlink_to(outside)
        return contextlib.nullcontext(iter(states))

    def gives_up(path: object) -> None:
        raise RecursionError

    monkeypatch.setattr("shutil.rmtree", gives_up)
    monkeypatch.setattr(os, "scandir", lambda folder: swap(folder))
    looks = 1
    with pytest.raises(OSError, match="inner"):
        remove_tree(tree)
    assert (outside / "precious").read_text() == "x"
    assert outside.stat().st_mode & 0o777 == 0o750


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can forbid itself a change")
def test_immutable_files_are_removed_by_root(tmp_path: Path) -> None:
    for kind in ("+i", "+a"):
        tree = tmp_path / "tree"
        (tree / "inner").mkdir(parents=True)
        (tree / "inner" / "file").write_text("x")
        marks = ["chattr", "-R", kind, str(tree)]
        if not shutil.which("chattr") or subprocess.run(marks, capture_output=True, check=False).returncode:
            pytest.skip("this file system knows no such marks")
        remove_tree(tree)
        assert not tree.exists()


def test_clearing_a_missing_path_is_harmless(tmp_path: Path) -> None:
    remove_path(str(tmp_path / "nothing"))


def changes(folder: Path, after: float) -> threading.Thread:
    def change() -> None:
        time.sleep(after)
        (folder / "new").write_text("x")

    thread = threading.Thread(target=change)
    thread.start()
    return thread


def test_a_change_wakes_the_waiter(tmp_path: Path) -> None:
    waiter = Waiter(tmp_path, inotify.CREATE)
    assert waiter.uses_events
    thread = changes(tmp_path, 0.02)
    start = time.monotonic()
    while not waiter.events():
        waiter.wait(start, start + 5)
    thread.join()
    waiter.close()


def test_a_reused_waiter_ignores_its_last_folder(tmp_path: Path) -> None:
    old, new_folder = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    new_folder.mkdir()
    waiter = Waiter(old, inotify.CREATE)
    (old / "f").write_text("x")
    waiter.close()
    second_waiter = Waiter(new_folder, inotify.CREATE)
    (old / "g").write_text("x")
    (new_folder / "h").write_text("x")
    assert [name for _, name in second_waiter.events()] == [b"h"]
    second_waiter.close()


def test_without_a_watch_the_waiter_polls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_folder: str, _mask: int) -> inotify.InotifyWatch:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr("gomogo_core.wire.waiter._open_watch", refuse)
    waiter = Waiter(tmp_path, inotify.CREATE)
    assert not waiter.uses_events
    assert waiter.events() == []
    assert waiter.wait(time.monotonic(), time.monotonic() + 0.01) == []
    waiter.close()


@pytest.mark.parametrize("mode", ["on", "off"])
def test_a_pulse_wakes_both_kinds_of_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    monkeypatch.setenv("GOMOGO_INOTIFY", mode)
    waiter = Waiter(tmp_path, inotify.CREATE)
    reader, writer = os.pipe()
    assert waiter.wait(time.monotonic(), time.monotonic() + 0.005, (reader,)) == []
    os.close(writer)
    assert waiter.wait(time.monotonic(), time.monotonic() + 5, (reader,)) == [reader]
    os.close(reader)
    waiter.close()


def test_no_wait_is_longer_than_the_longest(tmp_path: Path) -> None:
    waiter = Waiter(tmp_path, inotify.CREATE)
    start = time.monotonic()
    assert waiter.wait(start, start + 100_000) == []  # a longer wait would be a hang
    waiter.close()


def test_position_json_agrees_with_the_position() -> None:
    game = load("gomoku", opening="takeover")
    before, position = game.replay(["h8"]), game.replay(["h8", "h8"])
    position_json = json.loads(PositionFormatter(("a", 'b"c')).format_position(position, before, 2, 9.5, (None, 60.0)))
    assert position_json["board"] == list(position.rows())
    assert position_json["board_before"] == list(before.rows())
    assert position_json["to_move"] == "a"
    assert position_json["marks"] == {"a": "o", 'b"c': "x"}
    assert position_json["clocks"] == {"a": None, 'b"c': 60.0}
    assert (position_json["moves"], position_json["seconds"]) == (2, 9.5)
    assert {name: position_json[name] for name in position.facts()} == position.facts()


@pytest.mark.parametrize(
    ("limits", "game_seconds_left", "budget"),
    [
        ({"per_move": 10.0}, None, 9.8),
        ({"per_move": 0.1}, None, 0.08),
        ({"per_move": None}, None, 10.0),
        ({"per_move": None, "total": 100.0}, 50.0, 2.25),
        ({"per_move": None, "total": 100.0, "increment": 1.0}, 50.0, 3.05),
        ({"per_move": 1.0, "total": 100.0}, 50.0, 0.98),
        ({"per_move": None, "total": 100.0, "increment": 5.0}, 0.5, 0.48),
    ],
)
def test_a_clock_computes_the_budget_of_a_move(
    limits: dict[str, float | None], game_seconds_left: float | None, budget: float
) -> None:
    clock = AgentClock(limits, game_seconds_left, started=100.0)
    assert clock.budget == pytest.approx(budget)
    assert clock.stop_at == pytest.approx(100.0 + budget)


@pytest.mark.parametrize(
    ("limits", "reserve", "budget"),
    [
        ({"per_move": 10.0}, 1.0, 8.8),
        ({"per_move": 0.1}, 0.03, 0.05),
        ({"per_move": 0.1}, 9.0, 0.005),  # some time is left for the search, even on a busy machine
        ({"per_move": None, "total": 100.0}, 1.0, 4.75),  # far from the deadline a delay costs nothing
        ({"per_move": None, "total": 1.0, "increment": 1.0}, 0.3, 0.68),
    ],
)
def test_a_busy_machine_takes_its_reserve_before_the_deadline(
    limits: dict[str, float | None], reserve: float, budget: float
) -> None:
    assert AgentClock(limits, limits.get("total"), deadline_reserve=reserve).budget == pytest.approx(budget)


@pytest.mark.parametrize(
    ("played", "max_moves_left", "budget"),
    [(0, None, 2.25), (8, None, 3.75), (20, None, 4.5), (40, None, 2.25), (0, 100, 2.25), (40, 3, 7.5), (40, 0, 15.0)],
)
def test_the_budget_depends_on_the_moves_that_are_left(played: int, max_moves_left: int | None, budget: float) -> None:
    clock = AgentClock({"total": 100.0}, 50.0, started=100.0, moves_made=played, max_moves_left=max_moves_left)
    assert clock.budget == pytest.approx(budget)


def test_all_time_of_a_game_is_never_used_for_one_move() -> None:
    """A game that is longer than expected goes on with less time for each move."""
    for max_moves_left in (1, None):
        game_seconds_left = 10.0
        for played in range(110):
            clock = AgentClock(
                {"total": 10.0}, game_seconds_left, started=0.0, moves_made=played, max_moves_left=max_moves_left
            )
            assert clock.budget <= clock.latest_stop_at < game_seconds_left
            game_seconds_left -= clock.latest_stop_at
        assert game_seconds_left > 0.1
    assert AgentClock({"total": 9.0, "increment": 5.0}, 0.5, started=0.0).latest_stop_at < 0.5


class _Time:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("depths", "share"),
    [
        ([("h8", 0.0)], 0.84),  # the first depth is a change
        ([("h8", 0.0), ("h8", 0.0)], 0.6),
        ([("h8", 0.0), ("i9", 0.0)], 0.84),
        ([("h8", 0.0)] * 5, 0.42),
        ([("h8", 0.0)] * 5 + [("h8", -1.0)], 1.08),
        ([("h8", 0.0)] * 5 + [("i9", 1.0)], 0.84),
    ],
)
def test_a_search_takes_more_of_the_game_where_its_result_is_uncertain(
    depths: list[tuple[str, float]], share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    time = _Time()
    monkeypatch.setattr("gomogo_core.agent.clock.time", time)
    *before, last_depth = depths
    for moment, enough in ((share - 0.01, False), (share + 0.01, True)):
        clock = AgentClock({"total": 50.0}, 50.0, started=0.0)
        time.now = 0.0
        assert not any(clock.is_enough(*depth) for depth in before)
        time.now = clock.budget * moment
        assert clock.is_enough(*last_depth) is enough


def test_a_limit_for_each_move_is_used_up() -> None:
    for limits in ({"per_move": 1.0}, {"per_move": None}, {"per_move": 0.1, "total": 100.0}):
        clock = AgentClock(limits, limits.get("total"), started=-1000.0)
        assert clock.latest_stop_at == clock.stop_at
        assert not any(clock.is_enough("h8", 0.0) for _ in range(10))
