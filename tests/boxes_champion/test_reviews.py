"""A review of Dots and Boxes agrees with an independent solver, and so do the lines of an analysis."""

from __future__ import annotations

import random
import time

import pytest

from gomogo.page.archive.charts import draw_review
from gomogo_core.analysis.live_analysis import as_json, stream_analyses
from gomogo_core.analysis.review import Review, build_review
from gomogo_core.analysis.review_searches import review, search_positions
from gomogo_core.games import load
from gomogo_core.games.base import Position
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.search import SearchLimits
from gomogo_core.search.solve import solve
from tests._games import create_record

# move 30, h1, gives up a win by 10 boxes for a draw, and move 31, v14, loses by 14
MISSED_HANDOUT = (
    "h16 h13 v17 v5 h7 h18 h4 v10 h15 h9 v19 h5 v3 h6 v8 v9 h11 v1 h17 v16 h0 v0 h14 v18 h19 h3 v12 v4 v11 h1 v14 v2 "
    "h2 v13 h10 v7 v6 h8 h12 v15"
)


def exact_lead(position: Position) -> float:
    """The first player's final lead with perfect play, by the solver that is written in Python."""
    if (outcome := position.outcome()) is not None:
        assert outcome.scores is not None
        return outcome.scores[0] - outcome.scores[1]
    return solve(position, megabytes=100).value


def sign(number: float) -> int:
    return (number > 0) - (number < 0)


def compare_with_solver(game: PlayedGame, result: Review, first_number: int) -> None:
    """Compare the values and the marks of a review from a number of moves on."""
    positions, findings = game.positions(), {finding.number: finding for finding in result.findings}
    leads = {number: exact_lead(positions[number]) for number in range(first_number, len(positions))}
    assert {number: lead for number, lead in result.final_leads.items() if number >= first_number} == leads
    assert {number: result.advantages[number] for number in leads} == {n: sign(lead) for n, lead in leads.items()}
    for number in range(first_number, len(game.plies)):
        side = 1 if game.plies[number].seat == 1 else -1
        lost = side * (leads[number] - leads[number + 1])
        assert lost >= 0
        assert (number + 1 in findings) == (lost >= 2), (number + 1, lost)
        if sign(leads[number]) != sign(leads[number + 1]):
            assert findings[number + 1].is_blunder
        if lost:
            better_move = game.rules().parse(findings[number + 1].better_move)
            assert exact_lead(positions[number].play(better_move)) == leads[number]


def test_a_review_finds_a_draw_that_an_earlier_search_has_solved() -> None:
    """Earlier searches have filled the table, so that the proof of the draw after move 30 needs no new node."""
    game = create_record("b", MISSED_HANDOUT, game="dots_and_boxes", rows=4, cols=4)
    result = review(game, 8.0)
    compare_with_solver(game, result, first_number=20)
    marks = {finding.number: (finding.annotation, finding.better_move) for finding in result.findings}
    assert marks[30] == ("??", "v2")
    assert marks[31] == ("??", "h2")


def test_a_position_without_a_reliable_result_is_a_gap_and_not_equal_to_its_neighbour() -> None:
    """Without the position after move 30, nobody knows whether move 30 or move 31 was the mistake."""
    game = create_record("b", MISSED_HANDOUT, game="dots_and_boxes", rows=4, cols=4)
    results = dict(search_positions(game, 8.0))
    unsolved = results[30]._replace(value=0.5, depth=4, nodes=900, is_solved=False, expected_end=None, points_lost=None)
    before = results[29]._replace(points_lost=None)
    kept = {number: one for number, one in results.items() if number != 30}
    for incomplete in ({**kept, 29: before}, {**kept, 29: before, 30: unsolved}):
        result = build_review(game, incomplete, 8.0).with_final_summary()
        assert result.missing == (30,)
        assert 30 not in result.advantages
        assert 30 not in result.final_leads
        assert result.summary.startswith(
            "This review is incomplete: 1 position was not analysed (move played before: 30)"
        )
        assert not {30, 31} & {finding.number for finding in result.findings}
        chart = draw_review(result, ("Blue", "Orange"), [ply.move for ply in game.plies], 0, "")
        assert chart.count("<polyline") == 2, "the curve has a gap"
        assert "Move 30: h1. Not analysed<" in chart
    assert "incomplete" not in build_review(game, kept, 8.0).summary, "the searches have not ended"


@pytest.mark.parametrize("seconds", [0.05, 1.0])
def test_a_review_in_a_short_time_marks_no_move_that_lost_nothing(seconds: float) -> None:
    game = create_record("b", MISSED_HANDOUT, game="dots_and_boxes", rows=4, cols=4)
    result = review(game, seconds)
    leads = {number: exact_lead(position) for number, position in enumerate(game.positions()) if number >= 20}
    assert {number: lead for number, lead in result.final_leads.items() if number >= 20}.items() <= leads.items()
    solved = {number for number, one in result.results.items() if number >= 20 and one.is_solved} | {len(game.plies)}
    lost = {n + 1 for n in solved if n + 1 in solved and leads[n] != leads[n + 1]}
    marked = {finding.number for finding in result.findings if {finding.number - 1, finding.number} <= solved}
    assert marked == lost
    assert bool(result.missing) == ("incomplete" in result.summary)


@pytest.mark.parametrize(("rows", "cols", "first_number"), [(2, 3, 0), (3, 3, 6)])
@pytest.mark.parametrize("seed", range(3))
def test_the_values_and_marks_of_a_review_are_those_of_the_solver(
    rows: int, cols: int, first_number: int, seed: int
) -> None:
    rng, position, moves = random.Random(seed), load("dots_and_boxes", rows=rows, cols=cols).start(), list[str]()
    while position.outcome() is None:
        edge = rng.choice(list(position.moves()))
        moves.append(position.game.format(edge))
        position = position.play(edge)
    game = create_record("b", " ".join(moves), game="dots_and_boxes", rows=rows, cols=cols)
    compare_with_solver(game, review(game, 8.0), first_number)


def test_each_line_of_an_analysis_has_the_value_that_it_shows() -> None:
    game = create_record("b", MISSED_HANDOUT, game="dots_and_boxes", rows=4, cols=4)
    position = game.positions()[29]
    *_, analysis = stream_analyses(position, SearchLimits(stop_at=time.monotonic() + 60), agent="champion", lines=4)
    lines = {line["move"]: line for line in as_json(analysis, position)["lines"]}
    assert [lines[move]["words"] for move in ("v2", "h1", "h2")] == ["wins by 10 boxes", "draws", "draws"]
    assert lines["h1"]["line"][:2] == ["h1", "h2"], "v2 would lose by 10"
    for scored in analysis.lines:
        after = position.play(scored.variation[0])
        lead = exact_lead(after)
        assert analysis.leads[scored.variation[0]] == lead
        for move in scored.variation[1:]:
            after = after.play(move)
            assert exact_lead(after) == lead
