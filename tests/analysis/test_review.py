"""A review marks a move by the win chance that it gave away, and names missed wins, captures and the turning point."""

from __future__ import annotations

import math

import pytest

from gomogo_core.analysis import strongest_search
from gomogo_core.analysis.review import build_review
from gomogo_core.analysis.review_results import PositionResult
from gomogo_core.analysis.review_searches import review, search_positions
from gomogo_core.games import load
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.sgf import read_sgf as read_sgf
from gomogo_core.search.node import WIN_VALUE
from gomogo_core.search.result import PositionAnalysis, ScoredLine
from tests._games import create_record


def test_a_review_names_a_missed_win() -> None:
    missed = create_record("m", "a1 e1 a2 e3 d4 e2", size=5, line=3)
    findings = review(missed, seconds=2.0).findings
    words = "ann played d4 and missed a win, after which the game was lost. a3 wins at once: it makes three in a row."
    assert any(finding.number == 5 and words in finding.sentence for finding in findings)


def sentences_of(game: PlayedGame, expected_sentence: str) -> list[tuple[int, str]]:
    """The findings of a review: their moves and sentences. A busy machine gets more time for `expected_sentence`."""
    for seconds in (2.0, 8.0, 32.0):
        sentences = [(finding.number, finding.sentence) for finding in review(game, seconds=seconds).findings]
        if any(expected_sentence in sentence for _, sentence in sentences):
            break
    return sentences


def test_a_review_names_missed_captures() -> None:
    rows = range(1, 7)  # ends with six stones on the a, b and c lines: whoever moves next, captures and wins
    walls = " ".join(f"e{row} c{row}" for row in rows) + " " + " ".join(f"b{row} a{row}" for row in rows)
    missed = create_record("m", f"{walls} g7 b7", game="go", size=7)
    better = "a7 was better: it captures the 6 stones at a1"  # on a busy machine, there may be no time for more reasons
    loss = "g7 loses the 6 stones at b1: White captures them with b7."
    sentences = sentences_of(missed, better)
    assert any(number == 25 and better in words and loss in words for number, words in sentences), sentences


def test_a_review_names_the_turning_point() -> None:
    lost_game = create_record("m", "b2 c3 e5 c4 e1 c2 a5 c5", size=5, line=4)
    expected_sentence = "The turning point: ann played"
    sentences = sentences_of(lost_game, expected_sentence)
    assert any(expected_sentence in sentence for _, sentence in sentences), sentences


def test_the_turning_point_is_the_losing_move() -> None:
    lost_game = create_record(
        "m", "a1 d4 g7 e4 c4 e3 c5 e5 a7 e6 b1 e7", size=7
    )  # a7 lets an open three be an open four
    expected_sentence = "ann played a7, after which the game was lost."
    turns = [sentence for sentence in sentences_of(lost_game, expected_sentence) if "turning point" in sentence[1]]
    assert [number for number, _ in turns] == [9], turns
    assert expected_sentence in turns[0][1]
    assert "was better" in turns[0][1]


def test_a_move_that_a_search_prefers_after_a_seen_loss_is_not_the_losing_one() -> None:
    lost_game = create_record("m", "a1 d4 g7 e4 c4 e3 c5 e5 a7 e6 b1 e7", size=7)
    results = {
        8: PositionResult(1, 0.0, 100.0, 9, ("e6",)),
        9: PositionResult(2, WIN_VALUE - 5.0, 100.0, 9, ("e6",)),  # bob's turn: the search sees ann's loss
        10: PositionResult(1, -150.0, 100.0, 9, ("b1",)),  # ann's turn: it misses the loss, and prefers her move
        11: PositionResult(2, WIN_VALUE - 1.0, 100.0, 1, ("e7",)),
    }
    turns = [
        finding for finding in build_review(lost_game, results, 1.0).findings if "turning point" in finding.sentence
    ]
    assert [(finding.number, finding.better_move) for finding in turns] == [(9, "e6")]


