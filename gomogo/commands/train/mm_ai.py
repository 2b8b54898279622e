"""The command `gomogo train mm_ai`: train mm_ai with games against greedy, then against itself.

The package `training` does the learning.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gomogo.commands.train.common import (
    check_same_value,
    choose_device,
    lock_training,
    require_packages,
    training_folder,
    training_options,
)
from gomogo.options import FILE_PATH, POSITIVE
from gomogo_core.errors import UserError

if TYPE_CHECKING:
    from training.learning import Learner


@click.command("mm_ai")
@click.option("--against", type=click.Choice(["greedy"]), help="Opponent in the games of --games. Default: greedy.")
@click.option("--games", type=POSITIVE, metavar="N", help="Total number of games against the opponent.")
@click.option("--self-play", type=POSITIVE, metavar="N", help="Total number of games of mm_ai against itself.")
@click.option(
    "--from",
    "exported",
    type=FILE_PATH,
    metavar="FILE.onnx",
    help="Exported network to start a new training with. Default: random weights.",
)
@click.option(
    "--settings",
    "settings_file",
    type=FILE_PATH,
    metavar="FILE",
    help="Settings of a new training. Default: training/mm_ai.toml.",
)
@training_options
def mm_ai(
    against: str | None,
    games: int | None,
    self_play: int | None,
    exported: Path | None,
    folder: Path | None,
    settings_file: Path | None,
    seed: int | None,
    device: str,
    threads: int,
    as_json: bool,
) -> None:
    """Train mm_ai with games against greedy, then with games of mm_ai against itself.

    The same command continues an interrupted training after its last round. N is the total number of games: to continue
    a finished training, use a larger N. --from is used only if no round has been played yet.
    """
    if against is not None and games is None:
        raise UserError("--against needs --games.", f"Add a number: --against {against} --games 3000.")
    if games is None and self_play is None:
        raise UserError("The number of games is missing.", "Add --against greedy --games 3000, or --self-play 1000.")
    require_packages("torch", "numba", *(("onnx", "onnxruntime") if exported else ()))
    from training import checkpoint

    folder_path = training_folder(folder, "mm_ai")
    with lock_training(folder_path):
        learner = _load_learner(folder_path, settings_file, seed, choose_device(device, threads))
        if exported is not None and learner.rounds == 0:
            from training.export import load_exported

            load_exported(exported, learner.network)
        rows = checkpoint.statistics_up_to(folder_path, learner.rounds)
        for opponent, games_wanted in ((against or "greedy", games), ("self", self_play)):
            games_done = sum(row["games"] for row in rows if row["opponent"] == opponent)
            begin, games_at_begin = time.monotonic(), games_done
            while games_wanted is not None and games_done < games_wanted:
                row = learner.play_round(opponent, min(learner.settings.learning.round, games_wanted - games_done))
                checkpoint.append_statistics(folder_path, row)
                checkpoint.save(folder_path, learner)
                games_done += row.games
                if as_json:
                    click.echo(json.dumps({"schema": 1, **checkpoint.row_as_json(row)}))
                seconds_left = (time.monotonic() - begin) / (games_done - games_at_begin) * (games_wanted - games_done)
                click.echo(
                    _progress_line(checkpoint.row_as_json(row), games_done, games_wanted, seconds_left), err=True
                )
    click.echo(f"Learnt from {learner.games} games: {folder_path}", err=True)


def _load_learner(folder_path: Path, settings_file: Path | None, seed: int | None, device: str) -> Learner:
    """Return the learner of the checkpoint, or a new one. Raises UserError if the options differ from the
    checkpoint.
    """
    from training import load_boards, settings

    load_boards()
    from training import checkpoint
    from training.learning import Learner

    if not checkpoint.has_checkpoint(folder_path):
        folder_path.mkdir(parents=True, exist_ok=True)
        return Learner(
            settings.read_settings(settings_file or settings.TRAINING_FOLDER / "mm_ai.toml"), seed or 0, device
        )
    learner = checkpoint.load(folder_path, device)
    check_same_value("seed", seed, learner.seed, folder_path)
    if settings_file is not None and settings.read_settings(settings_file) != learner.settings:
        raise UserError(
            f"The training in {folder_path} has other settings than {settings_file}.",
            "Leave out --settings, or name another --folder.",
        )
    return learner


def _progress_line(row: Mapping[str, Any], completed: int, total: int, seconds_left: float) -> str:
    second_seat_games = row["games"] - row["first_games"]
    results_text = f"{row['first_wins'] / max(row['first_games'], 1):4.0%} as first"
    if second_seat_games:
        results_text += f", {(row['wins'] - row['first_wins']) / second_seat_games:4.0%} as second"
    return (
        f"{row['opponent']}: {completed}/{total} games, won {results_text}; losses {row['short_loss']:.5f} and "
        f"{row['long_loss']:.3f}; missed {row['missed_wins']}+{row['missed_blocks']} fives; "
        f"{seconds_left / 60:.0f} min left"
    )
