"""A review searches a position with a mistake again before it names a better move."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest

from gomogo_core.analysis.review import build_review
from gomogo_core.analysis.review_losses import INACCURACY_LOSS
from gomogo_core.analysis.review_results import PositionResult, position_result, win_chance_percent
from gomogo_core.analysis.review_searches import SearchRequest, review_searches
from gomogo_core.analysis.review_sentences import boxes_words, move_result_words
from gomogo_core.games import load
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.games.boards import Place
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.search.node import WIN_VALUE
from gomogo_core.search.result import ExpectedEnd
from gomogo_core.search.solve import solve
from tests._games import create_record

GAME = create_record("m", "a1 d4 g7 e4 c4 e3 c5 e5 a7 e6 b1 e7", size=7)
SECONDS = 6.4


def run(
    answer: Callable[[SearchRequest], PositionResult | None], game: PlayedGame = GAME
) -> tuple[dict[int, PositionResult], list[SearchRequest]]:
    """The results of a review whose searches are answered by a function, and the searches."""
    results, asked = dict[int, PositionResult](), list[SearchRequest]()
    searches = review_searches(game, SECONDS, results)
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
    ("after_d5", "nodes", "better"), [(0.0, 1000, ["d5"]), (300.0, 1000, []), (290.0, 1000, []), (0.0, 20, [])]
)
def test_a_better_move_is_named_only_if_longer_searches_agree(after_d5: float, nodes: int, better: list[str]) -> None:
    results, asked = run(prefers_d5_before_move_3(after_d5, nodes))
    # the search before move 2 prefers that move although the advantage falls after it, so it is searched again, too
    again = [request for request in asked if request.seconds > SECONDS / 32 and len(request.moves) > 1]
    assert [request.moves[2:] for request in again] == [(), ("g7",), ("d5",)]
    assert len({request.seconds for request in again}) == 1, "the values of searches of different lengths differ"
    findings = build_review(GAME, results, SECONDS).findings
    assert [finding.better_move for finding in findings if finding.number == 3 and finding.better_move] == better


def test_the_checks_and_the_second_pass_take_at_most_as_long_again(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = 0.0
    monkeypatch.setattr("gomogo_core.analysis.review_searches.time.monotonic", lambda: clock)

    def answer(request: SearchRequest) -> PositionResult:
        nonlocal clock
        clock += request.seconds
        number = len(request.moves)
        return PositionResult(request.position.to_move, 50.0 + 50 * (number % 2), 100.0, 9, ("g1",))

    _, asked = run(answer)
    assert len(asked) > 20, "most moves were checked"
    assert sum(request.seconds for request in asked) <= 3 * SECONDS


@pytest.mark.parametrize(
    ("checked_loss", "value_after", "marks"), [(None, 1.0, []), (0.4, 1.0, ["?"]), (1.2, -3.0, [])]
)
def test_a_loss_in_go_has_a_mark_only_if_longer_searches_confirm_it_and_the_graph_falls(
    checked_loss: float | None, value_after: float, marks: list[str]
) -> None:
    game = create_record("m", "a1 d4 g7 e4 c4 e3", game="go", size=7, outcome=Outcome.draw(Reason.SCORE))
    results = {2: PositionResult(1, 0.0, 1.0, 9, ("d5",), checked_loss=checked_loss)}
    results[3] = PositionResult(2, value_after, 1.0, 9, ("e4",))
    review = build_review(game, results, SECONDS)
    assert [finding.annotation for finding in review.findings] == marks
    assert (abs(review.advantages[2] - review.advantages[3]) > INACCURACY_LOSS) == bool(marks)


@pytest.mark.parametrize(
    ("leads", "better", "order"),
    [
        ((0, 0, 0, -3, -3, -23), ("a1", "", "d5", "", "d6"), [4, 2]),
        ((0, -7, -7, -19, -19, -28), ("d6", "", "d5", "", "d5"), [2, 0, 4]),
    ],
)
def test_the_largest_suspected_loss_is_checked_first_and_that_of_the_same_point_last(
    leads: tuple[int, ...], better: tuple[str, ...], order: list[int]
) -> None:
    """leads: the expected lead before each move. better: the moves of ann, bob, ann … that the searches prefer."""
    game = create_record("m", "a1 d4 g7 e4 c4 e3", game="go", size=7, outcome=Outcome.draw(Reason.SCORE))
    played = [ply.move for ply in game.plies]

    def answer(request: SearchRequest) -> PositionResult:
        number = len(request.moves)
        is_better = request.moves != tuple(played[:number])
        best = "g1" if is_better else dict(enumerate(better)).get(number) or played[number]
        end = ExpectedEnd(leads[number - is_better], 2.0, {})
        return PositionResult(request.position.to_move, 0.0, 1.0, 9, (best,), nodes=400, expected_end=end)

    _, asked = run(answer, game)
    checks = [one for one in asked if one.agent == "strongest" and one.moves == tuple(played[: len(one.moves)])]
    assert [len(one.moves) for one in checks if len(one.moves) in order] == order
    seconds = {len(one.moves): one.seconds for one in checks}
    assert (seconds[2] > seconds[4]) == (order[-1] == 2), "a small loss needs a longer search"


def test_one_check_confirms_all_moves_that_leave_the_same_better_point_open() -> None:
    """ann, bob and ann play elsewhere by the moves 3, 4 and 5, although d5 decides the game."""
    game = create_record("m", "a1 d4 g7 e4 c4 e3", game="go", size=7, outcome=Outcome.draw(Reason.SCORE))
    owners: dict[Place, float] = {game.rules().parse("a1"): 0.5}

    def answer(request: SearchRequest) -> PositionResult:
        number, seat = len(request.moves), request.position.to_move
        is_better = request.moves[-1:] == ("d5",)
        ann = -0.8 if number - is_better in (3, 5) else 0.0
        best = "g1" if is_better else "d5" if number in (2, 3, 4) else game.plies[number].move
        value = 2 * math.atanh(ann if seat == 1 else -ann)
        return PositionResult(seat, value, 1.0, 9, (best,), nodes=2000, expected_end=ExpectedEnd(0.0, 1.0, owners))

    results, asked = run(answer, game)
    checks = [one for one in asked if one.agent == "strongest" and one.moves[-1:] == ("d5",)]
    assert len(checks) == 1
    findings = build_review(game, results, SECONDS).findings
    assert [(one.number, one.annotation, one.better_move) for one in findings] == [
        (number, "??", "d5") for number in (3, 4, 5)
    ]
    assert not any(one.expected_end and one.expected_end.owners for one in results.values()), "they take much memory"


@pytest.mark.parametrize("error", [1.0, 4.0])
def test_points_are_named_only_if_they_exceed_their_error(error: float) -> None:
    usual = prefers_d5_before_move_3(0.0, 1000)

    def answer(request: SearchRequest) -> PositionResult:
        end = ExpectedEnd(6.2 if request.moves[-1:] == ("d5",) else 0.0, error, {})
        return usual(request)._replace(expected_end=end)

    results, _ = run(answer)
    sentence = next(
        finding.sentence for finding in build_review(GAME, results, SECONDS).findings if finding.number == 3
    )
    assert ("lost about 6 points" in sentence) == (results[2].points_lost is not None) == (error < 6.2 / 2 / 2**0.5)


@pytest.mark.parametrize(
    ("points", "loss", "mark"),
    [(3.0, 0.2, "?!"), (7.0, 0.2, "?"), (20.0, 0.2, "??"), (7.0, 0.0, "?"), (3.0, 0.0, "?!"), (1.5, 0.06, None)],
)
def test_many_lost_points_are_a_mistake_even_if_the_win_chance_hardly_falls(
    points: float, loss: float, mark: str | None
) -> None:
    game = create_record("m", "a1 d4 g7 e4 c4 e3", game="go", size=7, outcome=Outcome.draw(Reason.SCORE))
    moves = [ply.move for ply in game.plies]
    results = {number: PositionResult(number % 2 + 1, 0.0, 1.0, 9, (move,)) for number, move in enumerate(moves)}
    results[2] = results[2]._replace(line=("d5",), checked_loss=loss, points_lost=points)
    review = build_review(game, results, SECONDS)
    assert {finding.number: finding.annotation for finding in review.findings}.get(3) == mark
    results[2] = results[2]._replace(points_lost=None)
    accuracies = [one.players[0].accuracy or 0.0 for one in (review, build_review(game, results, SECONDS))]
    assert (accuracies[0] < accuracies[1]) == (0.3 * points / 5 > loss), "5 points count as a loss of 0.3"


@pytest.mark.parametrize(
    ("points", "chance_after", "lost"), [(8.0, -3.0, 8.0), (4.0, -3.0, 4.0), (1.5, -3.0, None), (8.0, 0.0, None)]
)
def test_a_move_of_go_that_loses_points_only_is_checked(points: float, chance_after: float, lost: float | None) -> None:
    """White, far behind, plays d4, which loses 6 points by the first searches, and `points` by the longer ones."""
    game = create_record("m", "a1 d4 g7 e4 c4 e3", game="go", size=7, outcome=Outcome.draw(Reason.SCORE))

    def answer(request: SearchRequest) -> PositionResult:
        number, seat = len(request.moves), request.position.to_move
        is_long = request.seconds > SECONDS / 32
        value, best = (3.0 if seat == 1 else -3.0), "d5" if number == 1 else game.plies[number].move
        lead = 20.0 if number < 2 or request.moves[1] == "d5" else 20.0 + (points if is_long else 6.0)
        if is_long and request.moves[1:] == ("d4",):
            value = -chance_after
        return PositionResult(seat, value, 1.0, 9, (best,), nodes=9999, expected_end=ExpectedEnd(lead, 0.2, {}))

    results, _ = run(answer, game)
    assert results[1].points_lost == lost
    finding = next((one for one in build_review(game, results, SECONDS).findings if one.number == 2), None)
    assert (finding is not None and finding.costs_only_points and finding.better_move == "d5") == (lost is not None)


@pytest.mark.parametrize(
    ("lead_before", "error", "best", "words"),
    [
        (6.0, 0.5, "d5", "Black leads by about 2 points; the move lost about 4 points (the search prefers d5)."),
        (6.0, 1.5, "d5", "Black leads by about 2 points (the search prefers d5)."),
        (2.2, 0.5, "d5", "Black leads by about 2 points (the search prefers d5)."),
        (6.0, 0.5, "g7", "Black leads by about 2 points."),
    ],
)
def test_a_move_of_go_without_a_mark_has_the_lead_and_the_lost_points(
    lead_before: float, error: float, best: str, words: str
) -> None:
    game = create_record("m", "a1 d4 g7 e4", game="go", size=7)
    results = {
        2: PositionResult(1, 0.1, 1.0, 9, (best,), expected_end=ExpectedEnd(lead_before, error, {})),
        3: PositionResult(2, -0.1, 1.0, 9, ("e5",), expected_end=ExpectedEnd(2.0, error, {})),
    }
    assert move_result_words(game, game.positions(), results, {}, 2) == words
    assert not move_result_words(game, game.positions(), results, {}, 3), "the next position has no result yet"


def test_a_move_of_gomoku_without_a_mark_has_the_win_chance() -> None:
    results = {number: PositionResult(number % 2 + 1, 0.0, 1.0, 9, ("d5",)) for number in (2, 3)}
    words = "Black's win chance is 60 % (the search prefers d5)."
    assert move_result_words(GAME, GAME.positions(), results, {3: 0.2}, 2) == words
    results[3] = results[3]._replace(value=WIN_VALUE - 3)
    assert not move_result_words(GAME, GAME.positions(), results, {3: -1.0}, 2)
    results[2] = results[2]._replace(value=4 - WIN_VALUE)
    assert move_result_words(GAME, GAME.positions(), results, {3: -1.0}, 2) == "The game was already lost."


@pytest.mark.parametrize(("solution", "marks"), [(None, []), (-1, []), (1, ["??"])])
def test_a_solved_position_is_not_compared_with_an_estimate_before_it(solution: int | None, marks: list[str]) -> None:
    """bob wins after each move of this game. solution: ann's result of a longer search of the empty board."""
    game = create_record("b", "v0 v1 h0 h5 v5 h4 h3 v3 v2 v4 h1 h2", game="dots_and_boxes", rows=2, cols=2)

    def answer(request: SearchRequest) -> PositionResult:
        position, number = request.position, len(request.moves)
        left = len(game.plies) - number
        best = "h1" if number == 0 else game.plies[number].move
        if number == 0 and (solution is None or request.seconds <= SECONDS / 32):
            return PositionResult(1, 0.4, 1.0, 4, (best,))
        winner = (1 if solution == 1 else 2) if number == 0 else 2
        value = WIN_VALUE - left if winner == position.to_move else left - WIN_VALUE
        return PositionResult(position.to_move, value, 1.0, left, (best,), is_solved=True)

    results, asked = run(answer, game)
    assert sum(one.seconds for one in asked) <= 3 * SECONDS
    assert results[0].is_solved == (solution is not None)
    findings = build_review(game, results, SECONDS).findings
    assert [(one.number, one.annotation) for one in findings] == [(1, mark) for mark in marks]


