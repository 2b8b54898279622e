"""A move in place of a mistake is accepted if it gives away little; a sentence says how good it is."""

from __future__ import annotations

import pytest

from gomogo_core.analysis.retries import judge_played_move, judge_retry
from gomogo_core.analysis.review import build_review
from gomogo_core.analysis.review_results import PositionResult
from tests._games import create_record


@pytest.mark.parametrize(
    ("move", "score", "accepted", "words"),
    [
        ("e5", 0.4, True, "Right: the review also prefers e5, with a win chance of 75 %."),
        ("d5", 0.32, True, "Good: d5 has a win chance of 71 %. The review prefers e5, with 75 %."),
        ("d5", 0.9, True, "Good: d5 is as good as the review's move, e5: the win chance is 75 %."),
        ("a1", 0.2, False, "After a1 the win chance is 65 % instead of 75 %. Try again."),
        ("a1", -1.0, False, "After a1 the win chance is 0 % instead of 75 %. Try again."),
    ],
)
def test_a_retried_move_is_judged_by_the_advantage_that_it_gives_away(
    move: str, score: float, *, accepted: bool, words: str
) -> None:
    """The review shows 75 %; the searches of the retry find 70 % for the same move."""
    assert judge_retry(0.5, "e5", move, score, 0.4) == (accepted, words)


def test_the_right_move_has_its_reason() -> None:
    words = judge_retry(1.0, "f7", "f7", 1.0, 1.0, reason="makes a four and an open three at once")[1]
    assert words.endswith("with a win chance of 100 %. It makes a four and an open three at once.")


def test_a_retried_move_in_a_lost_game_is_judged_by_the_boxes_that_it_gives_away() -> None:
    assert judge_retry(-1.0, "h1", "v2", -1.0, -1.0, 2) == (False, "v2 gives away 2 boxes. Try again.")
    assert judge_retry(-1.0, "h1", "v2", -1.0, -1.0, 0)[0]


@pytest.mark.parametrize(
    ("move", "score", "boxes_lost", "box_result", "words"),
    [
        (
            "h1",
            1.0,
            0,
            "wins by 3 boxes",
            "Right: the review also prefers h1: it wins by 3 boxes if both play perfectly.",
        ),
        ("v2", 1.0, 0, "wins by 3 boxes", "Good: v2 is as good as the review's move, h1: it wins by 3 boxes."),
        ("v2", 1.0, 1, "wins by 1 box", "v2 costs 1 box: it wins by 1 box if both play perfectly. Try again."),
        ("v2", -1.0, 2, "loses by 1 box", "v2 costs 2 boxes: it loses by 1 box if both play perfectly. Try again."),
    ],
)
def test_a_retried_edge_has_its_proved_result(
    move: str, score: float, boxes_lost: int, box_result: str, words: str
) -> None:
    is_accepted = boxes_lost == 0
    assert judge_retry(1.0, "h1", move, score, 1.0, boxes_lost, "", box_result) == (is_accepted, words)
    assert judge_played_move("v2", 1.0, "wins by 1 box instead of 3 if both play perfectly")[1] == (
        "v2 is the move of the game, which wins by 1 box instead of 3 if both play perfectly. Try another one."
    )


def test_sentences_graph_and_retries_have_one_figure_for_one_position() -> None:
    game = create_record("m", "e5 a1 d5 a2 c5 a3", size=9)
    # the search after c5 gives ann 40 %, and c5 has no mark, so the earlier figures are lower than their own searches
    values = [(0.5, "e5"), (0.0, "e6"), (1.2, "f5"), (1.5, "c5"), (0.4, "c5"), (0.0, "a3")]
    results = {
        number: PositionResult(
            number % 2 + 1, value, 1.0, 3, (best_move,), checked_loss=0.4 if number in (2, 3) else 0.0
        )
        for number, (value, best_move) in enumerate(values)
    }
    review = build_review(game, results, 1.0)
    before, between, after = (review.advantages[number] for number in (2, 3, 4))
    assert review.findings[0].sentence.startswith("ann played d5: the win chance fell from 58 to 38 %.")
    assert review.findings[1].sentence.startswith("bob played a2: the win chance fell from 62 to 42 %.")
    assert [round(50 + 50 * advantage) for advantage in (before, between, after)] == [58, 38, 58]
    assert "after it the win chance is 38 %" in judge_played_move("d5", review.advantage_of(1, 3))[1]
