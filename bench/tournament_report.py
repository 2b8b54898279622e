"""The time and size of the report of a tournament of 1,000 games.

python -m bench.tournament_report --json

A store is filled with a run of 1,000 games of 80 random moves between four players, once of Gomoku and once of Go on 9
× 9. The record of each move has its seconds, clock, evaluation, line, thoughts and values. `write_s` is the time of the
whole command `gomogo report`, and `megabytes` the size of the file that it writes. `start_s` is the time of `gomogo
--version`: no command takes less. If Chromium and Playwright are installed, `open_s` is the time in which the browser
opens the file and shows its tables, and `game_s` the time from a click on a game until its board is shown. Times are in
seconds, and medians of three.
"""

from __future__ import annotations

import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click

from gomogo_core.games import load
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ply
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.rows import game_row, seat_rows
from gomogo_core.records.store import GameStatus, Store

_MOVE_COUNT, _REPETITIONS = 80, 3
_PLAYERS = ("ann", "bob", "cid", "dan")
_OPTIONS_BY_GAME: dict[str, dict[str, Any]] = {"gomoku": {"size": 15}, "go": {"size": 9}}


def create_random_game(name: str, seed: int) -> PlayedGame:
    """Return the record of a random game, with an analysis of each move."""
    game, rng = load(name, **_OPTIONS_BY_GAME[name]), random.Random(seed)
    position, plies = game.start(), list[Ply]()
    while len(plies) < _MOVE_COUNT and position.outcome() is None:
        *placements, last_move = position.moves()
        move = rng.choice(placements or [last_move])
        plies.append(Ply(position.to_move, game.format(move)))
        position = position.play(move)
    names = tuple(rng.sample(_PLAYERS, 2))
    return PlayedGame(
        game=name,
        options=dict(game.options),
        specs=names,
        names=names,
        controls=(TimeControl(5.0, 300.0),) * 2,
        plies=tuple(plies),
        opening_length=0,
        seconds=tuple(rng.expovariate(2.0) for _ in plies),
        clocks=tuple(300.0 - number for number, _ in enumerate(plies)),
        thoughts=tuple(f"depth {rng.randrange(9)}, {rng.randrange(99999)} nodes" for _ in plies),
        scores=tuple(rng.gauss(0, 200) for _ in plies),
        lines=tuple(" ".join(ply.move for ply in plies[number : number + 5]) for number, _ in enumerate(plies)),
        values=tuple({ply.move: rng.random() for ply in plies[number : number + 8]} for number, _ in enumerate(plies)),
        warnings=(),
        outcome=position.outcome() or Outcome.won_by(1 + seed % 2, Reason.RESIGNED, "resigned"),
        started=1_700_000_000.0 + seed,
        duration=60.0,
    )


def fill_store(name: str, path: Path, count: int) -> None:
    """Store a run of random games."""
    settings = {
        "game": name,
        "options": load(name, **_OPTIONS_BY_GAME[name]).options,
        "players": [{"player": player, "name": player} for player in _PLAYERS],
        "format": "round_robin",
    }
    with Store.open(path) as store:
        run = store.insert_run(name, "fingerprint", settings, count)
        assert run is not None
        games = [create_random_game(name, seed) for seed in range(count)]
        with store.write_transaction() as connection:
            connection.insert("games", [game_row(game, run.id, GameStatus.PLAYED, None) for game in games])
            connection.insert("seats", [row for game in games for row in seat_rows(game, game.names)])
            rows = [{"key": game.key, "json": json.dumps(game.as_json())} for game in games]
            connection.insert("records", rows)


def measure_median_seconds(function: Callable[[], object]) -> float:
    """Return the median time of several calls, in seconds."""
    seconds = []
    for _ in range(_REPETITIONS):
        begin = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - begin)
    return round(statistics.median(seconds), 3)


def measure_browser(page: Path, count: int) -> Iterator[tuple[str, float]]:
    """Yield the times in which a browser opens the file and a game in it; nothing if no browser is installed."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return
    if (chromium := shutil.which("chromium")) is None:
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page()

        def load_in_browser() -> None:
            tab.goto("about:blank")
            tab.goto(page.as_uri())
            tab.locator("#games tbody tr").last.wait_for()

        yield "open_s", measure_median_seconds(load_in_browser)
        numbers = iter(range(1, count + 1))

        def show_next_game() -> None:
            number = next(numbers)
            tab.evaluate(f"() => document.querySelector('a[href=\"#game-{number}\"]').click()")
            tab.get_by_text(f"Game {number}:").wait_for()

        yield "game_s", measure_median_seconds(show_next_game)
        browser.close()


def measure(count: int) -> dict[str, Any]:
    """Return `start_s`, and all other measurements by game. count: the number of games of each report."""
    gomogo = [sys.executable, "-m", "gomogo"]
    figures: dict[str, Any] = {
        "start_s": measure_median_seconds(lambda: subprocess.run([*gomogo, "--version"], stdout=subprocess.PIPE))
    }
    with tempfile.TemporaryDirectory() as folder:
        for name in _OPTIONS_BY_GAME:
            store, page = Path(folder) / f"{name}.db", Path(folder) / f"{name}.html"
            fill_store(name, store, count)
            command = [*gomogo, "report", name, "-o", str(page), "--store", str(store)]
            write_seconds = measure_median_seconds(partial(subprocess.run, command, check=True, stderr=subprocess.PIPE))
            megabytes = round(page.stat().st_size / 1e6, 2)
            figures[name] = {"write_s": write_seconds, "megabytes": megabytes, **dict(measure_browser(page, count))}
    return figures


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--games", default=1000, show_default=True, type=click.IntRange(_REPETITIONS), help="Games of each report."
)
def main(as_json: bool, games: int) -> None:
    """Measure the report of a tournament."""
    figures = measure(games)
    click.echo(json.dumps(figures, indent=2) if as_json else figures)


if __name__ == "__main__":
    main()