def test_a_result_knows_whether_the_search_saw_the_whole_rest_of_the_game() -> None:
    boxes = load("dots_and_boxes", rows=1, cols=1).replay(["h0", "v0"])
    for depth in (1, 2):
        assert position_result(boxes, 5.0, 1.0, depth, [boxes.game.parse("h1")], 9).is_solved == (depth == 2)
    go = load("go", size=2).start()  # 5 moves, but captures make room for more
    assert not position_result(go, 5.0, 1.0, 9, [go.game.parse("a1")], 9).is_solved


def test_a_review_names_boxes_given_away_in_a_lost_game() -> None:
    """ann gives away two boxes by her third move. No other move changes the end of perfect play."""
    game = create_record("b", "v0 v1 h0 h5 v5 h4 h3 v3 v2 v4 h1 h2", game="dots_and_boxes", rows=2, cols=2)
    final = game.positions()[-1].outcome()
    assert final is not None
    assert final.scores == (0, 4)

    def answer(request: SearchRequest) -> PositionResult:
        number, seat = len(request.moves), request.position.to_move
        left = len(game.plies) - number
        best = "h1" if number == 4 else game.plies[number].move
        end = ExpectedEnd(0.0 if number <= 4 else -4.0, 0.0, {})
        value = (1 if seat == 2 else -1) * (WIN_VALUE - left)
        return PositionResult(seat, value, 1.0, left, (best,), is_solved=True, expected_end=end)

    results, _ = run(answer, game)
    assert {number: one.points_lost for number, one in results.items() if one.points_lost is not None} == {4: 4.0}
    review = build_review(game, results, SECONDS)
    assert [(one.number, one.annotation, one.better_move) for one in review.findings] == [(5, "?", "h1")]
    assert review.findings[0].sentence.startswith(
        "ann played v5, which loses by 4 boxes instead of drawing if both play perfectly. h1 was better"
    )
    ann, bob = review.players
    assert ann.accuracy is not None
    assert (ann.mistakes, ann.accuracy < 95, bob.mistakes, bob.accuracy) == (1, True, 0, 100.0)


