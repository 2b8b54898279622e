"""The compiled player of Dots and Boxes: legal to the end, perfect where it can be, and right about captures."""

from __future__ import annotations

import itertools
import random
import re
import time

import numpy as np
import pytest

from gomogo_core.analysis.live_analysis import as_json, stream_analyses
from gomogo_core.engines.boxes import BoxesPlayer, BoxesSolver, playouts, search
from gomogo_core.engines.boxes.array_layout import PackedPosition
from gomogo_core.games import load
from gomogo_core.games.base import Move
from gomogo_core.games.dots_and_boxes import DotsAndBoxes, DotsAndBoxesPosition
from gomogo_core.search import SearchLimits
from tests.boxes_champion.test_solver import SOLVED


def load_boxes_game(rows: int, cols: int) -> DotsAndBoxes:
    game = load("dots_and_boxes", rows=rows, cols=cols)
    assert isinstance(game, DotsAndBoxes)
    return game


def position_after(text: str, rows: int, cols: int) -> DotsAndBoxesPosition:
    position = load_boxes_game(rows, cols).replay(text.split())
    assert isinstance(position, DotsAndBoxesPosition)
    return position


def after_move(position: DotsAndBoxesPosition, move: Move) -> DotsAndBoxesPosition:
    following = position.play(move)
    assert isinstance(following, DotsAndBoxesPosition)
    return following


def chosen_move(player: BoxesPlayer, position: DotsAndBoxesPosition, **options: int) -> str:
    move, _ = player.choose(position, time.monotonic() + 60, **options)
    return player.game.format(move)


@pytest.mark.parametrize("size", [(1, 1), (1, 7), (2, 5), (4, 4), (6, 6)], ids=str)
@pytest.mark.parametrize("exact", [0, 20])
def test_boxes_player_plays_whole_games_with_playouts_and_perfect_play(size: tuple[int, int], exact: int) -> None:
    player = BoxesPlayer(load_boxes_game(*size), memory_mb=8)
    position = player.game.start()
    while position.outcome() is None:
        move, info = player.choose(position, time.monotonic() + 60, max_exact_edges=exact, max_playouts=50)
        assert ("playouts" in info["thoughts"]) == (len(list(position.moves())) > exact)
        position = position.play(move)


@pytest.mark.parametrize("size", SOLVED, ids=str)
@pytest.mark.parametrize("seat", [1, 2])
def test_no_opponent_gets_more_than_the_value_of_a_solved_board(size: tuple[int, int], seat: int) -> None:
    player, rng = BoxesPlayer(load_boxes_game(*size), memory_mb=8), random.Random(seat)
    for _ in range(3):
        position = player.game.start()
        while position.outcome() is None:
            moves = list(position.moves())
            mine = position.to_move == seat
            move = player.choose(position, time.monotonic() + 60)[0] if mine else rng.choice(moves)
            position = position.play(move)
        assert isinstance(position, DotsAndBoxesPosition)
        margin = position.scores[0] - position.scores[1]
        assert margin >= SOLVED[size] if seat == 1 else margin <= SOLVED[size]


@pytest.mark.parametrize("exact", [0, 48])
def test_boxes_are_taken_and_none_is_given_away_needlessly(exact: int) -> None:
    player = BoxesPlayer(load_boxes_game(2, 2), memory_mb=8)
    assert chosen_move(player, position_after("h0 h2 v0 h5", 2, 2), max_exact_edges=exact, max_playouts=300) == "v1"


@pytest.mark.parametrize("exact", [0, 48])
def test_two_boxes_are_handed_back_to_keep_control(exact: int) -> None:
    player = BoxesPlayer(load_boxes_game(2, 4), memory_mb=8)
    position = position_after(
        "h0 h1 h2 h3 h4 h5 h6 h7 h8 h9 h10 h11 v0", 2, 4
    )  # two chains of four, one of them opened
    drawn_edges = []
    while position.to_move == 2 and position.outcome() is None:
        drawn_edges.append(chosen_move(player, position, max_exact_edges=exact, max_playouts=300))
        following = position.play(player.game.parse(drawn_edges[-1]))
        assert isinstance(following, DotsAndBoxesPosition)
        position = following
    assert position.scores == (0, 2)
    assert drawn_edges[-1] == "v4"


