"""The rules by which mm_ai learns: rewards, targets, exploration, memory, settings. No PyTorch is needed."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from gomogo_core.errors import UserError
from training import settings
from training.gomoku.boards import BLACK, DRAW, NO_MOVE, WHITE, GomokuBoards
from training.memory import ReplayMemory, TrainingGame, long_term_reward
from training.targets import apply_symmetry, choose_moves, planes, short_term_rewards, short_term_targets


def test_the_input_is_empty_own_and_the_opponents_points() -> None:
    boards = GomokuBoards(2)
    boards.play(np.array([5, 6]))
    boards.play(np.array([NO_MOVE, 9]))
    input_planes = planes(boards)
    assert input_planes.shape == (2, 3, 15, 15)
    assert (input_planes.sum(axis=1) == 1).all()
    assert input_planes[0, 2].ravel().nonzero()[0].tolist() == [5]  # white moves: black's stone is the opponent's
    assert input_planes[1, 1].ravel().nonzero()[0].tolist() == [6]
    assert input_planes[1, 2].ravel().nonzero()[0].tolist() == [9]


def test_a_short_term_reward_grows_with_the_score_from_0_to_1() -> None:
    rewards = short_term_rewards(np.array([[-1.0, 0.0, 9.0, 99.0, 5000.0]]), full_score=99.0)
    assert rewards[0].tolist() == pytest.approx([0, 0, 0.5, 1, 1])


@pytest.mark.parametrize(
    ("winner", "colour", "expected_reward"), [(1, 1, 0.96), (2, 1, -0.96), (1, 2, -0.96), (DRAW, 2, 0)]
)
def test_a_quick_win_is_worth_most(winner: int, colour: int, expected_reward: float) -> None:
    assert long_term_reward(winner, colour, 9, 15) == pytest.approx(expected_reward)


def test_a_target_is_the_reward_and_at_the_move_the_discounted_next_value() -> None:
    rewards, played = np.array([[[0.5, 1.0]], [[0.25, 0.0]]]), np.array([[[0, 1]], [[1, 0]]])
    targets = short_term_targets(rewards, played, np.array([0.5, 0.0]), 0.2)
    assert targets.tolist() == [[pytest.approx([0.5, 1.1])], [pytest.approx([0.25, 0.0])]]


def test_without_exploration_the_best_legal_point_is_chosen() -> None:
    values = np.array([[9.0, 1.0, 2.0], [math.nan, 5.0, 4.0], [math.nan] * 3])
    legal = np.array([[False, True, True], [True, True, True], [False, False, True]])
    assert choose_moves(values, legal, 0.0, 0.025, np.random.default_rng(0)).tolist() == [2, 1, 2]


def test_exploration_is_among_the_best_legal_points() -> None:
    values, legal = np.tile(np.arange(100.0), (400, 1)), np.ones((400, 100), bool)
    legal[:, 99] = False
    chosen_points = choose_moves(values, legal, 1.0, 0.05, np.random.default_rng(0))
    assert set(chosen_points.tolist()) == {94, 95, 96, 97, 98}
    some = choose_moves(values, legal, 0.25, 0.05, np.random.default_rng(0))
    assert 0.1 < (some != 98).mean() < 0.3


def test_eight_symmetries_are_different_and_keep_the_points() -> None:
    board = np.arange(9).reshape(3, 3)
    turned = {apply_symmetry(board, symmetry).tobytes() for symmetry in range(8)}
    assert len(turned) == 8
    assert apply_symmetry(board, 0).tobytes() == board.tobytes()
    assert all(apply_symmetry(board, symmetry)[1, 1] == 4 for symmetry in range(8))


LINE = bytes((0, 20, 1, 21, 2, 22, 3, 23, 4))


@pytest.mark.parametrize(("learners", "plies"), [((BLACK,), {0, 2, 4, 6, 8}), ((WHITE,), {1, 3, 5, 7})])
def test_the_replay_memory_returns_positions_of_its_games(learners: tuple[int, ...], plies: set[int]) -> None:
    memory = ReplayMemory(1000)
    memory.add(TrainingGame(LINE, BLACK, learners))
    sampled = memory.sample(200, np.random.default_rng(0))
    assert set(sampled.before_move.stones.tolist()) == plies
    for i, stones in enumerate(sampled.before_move.stones):
        assert sampled.moves[i] == LINE[stones]
        placed = sampled.before_move.colours()[i].ravel()
        assert {int(p) for p in placed.nonzero()[0]} == set(LINE[:stones])
        assert sampled.after_move.stones[i] == stones + 1
        assert sampled.after_reply.stones[i] == min(stones + 2, len(LINE))
        assert sampled.final_rewards[i] == pytest.approx(220 / 225 if learners == (BLACK,) else -221 / 225)


def test_the_replay_memory_drops_the_oldest_games() -> None:
    memory = ReplayMemory(12)
    for first in range(4):
        memory.add(TrainingGame(bytes((first, *LINE[1:])), BLACK, (BLACK,)))
    assert [game.moves[0] for game in memory.games] == [2, 3]
    assert memory.moves == 10


def test_the_settings_of_the_project_are_read() -> None:
    read_back = settings.read_settings(settings.TRAINING_FOLDER / "mm_ai.toml")
    assert read_back.network.channels == (32, 96)
    assert read_back.optimiser.learning_rate > read_back.optimiser.last_rate
    assert read_back.learning.targets == "all"
    assert read_back.learning.discount == 0  # otherwise only one of the 225 points would learn from the next position
    assert read_back.scores.own.five > read_back.scores.opponent.five > read_back.scores.opponent.open_four


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[network", "is not valid TOML"),
        ("[learning]\ndiscont = 0.2", "discont"),
        ("[learning]\ndiscount = 2", "discount"),
        ("[scores.own]\nfive = -1\n[scores.opponent]", "five"),
    ],
)
def test_wrong_settings_are_refused_with_their_place(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message) as error_info:
        settings.read_settings(path)
    assert "mine.toml" in error_info.value.problem
