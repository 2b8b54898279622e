"""The time of commands that read or continue a run of 100,000 stored games.

python -m bench.stored_games --json

A store is filled with the games of a round robin between five agents, each with its whole record; two games are still
to be played. All times are in seconds, and medians. `start_s` is the time of `gomogo --version`: no command takes less.
`table_s`, `games_s`, `who_s` and `replay_s` are the times of the whole commands `tournament show`, `tournament
results`, `results` and `replay`. `resume_s` is the time from the opened store until the first of the two games could be
given to a worker.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path

import click

from gomogo_core.games.base import Outcome, Reason
from gomogo_core.play.events import Ply
from gomogo_core.processes.run_folder import run_folders_parent
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.rows import game_row, seat_rows
from gomogo_core.records.store import GameStatus, Run, Store
from tournaments.plan import Plan
from tournaments.playing import create_void_record
from tournaments.run_state import RunState
from tournaments.spec import spec_from_values
from tournaments.task import GameTask

_AGENTS = ("random_mover", "greedy", "minimax", "alpha_beta", "iterative_deepening")
_PAIR_COUNT = 10  # pairs of five agents
_UNPLAYED_GAME_COUNT = 2  # games that remain to be played
_GAMES_PER_TRANSACTION = 2000  # games that are written in one transaction
_MOVE_COUNT = 30  # moves of each game
_OUTCOMES = (
    Outcome.won_by(1, Reason.LINE, "5 in a row"),
    Outcome.won_by(2, Reason.LINE, "5 in a row"),
    Outcome.won_by(1, Reason.OUT_OF_TIME, "10.1 s taken, 10 s allowed"),
    Outcome.won_by(2, Reason.RESIGNED, "resigned"),
    Outcome.draw(Reason.BOARD_FULL, "the board is full"),
)


def create_record(task: GameTask, outcome: Outcome) -> PlayedGame:
    """Return an invented record of the game of a task."""
    record = create_void_record(task, "", 0.0, 3.0)
    plies = tuple(Ply(1 + number % 2, record.rules().format(move)) for number, move in enumerate(_list_points(record)))
    no_values = (None,) * _MOVE_COUNT
    record = replace(record, plies=plies, seconds=(0.1,) * _MOVE_COUNT, outcome=outcome, opening_length=0)
    return replace(record, clocks=no_values, thoughts=no_values)


def _list_points(record: PlayedGame) -> list[object]:
    return list(islice(record.rules().start().moves(), _MOVE_COUNT))


def fill_store(store: Store, plan: Plan, run: Run) -> None:
    """Write all planned games except the last two at once; `Store.add` would need minutes to write them one by one."""
    rng, pairings = random.Random(1), list(plan.scheduled_games())[:-_UNPLAYED_GAME_COUNT]
    sample = create_record(plan.task(pairings[0]), _OUTCOMES[0])
    for first in range(0, len(pairings), _GAMES_PER_TRANSACTION):
        tasks = [plan.task(pairing) for pairing in pairings[first : first + _GAMES_PER_TRANSACTION]]
        records = [
            replace(
                sample,
                key=task.key,
                names=task.display_names,
                specs=task.specs,
                outcome=rng.choice(_OUTCOMES),
                started=1e9 + first + index,
            )
            for index, task in enumerate(tasks)
        ]
        with store.write_transaction() as connection:
            pairs = list(zip(records, tasks, strict=True))
            rows = [game_row(record, run.id, GameStatus.PLAYED, task.opening_number) for record, task in pairs]
            connection.insert("games", rows)
            rows_of_seats = [row for record, task in pairs for row in seat_rows(record, task.stored_names)]
            connection.insert("seats", rows_of_seats)
            record_rows = [{"key": record.key, "json": json.dumps(record.as_json())} for record in records]
            connection.insert("records", record_rows)


def _measure_resume(plan: Plan, store_path: Path) -> float:
    with Store.open(store_path) as store:
        begin = time.perf_counter()
        with RunState(plan, store) as state:
            assert state.next_task(1) is not None
        return time.perf_counter() - begin


def _measure_command(store_path: Path, *arguments: str) -> float:
    begin = time.perf_counter()
    command = [sys.executable, "-m", "gomogo", *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=store_path.parent)
    return time.perf_counter() - begin


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--games", default=100_000, show_default=True, help="Number of stored games.")
@click.option("--rounds", default=3, show_default=True, help="Number of measurements of each time.")
def main(as_json: bool, games: int, rounds: int) -> None:
    """Measure the time of commands on a store of many games."""
    with tempfile.TemporaryDirectory(dir=run_folders_parent()[0]) as folder:
        store_path = Path(folder) / "gomogo.db"
        settings = {"name": "bench", "agents": _AGENTS, "games_per_pair": max(2, games // _PAIR_COUNT)}
        plan = Plan(spec_from_values(settings, "bench"), Path(folder))
        with Store.open(store_path) as store, RunState(plan, store) as state:
            fill_store(store, plan, state.stored_run)
        store_argument = ("--store", str(store_path))
        measurements: dict[str, Callable[[], float]] = {
            "start_s": lambda: _measure_command(store_path, "--version"),
            "table_s": lambda: _measure_command(store_path, "tournament", "show", "bench", *store_argument),
            "games_s": lambda: _measure_command(store_path, "tournament", "results", "bench", *store_argument),
            "who_s": lambda: _measure_command(store_path, "results", "greedy", *store_argument),
            "replay_s": lambda: _measure_command(store_path, "replay", "last", *store_argument),
            "resume_s": lambda: _measure_resume(plan, store_path),
        }
        figures: dict[str, float] = {"games": games, "megabytes": round(store_path.stat().st_size / 1e6)}
        figures |= {
            name: round(statistics.median(measure() for _ in range(rounds)), 2)
            for name, measure in measurements.items()
        }
    summary = ", ".join(f"{name} {value}" for name, value in figures.items())
    click.echo(json.dumps(figures) if as_json else summary)


if __name__ == "__main__":
    main()
