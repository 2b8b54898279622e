"""Many boards at once follow the rules of gomogo_core/games, and `greedy` on them is the agent."""

from __future__ import annotations

import random
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gomogo_core.games.gomoku import Gomoku
from tests.agents._matches import agent
from training.gomoku.boards import NO_MOVE, GomokuBoards
from training.gomoku.greedy import greedy_scores
from training.gomoku.scores import ScoreTable, point_scores, required_points


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    seeds=st.lists(st.integers(0, 2**32), min_size=1, max_size=6),
    size=st.integers(5, 15),
    line=st.integers(3, 5),
    exact=st.booleans(),
)
def test_each_board_agrees_with_the_python_rules_after_every_move(
    seeds: list[int], size: int, line: int, exact: bool
) -> None:
    game = Gomoku(size=size, line=line, exact=exact)
    boards, positions = GomokuBoards(len(seeds), size, line, exact), [game.start() for _ in seeds]
    orders = [random.Random(seed).sample(range(size * size), size * size) for seed in seeds]
    for step in range(size * size):
        moves = np.full(len(seeds), NO_MOVE)
        for i, position in enumerate(positions):
            if position.outcome() is None:
                moves[i] = orders[i][step]
                positions[i] = position.play(game.board.points[orders[i][step]])
        boards.play(moves)
        for i, position in enumerate(positions):
            outcome = position.outcome()
            assert boards.colours()[i].tobytes() == position.cells
            assert boards.stones[i] == position.stones
            assert boards.winners[i] == (0 if outcome is None else outcome.winner or 3)
        if (boards.winners != 0).all():
            return
    raise AssertionError("a full board has no winner")


def test_an_illegal_move_changes_no_board() -> None:
    boards = GomokuBoards(3)
    boards.play(np.array([7, 8, NO_MOVE]))
    before = boards.cells.copy()
    for wrong_move in ([0, 8, 0], [0, 0, 225], [0, 0, -2]):
        with pytest.raises(ValueError, match="is no legal move"):
            boards.play(np.array(wrong_move))
        assert (boards.cells == before).all()
        assert boards.stones.tolist() == [1, 1, 0]


def test_a_finished_board_continues_only_after_a_reset() -> None:
    boards = GomokuBoards(2, size=5, line=3)
    for move in (0, 10, 1, 11, 2):
        boards.play(np.array([move, NO_MOVE]))
    assert boards.winners.tolist() == [1, 0]
    with pytest.raises(ValueError, match="Board 0"):
        boards.play(np.array([3, NO_MOVE]))
    boards.reset(np.array([0]))
    assert not boards.colours().any()
    assert boards.winners.tolist() == [0, 0]


@pytest.mark.slow
def test_random_games_end_by_a_row_or_a_full_board() -> None:
    boards = GomokuBoards(50, size=9)
    moves = boards.play_random_games(np.random.default_rng(1))
    assert moves == boards.stones.sum()
    assert (boards.winners != 0).all()
    assert ((boards.winners != 3) | (boards.stones == 81)).all()


def random_walk(seed: int) -> Any:
    """Positions of a game whose moves are partly the agent's."""
    rng, game = random.Random(seed), Gomoku()
    boards, position = GomokuBoards(1), game.start()
    while position.outcome() is None:
        yield boards, position
        scores = greedy_scores(boards)[0]
        free = [i for i, cell in enumerate(position.cells) if not cell]
        move = int(np.argmax(scores)) if rng.random() < 0.5 else rng.choice(free)
        boards.play(np.array([move]))
        position = position.play(game.board.points[move])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_vectorized_greedy_scores_equal_the_agents(seed: int) -> None:
    module: Any = sys.modules[agent("greedy").__module__]
    for boards, position in random_walk(seed):
        scores, stones = greedy_scores(boards)[0], module._RowEvaluator(position)
        for i, point in enumerate(position.game.board.points):
            assert scores[i] == (-1 if position.cells[i] else stones.score(point))


@pytest.mark.parametrize("seed", range(3))
def test_missed_fives_agree_with_the_rules(seed: int) -> None:
    for boards, position in random_walk(seed):
        wins, blocks = (
            [not cell and position._completes_row(i, colour) for i, cell in enumerate(position.cells)]
            for colour in (position.colour, 3 - position.colour)
        )
        expected_scores = [2 * win if any(wins) else int(block) for win, block in zip(wins, blocks, strict=True)]
        assert required_points(boards)[0].tolist() == expected_scores


def test_a_point_is_scored_by_the_shapes_of_both_colours() -> None:
    table, board = ScoreTable({"four": 100, "open_three": 10, "four_three": 1000}, {"five": 7}), Gomoku().board
    boards = GomokuBoards(1)
    by_name = dict(zip(board.names, range(225), strict=True))
    for name in ("e8", "a1", "f8", "a2", "g8", "a3", "h9", "a4", "h10", "d8"):
        boards.play(np.array([by_name[name]]))
    scores = point_scores(boards, table)[0]
    expected_scores = {"h8": 100 + 10 + 1000, "i8": 100, "a5": 7, "o15": 0, "d8": -1}
    assert {name: scores[by_name[name]] for name in expected_scores} == expected_scores