@pytest.mark.parametrize("rows", range(1, 7))
@pytest.mark.parametrize("cols", range(1, 7))
def test_a_playout_without_choice_has_the_exact_value(rows: int, cols: int) -> None:
    """All horizontal edges are drawn: each row is a chain."""
    solver = BoxesSolver(rows, cols, memory_mb=1)
    drawn_mask = (1 << (rows + 1) * cols) - 1
    _, _, h, v = solver.find_captures(drawn_mask)
    empty = np.uint64(0)
    position = PackedPosition(np.uint64(h), np.uint64(v), empty, empty, rows * cols)
    value = solver.value(drawn_mask)
    for margin in range(-rows * cols - 1, rows * cols + 2):
        answer = playouts.playout_reaches_margin(solver.arrays, position, margin)
        assert (answer == search.YES) == (value >= margin)


def test_playouts_find_the_decisive_move() -> None:
    """With one safe edge left, the player to move takes it, and the opponent opens the chains."""
    position = position_after("h0 h1 h2 h3 h8 h9 h10 h11 h4 h5 h6 v0 v5 v9 v4", 2, 4)
    player = BoxesPlayer(load_boxes_game(2, 4), memory_mb=8)
    value, best_edges = player.solver.best_edges(position.drawn)
    chosen = player.game.parse(chosen_move(player, position, max_exact_edges=0, max_playouts=2000))
    assert player.game.board.index_of[chosen] in best_edges, value


def test_an_analysis_continues_from_playouts_to_perfect_play() -> None:
    position = position_after("h0 v0 h1", 2, 3)
    player = BoxesPlayer(position.game, memory_mb=8)
    solver = BoxesSolver(2, 3, 8)
    first, *_, last_analysis = player.stream_analyses(position, lines=3)
    assert not first.is_exact
    assert last_analysis.is_exact
    margins = [line.margin for line in last_analysis.lines]
    assert margins == sorted(margins, reverse=True)
    assert margins[0] == solver.value(position.drawn)
    assert len({line.edges[0] for line in last_analysis.lines}) == 3
    for margin, _, line in last_analysis.lines:
        played = position.play(line[0])
        assert isinstance(played, DotsAndBoxesPosition)
        sign = 1 if played.to_move == position.to_move else -1
        gained = sum(played.scores) - sum(position.scores)
        assert gained + sign * solver.value(played.drawn) == margin


def test_an_analysis_that_compares_moves_proves_the_margin_of_each_edge() -> None:
    position = position_after("h0 v0 h1 v3", 2, 3)
    player, solver = BoxesPlayer(position.game, memory_mb=8), BoxesSolver(2, 3, 8)
    *_, last = stream_analyses(position, SearchLimits(stop_at=time.monotonic() + 60), agent="champion", lines=2)
    leads = as_json(last, position)["leads"]
    assert {position.game.parse(name) for name in leads} == set(position.moves())
    assert len(set(leads.values())) > 1
    for name, lead in leads.items():
        played = position.play(position.game.parse(name))
        assert isinstance(played, DotsAndBoxesPosition)
        sign = 1 if played.to_move == position.to_move else -1
        assert sum(played.scores) - sum(position.scores) + sign * solver.value(played.drawn) == lead
    *_, single = player.stream_analyses(position, lines=1)
    assert not single.margins, "a review needs one line"


