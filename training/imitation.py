"""Trains `neural` on games of the champion: on its moves, the values of its search, and the results.

The module uses the network, but no options. A step depends only on the seed, its number and the state before it. So a
training that continues from a checkpoint learns the same as one without an interruption.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from gomogo_core.errors import UserError
from training.policy_value import PolicyValue, PolicyValueSettings

CHECKPOINT_FILE, STATISTICS_FILE = "checkpoint.pt", "steps.jsonl"
STEPS_PER_ROUND = 200  # steps between two checkpoints
_HELD_OUT_INTERVAL = 50  # every fiftieth game is held out: used for measuring, not for learning
_SEARCH_SHARE = 0.7  # weight of the search's value in the target; the result of the game has the remaining weight
_VALUE_PER_LOG_ODDS = 256.0  # units of the champion's value per unit of the log-odds of a win
_VALUE_WEIGHT = 1.5  # weight of the value's loss, relative to the policy's
_AUXILIARY_WEIGHT = 0.3  # weight of the auxiliary loss, relative to the policy's
_PLIES_WEIGHT = 10.0  # weight of the loss of the plies, relative to the loss of the threat, which is larger
_MAX_MEASURED_POSITIONS = 4096  # the number of measured positions of held-out games
_WARM_UP_STEPS = 100  # steps in which the learning rate grows

Learner = TypeVar("Learner", bound="Imitation")
Array = Any  # an array; docstrings state the shape and the type of its elements


class ImitationSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings of AdamW, whose learning rate falls along a cosine over `steps` steps of `batch` positions each.

    `rate` is the highest learning rate, and `decay` the weight decay.
    """

    steps: int = 4000
    batch: int = 256
    rate: float = 0.003
    decay: float = 0.01
    network: PolicyValueSettings = PolicyValueSettings(auxiliary=True)


class ImitationExamples(NamedTuple):
    """Positions with the targets of learning.

    `cells` is int8 (positions, size, size): 0 for empty, 1 for the mover, 2 for the opponent. `best` is the number of
    the move that the search chose. `value` is the probability of a win for the mover. `auxiliary` is float32
    (positions, 2); unknown values are NaN. Its first column has the plies to the end of the game, converted by
    `ply_target`. Its second column is 1 if the opponent threatens to win by continuous fours, else 0. `held_out` tells
    for each position whether it is used only for measuring, not for learning.
    """

    cells: Array
    best: Array
    value: Array
    auxiliary: Array
    held_out: Array


class Losses(NamedTuple):
    """The losses of a batch.

    `agreement` is the share of positions in which the network's best move is the move of the search.
    """

    policy: Tensor
    value: Tensor
    auxiliary: Tensor
    agreement: Tensor


class RoundLosses(NamedTuple):
    """The losses of the last steps and of the held-out games, and the share of moves that agree with the champion's."""

    steps: int
    policy_loss: float
    value_loss: float
    held_out_policy_loss: float
    held_out_value_loss: float
    held_out_auxiliary_loss: float
    held_out_moves: float
    rate: float


def imitation_examples(records: Sequence[dict[str, Any]]) -> ImitationExamples:
    """Return all positions of game records of `training.champion_games`."""
    boards, best, values, auxiliary, held_out = [], [], [], [], []
    for number, record in enumerate(records):
        cells = np.frombuffer(bytes.fromhex(record["cells"]), np.int8).copy()
        mover = 1 if (cells == 1).sum() == (cells == 2).sum() else 2
        plies = len(record["moves"])
        threats = record.get("threats", [math.nan] * plies)  # older games have none
        for ply, (move, value) in enumerate(record["moves"]):
            boards.append(np.where(cells == mover, 1, np.where(cells == 3 - mover, 2, 0)).astype(np.int8))
            result = 0.5 if record["winner"] == 0 else float(record["winner"] == mover)
            best.append(move)
            values.append(value_target(value, result))
            auxiliary.append((ply_target(plies - ply), threats[ply]))
            held_out.append(number % _HELD_OUT_INTERVAL == 0)
            cells[move] = mover
            mover = 3 - mover
    if not boards:
        raise UserError(
            "There are no games to learn from.", "Set the number of games of the champion, for example --games 3300."
        )
    cells = np.stack(boards).reshape(-1, 15, 15)
    return ImitationExamples(
        cells, np.array(best), np.array(values, np.float32), np.array(auxiliary, np.float32), np.array(held_out)
    )


