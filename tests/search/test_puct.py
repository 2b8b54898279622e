"""The search that a network guides, with networks that know nothing or one thing, on boards small enough to check."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from gomogo_core.games.base import Move, Position
from gomogo_core.games.dots_and_boxes import DotsAndBoxes
from gomogo_core.games.gomoku import Gomoku
from gomogo_core.search.limits import SearchLimits

np = pytest.importorskip("numpy")
from gomogo_core.search.puct import LOST, UNKNOWN, WON, Tree, legal_move_generator  # noqa: E402
from training.gumbel import search_together  # noqa: E402

GAME = Gomoku(size=5, line=4)


def never(position: Position) -> bool:
    return False


def tree_of(moves: str, favourite: str = "", is_won: Callable[[Position], bool] = never) -> Tree:
    """Return a tree whose network values every position 0 and prefers one point, if any."""
    number: dict[Any, int] = {**GAME.board.number_of}
    odds = np.zeros(len(number))
    if favourite:
        odds[number[GAME.parse(favourite)]] = 5.0

    def evaluate(positions: Sequence[Position]) -> tuple[Any, Any]:
        return np.tile(odds, (len(positions), 1)), np.zeros(len(positions))

    return Tree(GAME.replay(moves.split()), evaluate, is_won, legal_move_generator(number.__getitem__))


def select_move(tree: Tree) -> Move:
    moves = tree.root.moves
    assert moves is not None
    return moves[tree.rank_moves()[0]]


def test_a_win_in_one_is_found_and_certain() -> None:
    tree = tree_of("b3 a1 c3 a2 d3 a3")
    tree.search(SearchLimits(nodes=2000))
    assert GAME.format(select_move(tree)) == "e3"
    assert tree.root.certain == WON
    assert tree.value(tree.rank_moves()[0]) == 1.0


def test_a_position_that_every_move_loses_is_known_as_lost() -> None:
    tree = tree_of("b3 a1 c3 a2 d3")  # black threatens both ends
    tree.search(SearchLimits(nodes=5000))
    assert tree.root.certain == LOST
    assert tree.root.position.why_illegal(select_move(tree)) is None


def test_without_certain_results_the_network_decides() -> None:
    tree = tree_of("", favourite="c3")
    limits = SearchLimits(nodes=50)
    tree.search(limits)
    assert GAME.format(select_move(tree)) == "c3"
    assert tree.root.visits.sum() == limits.nodes_used
    assert GAME.format(tree.variation(tree.rank_moves()[0])[0]) == "c3"


def test_visits_and_means_agree_after_a_search() -> None:
    tree = tree_of("c3 b2")
    tree.search(SearchLimits(nodes=300))
    branches = [tree.root]
    while branches:
        branch = branches.pop()
        branches += [after for after in branch.children if after is not None and after.moves]
        tried = (branch.visits > 0) & (branch.exploration_bonuses > 0)
        assert np.allclose(branch.means[tried], branch.value_totals[tried] / branch.visits[tried])
        assert (abs(branch.means[tried]) <= 1).all()


def test_certain_wins_of_another_search_are_accepted() -> None:
    threat = GAME.replay(["c3", "b2", "d4"]).key()
    tree = tree_of("c3 b2", is_won=lambda position: position.key() == threat)  # then white wins: d4 loses
    tree.search(SearchLimits(nodes=400))
    moves = tree.root.moves
    assert moves is not None
    number = moves.index(GAME.parse("d4"))
    branch = tree.root.children[number]
    assert branch is not None
    assert branch.certain == WON
    assert tree.value(number) == -1.0
    assert select_move(tree) != GAME.parse("d4")


def test_an_excluded_move_is_not_chosen_again() -> None:
    tree = tree_of("c3 b2", favourite="d4")
    tree.search(SearchLimits(nodes=40))
    assert select_move(tree) == GAME.parse("d4")
    tree.mark_as_lost(tree.rank_moves()[0])
    tree.search(SearchLimits(nodes=40))
    assert select_move(tree) != GAME.parse("d4")
    assert tree.root.certain == UNKNOWN


def test_the_tree_is_reused_for_a_later_position() -> None:
    tree = tree_of("c3", favourite="c4")
    tree.search(SearchLimits(nodes=200))
    line = tree.variation(tree.rank_moves()[0])
    later = tree.root.position.play(line[0]).play(line[1])
    tree.advance(later)
    assert tree.root.position.key() == later.key()
    assert tree.root.visits.sum() > 0
    tree.advance(GAME.replay(["a1", "b1"]))
    tree.search(SearchLimits(nodes=10))
    assert tree.root.visits.sum() == 10


def test_puct_ends_in_time() -> None:
    ticks = iter(float(tick) for tick in range(10_000))
    limits = SearchLimits(stop_at=30.0, now=lambda: next(ticks))
    tree = tree_of("c3")
    tree.search(limits)
    assert next(ticks) < 33
    assert tree.root.visits.sum() > 0


def test_trees_searched_in_a_batch_equal_single_searches() -> None:
    starts = ["", "c3 b2", "b3 a1 c3 a2 d3 a3"]
    batched_trees, asked = [tree_of(moves, favourite="e1") for moves in starts], list[int]()

    def evaluate(positions: Sequence[Position]) -> tuple[Any, Any]:
        asked.append(len(positions))
        return batched_trees[0].evaluate(positions)

    for tree in batched_trees:
        tree.search(SearchLimits(nodes=1))  # only so that the roots are evaluated
    search_together(batched_trees, evaluate, [60, 20, 200])
    assert asked[0] == len(starts)
    for tree, moves, visits in zip(batched_trees, starts, [61, 21, 201], strict=True):
        single_tree = tree_of(moves, favourite="e1")
        single_tree.batch_size = 1
        single_tree.search(SearchLimits(nodes=visits))
        assert single_tree.root.visits.tolist() == tree.root.visits.tolist()
        assert single_tree.root.certain == tree.root.certain


def boxes_tree(game: DotsAndBoxes, moves: str, batch_size: int = 8) -> Tree:
    """Return a tree of Dots and Boxes whose network values a position by the boxes that its mover leads by."""

    def evaluate(positions: Sequence[Any]) -> tuple[Any, Any]:
        leads = [
            position.scores[position.to_move - 1] - position.scores[2 - position.to_move] for position in positions
        ]
        return np.zeros((len(positions), len(game.edges))), np.tanh(np.array(leads) / 4)

    return Tree(
        game.replay(moves.split()),
        evaluate,
        never,
        legal_move_generator(game.board.index_of.__getitem__),
        batch_size=batch_size,
    )


def margin(position: Any) -> int:
    """Return the boxes that the mover wins more than the opponent with best play."""
    if position.outcome() is not None:
        return int(position.scores[position.to_move - 1] - position.scores[2 - position.to_move])
    margins = []
    for move in position.moves():
        after = position.play(move)
        margins.append(margin(after) * (1 if after.to_move == position.to_move else -1))
    return max(margins)


@pytest.mark.parametrize("seed", range(12))
def test_another_move_of_the_same_player_keeps_the_sign_of_the_value(seed: int) -> None:
    game, rng = DotsAndBoxes(rows=2, cols=2), random.Random(seed)
    moves = " ".join(map(str, rng.sample(game.edges, 6)))
    tree = boxes_tree(game, moves, batch_size=1 + seed % 4)
    tree.search(SearchLimits(nodes=3000))
    exact = margin(tree.root.position)
    assert tree.root.certain == (exact > 0) - (exact < 0) or exact == 0
    assert tree.root.moves is not None
    values = {}
    for move in tree.root.moves:
        after = tree.root.position.play(move)
        values[move] = margin(after) * (1 if after.to_move == tree.root.position.to_move else -1)
    assert (values[select_move(tree)] >= 0) == (exact >= 0)
    if exact > 0:
        assert values[select_move(tree)] > 0
        assert tree.value(tree.rank_moves()[0]) == 1.0
    tree.mark_as_lost(tree.rank_moves()[-1])
    assert tree.value(tree.rank_moves()[-1]) == -1.0


def test_totals_pass_unchanged_between_moves_of_the_same_player() -> None:
    game = DotsAndBoxes(rows=2, cols=3)
    tree = boxes_tree(game, "h0 v0 h3 h1 v3")
    tree.search(SearchLimits(nodes=1000))
    branches, same_mover_count = [tree.root], 0
    while branches:
        branch = branches.pop()
        for number, after in enumerate(branch.children):
            if after is None or not after.moves or after.certain or not after.visits.any():
                continue
            branches.append(after)
            if any(child is not None and child.certain for child in after.children):
                continue  # a refuted move's visits are not in its total
            same = after.position.to_move == branch.position.to_move
            same_mover_count += same
            expected_total = after.value_totals.sum() + after.value
            assert branch.value_totals[number] == pytest.approx(expected_total if same else -expected_total)
    assert same_mover_count > 3


def test_a_tree_is_kept_across_several_moves_of_one_player() -> None:
    game = DotsAndBoxes(rows=2, cols=2)
    tree = boxes_tree(game, "h0 h2 v0 h1 h3 v3")
    tree.search(SearchLimits(nodes=1500))
    later = tree.root.position.play(game.parse("v1"))
    assert later.to_move == tree.root.position.to_move  # it closed a box
    later = later.play(game.parse("v2"))
    tree.advance(later)
    assert tree.root.position.key() == later.key()
    assert tree.root.visits.sum() > 0