def test_a_single_box_that_does_not_change_the_winner_is_an_inaccuracy() -> None:
    game = create_record("b", "v0 v1 h0 h5 v5 h4 h3 v3 v2 v4 h1 h2", game="dots_and_boxes", rows=2, cols=2)
    lost = [ExpectedEnd(lead, 0.0, {}) for lead in (-2.0, -4.0)]
    results = {
        number: PositionResult(
            1, number - WIN_VALUE, 1.0, 9, ("h1",), is_solved=True, expected_end=lost[number > 4], points_lost=points
        )
        for number, points in ((4, 2.0), (5, None))
    }
    (finding,) = build_review(game, results, SECONDS).findings
    assert (finding.number, finding.annotation) == (5, "?!")
    assert "ann played v5, which loses by 4 boxes instead of 2 if both play perfectly." in finding.sentence


@pytest.mark.parametrize(
    ("seat", "lead", "points_lost", "words", "words_after"),
    [
        (1, 3.0, 2.0, "wins by 1 box instead of 3", "wins by 1 box"),
        (2, -3.0, 6.0, "loses by 3 boxes instead of winning by 3 boxes", "loses by 3 boxes"),
        (2, 0.0, 2.0, "loses by 2 boxes instead of drawing", "loses by 2 boxes"),
        (1, 2.0, 2.0, "draws instead of winning by 2 boxes", "draws"),
    ],
)
def test_a_move_that_costs_boxes_has_its_result_and_that_of_the_best_edge(
    seat: int, lead: float, points_lost: float, words: str, words_after: str
) -> None:
    position = load("dots_and_boxes", rows=3, cols=3).start()
    end = ExpectedEnd(lead, 0.0, {})
    result = PositionResult(seat, 0.0, 1.0, 9, ("h1",), is_solved=True, expected_end=end, points_lost=points_lost)
    assert boxes_words(position, result) == f"{words} if both play perfectly"
    assert boxes_words(position, result, with_earlier=False) == f"{words_after} if both play perfectly"
    assert not boxes_words(position, result._replace(points_lost=None))


