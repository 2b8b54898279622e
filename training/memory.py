"""The replay memory: finished games as lists of moves, from which sampled positions are set up again.

The module uses boards and moves, but no network. A million moves take a few megabytes, so a checkpoint can contain all
of them.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np

from training.gomoku.boards import DRAW, NO_MOVE, Array, GomokuBoards


class TrainingGame(NamedTuple):
    """A finished game: its moves, its winner (BLACK, WHITE or DRAW), and the colours whose moves teach the network."""

    moves: bytes
    winner: int
    learner_colours: tuple[int, ...]


class Samples(NamedTuple):
    """Sampled positions in which a learner moved.

    The fields `before_move`, `after_move` and `after_reply` hold the boards: before the learner's move, after it, and
    after the opponent's reply. If the game was over, the last two show its end. `moves` holds the learner's moves, and
    `final_rewards` the long-term rewards of the games for the learner.
    """

    before_move: GomokuBoards
    after_move: GomokuBoards
    after_reply: GomokuBoards
    moves: Array
    final_rewards: Array


def long_term_reward(winner: int, colour: int, move_count: int, size: int) -> float:
    """Return the reward at the end of a game for the player of `colour`, who made `move_count` moves.

    The reward is ±(size² - moves) / size², and 0 for a draw: a quick win has the highest reward, a quick loss the
    lowest.
    """
    if winner == DRAW:
        return 0.0
    area = size * size
    return (area - move_count) / area * (1 if winner == colour else -1)


class ReplayMemory:
    """The latest games, with at most about `capacity` moves of learners in total."""

    def __init__(self, capacity: int, size: int = 15) -> None:
        self.capacity, self.size = capacity, size
        self.games: deque[TrainingGame] = deque()
        self.moves = 0  # moves of learners in the memory

    def add(self, game: TrainingGame) -> None:
        """Store a game, and remove the oldest games if the memory is full."""
        self.games.append(game)
        self.moves += len(_learner_plies(game))
        while self.moves > self.capacity and len(self.games) > 1:
            self.moves -= len(_learner_plies(self.games.popleft()))

    def sample(self, count: int, generator: np.random.Generator) -> Samples:
        """Sample positions at random; each move of a learner in the memory has the same probability."""
        ends = np.cumsum([len(_learner_plies(game)) for game in self.games])
        sampled_rows = generator.integers(ends[-1], size=count)
        game_numbers = np.searchsorted(ends, sampled_rows, side="right")
        longest = max(len(self.games[game_number].moves) for game_number in game_numbers)
        moves = np.full((longest, count), NO_MOVE, np.int64)
        plies, final_rewards = np.empty(count, np.int64), np.empty(count, np.float32)
        for i, (game_number, index) in enumerate(zip(game_numbers, sampled_rows - ends[game_numbers], strict=True)):
            game = self.games[game_number]
            moves[: len(game.moves), i] = np.frombuffer(game.moves, np.uint8)
            plies[i] = ply = _learner_plies(game)[index]
            own_move_count = (len(game.moves) + 1 - ply % 2) // 2
            final_rewards[i] = long_term_reward(game.winner, 1 + ply % 2, own_move_count, self.size)
        before_move, after_move, after_reply = (GomokuBoards(count, self.size) for _ in range(3))
        for ply, row in enumerate(moves):
            for plies_later, boards in enumerate((before_move, after_move, after_reply)):
                boards.play(np.where(ply < plies + plies_later, row, NO_MOVE))
        return Samples(before_move, after_move, after_reply, moves[plies, np.arange(count)], final_rewards)


def _learner_plies(game: TrainingGame) -> range:
    """Return the plies of a game in which a learner moved."""
    first = min(game.learner_colours) - 1
    return range(first, len(game.moves), 1 if len(game.learner_colours) == 2 else 2)