def value_target(search_value: float, result: float) -> float:
    """Return the target for the probability of a win, from the champion's value and the result (1, 0.5 or 0)."""
    search_probability = 1 / (1 + math.exp(-max(-30.0, min(30.0, search_value / _VALUE_PER_LOG_ODDS))))
    return _SEARCH_SHARE * search_probability + (1 - _SEARCH_SHARE) * result


def ply_target(plies: int) -> float:
    """Return the target for the number of plies to the end of the game, from 0 to about 1 on a logarithmic scale."""
    return math.log2(plies + 1) / 8


def planes(cells: Array) -> Array:
    """Return the network's input for positions, float32 of shape (positions, 3, size, size)."""
    return np.stack([cells == 1, cells == 2, np.ones_like(cells, bool)], axis=1).astype(np.float32)


def under_symmetries(cells: Array, best: Array, symmetries: Array) -> tuple[Array, Array]:
    """Return positions and their best points under the symmetries `symmetries`, 0 to 7, one for each position."""
    size = cells.shape[1]
    images, points = np.empty_like(cells), np.empty_like(best)
    numbers = np.arange(size * size).reshape(size, size)
    for symmetry in range(8):
        has_symmetry = symmetries == symmetry
        images[has_symmetry] = apply_symmetry(cells[has_symmetry], symmetry)
        new_points = np.argsort(apply_symmetry(numbers[None], symmetry)[0].ravel())  # the new place of each point
        points[has_symmetry] = new_points[best[has_symmetry]]
    return images, points


def apply_symmetry(arrays: Array, symmetry: int) -> Array:
    """Return arrays of shape (positions, size, size, …) under a symmetry, 0 to 7."""
    rotated = np.rot90(arrays, symmetry % 4, (1, 2))
    return rotated[:, :, ::-1] if symmetry >= 4 else rotated


class Imitation:
    """A network in training, with its optimiser. `steps` counts the training steps so far."""

    Settings: type[ImitationSettings] = ImitationSettings

    def __init__(self, settings: ImitationSettings, seed: int, device: str = "cpu") -> None:
        torch.manual_seed(seed)
        self.settings, self.seed, self.device, self.steps = settings, seed, torch.device(device), 0
        self.network = PolicyValue(settings.network).to(self.device)
        self.network = self.network.to(memory_format=torch.channels_last)
        parameters, rate, decay = self.network.parameters(), settings.rate, settings.decay
        self.optimiser = torch.optim.AdamW(parameters, lr=rate, weight_decay=decay, betas=(0.9, 0.95))

    def _autocast(self) -> torch.autocast:
        """Return a context that computes with bfloat16 if the processor supports it, in a third of the time."""
        is_quick = self.device.type == "cuda" or torch.cpu._is_amx_tile_supported()
        return torch.autocast(self.device.type, torch.bfloat16, enabled=is_quick)

    def _learning_rate(self) -> float:
        settings = self.settings
        warm_up = min(1.0, (self.steps + 1) / _WARM_UP_STEPS)
        return settings.rate * warm_up * (1 + math.cos(math.pi * min(1.0, self.steps / settings.steps))) / 2

    def learn(self, examples: Any, steps: int) -> RoundLosses:
        """Take `steps` steps, and measure the held-out games."""
        learnt_rows = np.flatnonzero(~examples.held_out)
        totals = np.zeros(2)
        self.network.train()
        for _ in range(steps):
            generator = np.random.default_rng((self.seed, self.steps))
            chosen = generator.choice(learnt_rows, self.settings.batch)
            for group in self.optimiser.param_groups:
                group["lr"] = self._learning_rate()
            losses = self._losses(examples, chosen, generator.integers(8, size=len(chosen)))
            self.optimiser.zero_grad()
            (losses.policy + _VALUE_WEIGHT * losses.value + _AUXILIARY_WEIGHT * losses.auxiliary).backward()
            self.optimiser.step()
            self.steps += 1
            totals += losses.policy.item(), losses.value.item()
        held_out_rows = np.flatnonzero(examples.held_out)[:_MAX_MEASURED_POSITIONS]
        self.network.eval()
        with torch.no_grad():
            losses = self._losses(examples, held_out_rows, np.zeros(len(held_out_rows), int))
        policy, value = (totals / steps).tolist()
        held_policy, held_value, held_auxiliary, moves = (float(each) for each in losses)
        rate = self._learning_rate()
        return RoundLosses(self.steps, policy, value, held_policy, held_value, held_auxiliary, moves, rate)

    def outputs(self, inputs: Array) -> tuple[Tensor, Tensor, Tensor | None]:
        """Return the logits of the moves, the logit of a win, and the auxiliary outputs for the planes of positions."""
        ready = torch.from_numpy(inputs).to(self.device).contiguous(memory_format=torch.channels_last)
        with self._autocast():
            policy, win, auxiliary = self.network.all_outputs(ready)
        return policy.float(), win.float(), None if auxiliary is None else auxiliary.float()

    def auxiliary_loss(self, outputs: Tensor | None, targets: Array) -> Tensor:
        """Return the loss of the auxiliary outputs, or 0 if the network has none.

        targets: rows of `ImitationExamples.auxiliary`.
        """
        if outputs is None:
            return torch.zeros((), device=self.device)
        target = torch.from_numpy(targets).to(self.device)
        plies = functional.smooth_l1_loss(outputs[:, 0], target[:, 0])
        is_known = ~target[:, 1].isnan()
        threat = functional.binary_cross_entropy_with_logits(outputs[is_known, 1], target[is_known, 1], reduction="sum")
        return _PLIES_WEIGHT * plies + threat / is_known.sum().clamp(min=1)

    def _losses(self, examples: ImitationExamples, chosen: Array, symmetries: Array) -> Losses:
        """Return the losses of the positions with the numbers `chosen`, each under its symmetry in `symmetries`."""
        cells, best = under_symmetries(examples.cells[chosen], examples.best[chosen], symmetries)
        policy, win, auxiliary = self.outputs(planes(cells))
        best_moves = torch.from_numpy(best).to(self.device)
        policy = policy.masked_fill(torch.from_numpy(cells.reshape(len(cells), -1) > 0).to(self.device), -1e4)
        target = torch.from_numpy(examples.value[chosen]).to(self.device)
        return Losses(
            functional.cross_entropy(policy, best_moves),
            functional.binary_cross_entropy_with_logits(win, target),
            self.auxiliary_loss(auxiliary, examples.auxiliary[chosen]),
            (policy.argmax(1) == best_moves).float().mean(),
        )