def test_an_analysis_without_a_playout_knows_nothing_and_continues(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine, no playout ended before the first report: it claimed a win, and was the last one."""
    position = position_after("", 5, 5)
    player, run_playouts, calls = BoxesPlayer(position.game, memory_mb=8), playouts.run_playouts, itertools.count()
    run_later = lambda *arguments: run_playouts(*arguments) if next(calls) else 0  # noqa: E731
    monkeypatch.setattr(playouts, "run_playouts", run_later)
    first, second, *_ = player.stream_analyses(position, playouts=100)
    assert (first.visited, first.lines[0].steady_score) == (0, 0.5)
    assert second.visited == 100


def test_a_line_of_boxes_is_continued_by_an_answer_only() -> None:
    position = load("dots_and_boxes", rows=5, cols=5).start()
    analysis, *_ = stream_analyses(position, SearchLimits(nodes=50), agent="champion", lines=2)
    assert [len(line.variation) for line in analysis.lines] == [2, 2], "more moves would be the first edges in the list"


def test_few_playouts_judge_successive_positions_alike() -> None:
    """A margin in boxes, of which one playout in ten is a sample, once jumped by several boxes from move to move."""
    position = position_after("", 5, 5)
    player = BoxesPlayer(position.game, memory_mb=8)
    player.set_seed(1)
    shares = []
    for number in range(8):
        *_, report = player.stream_analyses(position, playouts=2000)
        share = report.lines[0].steady_score
        shares.append(share if number % 2 == 0 else 1 - share)
        played = position.play(report.lines[0].edges[0])
        assert isinstance(played, DotsAndBoxesPosition)
        position = played
    assert max(shares) - min(shares) < 0.1


def test_an_analysis_of_a_large_board_reports_increasing_playouts() -> None:
    position = position_after("", 6, 6)
    reports = list(BoxesPlayer(position.game, memory_mb=8).stream_analyses(position, playouts=2000, lines=3))
    assert [report.is_exact for report in reports] == [False] * len(reports)
    assert reports[-1].visited == 2000
    assert len({line.edges[0] for line in reports[-1].lines}) == 3


def test_an_interrupted_analysis_ends() -> None:
    player = BoxesPlayer(load_boxes_game(5, 5), memory_mb=8)
    reports = []
    for report in player.stream_analyses(player.game.start()):
        reports.append(report)
        player.interrupt()
    assert len(reports) == 1


@pytest.mark.slow
def test_solving_ahead_saves_three_quarters_of_later_work() -> None:
    rng = random.Random(5)
    early = [1 << rng.randrange(27) | 1 << rng.randrange(27) for _ in range(10)]
    prepared_player, fresh = BoxesPlayer(load_boxes_game(2, 5)), [BoxesSolver(2, 5) for _ in early]
    prepared_player.solve_ahead(time.monotonic() + 60)
    before = prepared_player.solver.nodes
    assert [prepared_player.solver.value(drawn_mask) for drawn_mask in early] == [
        solver.value(drawn_mask) for solver, drawn_mask in zip(fresh, early, strict=True)
    ]
    assert 4 * (prepared_player.solver.nodes - before) < sum(solver.nodes for solver in fresh)


def test_solving_ahead_ends_in_time() -> None:
    player = BoxesPlayer(load_boxes_game(5, 5), memory_mb=8)
    player.solve_ahead(time.monotonic())
    assert chosen_move(player, player.game.start(), max_exact_edges=0, max_playouts=10)


def with_few_nodes(player: BoxesPlayer, monkeypatch: pytest.MonkeyPatch, max_nodes: int) -> None:
    """Let each proof of the player end after this number of nodes."""
    limited = player.solver.search_limits
    monkeypatch.setattr(player.solver, "search_limits", lambda stop_at=None, nodes=0: limited(None, max_nodes))


def test_an_unfinished_proof_restricts_the_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only some edges keep the draw or the win that is proved; playouts are not enough to find them."""
    rng, player, solver = random.Random(2), BoxesPlayer(load_boxes_game(4, 4), memory_mb=8), BoxesSolver(4, 4)
    with_few_nodes(player, monkeypatch, 5_000)
    bound = 0
    for _ in range(40):
        position = player.game.start()
        for _ in range(14):
            position = after_move(position, rng.choice(list(position.moves())))
        lead = position.scores[position.to_move - 1] - position.scores[2 - position.to_move]
        move, info = player.choose(position, time.monotonic() + 60, max_playouts=20)
        if proof_words := re.search(r"(\S+) or more is proved", info["thoughts"]):
            bound += 1
            assert solver.edge_reaches_margin(position.drawn, player.game.edges.index(move), int(proof_words[1]) - lead)
    assert bound > 3


def test_the_lines_of_a_proof_have_their_margins_and_their_order() -> None:
    position = position_after("h0 v0 h1 v1 h3 h5 v3 v4", 2, 2)
    *_, last = stream_analyses(position, SearchLimits(stop_at=time.monotonic() + 60), agent="champion", lines=4)
    result = as_json(last, position)
    best_margin = result["expected_end"]["lead"] * (1 if position.to_move == 1 else -1)
    margins = [best_margin + line["points"] for line in result["lines"]]
    assert margins == sorted(margins, reverse=True)
    assert len(set(margins)) > 1
    for line, margin in zip(result["lines"], margins, strict=True):
        boxes = f"{abs(margin):.0f} boxes"
        expected_words = f"wins by {boxes}" if margin > 0 else f"loses by {boxes}" if margin else "draws"
        assert (line["words"], line["uncertain"]) == (expected_words, False)
    assert result["expected_end"]["error"] == 0
    assert "leads" not in result["expected_end"]["words"]
