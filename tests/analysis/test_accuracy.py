"""A player's accuracy falls with the win chances that the moves gave away, as on lichess.org."""

from __future__ import annotations

from itertools import pairwise

import pytest

from gomogo_core.analysis.accuracy import move_accuracy, move_weights, player_accuracy
from gomogo_core.analysis.review import build_review
from gomogo_core.analysis.review_results import PositionResult
from tests._games import create_record


def test_a_move_that_gives_away_more_is_less_accurate() -> None:
    losses = (0.0, 5.0, 10.0, 20.0, 50.0, 100.0)
    assert [round(move_accuracy(loss)) for loss in losses] == [100, 81, 65, 41, 10, 0]


def test_accuracy_weights_volatile_positions_and_bad_moves_more() -> None:
    assert move_weights([50.0, 50.0, 90.0, 90.0]) == [3.0, 12.0, 3.0]
    assert player_accuracy([100.0, 100.0], [1.0, 12.0]) == 100
    assert player_accuracy([100.0, 10.0], [1.0, 1.0]) == pytest.approx((55 + 2 / (1 / 100 + 1 / 10)) / 2)


def accuracies(chances: list[float]) -> list[float]:
    """The accuracies of both players, who move alternately. chances: the first player's win chances."""
    weights = move_weights(chances)
    losses = [[sign * (value - other) for value, other in pairwise(chances)] for sign in (1, -1)]
    return [
        player_accuracy([move_accuracy(max(0.0, loss)) for loss in losses[seat][seat::2]], weights[seat::2])
        for seat in (0, 1)
    ]


def test_the_accuracy_in_a_game_without_certain_win_chances_is_that_of_lichess() -> None:
    """The expected numbers are those of `AccuracyPercent.gameAccuracy` in lichess's server for the same win chances."""
    chances = [50 + 40 * (number % 7) / 7 for number in range(30)]  # 29 moves: the window has two moves, not three
    assert accuracies(chances) == pytest.approx([67.81, 84.00], abs=0.5)


@pytest.mark.parametrize(("moves", "accuracy"), [(3, 29), (6, 48), (12, 65)])
def test_one_blunder_in_a_short_game_of_certain_values_leaves_most_of_the_accuracy(moves: int, accuracy: int) -> None:
    """With lichess's limits the numbers would be 5, 11 and 21."""
    chances = [100.0] * (2 * moves - 1) + [0.0] * 2  # the first player's last move loses a won game
    assert [round(value) for value in accuracies(chances)] == [accuracy, 100]


def test_a_review_counts_the_marks_of_each_player() -> None:
    game = create_record("m", "a1 e1 a2 e3 d4 e2", size=5, line=3)  # ann misses a3, bob wins
    searched = [(0.0, "a1"), (0.0, "e1"), (0.0, "a2"), (-1_000.0, "e3"), (999_999.0, "a3"), (999_999.0, "e2")]
    results = {
        number: PositionResult(number % 2 + 1, value, 1.0, 3, (best_move,))
        for number, (value, best_move) in enumerate(searched)
    }
    ann, bob = build_review(game, results, 1.0).players
    assert (ann.seat, ann.mistakes, ann.blunders) == (1, 0, 1)
    assert (bob.seat, bob.mistakes, bob.blunders, round(bob.accuracy or 0)) == (2, 0, 0, 100)
    assert ann.accuracy is not None
    assert ann.accuracy < 50
    before = build_review(game, {5: results[5]}, 1.0).players
    assert [before[0].accuracy, round(before[1].accuracy or 0)] == [None, 100], "while the review goes on"
    assert build_review(game, {5: results[5]}, 1.0).note.startswith("No mistakes so far.")
    assert "mistakes" not in build_review(game, {}, 1.0).note, "before the first position is examined"
