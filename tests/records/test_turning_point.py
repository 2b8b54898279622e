"""The turning point: the loser's last move with an evaluation that was not worse."""

from __future__ import annotations

import pytest

from gomogo_core.games.base import Outcome, Reason
from gomogo_core.records.turning_point import turning_point
from tests.records.conftest import played_by

#  ann moves first, and wins; bob's moves are the even ones
WON = (None, 1.0, None, -2.0, None, 0.5, None, -4.0, None)


@pytest.mark.parametrize(
    ("scores", "number"),
    [
        (WON, 6),
        ((None, -1.0, None, -2.0, None, -0.5, None, -4.0, None), None),  # it never thought that it was ahead
        ((None, 1.0, None, 2.0, None, 0.5, None, 4.0, None), 8),  # it never noticed that it was losing
        ((3.0, None, -1.0, None, 0.0, None, 2.0, None, 9.0), 5),  # only the winner reports evaluations
        ((), None),
        ((1.0, 1.0, 1.0, -2.0, 1.0, 0.5, 1.0, -4.0, 1.0), 6),  # the loser's evaluation counts
    ],
)
def test_the_losers_evaluation_never_recovers_after_the_turning_point(
    scores: tuple[float | None, ...], number: int | None
) -> None:
    assert turning_point(played_by(scores=scores)) == number


def test_the_number_of_the_turning_point_includes_the_opening() -> None:
    assert turning_point(played_by(opening_length=4, scores=(None, 0.5, None, -4.0, None))) == 6


def test_a_draw_has_no_turning_point() -> None:
    assert turning_point(played_by(scores=WON, outcome=Outcome.draw(Reason.MOVE_CAP))) is None