def test_the_final_leads_of_a_review_are_those_of_the_solver() -> None:
    game = create_record("b", "v0 v1 h0 h5 v5 h4 h3 v3 v2 v4 h1 h2", game="dots_and_boxes", rows=2, cols=2)
    positions = game.positions()
    leads = {number: solve(positions[number], megabytes=100).value for number in range(12)}
    assert [leads[number] for number in (0, 3, 4, 6, 7, 8, 11)] == [2, 0, 2, 4, -2, 2, -4]
    results = {
        n: PositionResult(
            1, 0.0, 1.0, 12, (game.plies[n].move,), is_solved=n > 4, expected_end=ExpectedEnd(lead, 0.0, {})
        )
        for n, lead in leads.items()
    }
    solved = {number: leads[number] for number in range(5, 12)}
    assert build_review(game, results, SECONDS).final_leads == {**solved, 12: -4}
    few = {number: one._replace(is_solved=number > 6) for number, one in results.items()}
    assert not build_review(game, few, SECONDS).final_leads, "most positions are not solved"


def test_a_review_of_boxes_says_from_which_move_perfect_play_is_known() -> None:
    game = create_record("b", "v0 v1 h0 h5 v5 h4 h3 v3 v2 v4 h1 h2", game="dots_and_boxes", rows=2, cols=2)
    results = {
        number: PositionResult(ply.seat, 0.0, 1.0, 12, (ply.move,), is_solved=number > 2)
        for number, ply in enumerate(game.plies)
    }
    review = build_review(game, results, SECONDS)
    assert review.summary.endswith(
        ". Perfect play is known after move 3; before, the search can only estimate. Rule of thumb: with 9 dots, the "
        "first player wants an odd number of long chains (three or more boxes), and the second player an even number."
    )
    solved = {number: result._replace(is_solved=True) for number, result in results.items()}
    assert "Rule of thumb" not in build_review(game, solved, SECONDS).summary


