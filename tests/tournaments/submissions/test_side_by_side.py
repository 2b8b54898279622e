"""Parallel calls return their results in order, and an interrupt or a fault stops all of them."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import overload

import pytest

from gomogo_core.cancellation import GameCancelled, check_cancelled
from tournaments.submissions.parallel import parallel_map


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def work() -> None:
    """Wait half a minute, or until the event stops it."""
    for _ in range(3000):
        time.sleep(0.01)
        check_cancelled()


def test_parallel_results_come_in_order() -> None:
    def deed(number: int) -> int:
        time.sleep(0.02 * (3 - number))
        return number * 2

    assert parallel_map(deed, [0, 1, 2], 3) == [0, 2, 4]


def test_an_interrupt_stops_all_parallel_calls() -> None:
    stopped, barrier = list[int](), threading.Barrier(3)

    def deed(number: int) -> None:
        barrier.wait()
        try:
            work()
        except GameCancelled:
            stopped.append(number)
            raise

    def interrupt_both() -> None:
        barrier.wait()
        interrupt()

    threading.Thread(target=interrupt_both).start()
    with pytest.raises(KeyboardInterrupt):
        parallel_map(deed, [0, 1, 2, 3], 2)
    assert sorted(stopped) == [0, 1]  # those that had not begun do not begin


class _InterruptedOnLeaving:
    """An object during whose finalizer an interrupt arrives; Python ignores exceptions in finalizers."""

    def __del__(self) -> None:
        interrupt()
        sum(range(1000))


class _Things(Sequence[int]):
    """Two items. Between them, the main thread runs a finalizer."""

    def __len__(self) -> int:
        return 2

    @overload
    def __getitem__(self, number: int) -> int: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[int]: ...
    def __getitem__(self, number: int | slice) -> int | Sequence[int]:
        return range(2)[number]

    def __iter__(self) -> Iterator[int]:
        yield 0
        _InterruptedOnLeaving()
        yield 1


def test_an_interrupt_in_a_finalizer_is_not_lost() -> None:
    with pytest.raises(KeyboardInterrupt):
        parallel_map(lambda number: work(), _Things(), 2)


def test_an_interrupt_in_the_last_parallel_call_is_not_lost() -> None:
    with pytest.raises(KeyboardInterrupt):
        parallel_map(lambda number: interrupt(), [0], 1)


def test_an_interrupt_while_threads_shut_down_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(ThreadPoolExecutor):
        def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
            super().shutdown(wait, cancel_futures=cancel_futures)
            interrupt()

    monkeypatch.setattr("tournaments.submissions.parallel.ThreadPoolExecutor", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        parallel_map(abs, [1], 1)


def test_parallel_map_restores_the_interrupt_handler() -> None:
    before = signal.getsignal(signal.SIGINT)
    parallel_map(abs, [1], 1)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_fault_in_one_parallel_call_stops_the_others() -> None:
    def deed(number: int) -> None:
        if number == 0:
            raise ValueError("ours")
        work()

    with pytest.raises(ValueError, match="ours"):
        parallel_map(deed, [0, 1], 2)
