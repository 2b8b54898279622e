"""Random games per second by the rules of each game, through the public types.

The program prints the measurements and does not compare them with a limit.

A playout is a game from the start to its end. It lists the legal moves (`moves()`), plays one of them at random
(`play()`), and repeats this until `outcome()` says how the game ended. In Go the players do not fill their own eyes,
and try random points instead of listing all moves. The games of OpenSpiel are measured within the same run, in turn
with ours. OpenSpiel is called from Python, too (`legal_actions()`, `apply_action()`, `is_terminal()`), but its rules
are in C++. The program measures processor time, because other programs influence it less than wall time.

On a Go board without superko, the compiled board of `go_champion` is measured too if Numba is installed, once with
uniformly random playouts, and once with playouts that answer the last move. Its playouts run in one compiled loop.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from random import Random
from statistics import median
from time import process_time
from typing import Any, NamedTuple, TypeAlias

import click
import numpy as np

from gomogo_core import games
from gomogo_core.engines import compiling
from gomogo_core.games.base import Position
from gomogo_core.games.stones.rules import GoFamilyPosition
from gomogo_core.search.playouts.stones import play_random_game

RandomNumber: TypeAlias = Callable[[], float]  # a number from 0 up to 1


class MeasuredGame(NamedTuple):
    """A measured game.

    play_game: a function that plays a whole game and returns its number of moves; None to play random legal moves. Go
    needs one, because a game may never end if the players fill their own eyes. openspiel_name:
    OpenSpiel's name of the same game, or "". compiled: whether the compiled engine of Go is measured too.
    """

    game: str
    options: dict[str, Any]
    openspiel_name: str = ""
    play_game: Callable[[Position, RandomNumber], int] | None = None
    compiled: bool = False


def play_without_filling_eyes(position: Position, rng: RandomNumber) -> int:
    """Play a random game in which nobody fills an own eye, as in Monte Carlo tree search."""
    assert isinstance(position, GoFamilyPosition)
    return len(play_random_game(position, rng)[1])


MEASURED_GAMES = (
    MeasuredGame("dots_and_boxes", {"rows": 5, "cols": 5}, "dots_and_boxes(num_rows=5,num_cols=5)"),
    MeasuredGame("go", {"size": 9, "ko": "positional"}, "go(board_size=9)", play_without_filling_eyes),
    MeasuredGame("go", {"size": 9, "ko": "simple"}, "go(board_size=9)", play_without_filling_eyes, compiled=True),
)

_PLAYOUTS_PER_BATCH = 20  # playouts between two readings of the clock
_COMPILED_PLAYOUTS_PER_BATCH = 500
_ENGINE = "gomogo_core.engines.go"


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--seconds", default=1.0, show_default=True, help="Seconds for which each is measured in each round.")
@click.option("--rounds", default=7, show_default=True, help="Number of rounds; the median is printed.")
@click.option("--seed", default=1, show_default=True, help="Chooses the moves.")
def main(as_json: bool, seconds: float, rounds: int, seed: int) -> None:
    """Measure random playouts, and OpenSpiel's for comparison if it is installed."""
    has_openspiel = find_spec("pyspiel") is not None
    note = "OpenSpiel is not installed (pip install open-spiel), so nothing is compared with it."
    missing_openspiel_note = "" if has_openspiel else note
    rows = [measure(game, seconds, rounds, Random(seed).random, has_openspiel) for game in MEASURED_GAMES]
    report = {
        "bench": "playouts",
        "python": platform.python_version(),
        "playout": " ".join((__doc__ or "").split("\n\n")[2].split()),
        "games": rows,
        "without": missing_openspiel_note,
    }
    if as_json:
        click.echo(json.dumps(report, indent=1))
        return
    click.echo("game                         playouts/s    moves/s   openspiel    moves/s   ratio by moves")
    for row in rows:
        options = ",".join(f"{name}={value}" for name, value in row["options"].items())
        own_text = f"{row['game'] + ' ' + options:<28} {row['playouts_per_second']:>10,} {row['moves_per_second']:>10,}"
        peer_text = (
            f" {row['peer_playouts_per_second']:>11,} {row['peer_moves_per_second']:>10,} {row['ratio_by_moves']:>16}"
            if "ratio_by_moves" in row
            else ""
        )
        click.echo(own_text + peer_text)
        for kind in ("light", "heavy"):
            if f"{kind}_playouts_per_second" in row:
                figures = f"{row[f'{kind}_playouts_per_second']:>10,} {row[f'{kind}_moves_per_second']:>10,}"
                ratios = f"{row[f'{kind}_ratio']} times ours"
                if f"{kind}_ratio_to_peer" in row:
                    ratios += f", {row[f'{kind}_ratio_to_peer']} times OpenSpiel's"
                click.echo(f"{'  compiled, ' + kind:<28} {figures}   {ratios}")
    if missing_openspiel_note:
        click.echo(missing_openspiel_note)