@pytest.mark.parametrize(("rows", "cols"), [(2, 3), (3, 3), (4, 5), (5, 5)])
def test_the_rule_of_long_chains_is_that_of_a_board_of_chains(rows: int, cols: int) -> None:
    """Each row is a chain, open at both ends, except the first ones, which one edge more joins to a longer chain."""
    rules = load("dots_and_boxes", rows=rows, cols=cols)
    horizontal = [f"h{number}" for number in range((rows + 1) * cols)]
    for joined in (False, True):  # with the first two rows joined, there is one chain less
        edges = [*horizontal, f"v{cols}", f"v{2 * cols + 1}"] if joined else horizontal
        edges = [edge for edge in edges if not joined or edge != f"h{2 * cols - 1}"]
        position = rules.replay(edges)
        assert position.facts()["scores"] == [0, 0]
        chain_count = rows - joined
        wanted = "even" if chain_count % 2 == 0 else "odd"
        first_wants = rules.opening_advice.split(" wants an ")[1].split()[0]
        second_player_must_open = position.to_move == 2
        assert (first_wants == wanted) == second_player_must_open


def test_a_missed_win_in_boxes_has_its_margin() -> None:
    game = create_record("b", "v0 v1 h0 h5 v5 h4 h3 v3 v2 v4 h1 h2", game="dots_and_boxes", rows=2, cols=2)
    usual = PositionResult(2, WIN_VALUE - 11.0, 1.0, 11, ("v1",), is_solved=True, expected_end=ExpectedEnd(-2, 0.0, {}))
    won = PositionResult(1, WIN_VALUE - 12.0, 1.0, 12, ("h1",), is_solved=True, expected_end=ExpectedEnd(2, 0.0, {}))
    sentence = build_review(game, {0: won, 1: usual}, SECONDS).findings[0].sentence
    assert "missed a win, after which the game was lost. h1 wins by 2 boxes." in sentence
    proved = build_review(game, {0: won._replace(points_lost=4.0), 1: usual}, SECONDS).findings[0].sentence
    assert proved.startswith(
        "The turning point: ann played v0, which loses by 2 boxes instead of winning by 2 boxes if both play "
        "perfectly. h1 was better."
    )
    drawn = replace(game, outcome=Outcome.draw(Reason.AGREEMENT))
    missed = build_review(drawn, {0: won._replace(points_lost=4.0), 1: usual}, SECONDS).findings[0].sentence
    assert missed.startswith("ann missed a win: v0 loses by 2 boxes if both play perfectly. h1 wins by 2 boxes.")


def test_an_estimate_before_several_uncertain_moves_names_no_losing_move() -> None:
    """The search of move 2 had no result, so that the first certain loss is two moves after the estimate."""
    game = create_record("b", "v0 v1 h0 h5 v5 h4 h3 v3 v2 v4 h1 h2", game="dots_and_boxes", rows=2, cols=2)
    estimate = PositionResult(1, 0.4, 1.0, 4, ("h1",))
    for is_solved, numbers in ((True, []), (False, [1])):
        lost = PositionResult(1, 10.0 - WIN_VALUE, 1.0, 10, ("h0",), is_solved=is_solved)
        findings = build_review(game, {0: estimate, 2: lost}, SECONDS).findings
        assert [one.number for one in findings] == numbers


@pytest.mark.parametrize(("value_before", "is_blunder"), [(0.0, True), (4.0 - WIN_VALUE, False)])
def test_a_move_that_loses_by_proof_is_a_blunder_even_if_the_search_preferred_it(
    value_before: float, is_blunder: bool
) -> None:
    game = create_record("c", "d6 d7 d5 c6 c7 e3 b6 c5 c4 g3 b5", game="capture_go", size=9)

    def answer(request: SearchRequest) -> PositionResult:
        number, seat = len(request.moves), request.position.to_move
        best = (game.plies[number].move,)
        if number <= 5:
            return PositionResult(seat, 0.0 if number < 5 else value_before, 1.0, 3, best)
        return PositionResult(seat, (WIN_VALUE - 3.0) * (1 if seat == 1 else -1), 1.0, 0, best)

    results, _ = run(answer, game)
    review = build_review(game, results, SECONDS)
    assert ((6, "??") in [(one.number, one.annotation) for one in review.findings]) == is_blunder
    assert sorted(review.advantages) == [*range(12)], "the graph has each position"


