"""The options of the commands that play a match or a tournament: where the games are played, and how the table is
printed.

The module defines no command.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from gomogo.options import FOLDER_PATH, POSITIVE, reasons_option, sandbox_option
from tournaments.worker_choice import WorkerOptions

if TYPE_CHECKING:
    from gomogo_core.records.store import Run


# adds --log to a command, which receives `log`: a folder, or None
log_option = click.option(
    "--log",
    type=FOLDER_PATH,
    metavar="FOLDER",
    help="Save every line to and from the agents and their other output, one file per game.",
)


def add_worker_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add --workers, --cores-per-game, --no-pin, --sandbox and --cluster to a command with `worker_options`."""

    @click.option("--workers", type=POSITIVE, metavar="N", help="Number of games at a time. Default: one per core.")
    @click.option(
        "--cores-per-game",
        type=click.IntRange(1, 1024),
        metavar="N",
        help="Cores reserved for each running game. Default: as many as the agents' threads and pondering need.",
    )
    @click.option("--no-pin", is_flag=True, help="Let the system place processes on cores.")
    @sandbox_option(None)
    @click.option("--cluster", metavar="ADDRESS", help="Play on the workers of a dask scheduler: tcp://HOST:8786.")
    @functools.wraps(function)
    def wrapped(*args: Any, no_pin: bool, **values: Any) -> Any:
        values["pin"] = False if no_pin else None
        worker_options = WorkerOptions(**{name: values.pop(name) for name in WorkerOptions._fields})
        return function(*args, worker_options=worker_options, **values)

    return wrapped


class RunSettings(NamedTuple):
    """The settings of a run that its commands share. worker_options: the workers that play the games. log: the folder
    for the lines between referee and agents, or None.

    allows_changes: whether a stored run may continue with changed settings. replay_doubtful: play games again that were
    lost on time on a busy machine. by_reason: also print the reasons for which games ended. as_json: print the table as
    JSON.
    """

    worker_options: WorkerOptions = WorkerOptions()
    log: Path | None = None
    allows_changes: bool = False
    replay_doubtful: bool = False
    by_reason: bool = False
    as_json: bool = False


def choose_name_and_seed(name: str | None, seed: int | None, prefix: str, runs: Iterable[Run]) -> tuple[str, int]:
    """Return the name and the seed of a run. A run that continues a stored run has the seed of this run.

    name: None for an unused name that begins with `prefix`. seed: None for a random seed. runs: the stored runs.
    """
    runs_by_name = {run.name: run for run in runs}
    if name is None:
        name = next(candidate for number in count(1) if (candidate := f"{prefix}-{number}") not in runs_by_name)
    if seed is None:
        seed = runs_by_name[name].settings["seed"] if name in runs_by_name else int.from_bytes(os.urandom(4))
    return name, seed


def run_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a run to a command, which receives `settings`."""

    @add_worker_options
    @log_option
    @click.option("--extend", "allows_changes", is_flag=True, help="Continue a stored run with changed settings.")
    @click.option("--replay-doubtful", is_flag=True, help="Replay games that were lost on time on a busy machine.")
    @reasons_option
    @click.option("--json", "as_json", is_flag=True, help="Print the table as JSON.")
    @functools.wraps(function)
    def wrapped(*args: Any, **values: Any) -> Any:
        settings = RunSettings(**{name: values.pop(name) for name in RunSettings._fields})
        return function(*args, settings=settings, **values)

    return wrapped
