"""A move in place of a mistake is accepted if it gives away little; a sentence says how good it is."""

from __future__ import annotations

import pytest

from gomogo_core.analysis.retries import (
    judge_played_move,
    judge_retry,
    judge_retry_by_boxes,
    judge_retry_by_points,
)
from gomogo_core.analysis.review import build_review
from gomogo_core.analysis.review_results import PositionResult
from gomogo_core.analysis.review_sentences import box_result_words
from tests._games import create_record


@pytest.mark.parametrize(
    ("move", "score", "accepted", "words"),
    [
        ("e5", 0.4, True, "Right: the review also prefers e5, with a win chance of 75 %."),
        ("d5", 0.32, True, "Good: d5 keeps 71 %. e5 keeps 75 %, so it is slightly better."),
        ("d5", 0.9, True, "Good: d5 is as good as the review's move, e5: the win chance is 75 %."),
        ("d5", 1.0, True, "Good: after d5 the win chance is 100 %, and the review's move has 75 %."),
        ("a1", 0.2, False, "After a1 the win chance is 65 % instead of 75 %. Try again."),
        ("a1", -1.0, False, "After a1 the win chance is 0 % instead of 75 %. Try again."),
    ],
)
def test_a_retried_move_is_judged_by_the_advantage_that_it_gives_away(
    move: str, score: float, *, accepted: bool, words: str
) -> None:
    """The review shows 75 %, and 50 % after the mistake; the searches of the retry find 70 % for the best move."""
    assert judge_retry(0.5, 0.0, "e5", move, score, 0.4) == (accepted, words)


@pytest.mark.parametrize(
    ("chance", "accepted", "words"),
    [
        (72, True, "Good: g9 keeps 72 %. h5 keeps 77 %, so it is slightly better."),
        (70, True, "Good: g9 keeps 70 %. h5 keeps 77 %, so it is slightly better."),
        (69, False, "Not bad: g9 keeps 69 %. There is a better move. Try again."),
        (67, False, "Not bad: g9 keeps 67 %. There is a better move. Try again."),
        (66, False, "After g9 the win chance is 66 % instead of 77 %. Try again."),
    ],
)
def test_a_retried_move_that_the_review_would_mark_is_not_accepted(chance: int, *, accepted: bool, words: str) -> None:
    assert judge_retry(0.54, -0.06, "h5", "g9", chance / 50 - 1, 0.54) == (accepted, words)


def test_a_retried_move_in_place_of_a_small_mistake_must_be_better_than_it() -> None:
    assert judge_retry(0.54, 0.44, "h5", "g9", 0.48, 0.54)[0]
    assert not judge_retry(0.54, 0.44, "h5", "g9", 0.44, 0.54)[0]


def test_a_retried_move_in_place_of_a_proved_win_must_win() -> None:
    words = "After g9 the win chance is 97 % instead of 100 %. Try again."
    assert judge_retry(1.0, 0.0, "h5", "g9", 0.94, 1.0) == (False, words)
    assert judge_retry(1.0, 0.0, "h5", "g9", 1.0, 1.0)[0]
    unproved_words = "g9 is probably also good (100 %), but another move is a proved win. Try again."
    assert judge_retry(1.0, 0.0, "h5", "g9", 0.995, 1.0) == (False, unproved_words)
    assert judge_retry(1.0, 0.0, "h5", "g9", 0.995, 0.99) == (False, unproved_words), "the review has proved the win"


def test_a_win_that_only_the_retry_proves_counts_as_proved() -> None:
    words = "Right: the review also prefers h5, and a longer search proves that it wins. It makes a four."
    assert judge_retry(0.84, 0.0, "h5", "h5", 1.0, 1.0, "makes a four") == (True, words)
    words = "Good: g9 is as good as the review's move, h5: the win chance is 100 %."
    assert judge_retry(0.84, 0.0, "h5", "g9", 1.0, 1.0) == (True, words)
    words = "After g9 the win chance is 95 % instead of 100 %. Try again."
    assert judge_retry(0.84, 0.0, "h5", "g9", 0.9, 1.0) == (False, words)


def test_the_right_move_has_its_reason() -> None:
    words = judge_retry(1.0, 0.0, "f7", "f7", 1.0, 1.0, reason="makes a four and an open three at once")[1]
    assert words.endswith("with a win chance of 100 %. It makes a four and an open three at once.")


