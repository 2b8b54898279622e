"""The parts that the subcommands of `gomogo train` share: options, the folder of a training with its lock, and checks.

The module starts no training.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
from filelock import FileLock, Timeout

from gomogo.options import FOLDER_PATH, POSITIVE
from gomogo_core.errors import UserError
from gomogo_core.folders import data_folder

folder_option = click.option(
    "--folder",
    type=FOLDER_PATH,
    metavar="DIR",
    help="Folder for the training's checkpoint and statistics. Default: training/AGENT in the data folder.",
)
threads_option = click.option(
    "--threads", type=POSITIVE, default=2, show_default=True, help="Number of threads of PyTorch."
)


def training_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add --folder, --seed, --device, --threads and --json to a command, which receives `folder`, `seed`, `device`,
    `threads` and `as_json`.
    """
    for add_option in (
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object per round."),
        threads_option,
        click.option(
            "--device",
            default="auto",
            type=click.Choice(["auto", "cpu", "cuda"]),
            help="Device for the network. Default: a GPU if there is one.",
        ),
        click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Seed of a new training. Default: 0."),
        folder_option,
    ):
        function = add_option(function)
    return function


def training_folder(folder: Path | None, agent: str) -> Path:
    """Return the folder of a training. folder: the folder that the user has chosen; None for the agent's default."""
    return folder or data_folder() / "training" / agent


@contextmanager
def lock_training(folder_path: Path) -> Iterator[None]:
    """Create the folder of a training, and lock it during the context. Raises UserError if another process trains
    there.
    """
    from training.statistics import LOCK_FILE

    lock = FileLock(folder_path / LOCK_FILE, blocking=False)
    try:
        folder_path.mkdir(parents=True, exist_ok=True)
        lock.acquire()  # if the process dies, the system releases the lock
    except Timeout:
        raise UserError(
            f"Another process trains in {folder_path}.", "Wait until it ends, or name another --folder."
        ) from None
    except OSError as error:
        raise UserError(
            f"Nothing can be written to {folder_path}: {error.strerror}.", "Name another --folder."
        ) from None
    try:
        yield
    finally:
        lock.release()


def check_same_value(option: str, requested: object, stored: object, folder_path: Path) -> None:
    """Raise UserError if the value of an option differs from that of the stored training to continue."""
    if requested not in (None, stored):
        raise UserError(
            f"The training in {folder_path} has {option} {stored}.", f"Leave out --{option}, or name another --folder."
        )


def require_packages(*packages: str) -> None:
    """Raise UserError if one of these packages is not installed."""
    missing_names = [name for name in packages if find_spec(name) is None]
    if missing_names:
        raise UserError(
            f"Training needs {missing_names[0]}, which is not installed.", "Run: pip install 'gomogo[train]'"
        )


def choose_device(requested: str, threads: int) -> str:
    """Return the device of PyTorch, "cpu" or "cuda", and set PyTorch's number of threads. Raises UserError if a
    requested GPU is missing.
    """
    import torch

    torch.set_num_threads(threads)
    has_gpu = torch.cuda.is_available()
    if requested == "cuda" and not has_gpu:
        raise UserError("PyTorch finds no GPU here.", "Use --device cpu.")
    return "cuda" if has_gpu and requested != "cpu" else "cpu"