def test_a_position_without_a_result_is_searched_again_for_longer() -> None:
    results = dict[int, PositionResult]()
    searches = review_searches(GAME, SECONDS, results)
    first = next(searches)
    again = searches.send(None)
    assert (again.moves, again.seconds) == (first.moves, 3 * first.seconds)
    value = PositionResult(2, 0.0, 1.0, 3, ("b1",))
    assert searches.send(value).moves == first.moves[:-1]
    assert results == {len(first.moves): value}


def test_repeated_mistaken_passes_are_one_mistake() -> None:
    """ann passes five times in a row; only the first time counts, and a later mistake of another kind is kept."""
    game = create_record("p", "c3 c5 pass d5 pass e5 pass b5 pass f5 pass g5 a1 a2", game="go", size=7)

    def answer(request: SearchRequest) -> PositionResult:
        seat = request.position.to_move
        best = "d4" if seat == 1 else game.plies[len(request.moves)].move
        if len(request.moves) in (2, 4, 6, 8, 10, 12):
            return PositionResult(seat, 0.5, 1.0, 9, (best,), checked_loss=0.8)
        return PositionResult(seat, 0.0, 1.0, 9, (best,), checked_loss=0.0)

    results = {number: answer(SearchRequest(position, tuple(ply.move for ply in game.plies[:number]), 1.0, ""))
               for number, position in enumerate(game.positions()[:-1])}  # fmt: skip
    review = build_review(game, results, SECONDS)
    assert [finding.number for finding in review.findings] == [3, 13]
    assert review.findings[0].sentence.startswith("ann passed: the win chance fell")
    assert review.findings[0].sentence.endswith("The same mistake again: moves 5, 7, 9, 11.")
    ann, _ = review.players
    assert (len(ann.finding_counts), ann.accuracy is not None and ann.accuracy > 40) == (2, True)


# bob wins this game after four steps of ann, none of which gives away much; he ends it by e7
STEPS = {4: 0.24, 6: 0.1}


def falls_in_steps(checked_loss: float) -> Callable[[SearchRequest], PositionResult]:
    """Searches that see ann's advantage fall before moves 5 and 7, although they prefer her moves.

    checked_loss: her loss by move 5 according to the longer searches, which prefer d7 there.
    """
    moves = tuple(ply.move for ply in GAME.plies)

    def answer(request: SearchRequest) -> PositionResult:
        number, seat = len(request.moves), request.position.to_move
        ann = 0.2 - sum(step for at, step in STEPS.items() if at < number)
        best = moves[number]
        if request.seconds > SECONDS / 32 and number == 4:
            best = "d7"
        if request.moves[4:] == ("d7",):
            ann = 0.2 - STEPS[4] + checked_loss
            best = "g1"
        value = 2 * math.atanh(ann if seat == 1 else -ann)
        return PositionResult(seat, value, 1.0, 9, (best,), nodes=10**9)

    return answer


def test_a_lost_game_names_the_steps_in_which_it_was_lost() -> None:
    results, _ = run(falls_in_steps(0.24))
    review = build_review(GAME, results, SECONDS)
    assert [(one.number, one.annotation, one.better_move) for one in review.findings] == [(5, "?!", "d7")]
    assert review.findings[0].sentence.startswith("ann played c4: the win chance fell from 60 to 48 %. d7 was better")
    assert review.players[0].finding_counts == ["1 inaccuracy"]
    assert review.turning_point == 5
    assert review.summary == ""


@pytest.mark.parametrize(("checked_loss", "marks"), [(0.08, ["?!"]), (0.02, [])])
def test_a_loser_without_a_mark_learns_the_largest_loss_that_longer_searches_confirm(
    checked_loss: float, marks: list[str]
) -> None:
    results, _ = run(falls_in_steps(checked_loss))
    assert [one.annotation for one in build_review(GAME, results, SECONDS).findings] == marks
    drawn = replace(GAME, outcome=Outcome.draw(Reason.AGREEMENT))
    assert not build_review(drawn, results, SECONDS).findings, "nobody lost"


