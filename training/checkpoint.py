"""Stores a training on disk: a checkpoint, which atomically replaces the last one, and a line of statistics per round.

The module uses a learner's state and files. After kill -9 the folder holds the state after a finished round, from which
the training can continue.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import torch

from gomogo_core.errors import UserError
from training.learning import Learner, RoundStatistics
from training.memory import TrainingGame
from training.settings import TrainingSettings
from training.statistics import STATISTICS_FILE, Row, read_statistics

CHECKPOINT_FILE = "checkpoint.pt"
MAX_CHECKPOINT_BYTES = 16_000_000  # bytes of a checkpoint
_CHECKPOINT_FORMAT = 1
_END_OF_GAME_MARK = 255  # marks the end of a game's moves in the stored memory; no board has a point with this number


def save(folder: Path, learner: Learner) -> None:
    """Write the checkpoint atomically. Raises UserError if it is too large."""
    games = learner.memory.games
    stored: dict[str, Any] = {
        "format": _CHECKPOINT_FORMAT,
        "settings": msgspec.json.encode(learner.settings).decode(),
        "seed": learner.seed,
        "size": learner.size,
        "counts": [learner.games, learner.turns, learner.rounds],
        "network": learner.network.state_dict(),
        "optimiser": learner.optimiser.state_dict(),
        "is_sgd": isinstance(learner.optimiser, torch.optim.SGD),
        "moves": torch.frombuffer(
            bytearray(b"".join(game.moves + bytes((_END_OF_GAME_MARK,)) for game in games)), dtype=torch.uint8
        ),
        "winners": torch.tensor([game.winner for game in games], dtype=torch.uint8),
        "learners": torch.tensor([sum(game.learner_colours) for game in games], dtype=torch.uint8),
    }
    new_path = folder / f"{CHECKPOINT_FILE}.new"
    with new_path.open("wb") as file:
        torch.save(stored, file)
        file.flush()
        os.fsync(file.fileno())
        size = file.tell()
    if size > MAX_CHECKPOINT_BYTES:
        new_path.unlink()
        raise UserError(
            f"The checkpoint has {size / 1e6:.1f} MB; at most {MAX_CHECKPOINT_BYTES / 1e6:.0f} MB are allowed.",
            "Choose fewer channels, or a smaller memory, in the settings.",
        )
    new_path.replace(folder / CHECKPOINT_FILE)


def load(folder: Path, device: str = "cpu") -> Learner:
    """Return the learner of a folder's checkpoint. Raises UserError if there is no readable checkpoint."""
    path = folder / CHECKPOINT_FILE
    try:
        stored = torch.load(path, map_location=device, weights_only=True)
        settings = msgspec.json.decode(stored["settings"], type=TrainingSettings)
        learner = Learner(settings, stored["seed"], device, stored["size"])
        learner.games, learner.turns, learner.rounds = stored["counts"]
        learner.network.load_state_dict(stored["network"])
        if stored["is_sgd"] != isinstance(learner.optimiser, torch.optim.SGD):
            learner.optimiser = learner._new_optimiser()
        learner.optimiser.load_state_dict(stored["optimiser"])
        move_lists = stored["moves"].numpy().tobytes().split(bytes((_END_OF_GAME_MARK,)))[:-1]
        for moves, winner, learners in zip(
            move_lists, stored["winners"].tolist(), stored["learners"].tolist(), strict=True
        ):
            learner.memory.add(TrainingGame(moves, winner, (1, 2) if learners == 3 else (learners,)))
    except FileNotFoundError:
        raise UserError(f"{folder} has no checkpoint.", "Train first: gomogo train mm_ai --against greedy.") from None
    except (OSError, RuntimeError, KeyError, ValueError, EOFError, msgspec.DecodeError) as fault:
        first_line = str(fault).partition("\n")[0]
        raise UserError(f"{path} cannot be used: {first_line}.", "Remove it, and train again.") from None
    return learner


def has_checkpoint(folder: Path) -> bool:
    """Return whether a training in this folder can be continued."""
    return (folder / CHECKPOINT_FILE).exists()


def statistics_up_to(folder: Path, rounds: int) -> list[Row]:
    """Return the rows of the first `rounds` rounds, and remove the others from the file.

    A process that is killed between writing its statistics and its checkpoint leaves one row too many.
    """
    path = folder / STATISTICS_FILE
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    if len(lines) > rounds:
        path.write_bytes(b"".join(lines[:rounds]))
    return read_statistics(folder) if rounds else []


def append_statistics(folder: Path, row: RoundStatistics) -> None:
    """Append the statistics of a round as one line."""
    with (folder / STATISTICS_FILE).open("a", encoding="utf-8") as file:
        file.write(json.dumps(row_as_json(row)) + "\n")


def row_as_json(row: RoundStatistics) -> Row:
    """Return a row for JSON, with None for each NaN."""
    return {name: None if value != value else value for name, value in row._asdict().items()}
