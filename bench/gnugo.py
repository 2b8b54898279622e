"""The results of an agent for Go against GNU Go, by our rules, in which every stone on the board counts.

The program prints the results and does not compare them with a limit. It speaks to GNU Go (Debian's package gnugo) in
GTP version 2 (G. Farnebäck, 2002). GNU Go runs with the options to capture all dead stones, because our rules remove
none at the end, and never to resign.
"""

from __future__ import annotations

import json
import math
import random
import shutil
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

import click

from gomogo_core import games
from gomogo_core.agent import AgentClock, Choose, load_choose, options_of, read_options
from gomogo_core.errors import UserError
from gomogo_core.folders import AGENTS_FOLDER
from gomogo_core.games.base import RESIGN, Move
from gomogo_core.games.boards.points import Point
from gomogo_core.games.go import Go, GoPosition
from gomogo_core.games.stones.rules import PASS, GoFamilyPosition

COLOUR_NAMES = ("", "black", "white")
COLUMN_LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"  # without I


class GnuGo:
    """A GNU Go process. Use it in a with statement."""

    def __init__(self, level: int, seed: int) -> None:
        program = shutil.which("gnugo") or "/usr/games/gnugo"
        command_words = [program, "--mode", "gtp", "--level", str(level), "--seed", str(seed), "--chinese-rules"]
        self.process = subprocess.Popen(
            [*command_words, "--capture-all-dead", "--never-resign"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> GnuGo:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.terminate()
        self.process.communicate()

    def ask(self, command: str) -> str:
        """Return the answer to a command. Raises RuntimeError if GNU Go refuses it."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{command}\n")
        self.process.stdin.flush()
        lines = []
        while line := self.process.stdout.readline().strip():
            lines.append(line)
        answer = "\n".join(lines)
        if not answer.startswith("="):
            raise RuntimeError(f"GNU Go answered {command!r} with {answer!r}")
        return answer[1:].strip()


def format_vertex(game: Go, move: Move) -> str:
    """Return a move as GTP writes it; the columns have no letter I, and row 1 is at the bottom."""
    if not isinstance(move, Point):
        return "pass"
    return f"{COLUMN_LETTERS[move.column - 1]}{game.rows + 1 - move.row}"


def parse_vertex(game: Go, text: str) -> Move:
    """Return the move that GTP writes as `text`."""
    if text.casefold() == "pass":
        return PASS
    return Point(COLUMN_LETTERS.index(text[0].upper()) + 1, game.rows + 1 - int(text[1:]))


class GnuGoResult(NamedTuple):
    """One game: the agent's seat, its points minus GNU Go's (minus infinity after it resigned), and all moves."""

    seat: int
    margin: float
    moves: tuple[str, ...]

    @property
    def finite_margin(self) -> float | None:
        """The margin, or None if the agent resigned: JSON has no infinity."""
        return self.margin if math.isfinite(self.margin) else None


def play(
    choose: Choose, options: dict[str, object], game: Go, seat: int, level: int, seconds: float, seed: int
) -> GnuGoResult:
    """Play one game to its end."""
    random.seed(seed)
    position: GoFamilyPosition = game.start()
    record = list[str]()
    with GnuGo(level, seed) as opponent:
        for command in (f"boardsize {game.size}", "clear_board", f"komi {game.komi}"):
            opponent.ask(command)
        while position.outcome() is None:
            colour = COLOUR_NAMES[position.to_move]
            if position.to_move == seat:
                move = choose(position, AgentClock({"per_move": seconds}, None), **options)
                if move == RESIGN:
                    return GnuGoResult(seat, -math.inf, (*record, RESIGN))
                opponent.ask(f"play {colour} {format_vertex(game, move)}")
            else:
                move = parse_vertex(game, opponent.ask(f"genmove {colour}"))
            record.append(game.format(move))
            position = position.play(move)
    assert isinstance(position, GoPosition)
    black, white = position.scores()
    return GnuGoResult(seat, black - white if seat == 1 else white - black, tuple(record))


@click.command()
@click.argument("spec", default="go_tactician")
@click.option(
    "-n",
    "--games",
    "count",
    default=20,
    show_default=True,
    help="Number of games; the agent changes its seat after each.",
)
@click.option("--level", default=1, show_default=True, help="GNU Go's level, from 0 to 10.")
@click.option("--size", default=9, show_default=True)
@click.option("--komi", default=5.5, show_default=True)
@click.option("--time", "seconds", default=1.0, show_default=True, help="The agent's seconds for each move.")
@click.option("--seed", default=1, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def main(spec: str, count: int, level: int, size: int, komi: float, seconds: float, seed: int, as_json: bool) -> None:
    """Play SPEC, a built-in agent with its options, against GNU Go."""
    name, _, query = spec.partition("?")
    try:
        choose = load_choose(Path(AGENTS_FOLDER / f"{name}.py"))
        option_texts = dict(pair.split("=", 1) for pair in query.split("&") if "=" in pair)
        options = read_options(options_of(choose), option_texts)
    except (UserError, FileNotFoundError) as error:
        raise click.ClickException(str(error)) from None
    game = games.load("go", size=size, komi=komi)
    assert isinstance(game, Go)
    if prepare_agent := vars(sys.modules[choose.__module__]).get("prepare"):
        prepare_agent(game)  # a compiled engine loads before the first clock starts
    results = []
    for number in range(count):
        result = play(choose, options, game, 1 + number % 2, level, seconds, seed + number)
        results.append(result)
        if not as_json:
            colour = COLOUR_NAMES[result.seat]
            result_text = "it resigned" if result.finite_margin is None else f"{result.margin:+g}"
            click.echo(f"game {number + 1:>2}, {spec} is {colour}: {result_text} after {len(result.moves)} moves")
    points = sum(result.margin > 0 for result in results) + sum(result.margin == 0 for result in results) / 2
    if as_json:
        header = {"bench": "gnugo", "agent": spec, "level": level, "size": size, "komi": komi, "seconds": seconds}
        rows = [
            {"seat": result.seat, "margin": result.finite_margin, "moves": " ".join(result.moves)} for result in results
        ]
        click.echo(json.dumps({**header, "won": points, "games": rows}, indent=1))
    else:
        click.echo(f"{spec} won {points:g} of {count} games against GNU Go on level {level}.")


if __name__ == "__main__":
    main()
