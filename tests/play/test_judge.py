"""The judge of single answers accepts legal moves in time, gives the reason for a refusal, and changes nothing."""

from __future__ import annotations

import pytest

from gomogo_core.games import load
from gomogo_core.games.base import Reason
from gomogo_core.play.clock import Clock, TimeControl
from gomogo_core.play.judge import AcceptedMove, judge
from gomogo_core.play.player import Failure, Reply

POSITION = load("gomoku", size=5, line=3).replay(["a1"])


def test_a_legal_move_in_time_is_accepted_with_its_position_and_its_time() -> None:
    clock = Clock(TimeControl(None, 10))
    assert judge(POSITION, Reply(" B 2 ", 4.0), clock) == AcceptedMove("b2", POSITION.game.replay(["a1", "b2"]), 4.0)
    assert clock.left_in_game == 10


@pytest.mark.parametrize(
    ("text", "seconds", "reason", "evidence"),
    [
        ("a1", 1, Reason.ILLEGAL_MOVE, "a1 is occupied by black"),
        ("zz", 1, Reason.NOT_A_MOVE, "'zz' is not a move: write a column letter, then a row, like c3"),
        (" Resign", 1, Reason.RESIGNED, "resigned"),
        ("zz", 11, Reason.OUT_OF_TIME, "11.000 s taken, 10 s allowed"),  # the time is judged first
    ],
)
def test_an_invalid_answer_is_a_failure_with_its_evidence(
    text: str, seconds: float, reason: Reason, evidence: str
) -> None:
    verdict = judge(POSITION, Reply(text, seconds), Clock(TimeControl()))
    assert verdict == Failure(reason, evidence, seconds)


@pytest.mark.parametrize(("seconds", "accepted"), [(1.0, True), (1.05, True), (1.0501, False)])
def test_a_move_can_be_late_by_the_grace_period(seconds: float, accepted: bool) -> None:
    verdict = judge(POSITION, Reply("b2", seconds), Clock(TimeControl(1.0, grace=0.05)))
    assert isinstance(verdict, AcceptedMove) is accepted


@pytest.mark.parametrize(("seconds", "charged"), [(0.5, 0.75), (1.5, 1.0), (2.0, None)])
def test_an_extension_counts_for_a_late_answer_only(seconds: float, charged: float | None) -> None:
    clock = Clock(TimeControl(1.0, grace=0.05))
    clock.refused_seconds, clock.extension_seconds = 0.25, 0.75
    verdict = judge(POSITION, Reply("b2", seconds), clock)
    assert (verdict.seconds_taken if isinstance(verdict, AcceptedMove) else None) == charged