@pytest.mark.parametrize(("value_after", "mark"), [(100.0, "?"), (300.0, "??")])
def test_the_turning_point_has_the_mark_of_its_loss(value_after: float, mark: str) -> None:
    lost_game = create_record("m", "a1 d4 g7 e4 c4 e3 c5 e5 a7 e6 b1 e7", size=7)
    results = {
        8: PositionResult(1, 0.0, 100.0, 9, ("e6",)),
        9: PositionResult(2, value_after, 100.0, 9, ("e6",)),
        10: PositionResult(1, -value_after, 100.0, 9, ("b1",)),
    }
    findings = build_review(lost_game, results, 1.0).findings
    assert [(finding.number, finding.annotation) for finding in findings] == [(9, mark)]
    assert findings[0].sentence.startswith("The turning point: ann played a7")


def test_a_missed_capture_that_costs_nothing_gets_no_mark() -> None:
    rows = range(1, 7)
    walls = " ".join(f"e{row} c{row}" for row in rows) + " " + " ".join(f"b{row} a{row}" for row in rows)
    missed = create_record("m", f"{walls} g7 b7", game="go", size=7)
    for loss, marks in ((0.0, []), (0.25, ["?"])):
        results = {
            24: PositionResult(1, 0.0, 1.0, 3, ("d7",)),
            25: PositionResult(2, math.atanh(loss) * 2, 1.0, 3, ("b7",)),  # bob's advantage is `loss`
        }
        review_result = build_review(missed, results, 1.0)
        assert [
            finding.annotation for finding in review_result.findings if "captures 6 stones" in finding.sentence
        ] == marks
        assert review_result.players[0].accuracy is not None
        assert (review_result.players[0].accuracy < 99.5) is bool(marks)


def test_a_position_without_time_for_a_search_has_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    for depth, nodes, value, is_known in (
        (0, 5, 0.0, False),
        (1, 0, 0.0, False),
        (1, 5, 0.0, True),
        (0, 0, WIN_VALUE, True),
    ):
        analysis = PositionAnalysis((ScoredLine(value, (load("gomoku", size=7).parse("d4"),)),), depth, nodes, 0.0)
        monkeypatch.setattr(strongest_search, "stream_analyses", lambda *_, analysis=analysis: iter([analysis]))
        assert bool(list(search_positions(create_record("m", "a1 d4", size=7), 60.0))) is is_known


def test_a_missed_win_that_costs_nothing_gets_no_mark() -> None:
    missed = create_record("m", "a1 d4 g7 e4 c4 e3 c5 e5 a7 e6 b1 e7", size=7)
    for after, marks in ((-1000.0, []), (-200.0, ["?"]), (0.0, ["??"])):
        results = {
            7: PositionResult(2, WIN_VALUE - 5.0, 100.0, 9, ("d3",)),
            8: PositionResult(1, after, 100.0, 9, ("e6",)),
        }
        review_result = build_review(missed, results, 1.0)
        assert [finding.annotation for finding in review_result.findings if "missed a win" in finding.sentence] == marks
        assert review_result.players[1].accuracy is not None
        assert (review_result.players[1].accuracy < 99.5) is bool(marks)


def test_the_move_that_lost_the_game_lowers_the_accuracy_even_if_the_search_prefers_it() -> None:
    lost_game = create_record("m", "a1 d4 g7 e4 c4 e3 c5 e5 a7 e6 b1 e7", size=7)
    results = {
        8: PositionResult(1, 0.0, 100.0, 9, ("a7",)),
        9: PositionResult(2, WIN_VALUE - 5.0, 100.0, 9, ("e6",)),
        10: PositionResult(1, 4.0 - WIN_VALUE, 100.0, 9, ("b1",)),
    }
    review_result = build_review(lost_game, results, 1.0)
    assert [(finding.number, finding.annotation) for finding in review_result.findings] == [(9, "??")]
    assert review_result.players[0].accuracy is not None
    assert review_result.players[0].accuracy < 60


def test_a_mistake_counts_even_if_the_opponent_answers_it_by_another() -> None:
    game = create_record("m", "a1 d4 g7 e4 c4 e3 c5 e5 a7 e6 b1 e7", size=7)
    for preferred, numbers in (("e3", []), ("e5", [5, 6])):  # bob plays e3, after the opening, which has no such marks
        results = {
            4: PositionResult(1, 0.0, 100.0, 9, ("d5",)),
            5: PositionResult(2, 300.0, 100.0, 9, (preferred,)),
            6: PositionResult(1, 0.0, 100.0, 9, ("c5",)),
        }
        findings = build_review(game, results, 1.0).findings
        assert [finding.number for finding in findings if "win chance fell" in finding.sentence] == numbers