def measure(game: MeasuredGame, seconds: float, rounds: int, rng: RandomNumber, with_peer: bool) -> dict[str, Any]:
    """Return the medians over the rounds; ours and OpenSpiel take turns, so that a busy machine slows both."""
    start = games.load(game.game, **game.options).start()
    has_openspiel = with_peer and game.openspiel_name
    create_peer_state = (
        import_module("pyspiel").load_game(game.openspiel_name).new_initial_state if has_openspiel else None
    )
    engines = create_compiled_playouts(game) if game.compiled and find_spec("numba") is not None else {}
    own_speeds, peer_speeds = [], []
    compiled_speeds: dict[str, list[tuple[float, float]]] = {kind: [] for kind in engines}
    for _ in range(rounds + 1):
        own_speeds.append(measure_speed(lambda: play_playout(start, rng, game.play_game), seconds))
        if create_peer_state is not None:
            peer_speeds.append(measure_speed(lambda: play_peer_playout(create_peer_state(), rng), seconds))
        for kind, batch in engines.items():
            compiled_speeds[kind].append(measure_speed(batch, seconds, _COMPILED_PLAYOUTS_PER_BATCH))
    # the first round only fills caches, and does not count
    report: dict[str, Any] = {"game": game.game, "options": game.options, **summarise_speeds("", own_speeds[1:])}
    if peer_speeds:
        report |= {"peer": game.openspiel_name, **summarise_speeds("peer_", peer_speeds[1:])}
        report["ratio_by_moves"] = round(report["moves_per_second"] / report["peer_moves_per_second"], 3)
    for kind, speeds in compiled_speeds.items():
        report |= summarise_speeds(f"{kind}_", speeds[1:])
        report[f"{kind}_ratio"] = round(report[f"{kind}_playouts_per_second"] / report["playouts_per_second"], 1)
        if peer_speeds:
            ratio = report[f"{kind}_playouts_per_second"] / report["peer_playouts_per_second"]
            report[f"{kind}_ratio_to_peer"] = round(ratio, 1)
    return report


def create_compiled_playouts(measured_game: MeasuredGame) -> dict[str, Callable[[], int]]:
    """Return functions that play one batch of compiled playouts and return the number of moves, by name."""
    module = compiling.load(_ENGINE)
    measure_playouts = import_module(f"{_ENGINE}.playouts").measure_playouts
    game = games.load(measured_game.game, **measured_game.options)

    def create_batch(random_playouts: bool) -> Callable[[], int]:
        engine = module.GoEngine(game, memory_mb=1, random_playouts=random_playouts)
        engine.set_position(game.start())

        def play() -> int:
            sums = np.zeros(3, np.int64)
            measure_playouts(engine.state, engine.playout_board, _COMPILED_PLAYOUTS_PER_BATCH, sums)
            return int(sums[0])

        return play

    return {"light": create_batch(True), "heavy": create_batch(False)}


def play_playout(
    position: Position, rng: RandomNumber, play_game: Callable[[Position, RandomNumber], int] | None
) -> int:
    """Play one game to its end. Returns its number of moves."""
    if play_game is not None:
        return play_game(position, rng)
    move_count = 0
    while position.outcome() is None:
        moves = list(position.moves())
        position = position.play(moves[int(rng() * len(moves))])
        move_count += 1
    return move_count


def play_peer_playout(state: Any, rng: RandomNumber) -> int:
    """Play one game of OpenSpiel to its end, which changes `state`. Returns its number of moves."""
    move_count = 0
    while not state.is_terminal():
        actions = state.legal_actions()
        state.apply_action(actions[int(rng() * len(actions))])
        move_count += 1
    return move_count


def measure_speed(play: Callable[[], int], seconds: float, playouts: int = 1) -> tuple[float, float]:
    """Return the playouts and the moves per second of processor time. A call of `play` plays `playouts` playouts."""
    games_played = move_count = 0
    begin = process_time()
    while (seconds_taken := process_time() - begin) < seconds:
        calls = max(1, _PLAYOUTS_PER_BATCH // playouts)
        move_count += sum(play() for _ in range(calls))
        games_played += calls * playouts
    return games_played / seconds_taken, move_count / seconds_taken


def summarise_speeds(prefix: str, rounds: list[tuple[float, float]]) -> dict[str, Any]:
    """Return the medians by name, and the playouts of the fastest round, which other programs disturbed least."""
    playouts, moves = zip(*rounds, strict=True)
    return {
        f"{prefix}playouts_per_second": round(median(playouts)),
        f"{prefix}playouts_per_second_best": round(max(playouts)),
        f"{prefix}moves_per_second": round(median(moves)),
        f"{prefix}moves_per_playout": round(sum(moves) / sum(playouts), 1),
    }


if __name__ == "__main__":
    main()
