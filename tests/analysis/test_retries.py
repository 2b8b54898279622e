"""A move in place of a mistake is accepted if it gives away little; a sentence says how good it is."""

from __future__ import annotations

import pytest

from gomogo_core.analysis.retries import judge_retry
from gomogo_core.analysis.review import PositionResult

RESULT = PositionResult(1, 0.5, 1.0, 5, ("e5", "d4"))


@pytest.mark.parametrize(
    ("move", "score", "accepted", "words"),
    [
        ("e5", 0.4, True, "Right: the review also prefers e5, with a win chance of 70 %."),
        ("d5", 0.32, True, "Good: d5 has a win chance of 66 %. The review prefers e5, with 70 %."),
        ("d5", 0.9, True, "Good: d5 has a win chance of 95 %. The review prefers e5, with 70 %."),
        ("a1", 0.2, False, "After a1 the win chance is 60 % instead of 70 %. Try again."),
        ("b2", 0.4, False, "b2 is the move of the game. Try another one."),
    ],
)
def test_a_retried_move_is_judged_by_the_advantage_that_it_gives_away(
    move: str, score: float, *, accepted: bool, words: str
) -> None:
    assert judge_retry(RESULT, "b2", move, score, 0.4) == (accepted, words)