@pytest.mark.parametrize(
    ("number", "checked_loss", "value_after", "marks"),
    [(2, 0.2, 0.4, []), (2, 0.4, 0.4, ["?"]), (2, 0.2, WIN_VALUE - 9.0, ["??"]), (4, 0.2, 0.4, ["?!"])],
)
def test_an_opening_move_of_gomoku_is_marked_only_if_its_loss_is_large_or_proved(
    number: int, checked_loss: float, value_after: float, marks: list[str]
) -> None:
    before = PositionResult(1, 0.0, 1.0, 9, ("d5",), checked_loss=checked_loss)
    results = {number: before, number + 1: PositionResult(2, value_after, 1.0, 9, ("e4",))}
    assert [one.annotation for one in build_review(GAME, results, SECONDS).findings] == marks


def test_a_lost_game_of_gomoku_shows_the_line_that_wins_against_the_mistake() -> None:
    """After a1, e4 makes an open four, and White completes a row two moves later."""
    game = create_record("w", "d1 d3 g7 e3 g1 c3 a1 f3 a7 b3", size=7)
    before = PositionResult(1, 0.0, 1.0, 9, ("b3",))
    after = PositionResult(2, WIN_VALUE - 3.0, 1.0, 9, ("f3", "b3", "g3"))
    (finding,) = build_review(game, {6: before, 7: after}, SECONDS).findings
    assert finding.sentence.endswith(
        "a1 allows f3, which makes an open four with c3 d3 e3. The line that wins against it: f3 b3 g3."
    )
    cut = after._replace(value=WIN_VALUE - 9.0)
    assert build_review(game, {6: before, 7: cut}, SECONDS).findings[0].sentence.endswith(": f3 b3 g3 ….")


def test_a_loss_that_only_later_searches_see_belongs_to_the_earlier_move() -> None:
    """The search after move 5, c4, still sees equal chances and overlooks the answer e3, after which ann is worse."""
    moves = tuple(ply.move for ply in GAME.plies)

    def answer(request: SearchRequest) -> PositionResult:
        number, seat = len(request.moves), request.position.to_move
        sees_the_answer = number > 5 or (request.moves[-1:] == ("c4",) and request.seconds > SECONDS / 32)
        ann = -0.4 if sees_the_answer else 0.0
        best = {4: "d7", 5: "f2"}.get(number, moves[number])
        return PositionResult(seat, 2 * math.atanh(ann if seat == 1 else -ann), 1.0, 9, (best,), nodes=10**9)

    review = build_review(GAME, run(answer)[0], SECONDS)
    assert [(one.number, one.annotation, one.better_move) for one in review.findings] == [(5, "?", "d7")]
    jumps = [abs(after - before) for before, after in pairwise(review.advantages.values())]
    large_jumps = [number for number, jump in enumerate(jumps, start=1) if jump > INACCURACY_LOSS + 1e-9]
    assert large_jumps == [5, 12], "move 12 ends the game"


def test_a_loser_without_a_lesson_learns_when_the_chance_fell() -> None:
    chances = (50, 48, 46, 44, 42, 38, 34, 30, 26, 22, 15, 8)
    results = {
        number: PositionResult(
            seat := number % 2 + 1,
            2 * math.atanh((chance / 50 - 1) * (1 if seat == 1 else -1)),
            1.0,
            9,
            (GAME.plies[number].move,),
        )
        for number, chance in enumerate(chances)
    }
    review = build_review(GAME, results, SECONDS)
    assert review.summary == (
        "No single move lost the game: ann had a win chance of 42 % after move 4, and of 15 % after move 10."
    )
    assert "found no mistakes" not in review.note


def test_an_estimate_between_two_solved_positions_that_agree_is_not_shown() -> None:
    """ann loses before and after her only unsolved turn; 96 % there would be a spike in the graph."""
    game = create_record("b", "v0 v1 h0 h5 v5 h4 h3 v3 v2 v4 h1 h2", game="dots_and_boxes", rows=2, cols=2)
    results = {
        number: PositionResult(
            position.to_move,
            (1 if position.to_move == 2 else -1) * (WIN_VALUE - 12.0 + number),
            1.0,
            12 - number,
            (game.plies[number].move,),
            is_solved=True,
        )
        for number, position in enumerate(game.positions()[:-1])
    }
    results[4] = PositionResult(1, 3.0, 1.0, 4, ("h1",))
    review = build_review(game, results, SECONDS)
    assert set(review.advantages.values()) == {-1.0}
    assert not review.findings


def test_the_searches_of_a_review_end_although_one_position_between_solved_ones_stays_unsolved() -> None:
    game = create_record("b", "v0 v1 h0 h5 v5 h4 h3 v3 v2 v4 h1 h2", game="dots_and_boxes", rows=2, cols=2)

    def answer(request: SearchRequest) -> PositionResult:
        number, seat = len(request.moves), request.position.to_move
        if number == 4:
            return PositionResult(seat, 0.5, 1.0, 4, ("h1",))
        value = (1 if seat == 2 else -1) * (WIN_VALUE - 12.0 + number)
        best = "h1" if number == 3 else game.plies[number].move  # bob won before move 4, but not by the proved move
        return PositionResult(seat, value, 1.0, 12 - number, (best,), is_solved=True)

    results, _ = run(answer, game)
    assert build_review(game, results, SECONDS).missing == (4,)


