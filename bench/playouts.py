"""Random games per second by the rules of each game, through the public types.

Prints the measurements, and compares them with no limit.

A playout is a game from the start to its end: `moves()` as a list, one of them at random, `play()`, until `outcome()`
says how it ended. In Go players leave their own eyes alone, and try points instead of listing all moves. Beside it, in
turns within the same run, OpenSpiel plays any legal moves, driven from Python as ours is: `legal_actions()`,
`apply_action()`, `is_terminal()`, in C++ beneath. Seconds are those of the processor, so that other programs on it
count less.

On a Go board without superko the compiled board of `go_champion` takes turns with both, where Numba is installed: once
with uniform playouts, once with those that answer the last move. Its playouts run in one compiled loop.
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
from gomogo_core.games.stones.rules import StonesPosition
from gomogo_core.search.playouts._stones import play_random_game

RandomNumber: TypeAlias = Callable[[], float]  # a number from 0 up to 1


class Case(NamedTuple):
    """A measured game.

    own_way: a function that plays a whole game and returns its number of moves; None to play any legal moves. In Go,
    games of players who fill their own eyes need not end. peer: OpenSpiel's name of the same game, or "". compiled:
    whether the compiled engine of Go is measured beside it.
    """

    game: str
    options: dict[str, Any]
    peer: str = ""
    own_way: Callable[[Position, RandomNumber], int] | None = None
    compiled: bool = False


def without_filling_eyes(position: Position, chance: RandomNumber) -> int:
    """Play a random game in which nobody fills an own eye, as in Monte Carlo tree search."""
    assert isinstance(position, StonesPosition)
    return len(play_random_game(position, chance)[1])


CASES = (
    Case("dots_and_boxes", {"rows": 5, "cols": 5}, "dots_and_boxes(num_rows=5,num_cols=5)"),
    Case("go", {"size": 9, "ko": "positional"}, "go(board_size=9)", without_filling_eyes),
    Case("go", {"size": 9, "ko": "simple"}, "go(board_size=9)", without_filling_eyes, compiled=True),
)

_BATCH = 20  # playouts between two readings of the clock
_COMPILED_BATCH = 500
_ENGINE = "gomogo_core.engines.go"


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--seconds", default=1.0, show_default=True, help="How long each plays in each round.")
@click.option("--rounds", default=7, show_default=True, help="Rounds of ours and theirs; the median counts.")
@click.option("--seed", default=1, show_default=True, help="Chooses the moves.")
def main(as_json: bool, seconds: float, rounds: int, seed: int) -> None:
    """Measure random playouts, and OpenSpiel's for comparison if it is installed."""
    there = find_spec("pyspiel") is not None
    without = "" if there else "OpenSpiel is not installed (pip install open-spiel): no comparison."
    rows = [measure(case, seconds, rounds, Random(seed).random, there) for case in CASES]
    report = {
        "bench": "playouts",
        "python": platform.python_version(),
        "playout": " ".join((__doc__ or "").split("\n\n")[2].split()),
        "games": rows,
        "without": without,
    }
    if as_json:
        click.echo(json.dumps(report, indent=1))
        return
    click.echo("game                         playouts/s    moves/s   openspiel    moves/s   ratio by moves")
    for row in rows:
        options = ",".join(f"{name}={value}" for name, value in row["options"].items())
        ours = f"{row['game'] + ' ' + options:<28} {row['playouts_per_second']:>10,} {row['moves_per_second']:>10,}"
        peer = (
            f" {row['peer_playouts_per_second']:>11,} {row['peer_moves_per_second']:>10,} {row['ratio_by_moves']:>16}"
            if "ratio_by_moves" in row
            else ""
        )
        click.echo(ours + peer)
        for kind in ("light", "heavy"):
            if f"{kind}_playouts_per_second" in row:
                figures = f"{row[f'{kind}_playouts_per_second']:>10,} {row[f'{kind}_moves_per_second']:>10,}"
                ratios = f"{row[f'{kind}_ratio']} times ours"
                if f"{kind}_ratio_to_peer" in row:
                    ratios += f", {row[f'{kind}_ratio_to_peer']} times OpenSpiel's"
                click.echo(f"{'  compiled, ' + kind:<28} {figures}   {ratios}")
    if without:
        click.echo(without)


