"""A signal calls a function; signals that the parent process ignores stay ignored, except for Ctrl-C."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from tournaments.signals import handle_signals

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture(params=SIGNALS)
def number(request: pytest.FixtureRequest) -> Iterator[int]:
    """Yield a signal, and restore its handler afterwards."""
    number: int = request.param
    before = signal.getsignal(number)
    yield number
    signal.signal(number, before)


def test_a_signal_calls_the_handler(number: int) -> None:
    signal.signal(number, signal.default_int_handler)
    numbers = list[int]()
    with handle_signals(numbers.append):
        os.kill(os.getpid(), number)
    assert numbers == [number]
    assert signal.getsignal(number) is signal.default_int_handler


def test_signals_ignored_by_the_parent_stay_ignored_except_ctrl_c(number: int) -> None:
    signal.signal(number, signal.SIG_IGN)
    numbers = list[int]()
    with handle_signals(numbers.append):
        os.kill(os.getpid(), number)
    assert numbers == ([number] if number == signal.SIGINT else [])  # scripts ignore it for their background processes
    assert signal.getsignal(number) is signal.SIG_IGN


def test_other_threads_do_not_change_signal_handlers() -> None:
    before, handlers_seen = signal.getsignal(signal.SIGINT), list[object]()

    def look() -> None:
        with handle_signals(lambda number: None):
            handlers_seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert handlers_seen == [before]
