"""The number of games of Go in which `go_champion` resigns although it would win, or loses by its own pass.

python -m bench.wrong_endings --json

The agent plays against itself with few playouts, after a random opening. The program checks two kinds of positions: the
positions in which the agent resigns, and the positions before a pass of the loser within the last two moves of a game.
From each of them, both sides play on with CHECK_PLAYOUTS_FACTOR times as many playouts, at least MIN_CHECK_PLAYOUTS,
and without resignation. A resignation or a pass is wrong if its player then wins. In half of the games, one player
passes at every move from some move on, and leaves its dead stones on the board; the other player has to capture them.
All stones on the board count, as by our rules.
"""

from __future__ import annotations

import json
import random
from dataclasses import asdict, dataclass

import click

from gomogo_core.agent import AgentClock, Choose, load_choose
from gomogo_core.folders import AGENTS_FOLDER
from gomogo_core.games.base import Move
from gomogo_core.games.go import Go
from gomogo_core.games.stones.rules import PASS, GoFamilyPosition

CHECK_PLAYOUTS_FACTOR = 10  # the playouts that check a resignation or a pass, as a multiple of those of the game
MIN_CHECK_PLAYOUTS = 1000
_MOVE_SECONDS = 600  # the limit of playouts ends each search long before
_KOMI = {5: 0.5, 7: 8.5}  # 7.5 on boards of other sizes


@dataclass
class EndingCounts:
    """The games of one kind on one size, and the numbers of wrong and of all resignations and losing passes."""

    size: int
    quits: bool
    games: int = 0
    resignations: int = 0
    wrong_resignations: int = 0
    losing_passes: int = 0
    wrong_passes: int = 0


def load_agents() -> tuple[Choose, Choose]:
    """Return two copies of the agent, with their own trees and counts."""
    first, second = (load_choose(AGENTS_FOLDER / "go_champion.py") for _ in range(2))
    return first, second


def random_opening(game: Go, rng: random.Random) -> GoFamilyPosition:
    """Return a position after 2 to `size` + 2 random moves without passes."""
    position = game.start()
    for _ in range(rng.randint(2, game.rows + 2)):
        position = position.play(rng.choice([move for move in position.moves() if move is not PASS]))
    return position


def choose_move(choose: Choose, position: GoFamilyPosition, playouts: int, resign: int) -> Move | str:
    """Return the agent's move."""
    clock = AgentClock({"per_move": _MOVE_SECONDS}, None)
    move: Move | str = choose(position, clock, playouts=playouts, resign=resign, memory_mb=32)
    return move


def wins_when_played_on(agents_by_seat: tuple[Choose, Choose], position: GoFamilyPosition, playouts: int) -> bool:
    """Return whether the player to move wins if both players play on with more playouts, and without resignation.

    playouts: the number of playouts in the game.
    """
    mover, check_playouts = position.to_move, max(MIN_CHECK_PLAYOUTS, CHECK_PLAYOUTS_FACTOR * playouts)
    while (outcome := position.outcome()) is None:
        position = position.play(choose_move(agents_by_seat[position.to_move - 1], position, check_playouts, 0))
    return outcome.winner == mover


def play_game(
    agents_by_seat: tuple[Choose, Choose], game: Go, seed: str, playouts: int, counts: EndingCounts
) -> list[str]:
    """Play one game, add it to `counts`, and return a description of each wrong resignation and pass."""
    rng = random.Random(seed)
    position = random_opening(game, rng)
    quitter = rng.randint(1, 2) if counts.quits else 0
    quits_at = position.moves_played + rng.randint(0, game.rows * game.rows)
    counts.games += 1
    passes: list[GoFamilyPosition] = []  # the positions in which the last two passes were played
    faults = []

    while (outcome := position.outcome()) is None:
        if position.to_move == quitter and position.moves_played >= quits_at:
            move: Move | str = PASS
        else:
            move = choose_move(agents_by_seat[position.to_move - 1], position, playouts, 2)
        if move == "resign":
            counts.resignations += 1
            if wins_when_played_on(agents_by_seat, position, playouts):
                counts.wrong_resignations += 1
                faults.append(f"{seed}: resigns at move {position.moves_played + 1}\n{position.diagram()}")
            return faults
        passes = [*passes, position] if move is PASS else []
        position = position.play(move)
    for position_before in passes[-2:]:
        loses = outcome.winner not in (None, position_before.to_move)
        if loses and (position_before.to_move != quitter or position_before.moves_played < quits_at):
            counts.losing_passes += 1
            if wins_when_played_on(agents_by_seat, position_before, playouts):
                counts.wrong_passes += 1
                faults.append(f"{seed}: passes at move {position_before.moves_played + 1}\n{position_before.diagram()}")
    return faults


@click.command()
@click.option("--size", "sizes", multiple=True, type=click.IntRange(4, 19), help="Board size; can be repeated.")
@click.option("-n", "--games", "count", default=40, show_default=True, help="Games of each kind on each size.")
@click.option("--playouts", default=1000, show_default=True, help="Playouts of each move.")
@click.option("--seed", default=1, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def main(sizes: tuple[int, ...], count: int, playouts: int, seed: int, as_json: bool) -> None:
    """Count wrong resignations and wrong passes of the champion of Go."""
    all_counts = []
    for size in sizes or (5, 7, 9):
        game, sides = Go(size=size, komi=_KOMI.get(size, 7.5)), load_agents()
        for quits in (False, True):
            counts = EndingCounts(size, quits)
            for number in range(count):
                for fault in play_game(sides, game, f"{seed}:{size}:{quits}:{number}", playouts, counts):
                    click.echo(fault, err=True)
            all_counts.append(counts)
            if not as_json:
                click.echo(", ".join(f"{name} {value}" for name, value in asdict(counts).items()))
    if as_json:
        header = {"bench": "endings", "playouts": playouts, "seed": seed}
        click.echo(json.dumps({**header, "counts": [asdict(counts) for counts in all_counts]}, indent=1))


if __name__ == "__main__":
    main()