def save(folder: Path, learner: Imitation, row: RoundLosses) -> None:
    """Write the statistics of a round, and then its checkpoint, which atomically replaces the previous one."""
    with (folder / STATISTICS_FILE).open("a", encoding="utf-8") as file:
        file.write(json.dumps(row._asdict()) + "\n")
    new_path = folder / f"{CHECKPOINT_FILE}.new"
    with new_path.open("wb") as checkpoint_file:
        stored = {
            "settings": msgspec.json.encode(learner.settings).decode(),
            "counts": [learner.seed, learner.steps],
            "network": learner.network.state_dict(),
            "optimiser": learner.optimiser.state_dict(),
        }
        torch.save(stored, checkpoint_file)
        checkpoint_file.flush()
        os.fsync(checkpoint_file.fileno())
    new_path.replace(folder / CHECKPOINT_FILE)


def load_learner(folder: Path, kind: type[Learner], device: str = "cpu") -> Learner | None:
    """Return the learner of a folder's checkpoint, or None if there is no checkpoint. Raises UserError if it is
    damaged.
    """
    path = folder / CHECKPOINT_FILE
    if not path.exists():
        return None
    try:
        stored = torch.load(path, map_location=device, weights_only=True)
        seed, steps = stored["counts"]
        learner = kind(msgspec.json.decode(stored["settings"], type=kind.Settings), seed, device)
        learner.network.load_state_dict(stored["network"])
        learner.optimiser.load_state_dict(stored["optimiser"])
        learner.steps = steps
    except (OSError, RuntimeError, KeyError, ValueError, EOFError, msgspec.DecodeError) as fault:
        first_line = str(fault).partition("\n")[0]
        raise UserError(f"{path} cannot be used: {first_line}.", "Remove it, and train again.") from None
    lines = (folder / STATISTICS_FILE).read_text(encoding="utf-8").splitlines()[: steps // STEPS_PER_ROUND]
    (folder / STATISTICS_FILE).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return learner
