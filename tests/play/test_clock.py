"""Time controls: the time allowed, the time left, and the controls that are refused."""

from __future__ import annotations

import math

import pytest

from gomogo_core.errors import UserError
from gomogo_core.play.clock import NO_LIMIT, Clock, TimeControl


def test_the_default_is_ten_seconds_per_move() -> None:
    assert Clock(TimeControl.from_limits(None, None)).allowed_seconds == 10


def test_a_total_alone_replaces_the_ten_seconds() -> None:
    clock = Clock(TimeControl.from_limits(None, 60))
    assert clock.allowed_seconds == 60
    clock.charge(25)
    assert clock.allowed_seconds == clock.left_in_game == 35


def test_a_move_reduces_the_total_and_earns_the_increment() -> None:
    clock = Clock(TimeControl(None, 10, 2))
    clock.charge(4)
    assert clock.left_in_game == 8


def test_the_shorter_limit_applies() -> None:
    clock = Clock(TimeControl(5, 6))
    assert clock.allowed_seconds == 5
    clock.charge(4)
    assert clock.allowed_seconds == 2


def test_refused_answers_use_up_the_turn_and_other_programs_extend_it() -> None:
    clock = Clock(TimeControl(1.0, grace=0.05))
    clock.refused_seconds, clock.extension_seconds = 0.75, 0.5
    assert clock.left_in_turn == 0.75


def test_without_a_limit_no_move_is_late() -> None:
    clock = Clock(NO_LIMIT)
    assert math.isinf(clock.allowed_seconds)
    clock.charge(1e9)
    assert clock.left_in_game is None


@pytest.mark.parametrize(
    "control", [{"per_move": 0}, {"per_move": -1}, {"total": math.nan}, {"per_move": 1, "increment": 1}]
)
def test_an_impossible_time_control_is_refused_with_a_message(control: dict[str, float]) -> None:
    with pytest.raises(UserError) as error_info:
        TimeControl(**control)
    assert len(str(error_info.value).splitlines()) == 2
