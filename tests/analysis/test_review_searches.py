"""A review searches a position with a mistake again before it names a better move."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gomogo_core.analysis.review import PositionResult, build_review
from gomogo_core.analysis.review_searches import SearchRequest, review_searches
from gomogo_core.search.result import ExpectedEnd
from tests.page.test_lobby import played

GAME = played("m", "a1 d4 g7 e4 c4 e3 c5 e5 a7 e6 b1 e7", size=7)
SECONDS = 6.4


def run(answer: Callable[[SearchRequest], PositionResult]) -> tuple[dict[int, PositionResult], list[SearchRequest]]:
    """The results of a review whose searches are answered by a function, and the searches."""
    results, asked = dict[int, PositionResult](), list[SearchRequest]()
    searches = review_searches(GAME, SECONDS, results)
    try:
        request = next(searches)
        while True:
            asked.append(request)
            request = searches.send(answer(request))
    except StopIteration:
        return results, asked


def prefers_d5_before_move_3(after_d5: float, nodes: int) -> Callable[[SearchRequest], PositionResult]:
    """A search that sees a loss in move 3, g7. after_d5: the opponent's value after d5; it is 300 after g7.

    nodes: the number of playouts from which this value comes.
    """
    moves = tuple(ply.move for ply in GAME.plies)

    def answer(request: SearchRequest) -> PositionResult:
        number, seat = len(request.moves), request.position.to_move
        if request.moves[-1:] == ("d5",):
            return PositionResult(seat, after_d5, 100.0, 9, ("c4",), nodes=nodes)
        if number == 2:
            return PositionResult(seat, 0.0, 100.0, 9, ("d5",))
        return PositionResult(seat, 300.0 if seat == 2 else -300.0, 100.0, 9, (moves[number],))

    return answer


@pytest.mark.parametrize(
    ("after_d5", "nodes", "better"), [(0.0, 1000, ["d5"]), (300.0, 1000, []), (290.0, 1000, []), (0.0, 4, [])]
)
def test_a_better_move_is_named_only_if_longer_searches_agree(after_d5: float, nodes: int, better: list[str]) -> None:
    results, asked = run(prefers_d5_before_move_3(after_d5, nodes))
    again = [one for one in asked if one.seconds > SECONDS / 32]
    assert [one.moves[2:] for one in again] == [(), ("d5",), ("g7",)]
    assert len({one.seconds for one in again}) == 1, "the values of searches of different lengths differ"
    found = build_review(GAME, results, SECONDS).findings
    assert [one.better_move for one in found if one.number == 3 and one.better_move] == better


def test_the_checks_take_at_most_as_long_again() -> None:
    def answer(request: SearchRequest) -> PositionResult:
        number = len(request.moves)
        return PositionResult(request.position.to_move, 50.0 + 50 * (number % 2), 100.0, 9, ("g1",))

    _, asked = run(answer)
    assert len(asked) > 20, "most moves were checked"
    assert sum(one.seconds for one in asked) <= 2 * SECONDS


@pytest.mark.parametrize("error", [1.0, 4.0])
def test_points_are_named_only_if_they_exceed_their_error(error: float) -> None:
    usual = prefers_d5_before_move_3(0.0, 1000)

    def answer(request: SearchRequest) -> PositionResult:
        end = ExpectedEnd(6.2 if request.moves[-1:] == ("d5",) else 0.0, error, {})
        return usual(request)._replace(expected_end=end)

    results, _ = run(answer)
    sentence = next(one.sentence for one in build_review(GAME, results, SECONDS).findings if one.number == 3)
    assert ("lost about 6 points" in sentence) == (results[2].points_lost is not None) == (error < 6.2 / 2 / 2**0.5)
