"""A line becomes final by the observations of its file and their times; these tests need no file and no clock."""

from __future__ import annotations

from typing import Any

import pytest

from gomogo_core.games import load
from gomogo_core.wire.lines import parse_move_line
from gomogo_core.wire.move_reader import (
    GROWING_LINE_SETTLE_SECONDS,
    OPEN_FILE_SETTLE_SECONDS,
    SETTLE_SECONDS,
    LineState,
)
from gomogo_core.wire.small_files import FileState
from gomogo_core.wire.waiter import MAX_WAIT_SECONDS

POSITION = load("gomoku").start()


def settling(*looks: tuple[float, str | None, bool | None]) -> LineState:
    """The state after these looks: when, at what, and whether a writer had the file open."""
    state = LineState(0.0)
    for look_time, text, is_open in looks:
        file_state = FileState(None if text is None else text.encode(), (), "", is_open, is_missing=text is None)
        state.observe(
            file_state,
            lambda state_read: parse_move_line(state_read.content or b"", "A", ("A", "B"), POSITION),
            look_time,
        )
    return state


WHOLE, GROWING, HALF, WRONG = "A h 12\n", "A h 1", "A h", "A zz"


@pytest.mark.parametrize(
    ("text", "is_open", "line_rest", "time_is_over", "final"),
    [
        (GROWING, False, 0.0, False, True),  # closed: the writer has finished
        (WRONG, False, 0.0, False, True),
        (HALF, False, 100.0, True, False),
        (WHOLE, True, 1.0, False, False),  # open: only the deadline ends the writing
        (GROWING, True, 1.0, False, False),
        (GROWING, True, 1.0, True, True),
        (WRONG, True, 1.0, True, False),
        (WHOLE, True, OPEN_FILE_SETTLE_SECONDS, False, True),
        (WHOLE, None, SETTLE_SECONDS / 2, False, False),  # unknown: wait for a pause
        (WHOLE, None, SETTLE_SECONDS, False, True),
        (GROWING, None, SETTLE_SECONDS, False, False),
        (GROWING, None, GROWING_LINE_SETTLE_SECONDS, False, True),
    ],
)
def test_a_line_is_final(text: str, is_open: bool | None, line_rest: float, time_is_over: bool, final: bool) -> None:
    assert settling((1.0, text, is_open)).is_final(1.0 + line_rest, time_is_over=time_is_over) is final


@pytest.mark.parametrize(("text", "final"), [(WHOLE, True), (GROWING, False), (HALF, False)])
def test_a_close_event_finalizes_only_a_line_that_cannot_grow(text: str, final: bool) -> None:
    state = settling((1.0, text, None))
    state.record_closing()
    assert state.is_final(1.0, time_is_over=False) is final


def test_a_pause_starts_with_the_last_change_and_stops_the_clock() -> None:
    state = settling((1.0, HALF, None), (1.2, GROWING, None), (1.3, GROWING, None))
    assert state.changed_at == 1.2
    assert not state.is_final(1.2 + GROWING_LINE_SETTLE_SECONDS / 2, time_is_over=False)
    assert state.is_final(1.2 + GROWING_LINE_SETTLE_SECONDS, time_is_over=False)


@pytest.mark.parametrize(
    ("looks", "look_time", "is_empty"),
    [
        ([(1.0, "", False)], 1.0, True),
        ([(1.0, "", True)], 2.0, False),
        ([(1.0, "", None)], 1.0 + SETTLE_SECONDS, True),
        ([(1.0, GROWING, False)], 9.0, False),
        ([(1.0, "B h 8", False), (2.0, None, None)], 2.0, False),
        ([(1.0, "B h 8", False), (2.0, None, None)], 2.0 + MAX_WAIT_SECONDS, True),
    ],
)
def test_a_closed_empty_or_missing_file_is_finally_empty(looks: list[Any], look_time: float, is_empty: bool) -> None:
    assert settling(*looks).is_finally_empty(look_time) is is_empty
