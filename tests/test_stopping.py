"""Cancellation ends a thread's wait once, and also ends waits for programs."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from gomogo_core.arena import Arena
from gomogo_core.cancellation import GameCancelled, cancellable, check_cancelled, interruptible, shielded
from gomogo_core.catalogue import agent
from gomogo_core.games import load
from gomogo_core.games.base import RESIGN, Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Event, Started
from gomogo_core.play.player import Reply, Turn
from gomogo_core.processes.process import Process
from gomogo_core.session.referee import HumanPlayer, MovesTakenBack
from gomogo_core.wire.inotify import CREATE
from gomogo_core.wire.waiter import Waiter

LONG = 20.0  # seconds: an uncancelled wait ends in another way


def set_wish() -> threading.Event:
    wish = threading.Event()
    wish.set()
    return wish


def test_a_thread_without_a_cancellation_continues() -> None:
    check_cancelled()
    with cancellable(threading.Event()):
        check_cancelled()


def test_an_earlier_cancellation_is_raised_at_once() -> None:
    with pytest.raises(GameCancelled), cancellable(set_wish()):
        pytest.fail("it began")


def test_a_cancellation_is_raised_once() -> None:
    wish = threading.Event()
    with cancellable(wish):
        wish.set()
        with pytest.raises(GameCancelled):
            check_cancelled()
        check_cancelled()
    check_cancelled()


def test_an_interruptible_thread_can_be_interrupted_repeatedly() -> None:
    wish = threading.Event()
    with interruptible(wish):
        for _ in range(2):
            wish.set()
            with pytest.raises(KeyboardInterrupt):
                check_cancelled()
            check_cancelled()
    wish.set()
    check_cancelled()


def test_shielded_cleanup_is_not_cancelled() -> None:
    wish = threading.Event()
    with cancellable(wish):
        with shielded():
            wish.set()
            check_cancelled()
        with pytest.raises(GameCancelled):
            check_cancelled()


def test_a_cancellation_reaches_only_its_thread() -> None:
    wish, passed = threading.Event(), list[bool]()

    def pass_by() -> None:
        check_cancelled()
        passed.append(True)

    with cancellable(wish):
        wish.set()
        other = threading.Thread(target=pass_by)
        other.start()
        other.join()
        with pytest.raises(GameCancelled):
            check_cancelled()
    assert passed


class _Slow:
    """To put it away takes a while, in which Python would swallow what is thrown into the thread."""

    def __del__(self) -> None:
        time.sleep(0.01)


def put_slow_things_away() -> None:
    for _ in range(3000):
        _Slow()
        check_cancelled()


def test_a_thread_mostly_in_finalizers_is_cancelled() -> None:
    wish = threading.Event()
    threading.Timer(0.05, wish.set).start()
    with pytest.raises(GameCancelled), cancellable(wish):
        put_slow_things_away()


def wait_for_a_folder(folder: Path) -> None:
    waiter, since = Waiter(folder, CREATE), time.monotonic()
    try:
        while time.monotonic() < since + LONG:
            waiter.wait(since, since + LONG)
    finally:
        waiter.close()


def wait_for_a_program(folder: Path) -> None:
    process = Process([sys.executable, "-c", "import time; time.sleep(60)"], folder, {})
    try:
        process.wait(LONG)
    finally:
        process.end()


@pytest.mark.parametrize("polled", [True, False])
@pytest.mark.parametrize("wait", [wait_for_a_folder, wait_for_a_program])
def test_a_waiting_thread_is_cancelled(
    wait: Callable[[Path], None], polled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOMOGO_INOTIFY", "off" if polled else "on")
    wish = threading.Event()
    threading.Timer(0.05, wish.set).start()
    with pytest.raises(GameCancelled), cancellable(wish):
        wait(tmp_path)


THINKS_LONG = """
import sys, time
for line in sys.stdin:
    if line.startswith(("START", "RECTSTART")):
        print("OK", flush=True)
    elif line.startswith("BEGIN"):
        time.sleep(60)
"""
THINKS_LONG_BY_FILES = "import time\n\n\ndef choose(position, clock):\n    time.sleep(60)\n"


@pytest.mark.parametrize("by_pipes", [True, False])
def test_a_game_stops_while_an_agent_thinks(by_pipes: bool, tmp_path: Path) -> None:
    program = tmp_path / "move_provider.py"
    program.write_text(THINKS_LONG if by_pipes else THINKS_LONG_BY_FILES)
    move_provider = agent(f"gomocup:{sys.executable} {program}" if by_pipes else str(program))
    wish, processes = threading.Event(), list[int]()

    def wish_once_it_runs(event: Event) -> None:
        if isinstance(event, Started):
            processes.extend(arena.process_ids().values())
            threading.Timer(0.05, wish.set).start()

    with Arena() as arena, cancellable(wish), pytest.raises(GameCancelled):
        arena.play(
            load("gomoku"), [move_provider, move_provider], [TimeControl(LONG)] * 2, listeners=[wish_once_it_runs]
        )
    assert len(processes) == 2


class HumanWhoTakesBack(HumanPlayer):
    """A human who plays one move, takes it back on the next turn, and then resigns."""

    def __init__(self) -> None:
        super().__init__("human")
        self._answers = iter(["a1", "", RESIGN])

    def await_move(self, turn: Turn) -> Reply:
        if not (answer := next(self._answers)):
            raise MovesTakenBack
        return Reply(answer, 0.0)


def test_an_agent_that_waits_goes_on_after_moves_are_taken_back() -> None:
    processes, human = list[int](), HumanWhoTakesBack()

    def note_process(event: Event) -> None:
        if isinstance(event, Started):
            processes.append(arena.process_ids()[2])

    with Arena() as arena:
        play = partial(
            arena.play,
            load("gomoku", size=5),
            [agent("human"), agent("random_mover")],
            [TimeControl(LONG)] * 2,
            listeners=[note_process],
            players={1: human},
        )
        with pytest.raises(MovesTakenBack):
            play()
        assert play().outcome.reason is Reason.RESIGNED
    assert len(processes) == 2
    assert processes[0] == processes[1]
