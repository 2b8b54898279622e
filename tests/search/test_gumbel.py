"""Sequential halving at the root: the number of visits of each move, the chosen move, and the policy that the network
learns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from gomogo_core.games.base import Position
from gomogo_core.games.gomoku import Gomoku

np = pytest.importorskip("numpy")
from gomogo_core.search.puct import RULED_OUT_MEAN, WON, Tree, legal_move_generator  # noqa: E402
from training.gumbel import SequentialHalving, earlier_visit_counts, search_together  # noqa: E402

GAME = Gomoku(size=5, line=4)
AREA = 25


def search_tree(moves: str, visits: int, odds: Any = None, value: str = "", noise: Any = 0.0) -> tuple[Tree, Any]:
    """Return a tree after a search. Its network likes positions with the mover's opponent on the point `value`."""

    def evaluate(positions: Sequence[Any]) -> tuple[Any, Any]:
        likes = [
            0.8 if value and position.at(GAME.parse(value)) == 3 - position.to_move else 0.0 for position in positions
        ]
        return np.tile(np.zeros(AREA) if odds is None else odds, (len(positions), 1)), -np.array(likes)

    def never(position: Position) -> bool:
        return False

    tree = Tree(GAME.replay(moves.split()), evaluate, never, legal_move_generator(GAME.board.number_of.__getitem__))
    (row,), (first,) = evaluate([tree.root.position])
    tree.expand(tree.root, row, first)
    halving = SequentialHalving(tree.root, visits, noise)
    search_together([tree], evaluate, [visits], [halving.next_move])
    return tree, halving


@pytest.mark.parametrize("visits", [16, 32, 64])
def test_each_halving_shares_its_visits_equally(visits: int) -> None:
    counts = np.zeros(16, int)
    for before in earlier_visit_counts(16, visits):
        counts[np.flatnonzero(counts == before)[0]] += 1
    assert counts.sum() == visits
    assert (np.diff(counts) <= 0).all()
    assert counts[0] - counts[1] <= 1
    assert counts.min() >= visits // 64
    assert earlier_visit_counts(1, 3) == [0, 1, 2]


def test_the_first_visits_go_to_the_moves_with_the_highest_priors() -> None:
    odds = np.arange(AREA, dtype=float)
    tree, halving = search_tree("", 16, odds)
    assert (halving.visit_counts > 0).sum() == 16
    assert (halving.visit_counts[-16:] > 0).all()
    assert halving.visit_counts.sum() == tree.root.visits.sum() == 16


def test_noise_changes_the_moves_that_are_visited() -> None:
    noise = np.zeros(AREA)
    noise[3] = 9.0
    assert search_tree("", 2, np.arange(AREA, dtype=float), noise=noise)[1].visit_counts[3] == 0
    assert search_tree("", 2, np.zeros(AREA), noise=noise)[1].visit_counts[3] == 1


def test_the_better_move_is_chosen_and_its_share_rises_above_its_prior() -> None:
    tree, halving = search_tree("a1 e1", 64, value="c3")
    chosen_move, policy = halving.move_to_play(), halving.policy()
    assert tree.root.moves is not None
    assert GAME.format(tree.root.moves[chosen_move]) == "c3"
    assert policy.sum() == pytest.approx(1)
    assert policy[chosen_move] == policy.max() > 5 * tree.root.priors[chosen_move]
    assert (policy > 0).all()


def test_certainly_losing_moves_get_no_share_and_no_visits() -> None:
    tree, halving = search_tree("b3 a1 c3 a2 d5 a3", 400)  # white threatens a4
    closed = tree.root.means <= RULED_OUT_MEAN
    assert closed.any()
    assert not halving.policy()[closed].any()
    assert tree.root.moves is not None
    assert GAME.format(tree.root.moves[halving.move_to_play()]) == "a4"
    tree, _ = search_tree("b3 a1 c3 a2 d3 a3", 200)
    assert tree.root.certain == WON
