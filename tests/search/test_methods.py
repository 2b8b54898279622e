"""Minimax, alpha-beta, max^n and iterative deepening: equal values where methods must agree, and legal moves.

Knows no evaluation.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gomogo_core.games.base import BadDiagram, Game, IllegalMove, Move, Outcome, Position, Reason
from gomogo_core.search import (
    SearchLimits,
    SearchResult,
    alpha_beta,
    iterative_deepening,
    max_n,
    minimax,
    node_of,
    plies_to_end,
)
from gomogo_core.search.node import INFINITY, PositionNode
from tests.search._positions import (
    gomoku_position_after,
    load_gomoku,
    position_with_stones,
    random_gomoku_game,
    random_gomoku_position,
)

OPENINGS = ("none", "none", "takeover", "swap", "swap2")
Search = Callable[[Position, SearchLimits], SearchResult]
SEARCHES = [minimax.search, alpha_beta.search, iterative_deepening.search]
every_search = pytest.mark.parametrize("search", SEARCHES, ids=["minimax", "alpha_beta", "deepening"])
bounded = settings(max_examples=40, deadline=None, derandomize=True, database=None)
seeds = st.integers(0, 2**32)


@bounded
@given(seeds, st.integers(1, 3))
def test_alpha_beta_finds_the_value_that_minimax_finds(seed: int, depth: int) -> None:
    rng = random.Random(seed)
    position = random_gomoku_position(rng, random_gomoku_game(rng, OPENINGS, largest=7), rng.randint(0, 25))
    if position.outcome() is None:
        depth = min(depth, 2) if position.stones < 5 else depth
        plain = minimax.search(position, SearchLimits(depth=depth))
        pruned = alpha_beta.search(position, SearchLimits(depth=depth))
        assert pruned.value == plain.value
        assert pruned.nodes <= plain.nodes or position.game.renju


@bounded
@given(seeds)
def test_alpha_beta_is_exact_within_its_window(seed: int) -> None:
    rng = random.Random(seed)
    node = node_of(random_gomoku_position(rng, random_gomoku_game(rng, largest=7), rng.randint(4, 25)))
    if not node.is_over:
        exact = alpha_beta.best_line(node, 2, -INFINITY, INFINITY, SearchLimits()).value
        for low, high in ((exact - 9, exact - 3), (exact - 3, exact + 3), (exact + 3, exact + 9)):
            value = alpha_beta.best_line(node, 2, low, high, SearchLimits()).value
            assert min(max(value, low), high) == min(max(exact, low), high)


@bounded
@given(seeds)
def test_iterative_deepening_agrees_that_a_game_is_decided(seed: int) -> None:
    """Its extensions may see a win sooner than alpha-beta does, but never one that is not there."""
    rng = random.Random(seed)
    position = random_gomoku_position(rng, random_gomoku_game(rng, largest=6), rng.randint(8, 25))
    if position.outcome() is None:
        plain = alpha_beta.search(position, SearchLimits(depth=4))
        deep = iterative_deepening.search(position, SearchLimits(depth=4))
        if plies_to_end(plain.value) is not None and deep.nodes:  # an only move costs no nodes
            assert plies_to_end(deep.value) is not None
            assert (deep.value > 0) == (plain.value > 0)
        if plies_to_end(deep.value) is not None:
            longer = alpha_beta.search(position, SearchLimits(depth=7, nodes=100_000))
            if longer.depth == 7:
                assert (deep.value > 0) == (longer.value > 0)


@bounded
@given(seeds, st.sampled_from(SEARCHES), st.integers(1, 400))
def test_every_limit_of_a_search_gives_a_legal_move(seed: int, search: Search, nodes: int) -> None:
    rng = random.Random(seed)
    position = random_gomoku_position(rng, random_gomoku_game(rng, OPENINGS, largest=15), rng.randint(0, 60))
    if position.outcome() is None:
        result = search(position, SearchLimits(nodes=nodes))
        assert position.why_illegal(result.move) is None
        assert result.nodes <= nodes + 1
        for move in result.variation:  # and so are those it expects
            position = position.play(move)


@pytest.mark.parametrize("search", [alpha_beta.search, iterative_deepening.search])
def test_nodes_count_visited_positions_without_bulk_comparisons(search: Search) -> None:
    visits = 0

    class CountedLimits(SearchLimits):
        def count_node(self) -> None:
            nonlocal visits
            visits += 1
            super().count_node()

    result = search(gomoku_position_after("h8 i9 h9 h10"), CountedLimits(depth=2))
    assert result.nodes == visits
    assert result.unvisited_positions > 10 * visits  # all children of each of them, on the last ply


@every_search
def test_a_clock_that_has_run_out_still_gets_a_move(search: Search) -> None:
    position = gomoku_position_after("h8 i9")
    result = search(position, SearchLimits(stop_at=0.0, now=lambda: 1.0))
    assert position.why_illegal(result.move) is None
    assert result.depth == 0


@every_search
def test_a_search_ends_at_the_first_clock_reading_after_its_time(search: Search) -> None:
    clock = TickingClock(0.001)
    result = search(gomoku_position_after("h8 i9 h9"), SearchLimits(depth=9, stop_at=5.0, now=clock))
    # the first reading of the clock stops it, the second measures its duration
    assert 5.0 <= clock.time <= 5.0 + 3 * clock.tick
    assert result.depth >= 1


class TickingClock:
    """A clock that goes on by a tick each time it is looked at."""

    def __init__(self, tick: float) -> None:
        self.tick, self.time = tick, 0.0

    def __call__(self) -> float:
        self.time += self.tick
        return self.time


@every_search
def test_a_search_is_reproducible(search: Search) -> None:
    position = gomoku_position_after("h8 i9 h9 h10")
    first, second = (search(position, SearchLimits(nodes=3000)) for _ in range(2))
    assert first[:5] == second[:5]


@every_search
def test_a_search_reports_its_depth(search: Search) -> None:
    result = search(gomoku_position_after("h8 i9 h9 h10"), SearchLimits(depth=2))
    assert result.depth == 2
    assert result.variation[0] == result.move
    assert len(result.variation) >= 1


@every_search
def test_a_finished_game_is_not_searched(search: Search) -> None:
    with pytest.raises(ValueError, match="the game is over"):
        search(gomoku_position_after("h8 a1 h9 a3 h7 a5 h6 a7 h5"), SearchLimits(depth=2))


def test_iterative_deepening_uses_its_time_unless_decided() -> None:
    def reads(position: Position) -> int:
        """How often it looks at the clock in a second of a thousand looks."""
        clock = TickingClock(0.001)
        iterative_deepening.search(position, SearchLimits(stop_at=1.0, now=clock))
        return round(clock.time / clock.tick)

    assert reads(gomoku_position_after("h8 i9 h9 h10")) >= 1000
    assert reads(gomoku_position_after()) < 10  # the centre
    assert reads(position_with_stones("e8", "f8 g8 h8 i8")) < 10  # one answer to a four
    assert reads(position_with_stones("g8 h8 i8", "")) < 500  # a win
    assert reads(position_with_stones("", "f8 g8 h8 i8")) < 500  # a loss
    assert (
        reads(gomoku_position_after("c3 b2 b3 c2 d3 d2 a2 e4 a3 e3 b4 d4 c4 c5 d5 b1 d1 a4 e2", size=5)) < 900
    )  # the whole tree


@every_search
def test_the_whole_tree_of_a_small_board_ends_the_search(search: Search) -> None:
    position = gomoku_position_after("c3 b2 b3 c2 d3 d2 a2 e4 a3 e3 b4 d4 c4 c5 d5 b1 d1 a4 e2", size=5)
    result = search(position, SearchLimits())
    assert result.value == 0
    assert result.depth <= 7


@every_search
def test_lines_of_any_length_are_played(search: Search) -> None:
    for line in (3, 4, 6, 8):
        position = gomoku_position_after("e5 d4", size=8, line=line)
        assert position.why_illegal(search(position, SearchLimits(depth=2)).move) is None


# Three players, and a player who moves twice: a game of our own, since the search must not know two.


class HeapsGame(Game):
    """Take one of the remaining numbers; the most wins. After an odd number the same player moves again."""

    name = "heaps"
    players: int
    numbers: tuple[int, ...]

    def __init__(self, players: int = 3, numbers: tuple[int, ...] = (5, 4, 2, 1)) -> None:
        super().__init__()
        vars(self).update(players=players, numbers=numbers)

    @property
    def seats(self) -> int:
        return self.players

    def start(self) -> Position:
        return HeapsPosition(self, self.numbers, (0,) * self.players, 1)

    def parse(self, text: str) -> Move:
        return int(text)

    def format(self, move: Move) -> str:
        return str(move)

    def from_diagram(self, text: str) -> Position:
        raise BadDiagram("Heaps are not drawn.", "Play them.")


class HeapsPosition(Position):
    def __init__(self, game: HeapsGame, numbers: tuple[int, ...], scores: tuple[int, ...], to_move: int) -> None:
        self.game: HeapsGame = game
        self.numbers, self.scores, self.to_move = numbers, scores, to_move

    def key(self) -> Hashable:
        return self.numbers, self.scores, self.to_move

    def moves(self) -> Iterator[Move]:
        return iter(self.numbers)

    def why_illegal(self, move: Move) -> str | None:
        return None if move in self.numbers else f"{move} is taken"

    def play(self, move: Move) -> HeapsPosition:
        if problem := self.why_illegal(move):
            raise IllegalMove(problem)
        assert isinstance(move, int)
        scores = tuple(s + move * (seat == self.to_move) for seat, s in enumerate(self.scores, 1))
        following = self.to_move if move % 2 else self.to_move % self.game.seats + 1
        return HeapsPosition(self.game, tuple(n for n in self.numbers if n != move), scores, following)

    def outcome(self) -> Outcome | None:
        if self.numbers:
            return None
        ranks = tuple(1 + sum(other > own_score for other in self.scores) for own_score in self.scores)
        return Outcome(ranks, Reason.SCORE, scores=tuple(map(float, self.scores)))

    def facts(self) -> dict[str, Any]:
        return {"scores": self.scores}

    def rows(self) -> tuple[str, ...]:
        return (" ".join(map(str, self.numbers)),)

    def diagram(self) -> str:
        return self.rows()[0]


def plain_max_n(position: HeapsPosition, depth: int) -> tuple[float, ...]:
    """A second implementation of max^n."""
    if depth == 0 or not position.numbers:
        return PositionNode(position, lambda after_position: after_position.facts()["scores"], 100).values_by_seat()
    seat = position.to_move - 1
    return max(
        (plain_max_n(position.play(move), depth - 1) for move in position.moves()), key=lambda values: values[seat]
    )


@every_search
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_max_n_maximizes_the_value_of_each_player(search: Search, depth: int) -> None:
    position = HeapsGame(3, (7, 6, 4, 3, 1)).start()
    assert isinstance(position, HeapsPosition)
    result = search(position, SearchLimits(depth=depth))
    assert result.value == plain_max_n(position, depth)[0]
    assert result.value == plain_max_n(position.play(result.move), depth - 1)[0]


def test_max_n_does_not_hinder_an_opponent_at_its_own_cost() -> None:
    """7, then 5 moves on; against one opponent the greedy 6 would be right to keep it from the others."""
    values, _ = max_n.best_values(node_of(HeapsGame(3, (6, 5, 2)).start()), 9, SearchLimits())
    assert values[0] > 0


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 9])
def test_another_move_of_the_same_player_keeps_its_perspective(depth: int) -> None:
    position = HeapsGame(2, (9, 8, 7, 5, 2, 1)).start()
    values = {search(position, SearchLimits(depth=depth)).value for search in (minimax.search, alpha_beta.search)}
    assert len(values) == 1
    if depth == 9:
        assert values == {iterative_deepening.search(position, SearchLimits()).value}


def test_a_game_without_an_evaluation_is_searched_by_its_scores() -> None:
    assert alpha_beta.search(HeapsGame(2, (8, 6, 4)).start(), SearchLimits(depth=1)).move == 8


def test_values_of_middle_ranks_are_between_win_and_loss() -> None:
    position = HeapsGame(3, (3,)).start().play(3)
    first, second, third = PositionNode(position, lambda after_position: (0, 0, 0), 4).values_by_seat()
    assert first == 10**6 - 4
    assert second == third == -(10**6 - 4) / 2


def test_generic_search_finds_a_five_in_gomoku() -> None:
    """The generic node knows no forced wins, and still finds a five in three plies."""
    position = position_with_stones("b3 c3", "a1 e1", size=5, line=4)
    node = PositionNode(position, lambda _: (0, 0))
    assert plies_to_end(alpha_beta.best_line(node, 3, -INFINITY, INFINITY, SearchLimits()).value) == 3
    assert load_gomoku(size=5, line=4) == position.game