def measure(case: Case, seconds: float, rounds: int, chance: RandomNumber, with_peer: bool) -> dict[str, Any]:
    """Return the medians over the rounds; ours and the peer take turns, so that a busy machine slows both."""
    start = games.load(case.game, **case.options).start()
    state = import_module("pyspiel").load_game(case.peer).new_initial_state if with_peer and case.peer else None
    engines = compiled_engines(case) if case.compiled and find_spec("numba") is not None else {}
    ours, theirs = [], []
    compiled: dict[str, list[tuple[float, float]]] = {kind: [] for kind in engines}
    for _ in range(rounds + 1):
        ours.append(speed(lambda: playout(start, chance, case.own_way), seconds))
        if state is not None:
            theirs.append(speed(lambda: peer_playout(state(), chance), seconds))
        for kind, batch in engines.items():
            compiled[kind].append(speed(batch, seconds, _COMPILED_BATCH))
    # the first round only warms up
    told: dict[str, Any] = {"game": case.game, "options": case.options, **speeds("", ours[1:])}
    if theirs:
        told |= {"peer": case.peer, **speeds("peer_", theirs[1:])}
        told["ratio_by_moves"] = round(told["moves_per_second"] / told["peer_moves_per_second"], 3)
    for kind, found in compiled.items():
        told |= speeds(f"{kind}_", found[1:])
        told[f"{kind}_ratio"] = round(told[f"{kind}_playouts_per_second"] / told["playouts_per_second"], 1)
        if theirs:
            ratio = told[f"{kind}_playouts_per_second"] / told["peer_playouts_per_second"]
            told[f"{kind}_ratio_to_peer"] = round(ratio, 1)
    return told


def compiled_engines(case: Case) -> dict[str, Callable[[], int]]:
    """Return two functions that play _COMPILED_BATCH compiled playouts and return the number of moves."""
    module = compiling.load(_ENGINE)
    repeat = import_module(f"{_ENGINE}.playouts").repeat
    game = games.load(case.game, **case.options)

    def batch(light: bool) -> Callable[[], int]:
        engine = module.GoEngine(game, memory_mb=1, light=light)
        engine.set_position(game.start())

        def play() -> int:
            sums = np.zeros(3, np.int64)
            repeat(engine.state, engine.scratch, _COMPILED_BATCH, sums)
            return int(sums[0])

        return play

    return {"light": batch(True), "heavy": batch(False)}


def playout(position: Position, chance: RandomNumber, own_way: Callable[[Position, RandomNumber], int] | None) -> int:
    """Play one game to its end; how many moves it took."""
    if own_way is not None:
        return own_way(position, chance)
    made = 0
    while position.outcome() is None:
        moves = list(position.moves())
        position = position.play(moves[int(chance() * len(moves))])
        made += 1
    return made


def peer_playout(state: Any, chance: RandomNumber) -> int:
    """Return the same by OpenSpiel, from a state that it changes."""
    made = 0
    while not state.is_terminal():
        actions = state.legal_actions()
        state.apply_action(actions[int(chance() * len(actions))])
        made += 1
    return made


def speed(play: Callable[[], int], seconds: float, playouts: int = 1) -> tuple[float, float]:
    """Return playouts and moves in a second of the processor's time. playouts: how many a call of `play` plays."""
    games_played = moves = 0
    began = process_time()
    while (taken := process_time() - began) < seconds:
        calls = max(1, _BATCH // playouts)
        moves += sum(play() for _ in range(calls))
        games_played += calls * playouts
    return games_played / taken, moves / taken


def speeds(prefix: str, rounds: list[tuple[float, float]]) -> dict[str, Any]:
    """Return the medians under their names, and the best round's playouts, as a quiet machine would have them."""
    playouts, moves = zip(*rounds, strict=True)
    return {
        f"{prefix}playouts_per_second": round(median(playouts)),
        f"{prefix}playouts_per_second_best": round(max(playouts)),
        f"{prefix}moves_per_second": round(median(moves)),
        f"{prefix}moves_per_playout": round(sum(moves) / sum(playouts), 1),
    }


if __name__ == "__main__":
    main()