def test_a_position_that_had_no_result_is_searched_again_in_the_second_pass() -> None:
    failures = iter([None, None])

    def answer(request: SearchRequest) -> PositionResult | None:
        number = len(request.moves)
        result = PositionResult(request.position.to_move, 0.0, 1.0, 3, (GAME.plies[number].move,), nodes=10**9)
        return next(failures, result) if number == 4 else result

    results, asked = run(answer)
    assert sorted(results) == [*range(12)]
    assert [len(request.moves) for request in asked].count(4) == 3


def test_a_player_who_plays_the_first_move_of_a_proved_win_has_won_until_a_move_of_another_line() -> None:
    """bob begins the winning line e3 c5 e2 with e3, but then plays e5; the searches after e3 do not see the win."""
    win = PositionResult(2, WIN_VALUE - 5.0, 1.0, 9, ("e3", "c5", "e2", "b1", "e1"))
    results = {5: win} | {
        number: PositionResult(number % 2 + 1, 0.0, 1.0, 9, (GAME.plies[number].move,)) for number in (6, 7, 8)
    }
    review = build_review(GAME, results, SECONDS)
    assert [review.advantages[number] for number in (5, 6, 7)] == [-1.0] * 3
    assert [(one.number, one.annotation, one.better_move) for one in review.findings] == [(8, "??", "e2")]
    assert review.findings[0].sentence.startswith("bob missed a win: e2 wins")


def test_a_search_looks_for_the_win_that_a_player_had_and_missed() -> None:
    """Any answer to e3 loses. ann plays another one than that of the proof, so the winning move is unknown."""
    asked = list[int]()

    def answer(request: SearchRequest) -> PositionResult:
        number, seat = len(request.moves), request.position.to_move
        asked.append(number)
        if number == 5:
            return PositionResult(2, WIN_VALUE - 5.0, 1.0, 9, ("e3", "d3"))
        if number == 7 and asked.count(0):  # the second pass
            return PositionResult(2, WIN_VALUE - 3.0, 1.0, 9, ("e2",))
        return PositionResult(seat, 0.0, 1.0, 9, (GAME.plies[number].move,), nodes=10**9)

    results, _ = run(answer)
    assert [(one.number, one.better_move) for one in build_review(GAME, results, SECONDS).findings] == [(8, "e2")]


def test_the_win_chance_before_a_move_without_a_mark_is_close_to_a_proved_result_after_it() -> None:
    """The searches before bob's move 4 overlook that he has lost already, and confirm his move."""
    won = replace(GAME, outcome=Outcome((1, 2), Reason.RESIGNED))
    results = {
        number: PositionResult(number % 2 + 1, 0.0, 1.0, 9, (GAME.plies[number].move,), checked_loss=0.0)
        for number in range(12)
    }
    results[4] = results[4]._replace(value=WIN_VALUE - 9.0, line=("d5",))
    review = build_review(won, results, SECONDS)
    assert review.advantages[4] == 1
    assert review.advantages[3] == pytest.approx(1 - INACCURACY_LOSS)


def test_a_win_that_no_search_has_proved_is_never_shown_as_certain() -> None:
    results = {
        number: PositionResult(number % 2 + 1, -9.0 if number % 2 else 9.0, 1.0, 9, (GAME.plies[number].move,))
        for number in range(12)
    }
    advantages = build_review(GAME, results, SECONDS).advantages
    assert {win_chance_percent(advantages[number]) for number in range(12)} == {99}


def test_the_winning_line_of_a_missed_win_is_shown_to_its_end() -> None:
    """ann could win by an open four at f3; the search before her move 7 names only the first two moves of the line."""
    game = create_record("w", "c3 a9 d3 b9 e3 d9 i9 e9 h9 g9")
    win = ("f3", "a8", "g3")

    def answer(request: SearchRequest) -> PositionResult:
        number, position = len(request.moves), request.position
        line = (game.plies[number].move,) if request.moves == tuple(one.move for one in game.plies[:number]) else ()
        if number == 6 and line:
            return PositionResult(1, WIN_VALUE - 3.0, 1.0, 3, win[:2], idea="makes an open four")
        if request.moves[6:] == win[:2]:
            return PositionResult(1, WIN_VALUE - 1.0, 1.0, 1, win[2:])
        return PositionResult(position.to_move, 0.0, 1.0, 3, line or ("o15",), nodes=10**9)

    results, _ = run(answer, game)
    assert results[6].line == win
