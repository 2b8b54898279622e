"""Hints and live analyses of Go, Capture Go and Robogo come from the compiled engine."""

from __future__ import annotations

import math
import re
import time
from itertools import pairwise
from statistics import fmean
from typing import Any

import pytest

from gomogo_core.analysis import engine_analysts, hint, likely_result, strongest_search
from gomogo_core.analysis.go_reasons import find_fights
from gomogo_core.analysis.live_analysis import as_json, stream_analyses
from gomogo_core.engines import compiling
from gomogo_core.games import load
from gomogo_core.games.boards.points import Point
from gomogo_core.games.stones.rules import PASS, GoFamilyPosition
from gomogo_core.search import SearchLimits, mcts
from gomogo_core.search.node import CERTAIN_THRESHOLD, advantage
from gomogo_core.search.result import ScoredLine
from tests.analysis.test_dead_stones import BLACK_CORNER, WHITE_ROW, moves_of, position_of
from tests.analysis.test_go_reasons import RACE as CAPTURING_RACE

engine_module: Any = compiling.load("gomogo_core.engines.go")


@pytest.fixture(autouse=True)
def engine_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for the engine, and let no other playouts answer."""

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("the engine did not answer")

    monkeypatch.setattr(strongest_search, "_ENGINES", engine_analysts.Engines())
    monkeypatch.setattr(strongest_search, "_LIVE_WAIT_SECONDS", 1000.0)
    monkeypatch.setattr(strongest_search, "_MAX_WAIT_SHARE", 1000.0)
    monkeypatch.setattr(mcts, "stream_analyses", fail)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["go", "capture_go", "robogo"])
def test_lines_differ_and_are_legal(name: str) -> None:
    position = load(name, size=7).replay(["c3", "d4"])
    *_, last_analysis = stream_analyses(position, SearchLimits(nodes=2000), lines=3)
    assert len({line.variation[0] for line in last_analysis.lines}) == 3
    assert last_analysis.nodes >= 2000
    for line in last_analysis.lines:
        position_after = position
        for move in line.variation:
            position_after = position_after.play(move)


def test_a_line_ends_where_the_search_has_too_few_visits(monkeypatch: pytest.MonkeyPatch) -> None:
    start = load("go", size=9).start()
    engine = engine_module.GoEngine(start.game, memory_mb=8)
    line = engine.rank_moves(start, playouts=3000)[0].variation
    monkeypatch.setattr("gomogo_core.engines.go.engine._MIN_LINE_VISITS", 1)
    longer = engine._moves_with_statistics(start)[0].variation
    assert longer[: len(line)] == line
    assert 1 < len(line) < len(longer)


def test_an_analysis_has_no_values_of_moves_with_few_visits() -> None:
    start = load("go", size=9).start()
    *_, last_analysis = stream_analyses(start, SearchLimits(nodes=2000), lines=3)
    engine = engine_module.GoEngine(start.game, memory_mb=8)
    visited = [statistics for statistics in engine.rank_moves(start, playouts=2000) if statistics.visits]
    assert 0 < len(last_analysis.move_values) < len(visited)


def test_reports_do_not_change_the_result_of_a_search() -> None:
    game = load("go", size=7)
    reports = list(stream_analyses(game.start(), SearchLimits(nodes=3000), lines=2))
    assert len(reports) > 1
    assert reports[0].nodes < reports[-1].nodes == 3000


def test_a_forced_win_is_certain() -> None:
    position = load("capture_go", size=9).replay(["d4", "e4", "f4", "a1", "e3", "a9"])
    *_, last_analysis = stream_analyses(position, SearchLimits(nodes=500), lines=2)
    assert last_analysis.lines[0].value > CERTAIN_THRESHOLD
    assert position.game.format(last_analysis.lines[0].variation[0]) == "e5"
    assert hint(position, 0.5).reason == "captures the stone at e4; this wins"


def test_the_best_move_of_capture_go_is_searched_by_alpha_beta() -> None:
    position = load("capture_go", size=9).replay(["e5", "e6", "d6", "f5"])
    *_, last_analysis = strongest_search.stream_analyses(
        position, SearchLimits(depth=2, stop_at=time.monotonic() + 20), 1
    )
    assert (last_analysis.depth, len(last_analysis.lines)) == (2, 1)
    *_, last_analysis = strongest_search.stream_analyses(position, SearchLimits(nodes=500), 2)
    assert len(last_analysis.lines) == 2


@pytest.mark.parametrize(("moves", "best"), [("d6 d7 d5 c6 c7 e3", "b6"), ("d6 d7 d5 c6 c7 e3 b6", None)])
def test_proved_wins_and_losses_of_capture_go_have_certain_values(moves: str, best: str | None) -> None:
    """The review leaves out values that come from no complete depth and are not certain."""
    position = load("capture_go", size=9).replay(moves.split())
    *_, last_analysis = stream_analyses(position, SearchLimits(stop_at=time.monotonic() + 20), lines=1)
    assert abs(last_analysis.lines[0].value) > CERTAIN_THRESHOLD
    assert (last_analysis.lines[0].value > 0) == (best is not None)
    assert best in (None, position.game.format(last_analysis.lines[0].variation[0]))


@pytest.mark.slow
def test_shares_do_not_rise_with_each_turn() -> None:
    game = load("go", size=9, komi=7.5)
    raw, steady = [], []
    for seed in (1, 2, 3):
        position, analyses = game.start(), []
        for _ in range(6):
            analyses.append(engine_module.GoEngine(game, memory_mb=8, seed=seed).rank_moves(position, playouts=800)[0])
            position = position.play(analyses[-1].move)
        # after its best move, a mover should stand as well as before
        raw += [analysis.win_share + next_analysis.win_share - 1 for analysis, next_analysis in pairwise(analyses)]
        steady += [
            analysis.steady_share + next_analysis.steady_share - 1 for analysis, next_analysis in pairwise(analyses)
        ]
    assert fmean(raw) > 0.03
    assert abs(fmean(steady)) < 0.7 * fmean(raw)


@pytest.mark.slow
def test_a_stopped_analysis_ends() -> None:
    limits = SearchLimits()
    analyses = []
    for analysis in stream_analyses(load("go", size=9).start(), limits):
        analyses.append(analysis)
        limits.stop()
    assert 1 <= len(analyses) <= 2


def test_the_owners_of_a_settled_board_and_the_lead_are_known() -> None:
    rows = """..xo.
    ..xoo
    xxxo.
    ..xoo
    x.xo."""
    *_, last_analysis = stream_analyses(position_of(rows), SearchLimits(nodes=2000))
    expected_end = as_json(last_analysis, position_of(rows))["expected_end"]
    owners = {name: round(owner, 1) for name, owner in expected_end["owners"].items()}
    assert owners == {f"{column}{row}": 1.0 if column in "abc" else -1.0 for column in "abcde" for row in range(1, 6)}
    assert (expected_end["words"], expected_end["lead"], expected_end["error"], expected_end["dead"]) == (
        "Black leads by 5 points",
        5,
        0,
        [],
    )


@pytest.mark.parametrize("seat", [1, 2])
def test_on_a_settled_board_the_lead_is_the_count_and_the_pass_is_a_best_move(seat: int) -> None:
    """Playouts with pointless invasions move the mean lead by three points."""
    position = position_of("\n".join(["....xo..."] * 9), turn=seat)
    *_, last_analysis = stream_analyses(position, SearchLimits(nodes=4000), lines=3)
    assert last_analysis.expected_end is not None
    assert last_analysis.expected_end.lead == 45 - 36
    if seat == 1:
        assert last_analysis.lines[0].variation[0] is PASS
        assert hint(position, 4.0) == (PASS, "the board is settled; if both players pass, you win by 9 points")


def test_the_pass_can_be_the_only_line_of_a_settled_board() -> None:
    """Only eyes are empty, so the search has no other line that it could value."""
    rows = "x.xxxxxx. xxx.xx.xx xxxxxxxoo ooxxxxooo o.ooxo.o. ooooo.o.o o.o.oo.oo .ooo.ooo. o.o.oo.oo"
    position = position_of("\n".join(rows.split()), turn=2)
    *_, last_analysis = stream_analyses(position, SearchLimits(nodes=2000), lines=1)
    assert last_analysis.lines[0].variation[0] is PASS


def test_a_hint_of_go_has_a_reason_and_points() -> None:
    move, reason = hint(load("go", size=9).replay(["g3", "c7", "c3"]), 3.0)
    assert isinstance(move, Point)
    assert re.fullmatch(r"(.+; )?you (lead|are behind) by about [\d.]+ points?, and your chance .*|.*even.*", reason)


def test_the_likely_result_of_go_is_told_before_the_first_pass() -> None:
    position: GoFamilyPosition = position_of("\n".join(["....xo..."] * 9), turn=2)
    words = likely_result(position, 4.0)
    assert re.fullmatch(r"Likely result: Black wins by about 9 points \(White's win chance: \d+ %\)\.", words)
    assert likely_result(position.play(PASS), 4.0) == ""
    assert likely_result(load("capture_go", size=5).start(), 4.0) == ""


@pytest.mark.parametrize(("rows", "black", "white"), [WHITE_ROW, BLACK_CORNER])
@pytest.mark.parametrize("passes", [0, 1])
def test_stones_of_which_the_opponent_is_the_owner_look_dead(
    rows: str, black: list[str], white: list[str], passes: int
) -> None:
    """Also when a pass can end the game, although nearly all games then end within the tree, with all stones."""
    position: GoFamilyPosition = position_of(rows)
    for _ in range(passes):
        position = position.play(PASS)
    *_, last_analysis = stream_analyses(position, SearchLimits(nodes=4000))
    assert sorted(as_json(last_analysis, position)["expected_end"]["dead"]) == sorted(black + white)


def test_a_game_without_points_has_no_expected_end() -> None:
    position = load("capture_go", size=5).start()
    *_, last_analysis = stream_analyses(position, SearchLimits(nodes=500))
    assert as_json(last_analysis, position)["expected_end"] is None


def test_the_first_lines_of_go_come_at_once_in_the_order_of_their_chances(monkeypatch: pytest.MonkeyPatch) -> None:
    """A move with few playouts has a high win chance by chance alone. No other search comes before the playouts."""
    monkeypatch.setattr(engine_analysts, "iterative_deepening", None)
    start = load("go", size=9, komi=7.5).start()
    first, *_, last = stream_analyses(start, SearchLimits(nodes=8000), lines=8)
    for analysis in (first, last):
        visits = analysis.playouts
        shown = [visits[line.variation[0]] for line in analysis.lines]
        assert sorted(shown) == sorted(visits.values())[-8:]
        sure = [line for line in analysis.lines if not analysis.is_uncertain(line)]
        assert list(analysis.lines[: len(sure)]) == sure, "the uncertain lines follow"
        chances = [line["score"] for line in as_json(analysis, start)["lines"][: len(sure)]]
        assert all(earlier > later - 0.02 for earlier, later in pairwise(chances))
        assert visits[sure[0].variation[0]] >= max(visits.values()) / 4
        assert len(sure) == 1 or min(visits[line.variation[0]] for line in sure) >= 100
    assert len(sure) > 1


@pytest.mark.parametrize(
    ("first_move", "sentences"),
    [
        ("g5", ["White could capture your 8 stones at a6. d9 saves them, with a win chance of 50 %."]),
        ("d9", []),
    ],
)
def test_captures_that_the_first_line_misses_are_named(first_move: str, sentences: list[str]) -> None:
    position = position_of(CAPTURING_RACE)
    move, saving_move = map(position.game.parse, (first_move, "d9"))
    lines, fights = [ScoredLine(0.0, (move,))], find_fights(position)
    assert list(engine_analysts._missed_captures(position, fights, lines, {saving_move: 0.0}, 1.0)) == sentences


def test_the_win_chance_of_go_grows_with_the_lead_and_with_the_stones() -> None:
    empty: Any = load("go", size=9).start()
    middle: GoFamilyPosition = position_of("\n".join(["..x...o.."] * 9), turn=2)  # 18 stones

    def chance(position: GoFamilyPosition, black_lead: float, share: float) -> float:
        clear_lead, move = engine_analysts._clear_lead_in_playouts(position), position.game.parse("e5")
        log_odds = {move: math.log(share / (1 - share))}
        value = engine_analysts._values_with_lead(position, log_odds, black_lead, clear_lead)[move]
        return 50 + 50 * advantage(value, clear_lead)

    assert chance(empty, -3, 0.46) == pytest.approx(46)
    assert chance(middle, 0, 0.5) == pytest.approx(50)
    by_lead = [chance(middle, lead, 0.5) for lead in (-20, -10, -5, 0, 5, 40, 400)]
    assert by_lead == sorted(by_lead, reverse=True), "white is to move"
    assert chance(middle, -20, 0.8) > 95
    assert chance(middle, -80, 0.9999) < 99.5, "no number of playouts makes a win certain"


def test_the_moves_of_a_fight_get_a_share_of_the_playouts() -> None:
    position = position_of(CAPTURING_RACE)
    *_, last = stream_analyses(position, SearchLimits(nodes=10_000), lines=2)
    moves = {move for fight in find_fights(position) for move in fight.winning_moves(position.to_move)}
    assert len(moves) == 1
    assert all(last.playouts[move] >= 0.04 * last.nodes for move in moves)


@pytest.mark.parametrize("lines", [3, 8])
def test_each_line_of_an_analysis_has_enough_playouts_and_its_points(lines: int) -> None:
    """Also where hardly any playout would begin with another move than the best."""
    start = load("go", size=9, komi=7.5).replay(["e5"])
    *_, last = stream_analyses(start, SearchLimits(nodes=20_000), lines=lines)
    assert len(last.lines) == lines
    assert not any(last.is_uncertain(line) for line in last.lines)
    shown = as_json(last, start)["lines"]
    assert not any(line["uncertain"] for line in shown)
    assert shown[0]["points"] == 0
    assert all(isinstance(line["points"], float) for line in shown)
    assert all(line["score"] * line["lead"] <= 0 for line in shown), "white is to move"


STRAIGHT_THREE = """...oxx.x.
ooooxxxxx
xxxxx.x.x
.xxxxxxx.
ooooooooo
o.o...o.o
o..o.o..o
.o.....o.
....o...."""


@pytest.mark.parametrize("komi", [-40.5, 40.5])
def test_the_vital_point_is_the_first_line_of_a_decided_game(komi: float) -> None:
    """It kills five stones, but all moves win, or all lose."""
    position = load("go", size=9, komi=komi).replay(moves_of(STRAIGHT_THREE, turn=1))
    *_, last = stream_analyses(position, SearchLimits(nodes=3000), lines=3)
    assert position.game.format(last.lines[0].variation[0]) == "b1"
    scores = [line["score"] for line in as_json(last, position)["lines"]]
    assert min(scores) > 0.9 if komi < 0 else max(scores) < -0.9


RACE = """..x..
xxx..
ooox.
xxox.
.xoo."""  # black captures six stones at e5, or white captures three at a5


def test_a_line_says_how_many_points_it_is_behind_the_best() -> None:
    start = position_of(RACE)
    *_, last = stream_analyses(start, SearchLimits(nodes=4000), lines=3)
    best, *others = as_json(last, start)["lines"]
    assert (best["move"], best["points"]) == ("e5", 0)
    assert all(-15 < line["points"] < 0 for line in others)


def test_playouts_for_other_lines_do_not_change_the_expected_end() -> None:
    ends = [
        [*stream_analyses(position_of(RACE), SearchLimits(nodes=8000), lines=lines)][-1].expected_end
        for lines in (1, 8)
    ]
    assert ends[0] is not None
    assert ends[1] is not None
    assert abs(ends[0].lead - ends[1].lead) < 0.5


def test_a_pass_that_wins_at_once_is_certain() -> None:
    position = position_of(WHITE_ROW[0], turn=2).play(PASS)
    *_, last_analysis = stream_analyses(position, SearchLimits(nodes=500))
    assert last_analysis.lines[0].variation == (PASS,)
    assert last_analysis.lines[0].value > CERTAIN_THRESHOLD


def test_short_lines_are_continued_after_the_first_report() -> None:
    start = load("go", size=9, komi=7.5).replay(["e5"])
    first, *later = stream_analyses(start, SearchLimits(nodes=100_000), lines=3)
    assert any(len(line.variation) < 8 for line in first.lines)
    assert len(later[-1].lines[0].variation) >= 8
    assert {line.variation[0] for line in later[-1].lines} <= later[-1].reasons.keys()
    for line in later[-1].lines:
        position = start
        for move in line.variation:
            assert position.why_illegal(move) is None
            position = position.play(move)


def test_the_lines_on_a_large_board_have_no_stone_near_the_edge_far_from_all_stones() -> None:
    moves = ["d4", "j10", "j4", "d10", "k10", "k11", "k9", "j11", "l11", "l12", "m12", "k12"]
    position = load("go", size=13, komi=7.5).replay(moves)
    assert isinstance(position, GoFamilyPosition)
    left_out = engine_analysts._distant_edge_points(position)
    names = set(map(position.game.format, left_out))
    assert {"h2", "b8", "b6", "b9", "b4", "g12", "a1", "h12", "l7", "m10"} <= names
    assert not names & {"l13", "m11", "l9", "f3", "c3"}  # next to low stones, or on the third line
    *_, last = stream_analyses(position, SearchLimits(nodes=15_000), lines=8)
    assert len(last.lines) == 8
    assert not left_out & {line.variation[0] for line in last.lines}


def test_lines_near_the_edge_stay_on_small_and_on_full_boards() -> None:
    for position in (load("go", size=9).start(), load("capture_go", size=13).start()):
        assert isinstance(position, GoFamilyPosition)
        assert not engine_analysts._distant_edge_points(position)
    rows = ["............."] * 2 + ["..xxxxxxx...."] * 9 + ["............."] * 2
    assert not engine_analysts._distant_edge_points(position_of("\n".join(rows)))
    fewer = ["............."] * 2 + ["..xxxxxx....."] * 9 + ["............."] * 2
    assert engine_analysts._distant_edge_points(position_of("\n".join(fewer)))
