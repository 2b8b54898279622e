"""Trains mm_ai in rounds: games against `greedy` or itself, and then training steps on sampled positions.

The module uses the network, targets and memory, but no files and no options. A round depends only on the seed, its
number and the state before it. So a training that continues from a checkpoint learns the same as one without an
interruption.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from training.gomoku import DRAW, GomokuBoards, ScoreTable, greedy_moves, point_scores, required_points
from training.gomoku.boards import BLACK, NO_MOVE, WHITE, Array
from training.memory import ReplayMemory, TrainingGame, long_term_reward
from training.network import MmAi
from training.settings import ScoreTableSettings, TrainingSettings
from training.targets import (
    apply_symmetry,
    choose_moves,
    full_reward_score,
    planes,
    short_term_rewards,
    short_term_targets,
)

_MOMENTUM = 0.9  # the momentum of SGD
# the size of a batch is rounded up to a multiple of this number, since PyTorch compiles code for each new size
_BATCH_SIZE_FACTOR = 32
_MIN_POINT_WEIGHT = 0.01  # the weight of a point far below the best point


class RoundStatistics(NamedTuple):
    """The results of a round of games. All counts and shares are about the network's best moves, without exploration.

    `games` is the number of games, and `first_games` the number in which the network moved first. `wins`, `first_wins`
    and `draws` are their results; in games against itself, `wins` counts the first player's wins. `missed_wins` and
    `missed_blocks` count the turns in which the network could complete or block a five and its best move did not.
    `accuracy` is the reward of its best move as a share of the highest reward. `final_score` is the mean long-term
    reward. `short_loss` and `long_loss` are the mean squared errors during learning.
    """

    opponent: str
    games: int
    first_games: int
    wins: int
    first_wins: int
    draws: int
    moves: int
    missed_wins: int
    missed_blocks: int
    accuracy: float
    final_score: float
    short_loss: float
    long_loss: float
    exploration: float
    learning_rate: float


def compiled_score_table(scores: ScoreTableSettings) -> ScoreTable:
    """Return the compiled form of the table of scores."""
    own, opponent = (
        {name: getattr(side, name) for name in side.__struct_fields__} for side in (scores.own, scores.opponent)
    )
    return ScoreTable(own, opponent)


class Learner:
    """A network in training, with its optimiser and memory.

    `games`, `turns` and `rounds` count the games, the moves and the rounds so far; exploration depends on `turns`.
    """

    def __init__(self, settings: TrainingSettings, seed: int, device: str = "cpu", size: int = 15) -> None:
        torch.manual_seed(seed)
        self.settings, self.seed, self.size, self.device = settings, seed, size, torch.device(device)
        self.network = MmAi(settings.network).to(self.device)
        self.memory = ReplayMemory(settings.learning.memory, size)
        self.table = compiled_score_table(settings.scores)
        self.full_score = full_reward_score(settings.scores)
        self.games = self.turns = self.rounds = 0
        self.optimiser = self._new_optimiser()

    def _autocast(self) -> torch.autocast:
        """Return a context that computes with bfloat16 if the processor supports it, in a third of the time."""
        is_quick = self.device.type == "cuda" or torch.cpu._is_amx_tile_supported()
        return torch.autocast(self.device.type, torch.bfloat16, enabled=is_quick)

    def _uses_sgd(self) -> bool:
        after = self.settings.optimiser.sgd_after
        return 0 < after <= self.games

    def _new_optimiser(self) -> torch.optim.Optimizer:
        if self._uses_sgd():
            return torch.optim.SGD(self.network.parameters(), lr=self._learning_rate(), momentum=_MOMENTUM)
        return torch.optim.Adam(self.network.parameters(), lr=self._learning_rate())

    def _learning_rate(self) -> float:
        """Return the learning rate after the games played so far."""
        optimiser_settings = self.settings.optimiser
        progress = min(1.0, self.games / optimiser_settings.falls_over)
        last_rate, share_left = optimiser_settings.last_rate, (1 + math.cos(math.pi * progress)) / 2
        rate = last_rate + (optimiser_settings.learning_rate - last_rate) * share_left
        return rate * optimiser_settings.sgd_rate if self._uses_sgd() else rate

    def play_round(self, opponent: str, games: int) -> RoundStatistics:
        """Play `games` games against "greedy" or "self", learn, and return the statistics of the round."""
        generator = np.random.default_rng((self.seed, self.rounds))
        torch.manual_seed(int(generator.integers(1 << 62)))
        counts = self._play(opponent, games, generator)
        short_loss, long_loss = self._learn(games * self.settings.learning.samples, generator)
        self.games += games
        self.rounds += 1
        return counts._replace(short_loss=short_loss, long_loss=long_loss)

    def values(self, boards: GomokuBoards, indices: Array | slice = slice(None)) -> Array:
        """Return the values of all points of the boards `indices`, float32 of shape (boards, points)."""
        chosen = planes(boards)[indices]
        filled = np.zeros((-(-len(chosen) // _BATCH_SIZE_FACTOR) * _BATCH_SIZE_FACTOR, *chosen.shape[1:]), np.float32)
        filled[: len(chosen)] = chosen
        input_planes = torch.from_numpy(filled).to(self.device)
        with torch.no_grad(), self._autocast():
            outputs = self.network(input_planes.contiguous(memory_format=torch.channels_last))
        return np.asarray(outputs[: len(chosen)].flatten(1).cpu().numpy())

    def _play(self, opponent: str, games: int, generator: np.random.Generator) -> RoundStatistics:
        boards, learning = GomokuBoards(games, self.size), self.settings.learning
        # the seats alternate, even between rounds of one game
        learner_colours = np.where(np.arange(games) % 2 == self.rounds % 2, BLACK, WHITE)
        moves_by_turn: list[Array] = []
        missed_wins = missed_blocks = moves = 0
        accuracy = 0.0
        while (running := boards.winners == 0).any():
            replies = np.full(games, NO_MOVE) if opponent == "self" else greedy_moves(boards, generator)
            learner_boards = np.flatnonzero(running & ((boards.to_move() == learner_colours) | (opponent == "self")))
            if learner_boards.size:
                values, scores = self.values(boards, learner_boards), point_scores(boards, self.table)[learner_boards]
                exploration = learning.exploration * learning.exploration_decay**self.turns
                if opponent == "self" and len(moves_by_turn) < learning.self_play_opening:
                    exploration = 1.0  # without random openings, all games of a round would be the same game
                legal = scores >= 0
                best = choose_moves(values, legal, 0.0, 0.0, generator)
                share = learning.exploration_share
                replies[learner_boards] = choose_moves(values, legal, exploration, share, generator)
                required = required_points(boards)[learner_boards]
                missed_kinds = required.max(axis=1, initial=0) * (required[np.arange(learner_boards.size), best] == 0)
                missed_wins += int((missed_kinds == 2).sum())
                missed_blocks += int((missed_kinds == 1).sum())
                rewards = short_term_rewards(scores, self.full_score)
                best_rewards = rewards[np.arange(learner_boards.size), best]
                accuracy += float((best_rewards / np.maximum(rewards.max(axis=1), 1e-9)).sum())
                moves += learner_boards.size
                self.turns += learner_boards.size
            replies[~running] = NO_MOVE
            boards.play(replies)
            moves_by_turn.append(replies)
        moves_by_game, final, wins = np.array(moves_by_turn).T, 0.0, 0
        colours = (BLACK, WHITE)
        for game_number, colour in zip(range(games), learner_colours, strict=True):
            moves_of_game = moves_by_game[game_number][moves_by_game[game_number] != NO_MOVE].astype(np.uint8).tobytes()
            learners = colours if opponent == "self" else (int(colour),)
            winner = int(boards.winners[game_number])
            self.memory.add(TrainingGame(moves_of_game, winner, learners))
            own_moves = (len(moves_of_game) + 2 - learners[0]) // 2
            final += long_term_reward(winner, learners[0], own_moves, self.size)
            wins += winner == learners[0]
        first_games = games if opponent == "self" else int((learner_colours == BLACK).sum())
        return RoundStatistics(
            opponent=opponent,
            games=games,
            first_games=first_games,
            wins=wins,
            first_wins=int(((boards.winners == BLACK) & ((learner_colours == BLACK) | (opponent == "self"))).sum()),
            draws=int((boards.winners == DRAW).sum()),
            moves=moves,
            missed_wins=missed_wins,
            missed_blocks=missed_blocks,
            accuracy=accuracy / max(moves, 1),
            final_score=final / games,
            short_loss=math.nan,
            long_loss=math.nan,
            exploration=learning.exploration * learning.exploration_decay**self.turns,
            learning_rate=self._learning_rate(),
        )

    def _learn(self, samples: int, generator: np.random.Generator) -> tuple[float, float]:
        """Take the training steps of a round, and return the means of both losses."""
        rate = self._learning_rate()
        if self._uses_sgd() and not isinstance(self.optimiser, torch.optim.SGD):
            self.optimiser = self._new_optimiser()
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        short_total = long_total = 0.0
        steps = max(1, samples // self.settings.learning.batch)
        for _ in range(steps):
            short, long, points = self._losses(generator)
            self.optimiser.zero_grad()
            (short + self.settings.learning.long_weight / points * long).backward()
            self.optimiser.step()
            short_total += short.item()
            long_total += long.item()
        return short_total / steps, long_total / steps

    def _losses(self, generator: np.random.Generator) -> tuple[Tensor, Tensor, float]:
        """Return the short-term and long-term losses of one batch, and the mean sum of the points' weights.

        A third of the batch are positions in which a learner moved. Another third are the positions after the
        opponent's reply, which give the best next values. The last third are the positions before the reply, with the
        opponent as the mover. Without the last third, a network that never attacks would not learn the value of
        attacks.
        """
        learning = self.settings.learning
        sampled_rows = self.memory.sample(max(1, learning.batch // 3), generator)
        parts = (sampled_rows.before_move, sampled_rows.after_move, sampled_rows.after_reply)
        count = len(sampled_rows.moves)
        scores = np.concatenate([point_scores(boards, self.table) for boards in parts])
        is_played = np.zeros(scores.shape, bool)
        is_played[np.arange(count), sampled_rows.moves] = True
        legal = (scores >= 0) & np.concatenate([boards.winners == 0 for boards in parts])[:, None]
        learnt = legal if learning.targets == "all" else is_played
        point_arrays = (short_term_rewards(scores, self.full_score), is_played, legal, learnt)
        arrays = [np.concatenate([planes(boards) for boards in parts])]
        arrays += [array.astype(np.float32).reshape(-1, self.size, self.size) for array in point_arrays]
        symmetry = int(generator.integers(8))  # one symmetry per batch: eight copies of each array would cost more
        arrays = [np.ascontiguousarray(apply_symmetry(array, symmetry)) for array in arrays]
        tensors = (torch.from_numpy(array).to(self.device) for array in arrays)
        input_planes, reward, at_move, can_move, learnt_points = tensors
        with self._autocast():
            values = self.network(input_planes.contiguous(memory_format=torch.channels_last))
        current_values = values.detach()
        # for each position, the best value of the next position
        best_next = torch.where(can_move > 0, current_values, -math.inf).amax((1, 2)).roll(count)
        target = short_term_targets(reward, at_move, torch.nan_to_num(best_next, neginf=0.0), learning.discount)
        best = torch.where(can_move > 0, reward, -math.inf).amax((1, 2), keepdim=True)
        # the distance is small for a point with a high reward, and for a point that the network gives a high value
        shortfall = (best - torch.maximum(reward, current_values)).clamp(min=0)
        weight = learnt_points * (_MIN_POINT_WEIGHT + torch.exp(-shortfall / learning.near))
        final_rewards = torch.from_numpy(sampled_rows.final_rewards).to(self.device)[:, None, None]
        short = (weight * (values - target) ** 2).sum() / weight.sum()
        long = (at_move[:count] * (values[:count] - final_rewards) ** 2).sum() / count
        return short, long, weight.sum().item() / len(scores)
