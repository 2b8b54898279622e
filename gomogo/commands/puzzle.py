"""The command `gomogo puzzle`: solve puzzles at this terminal, list them, and find new ones in stored games.

The module handles options and output; gomogo_core/puzzles proves goals and judges moves.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gomogo import complete
from gomogo.command_group import CommandGroup
from gomogo.options import store_option
from gomogo.output_files import write_output
from gomogo_core.drawing.colours import side_name
from gomogo_core.errors import UserError
from gomogo_core.games.base import RESIGN, NotAMove

if TYPE_CHECKING:
    from gomogo_core.puzzles.puzzle import Puzzle

_file_option = click.option(
    "--file",
    "path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A file of puzzles. Default: the puzzles that come with Gomogo.",
)
_output_option = click.option(
    "-o", "--output", type=click.Path(path_type=Path, readable=False), metavar="FILE", help="Output file."
)


@click.group(cls=CommandGroup, short_help="Solve puzzles, list them, find new ones in stored games.")
def command() -> None:
    """Solve or list puzzles with proved answers, or find new puzzles in stored games."""


@command.command("list")
@click.option("--game", metavar="G", help="List only the puzzles of this game.", shell_complete=complete.games)
@_file_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_puzzles(game: str | None, path: Path | None, as_json: bool) -> None:
    """List puzzles with their key, game, difficulty and goal."""
    puzzles = _find_puzzles(path, game)
    if as_json:
        rows = [
            {"key": puzzle.key, "level": puzzle.level, "goal": puzzle.goal_sentence, **puzzle.as_dict()}
            for puzzle in puzzles
        ]
        click.echo(json.dumps({"schema": 1, "puzzles": rows}, indent=2))
        return
    for puzzle in puzzles:
        click.echo(f"{puzzle.key}  {puzzle.game.name:<15} {puzzle.level:<7} {puzzle.goal_sentence}")


@command.command()
@click.argument("key", metavar="[KEY]", required=False)
@click.option("--game", metavar="G", help="Solve a puzzle of this game.", shell_complete=complete.games)
@_file_option
def solve(key: str | None, game: str | None, path: Path | None) -> None:
    """Solve the puzzle KEY, or the first puzzle. Type a move, `answer` or `quit`.

    In Go, Capture Go and Robogo, points have the coordinates of books about Go, as in a game at the terminal.
    """
    from gomogo_core.drawing.coordinates import coordinates_of
    from gomogo_core.drawing.text import picture
    from gomogo_core.puzzles.answers import answer_sentence
    from gomogo_core.puzzles.attempts import Verdict, judge_attempt, whole_solution

    puzzles = [puzzle for puzzle in _find_puzzles(path, game) if puzzle.key.startswith(key or "")]
    if not puzzles:
        raise UserError(f"There is no puzzle {key!r}.", "`gomogo puzzle list` lists the puzzles.")
    puzzle, progress = puzzles[0], judge_attempt(puzzles[0])
    coordinates = coordinates_of(None, puzzle.game)
    names = [side_name(puzzle.position, seat) for seat in range(1, puzzle.game.seats + 1)]
    target_sentence = f" They include {coordinates.display(puzzle.target)}." if puzzle.target else ""
    click.echo(f"{coordinates.display(puzzle.goal_sentence)}{target_sentence}")
    while progress.verdict is Verdict.OPEN:
        moves = (*puzzle.moves, *progress.played_moves)
        last_move = puzzle.game.parse(moves[-1]) if moves else None
        click.echo(f"\n{picture(progress.position, names, last_move, coordinates=coordinates)}")
        text = click.prompt("Your move", prompt_suffix=": ").strip().casefold()
        if text in ("quit", "q"):
            return
        if text == "answer":
            line = whole_solution(puzzle, progress.right_tries)[len(progress.played_moves) :]
            click.echo(coordinates.display(answer_sentence(progress.position, line)))
            return
        try:
            move = coordinates.parse(text)
        except NotAMove as error:
            click.echo(f"{error}.")
            continue
        try:
            next_progress = judge_attempt(puzzle, (*progress.right_tries, move))
        except UserError as error:
            click.echo(coordinates.display(f"{error.problem} {error.remedy}"))
            continue
        click.echo(coordinates.display(next_progress.sentence))
        if next_progress.verdict is not Verdict.WRONG:
            progress = next_progress


@command.command()
@click.argument("selector", metavar="[GAME|TOURNAMENT|all]", default="last", shell_complete=complete.exportable_games)
@click.option("--game", metavar="G", help="With a tournament or all games: search only the games with these rules.")
@_output_option
@store_option
def find(selector: str, game: str | None, output: Path | None, store: str | None) -> None:
    """Find puzzles in stored games: positions in which a player missed a win, a capture or the best edge.

    GAME is the beginning of a key, the file of a record, or `last`. The puzzles are listed, or written to a file.
    """
    from gomogo.commands.export import find_games
    from gomogo_core.puzzles.making import find_puzzles
    from gomogo_core.records.formats import FORMATS

    puzzles = list["Puzzle"]()
    with find_games(selector, tuple(FORMATS), game, None, store) as (single_game, games, _):
        for played_game in games if single_game is None else [single_game]:
            rules, moves = played_game.rules(), [ply.move for ply in played_game.plies if ply.move != RESIGN]
            for number, puzzle in find_puzzles(rules, moves):
                puzzles.append(puzzle)
                if output is None:
                    click.echo(f"{played_game.key} move {number + 1}, {moves[number]}: {puzzle.goal_sentence}")
    if output is None and not puzzles:
        click.echo("No missed win, capture or best edge was found.", err=True)
    _write_puzzles(puzzles, output)


@command.command()
@click.argument("game_names", metavar="[GAME]...", nargs=-1, shell_complete=complete.games)
@click.option(
    "--count",
    type=click.IntRange(min=1),
    default=40,
    show_default=True,
    help="Number of puzzles for each game. Further puzzles are added, as shares of this number: up to a fifth about "
    "defence; in Gomoku, three tenths with long solutions and three tenths about the only defence. In Dots and Boxes, "
    "there is a fifth for each theme and nothing else. Go and Capture Go have up to half of this number for each "
    "theme, and three quarters for each other kind.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the games that are played.")
@_output_option
def make(game_names: Sequence[str], count: int, seed: int, output: Path | None) -> None:
    """Play weak games or compose positions, and write the puzzles in them. The same seed gives the same puzzles."""
    from gomogo_core.puzzles.making import RULES, make_puzzles

    if unknown := [name for name in game_names if name not in RULES]:
        raise UserError(f"Puzzles cannot be made for {unknown[0]!r}.", f"Choose from {', '.join(sorted(RULES))}.")
    puzzles = [puzzle for name in game_names or sorted(RULES) for puzzle in make_puzzles(name, count, seed)]
    if output is None:
        for puzzle in puzzles:
            click.echo(f"{puzzle.key}  {puzzle.game.name:<15} {puzzle.level:<7} {puzzle.goal_sentence}")
    _write_puzzles(puzzles, output)


def _find_puzzles(path: Path | None, game: str | None) -> list[Puzzle]:
    from gomogo_core.puzzles.puzzle import read_puzzles, shipped_puzzles

    puzzles = list(shipped_puzzles().values()) if path is None else read_puzzles(path)
    chosen_puzzles = [puzzle for puzzle in puzzles if game in (None, puzzle.game.name)]
    if not chosen_puzzles:
        raise UserError(f"There are no puzzles for {game!r}.", "`gomogo puzzle list` lists the puzzles.")
    return chosen_puzzles


def _write_puzzles(puzzles: Sequence[Puzzle], output: Path | None) -> None:
    if output is None:
        return
    from gomogo_core.puzzles.difficulty import puzzles_as_text

    write_output(output, puzzles_as_text(puzzles).encode())
    counts = Counter(puzzle.game.name for puzzle in puzzles)
    counts_text = ", ".join(f"{count} of {name}" for name, count in sorted(counts.items())) or "none"
    click.echo(f"Puzzles written to {output}: {counts_text}.", file=sys.stderr)
