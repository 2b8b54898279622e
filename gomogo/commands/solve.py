"""Solve a small game: what it is worth when nobody errs, and the best moves.

Knows words; the search is gomogo_core/search/solve.py's.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from gomogo.commands._options import game_of
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, IllegalMove, NotAMove, Position

if TYPE_CHECKING:
    from gomogo_core.search.solving.solution import Solution

_SEATS = ("", "first", "second")


@click.command(short_help="Solve a small game: what it is worth when nobody errs, and the best moves.")
@click.argument("name", metavar="GAME")
@click.option("-o", "--option", "settings", multiple=True, metavar="K=V", help="An option of the game, e.g. size=5.")
@click.option("--rows", metavar="R", help="The same as --option rows=R.")
@click.option("--cols", metavar="C", help="The same as --option cols=C.")
@click.option("--moves", default="", metavar='"M M ..."', help="Solve what is left after these moves.")
@click.option("--time", "seconds", type=click.FloatRange(min=0, min_open=True), metavar="S", help="Give up after S s.")
@click.option(
    "--memory",
    type=click.FloatRange(min=0, min_open=True),
    default=1000.0,
    show_default=True,
    metavar="MB",
    help="Give up when what is remembered takes more.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    name: str,
    settings: tuple[str, ...],
    rows: str | None,
    cols: str | None,
    moves: str,
    seconds: float | None,
    memory: float,
    as_json: bool,
) -> None:
    """Solve GAME by exact search, for two players: who wins and in how many plies, or by how much.

    The value is the first player's: 1, 0 or -1 for a win, a draw, a loss; where the game counts scores, the margin at
    the end (in Dots and Boxes with the boxes taken in --moves). What is too large is refused, before it fills the
    memory.
    """
    from gomogo_core.search.solve import solve

    sides = (f"{side}={value}" for side, value in (("rows", rows), ("cols", cols)) if value is not None)
    game = game_of(name, (*settings, *sides))
    position = _after(game, moves.split())
    solution = solve(position, megabytes=memory, seconds=seconds)
    if as_json:
        click.echo(json.dumps(_plain(position, moves.split(), solution), indent=2))
    else:
        click.echo("\n".join(_told(position, solution)))


def _after(game: Game, moves: list[str]) -> Position:
    """The position after `moves`. Raises UserError for one that cannot be read or made."""
    position = game.start()
    for number, text in enumerate(moves, 1):
        try:
            position = position.play(game.parse(text))
        except NotAMove as wrong:
            raise UserError(
                f"Move {number}, {text!r}, is no move of {game.name}.", f"{wrong.hint.capitalize()}."
            ) from None
        except IllegalMove as wrong:
            raise UserError(
                f"Move {number}, {text}, cannot be made: {wrong.why}.", "Give the moves of a game in order."
            ) from None
    return position


def _plain(position: Position, moves: list[str], solution: Solution) -> dict[str, Any]:
    game = position.game
    from_here = {} if solution.from_here is None else {"from_here": _whole(solution.from_here)}
    return {
        "schema": 1,
        "game": game.name,
        "options": game.options,
        "moves": [game.format(game.parse(text)) for text in moves],
        "value": _whole(solution.value),
        "margin": solution.margin,
        **from_here,
        "plies": solution.plies,
        "best": [game.format(move) for move in solution.best],
        "nodes": solution.nodes,
        "seconds": round(solution.seconds, 3),
    }


def _whole(value: float) -> float:
    """The same, as a whole number where it is one: 2, not 2.0."""
    return int(value) if value == int(value) else value


def _told(position: Position, solution: Solution) -> list[str]:
    """The same in sentences."""
    said = [f"{_result(solution)}."]
    if solution.best:
        moves = " ".join(map(position.game.format, solution.best))
        said.append(f"Best for the {_SEATS[position.to_move]} player, who is to move: {moves}.")
    else:
        said.append("The game is over.")
    return said


def _result(solution: Solution) -> str:
    value, here = solution.value, solution.from_here
    if solution.margin:
        end = f"{_ahead(value)} at the end"
        return end if here is None or here == value else f"{end}; from here on, {_ahead(here).lower()}"
    if not value:
        return "A draw"
    winner = "first" if value > 0 else "second"
    return f"The {winner} player wins in {solution.plies} pl{'y' if solution.plies == 1 else 'ies'}"


def _ahead(margin: float) -> str:
    if not margin:
        return "Nobody is ahead"
    return f"The {'first' if margin > 0 else 'second'} player is {abs(margin):g} ahead"
