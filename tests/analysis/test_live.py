"""A live analysis names different moves, best first, in every game; it stops on request."""

from __future__ import annotations

import pytest

from gomogo_core.analysis.live_analysis import METHODS, as_json, score_words, stream_analyses
from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.games.boards.points import Point
from gomogo_core.search import SearchLimits
from gomogo_core.search.node import advantage
from gomogo_core.search.result import PositionAnalysis, ScoredLine

GAMES = {"gomoku": {"size": 7}, "go": {"size": 5}, "robogo": {"size": 5}, "dots_and_boxes": {"rows": 2, "cols": 2}}
OPEN_FOUR = ["c3", "a1", "d3", "a7", "e3", "g1"]  # black makes five in two places after b3 or f3


@pytest.mark.slow
@pytest.mark.parametrize("agent", [name for name in METHODS if name != "champion"])
@pytest.mark.parametrize("name", GAMES)
def test_lines_differ_in_their_first_move_are_legal_and_have_an_answer(name: str, agent: str) -> None:
    game = load(name, **GAMES[name])
    position = game.start().play(next(iter(game.start().moves())))
    analyses = list(stream_analyses(position, SearchLimits(nodes=500), agent=agent, lines=3))
    moves = [line.variation[0] for line in analyses[-1].lines]
    assert len(set(moves)) == len(moves) == 3
    for line in [line for analysis in analyses for line in analysis.lines]:
        after = position
        for move in line.variation:
            after = after.play(move)
        assert len(line.variation) > 1 or after.outcome() is not None


def test_a_line_keeps_the_answer_of_an_earlier_analysis(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of a search may lose the answer to a move while the search goes deeper."""
    position = load("gomoku", size=7).replay(["d4"])
    line = tuple(map(position.game.parse, ("c3", "e5", "e4", "c4")))
    analyses = [PositionAnalysis((ScoredLine(0.0, part),), 1, 1, 0.0) for part in (line, line[:1])]
    monkeypatch.setitem(METHODS, "strongest", lambda *_: iter(analyses))
    assert [analysis.lines[0].variation for analysis in stream_analyses(position, SearchLimits())] == [line, line]


def test_a_move_that_ends_the_game_has_no_answer() -> None:
    position = load("gomoku", size=7).replay([*OPEN_FOUR, "b3", "g7"])
    *_, last_analysis = stream_analyses(position, SearchLimits(nodes=500), lines=1)
    assert len(last_analysis.lines[0].variation) == 1


def test_all_moves_that_win_at_once_are_shown() -> None:
    open_four = load("gomoku", size=9).replay(["c3", "a1", "d3", "a9", "e3", "i1", "f3", "i9"])
    *_, last_analysis = stream_analyses(open_four, SearchLimits(nodes=500), lines=3)
    assert {open_four.game.format(line.variation[0]) for line in last_analysis.lines[:2]} == {"b3", "g3"}


@pytest.mark.parametrize("agent", METHODS)
def test_a_live_analysis_finds_and_names_a_win(agent: str) -> None:
    position = load("gomoku", size=7).replay(OPEN_FOUR)
    *_, last_analysis = stream_analyses(position, SearchLimits(nodes=2000), agent=agent, lines=2)
    result = as_json(last_analysis, position)
    assert {result["lines"][0]["move"]} <= {"b3", "f3"}
    assert result["lines"][0]["words"] == "wins"
    assert result["lines"][0]["reason"] == "makes an open four"
    assert result["lines"][0]["score"] == 1
    assert result["scores"][result["lines"][0]["move"]] == 1


@pytest.mark.parametrize("agent", ["iterative_deepening", "mcts", "alpha_beta"])
def test_a_stopped_analysis_ends(agent: str) -> None:
    limits = SearchLimits()
    analyses = []
    for analysis in stream_analyses(load("gomoku").replay(["h8"]), limits, agent=agent):
        analyses.append(analysis)
        limits.stop()
    assert 1 <= len(analyses) <= 3


def test_an_agent_without_analysis_is_refused_with_a_suggestion() -> None:
    with pytest.raises(UserError, match="offers no analysis"):
        stream_analyses(load("gomoku").start(), SearchLimits(), agent="mtcs")
    with pytest.raises(UserError, match="No champion plays gomoku"):
        stream_analyses(load("gomoku", size=5, line=4).start(), SearchLimits(), agent="champion")


def test_scores_grow_with_the_value() -> None:
    values = [-999_998.0, -500.0, -10.0, 0.0, 10.0, 500.0, 999_998.0]
    scores = [advantage(value, 100.0) for value in values]
    assert scores == sorted(scores)
    assert scores[0] == -1
    assert [score_words(value, 100.0) for value in values] == [
        "loses", "much worse", "even", "even", "even", "much better", "wins"
    ]  # fmt: skip


@pytest.mark.parametrize("agent", METHODS)
def test_an_analysis_without_time_still_names_a_move(agent: str) -> None:
    position = load("gomoku", size=7).replay(["d4", "a1"])
    *_, last_analysis = stream_analyses(position, SearchLimits(stop_at=0.0), agent=agent)
    assert last_analysis.lines[0].variation[0] in list(position.moves())


def test_lines_are_sorted_by_value_and_equal_lines_keep_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search by playouts reports the most visited move first; the lines of a reader must not change places."""
    a1, b1, c1 = (Point(column, 1) for column in (1, 2, 3))
    reports = [
        {a1: 0.1, b1: 0.5, c1: 0.3},
        {a1: 0.29, c1: 0.288, b1: 0.282},  # all 57 %: b1 was the first, then c1
        {c1: 0.1, a1: 0.2, b1: 999_990.0},
    ]
    analyses = [
        PositionAnalysis(tuple(ScoredLine(v, (m,)) for m, v in values.items()), 1, 1, 0.1) for values in reports
    ]
    monkeypatch.setitem(METHODS, "mcts", lambda *_: iter(analyses))
    sorted_analyses = stream_analyses(load("gomoku").start(), SearchLimits(), agent="mcts")
    orders = [[str(line.variation[0]) for line in analysis.lines] for analysis in sorted_analyses]
    assert orders == [["b1", "c1", "a1"], ["b1", "c1", "a1"], ["b1", "a1", "c1"]]