@pytest.mark.parametrize(
    ("lead", "best_lead", "words"),
    [
        (3, 3, "Good: v2 is as good as the review's move, h1: it wins by 3 boxes."),
        (1, 3, "v2 wins by 1 box instead of 3 if both play perfectly. Try again."),
        (0, 2, "v2 draws instead of winning by 2 boxes if both play perfectly. Try again."),
        (-7, -3, "v2 loses by 7 boxes instead of 3 if both play perfectly. Try again."),
    ],
)
def test_a_retried_edge_has_its_proved_result(lead: float, best_lead: float, words: str) -> None:
    """A sentence names margins only: no number of boxes that the edge costs beside the margin."""
    right_words = f"Right: the review also prefers h1: it {box_result_words(best_lead)} if both play perfectly."
    assert judge_retry_by_boxes("h1", "h1", best_lead, best_lead, lead, 9) == (True, right_words)
    assert judge_retry_by_boxes("h1", "v2", lead, best_lead, min(lead, best_lead - 2), 9) == (lead == best_lead, words)
    explained = judge_retry_by_boxes("h1", "v2", lead, best_lead, lead, 9, harm="opens a chain of 3 boxes")[1]
    explained_words = words.replace(". Try", ": it opens a chain of 3 boxes. Try")
    assert explained == explained_words
    assert judge_played_move("v2", 1.0, "wins by 1 box instead of 3 if both play perfectly")[1] == (
        "v2 is the move of the game, which wins by 1 box instead of 3 if both play perfectly. Try another one."
    )


@pytest.mark.parametrize(
    ("lead", "best_lead", "played_lead", "words"),
    [
        (1, 5, -3, "Not bad: v2 wins by 1 box instead of 5 if both play perfectly. There is a better move. Try again."),
        (0, 2, -2, "Not bad: v2 draws instead of winning by 2 boxes if both play perfectly. There is a better move."),
        (1, 5, 1, "v2 wins by 1 box instead of 5 if both play perfectly. Try again."),
        (-1, 5, -3, "v2 loses by 1 box instead of winning by 5 boxes if both play perfectly. Try again."),
    ],
)
def test_a_retried_edge_that_the_review_would_mark_is_not_accepted(
    lead: float, best_lead: float, played_lead: float, words: str
) -> None:
    is_accepted, sentence = judge_retry_by_boxes("h1", "v2", lead, best_lead, played_lead, 9)
    assert (is_accepted, sentence.startswith(words)) == (False, True)


def test_a_retried_edge_may_cost_too_few_boxes_for_a_mark() -> None:
    """One of 25 boxes is less than a tenth of the lead; one of 9 boxes is more."""
    words = "Good: v2 wins by 3 boxes instead of 5 if both play perfectly. h1 is slightly better."
    assert judge_retry_by_boxes("h1", "v2", 3, 5, 1, 25) == (True, words)
    assert not judge_retry_by_boxes("h1", "v2", 3, 5, 1, 9)[0]
    assert not judge_retry_by_boxes("h1", "v2", 3, 5, 3, 25)[0], "no better than the mistake"
    assert not judge_retry_by_boxes("h1", "v2", -1, 1, -5, 25)[0], "a win became a loss"


@pytest.mark.parametrize(
    ("lead", "points_lost", "accepted", "words"),
    [
        (8.2, 6.0, True, "Good: d4 is as good as the review's move, e5."),
        (6.4, 6.0, True, "Good: d4 is only about 2 points worse than the review's move, e5."),
        (4.5, 12.0, False, "Not bad: d4 loses only about 4 points. There is a better move. Try again."),
        (4.5, 6.0, False, "d4 loses about 4 points, compared with the best move. Try again."),
        (6.7, 1.2, False, "d4 loses about 1 point, compared with the best move. Try again."),
    ],
)
def test_points_judge_a_move_in_place_of_one_that_lost_only_points(
    lead: float, points_lost: float, *, accepted: bool, words: str
) -> None:
    assert judge_retry_by_points("e5", "d4", lead, 8.0, points_lost) == (accepted, words)
    words = f"c3 is the move of the game: it loses about {round(points_lost)} point{'s' * (points_lost > 2)}. "
    assert judge_played_move("c3", 0.99, points_lost=points_lost)[1] == f"{words}Try another one."


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
