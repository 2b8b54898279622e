"""Monte Carlo tree search: certain wins, limits, chance, and any number of players. Knows no strength."""

from __future__ import annotations

import random
from typing import Any

import pytest

from gomogo_core.games import load
from gomogo_core.games.base import Position
from gomogo_core.search import SearchLimits, max_n, mcts, minimax, plies_to_end
from gomogo_core.search.node import WIN_VALUE
from gomogo_core.search.playouts import play_randomly, playout_policy_for, rewards_of_scores, rewards_of_values
from gomogo_core.search.prior import no_priors
from tests.search._positions import gomoku_position_after, position_with_stones
from tests.search.test_methods import HeapsGame, TickingClock

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("gomoku", {"size": 7}),
    ("gomoku", {"size": 9, "opening": "swap2"}),
    ("gomoku", {"size": 9, "renju": True}),
    ("go", {"size": 5, "ko": "simple"}),
    ("capture_go", {"size": 5, "passing": False}),
    ("robogo", {"size": 5}),
    ("dots_and_boxes", {"rows": 2, "cols": 3}),
    ("dots_and_boxes", {"rows": 2, "cols": 2, "players": 4}),
]


@pytest.mark.parametrize("rave", [True, False])
def test_mcts_makes_five_and_stops_five(rave: bool) -> None:
    random_number = random.Random(1).random
    wins = mcts.search(
        position_with_stones("f8 g8 h8 i8", "e8 c3 c4 c5 c6"),
        SearchLimits(nodes=300),
        rave=rave,
        random_number=random_number,
    )
    assert str(wins.move) == "j8"
    assert plies_to_end(wins.value) == 1
    stops = mcts.search(
        position_with_stones("e8 c3 c4", "f8 g8 h8 i8"), SearchLimits(nodes=600), rave=rave, random_number=random_number
    )
    assert str(stops.move) == "j8"


def test_a_line_ends_where_the_search_has_too_few_visits() -> None:
    result = mcts.search(position_with_stones("", ""), SearchLimits(nodes=15))
    assert len(result.variation) == 1


def test_an_analysis_has_no_values_of_moves_with_few_visits() -> None:
    start = load("go", size=5).start()
    *_, early = mcts.stream_analyses(start, SearchLimits(nodes=4), 3)
    assert early.lines
    assert not early.move_values
    *_, later = mcts.stream_analyses(start, SearchLimits(nodes=200), 3)
    assert 0 < len(later.move_values) < 25


def test_each_line_of_an_analysis_gets_a_share_of_the_playouts() -> None:
    """Otherwise hardly any playout would begin with another move than the best."""
    position = load("go", size=5).replay(["c3"])
    random.seed(1)
    *_, last = mcts.stream_analyses(position, SearchLimits(nodes=1000), 3)
    assert len(last.lines) == 3
    assert not any(last.is_uncertain(line) for line in last.lines)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), GAMES, ids=str)
def test_mcts_plays_legal_moves_and_variations_in_every_game(name: str, options: dict[str, Any]) -> None:
    random_number = random.Random(2)
    position = load(name, **options).start()
    while position.outcome() is None:
        result = mcts.search(position, SearchLimits(nodes=20), random_number=random_number.random)
        line = position
        for move in result.variation:
            assert line.why_illegal(move) is None
            line = line.play(move)
        position = position.play(random_number.choice([result.move, *position.moves()]))


@pytest.mark.parametrize(("name", "options"), GAMES, ids=str)
def test_a_playout_plays_legal_moves_in_turn_and_shares_the_reward(name: str, options: dict[str, Any]) -> None:
    random_number = random.Random(3)
    start = load(name, **options).start()
    for _ in range(20):
        position = start
        for _ in range(random_number.randrange(6)):
            position = position.play(random_number.choice(list(position.moves())))
        if position.outcome() is not None:
            continue
        way = playout_policy_for(name)
        playout = way.run_playout(way.node(position), random_number.random)
        for seat, move in playout.moves:
            assert position.to_move == seat
            position = position.play(move)
        assert all(0 <= reward <= 1 for reward in playout.rewards)
        assert sum(playout.rewards) == pytest.approx(len(playout.rewards) / 2)
        if (outcome := position.outcome()) is not None and outcome.winner is not None:
            assert playout.rewards[outcome.winner - 1] == max(playout.rewards)


def test_mcts_uses_exactly_its_playouts() -> None:
    played = []

    def counting(node: Any, random_number: Any) -> Any:
        played.append(node)
        return play_randomly(node, random_number)

    way = playout_policy_for("gomoku")
    root = mcts.TreeNode(way.node(gomoku_position_after("h8 i9")))
    tree = mcts._Tree(root, way._replace(run_playout=counting), 300, no_priors, random.random)
    for _ in range(50):
        tree.run_playout(2)
    assert len(played) == 50
    assert mcts.search(gomoku_position_after("h8 i9"), SearchLimits(nodes=50)).nodes == 50


