"""The command `gomogo train`: train agents that learn, draw their curves, and export their networks.

The module handles options and prints progress; the package `training`, which needs the extra `train`, does the
learning.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gomogo.command_group import CommandGroup
from gomogo.commands.train.common import folder_option, require_packages, threads_option, training_folder
from gomogo.commands.train.mm_ai import mm_ai
from gomogo.commands.train.neural import neural
from gomogo.options import FILE_PATH, FOLDER_PATH, Decorator
from gomogo_core.errors import UserError

if TYPE_CHECKING:
    from training import imitation


@click.group(cls=CommandGroup, short_help="Train agents that learn, draw their curves, and export their networks.")
def command() -> None:
    """Train agents that learn. Needs the extra `train`."""


command.add_command(mm_ai)
command.add_command(neural)


@command.command()
@click.argument("folders", nargs=-1, type=FOLDER_PATH, metavar="[DIR]...")
@click.option(
    "-o",
    "--output",
    type=FILE_PATH,
    default="training.svg",
    show_default=True,
    metavar="FILE",
    help="The picture: .svg, .png or .pdf.",
)
def plot(folders: tuple[Path, ...], output: Path) -> None:
    """Draw the curves of trainings: results, missed rows of five, accuracy and losses.

    Several folders are compared in one picture. Needs the extra `report` (matplotlib), not `train`.
    """
    if output.suffix not in (".svg", ".png", ".pdf"):
        raise UserError(f"{output} is not a picture format.", "Choose a name that ends in .svg, .png or .pdf.")
    if find_spec("matplotlib") is None:
        raise UserError("Drawing needs matplotlib, which is not installed.", "Run: pip install 'gomogo[report]'")
    from training.plot import draw_curves
    from training.statistics import read_statistics

    draw_curves(
        {
            str(folder_path): read_statistics(folder_path)
            for folder_path in folders or (training_folder(None, "mm_ai"),)
        },
        output,
    )
    click.echo(output)


@command.command()
@click.argument("output", type=FILE_PATH, metavar="FILE.onnx")
@folder_option
def export(output: Path, folder: Path | None) -> None:
    """Write the trained network to FILE.onnx. Its agent reads it: mm_ai?network=FILE.onnx.

    --folder names the training, of mm_ai or of neural. Default: the training of mm_ai. The file also contains the
    number of games, the seed and the settings of the training. The outputs of the exported network are compared with
    those of the trained one on 1,000 boards.
    """
    require_packages("torch", "numba", "onnx", "onnxruntime")
    from training import champion_games, checkpoint, imitation, self_play
    from training.export import export_mm_ai, export_policy_value

    folder_path = training_folder(folder, "mm_ai")
    learner: imitation.Imitation | None = None
    path = folder_path / self_play.GAMES_FILE
    if path.exists():
        learner = imitation.load_learner(folder_path, self_play.SelfPlay)
    elif (folder_path / imitation.STATISTICS_FILE).exists():
        learner, path = (
            imitation.load_learner(folder_path, imitation.Imitation),
            folder_path / champion_games.GAMES_FILE,
        )
    if learner is not None:
        difference = export_policy_value(learner, path.read_bytes(), output)
    else:
        difference = export_mm_ai(checkpoint.load(folder_path), output)
    click.echo(output)
    click.echo(f"{output.stat().st_size:,} bytes; largest difference between outputs: {difference:.1e}", err=True)


def _number_option(name: str, default: int, minimum: int, help_text: str) -> Decorator:
    return click.option(
        name, type=click.IntRange(min=minimum), default=default, show_default=True, metavar="N", help=help_text
    )


@command.command()
@click.option(
    "--training",
    "tunes_training",
    is_flag=True,
    help="Tune the settings of network, optimiser and learning instead of the table, by short trainings.",
)
@_number_option("--generations", 20, 1, "Number of generations.")
@_number_option("--tables", 24, 4, "Number of candidates in each generation.")
@_number_option("--games", 500, 1, "Number of games of each table in each seat, or of each training.")
@_number_option("--seed", 0, 0, "Seed of the search.")
@threads_option
@click.option(
    "--settings",
    "settings_file",
    type=FILE_PATH,
    metavar="FILE",
    help="Settings from which the search starts. Default: training/mm_ai.toml.",
)
def tune(
    tunes_training: bool, generations: int, tables: int, games: int, seed: int, threads: int, settings_file: Path | None
) -> None:
    """Search for better settings of mm_ai with a genetic algorithm.

    The search changes the table of move scores or, with --training, the other settings. Each table plays against greedy
    without a network. Trainings are compared by the rewards of the moves and by the games won, in the second half
    of their games. The command prints the best candidate as TOML, and the progress on stderr.
    """
    require_packages(*(("torch", "numba") if tunes_training else ("numba",)))
    from training import load_boards, settings

    load_boards()
    from training.tuner import Generation, as_toml, tune_score_table, tune_training

    generation: Generation[Any] | None = None
    start = settings.read_settings(settings_file or settings.TRAINING_FOLDER / "mm_ai.toml")
    search: Iterator[Generation[Any]]
    if tunes_training:
        import torch

        torch.set_num_threads(threads)
        search, measures_format = (
            tune_training(start, generations, tables, games, seed),
            "{:.1%} of the best reward, {:.1%} won",
        )
    else:
        search = tune_score_table(start.scores, generations, tables, games, seed)
        measures_format = "{:.1%} as first, {:.1%} as second player"
    try:
        for generation in search:
            click.echo(f"generation {generation.number}: {measures_format.format(*generation.measures)}", err=True)
    finally:  # print the best candidate after an interrupt, too
        if generation is not None:
            click.echo(as_toml(generation.settings), nl=False)