def test_mcts_starts_no_playout_that_would_end_too_late() -> None:
    clock = TickingClock(0.01)
    result = mcts.search(gomoku_position_after("h8 i9 h9"), SearchLimits(stop_at=3.0, now=clock))
    assert 2.9 <= clock.time <= 3.0 + clock.tick
    assert result.nodes > 90


def test_mcts_without_time_gives_a_legal_move() -> None:
    position = gomoku_position_after("h8 i9")
    result = mcts.search(position, SearchLimits(stop_at=0.0, now=lambda: 1.0))
    assert position.why_illegal(result.move) is None
    assert (result.nodes, result.value) == (0, 0.0)


def test_mcts_with_the_same_seed_is_reproducible() -> None:
    position = gomoku_position_after("h8 i9 h9 i10")
    first, second_result = (
        mcts.search(position, SearchLimits(nodes=120), random_number=random.Random(5).random) for _ in range(2)
    )
    assert first._replace(seconds=0) == second_result._replace(seconds=0)


def test_mcts_refuses_a_finished_game() -> None:
    with pytest.raises(ValueError, match="over"):
        mcts.search(gomoku_position_after("a1 a15 b1 b15 c1 c15 d1 d15 e1"), SearchLimits(nodes=1))


@pytest.mark.parametrize("heaps", [(1, 2), (2, 3), (1, 2, 3), (2, 4, 3)], ids=str)
def test_mcts_solves_small_games_as_minimax_does(heaps: tuple[int, ...]) -> None:
    position = HeapsGame(2, heaps).start()
    exact = minimax.search(position, SearchLimits(depth=30))
    result = mcts.search(position, SearchLimits(nodes=20_000), random_number=random.Random(1).random)
    assert abs(result.value) > WIN_VALUE / 2
    assert (result.value > 0) == (exact.value > 0)


def test_mcts_of_three_players_maximizes_the_own_rank() -> None:
    position = HeapsGame(3, (2, 1, 2)).start()
    exact = max_n.search(position, SearchLimits(depth=30))
    result = mcts.search(position, SearchLimits(nodes=5_000), random_number=random.Random(1).random)
    assert (result.value > 0) == (exact.value > 0)


def test_the_first_player_loses_capture_go_on_four_points() -> None:
    result = mcts.search(load("capture_go", size=2, passing=False).start(), SearchLimits(nodes=5_000))
    assert result.value < -WIN_VALUE / 2


@pytest.mark.parametrize("options", [{"rows": 1, "cols": 1, "komi": 300.0}, {"size": 2, "komi": 625.0}], ids=str)
def test_mcts_handles_a_komi_larger_than_the_board(options: dict[str, Any]) -> None:
    assert mcts.search(load("go", **options).start(), SearchLimits(nodes=30)).value < 0


def test_mcts_without_a_playout_plays_the_highest_prior() -> None:
    position = load("go", size=5).start()
    guess = {move: (4.0, 3.0 if str(move) == "c3" else 1.0) for move in position.moves()}
    result = mcts.search(position, SearchLimits(stop_at=0.0, now=lambda: 1.0), priors=lambda node: guess)
    assert str(result.move) == "c3"


def test_high_priors_are_tried_first_and_overruled_by_losses() -> None:
    position = position_with_stones("f8 g8 h8 i8", "e8 c3 c4 c5 c6")
    bad = next(iter(position.moves()))
    random_number = random.Random(1).random
    result = mcts.search(
        position, SearchLimits(nodes=300), priors=lambda node: {bad: (20.0, 20.0)}, random_number=random_number
    )
    assert str(result.move) == "j8"


def test_mcts_takes_available_boxes() -> None:
    position = load("dots_and_boxes", rows=2, cols=2).replay(["h0", "v0", "v1", "h5"])
    result = mcts.search(position, SearchLimits(nodes=400), random_number=random.Random(1).random)
    assert str(result.move) == "h2"


def test_rewards_combine_rank_and_margin() -> None:
    assert rewards_of_scores((5, 4)) == pytest.approx((0.95 + 0.05 / 9, 0.05 - 0.05 / 9))
    assert rewards_of_scores((2, 2)) == (0.5, 0.5)
    first, second, third = rewards_of_scores((6, 2, 1))
    assert 0.9 < first < 1
    assert 0.4 < second < 0.5 < 1 - third
    assert rewards_of_scores((0, 3), (True, False))[0] > 0.9


def test_rewards_do_not_depend_on_the_scale_of_evaluations() -> None:
    small, large = rewards_of_values((3.0, 1.0)), rewards_of_values((300.0, 100.0))
    assert small == pytest.approx(large)
    assert small[0] > 0.5 > small[1]
    assert rewards_of_values((0.0, 0.0)) == (0.5, 0.5)
    assert rewards_of_values((WIN_VALUE - 3.0, 3.0 - WIN_VALUE)) == (1.0, 0.0)


def test_mcts_continues_with_a_full_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcts, "MAX_TREE_NODES", 5)
    position: Position = gomoku_position_after("h8 i9 h9 i10")
    assert mcts.search(position, SearchLimits(nodes=100)).nodes == 100
