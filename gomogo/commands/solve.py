"""The command `gomogo solve`: solve a small game, that is, find its value with perfect play and the best moves.

The module handles options and output; gomogo_core/analysis/solving.py chooses the solver.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from gomogo import complete
from gomogo.options import load_game
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, IllegalMove, NotAMove, Position
from gomogo_core.games.gomoku import GomokuPosition

if TYPE_CHECKING:
    from gomogo_core.engines.gomoku.engine import ThreatSolution as Proof
    from gomogo_core.search.solving.solution import Solution

_PROOF_SECONDS = 10.0  # default time limit for a proof by threats
# if threats do not decide the game, an exact search follows on a board with at most this number of empty points
_MAX_EXACT_POINTS = 12
_SEAT_WORDS = ("", "first", "second")


@click.command(short_help="Solve a small game: its value with perfect play, and the best moves.")
@click.argument("name", metavar="GAME", shell_complete=complete.games)
@click.option("-o", "--option", "settings", multiple=True, metavar="K=V", help="An option of the game, e.g. size=5.")
@click.option("--rows", metavar="R", help="The same as --option rows=R.")
@click.option("--cols", metavar="C", help="The same as --option cols=C.")
@click.option("--moves", default="", metavar='"M M ..."', help="Solve the position after these moves.")
@click.option(
    "--time", "seconds", type=click.FloatRange(min=0, min_open=True), metavar="S", help="Time limit, in seconds."
)
@click.option(
    "--memory",
    type=click.FloatRange(min=0, min_open=True),
    default=1000.0,
    show_default=True,
    metavar="MB",
    help="Memory limit for stored positions, in MB. At the limit the search stops; in Dots and Boxes, it drops some "
    "positions and continues.",
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
    """Solve GAME for two players by exact search. Prints the winner and the number of plies, or the margin.

    The value is that of the first player: 1 for a win, 0 for a draw, -1 for a loss. In games with scores it is the
    margin at the end (in Dots and Boxes including the boxes taken in --moves). Games that are too large for the memory
    are refused.

    Some games have faster solvers with the extra `engines`. In Gomoku, the command first searches for a win by threats:
    continuous fours and open threes, proved against every defence. Dots and Boxes is solved up to 36 boxes: 4 × 4 takes
    minutes from the start, and 5 × 5 takes seconds from about twenty drawn edges. Capture Go in which the first capture
    wins is solved up to 28 points. In Robogo and Go from 10 to 16 points, the solver proves bounds that hold under
    every ko rule. If the two bounds differ, the command prints them.
    """
    from gomogo_core.analysis.solving import solve

    side_options = (f"{side}={value}" for side, value in (("rows", rows), ("cols", cols)) if value is not None)
    game = load_game(name, (*settings, *side_options))
    position = position_after(game, moves.split())
    if isinstance(position, GomokuPosition) and (proof := _prove_by_threats(position, seconds)) is not None:
        is_small = len(position.cells) - position.stones <= _MAX_EXACT_POINTS
        if as_json and (proof.result != "unknown" or not is_small):
            click.echo(json.dumps(_proof_json(position, moves.split(), proof), indent=2))
            return
        if proof.result != "unknown":
            click.echo("\n".join(_proof_sentences(position, proof)))
            return
    solution = solve(position, megabytes=memory, seconds=seconds)
    if as_json:
        click.echo(json.dumps(_solution_json(position, moves.split(), solution), indent=2))
    else:
        click.echo("\n".join(_solution_lines(position, solution)))


def position_after(game: Game, moves: Sequence[str]) -> Position:
    """Return the position after `moves`. Raises UserError for a move that cannot be parsed or is illegal."""
    position = game.start()
    for number, text in enumerate(moves, 1):
        try:
            position = position.play(game.parse(text))
        except NotAMove as error:
            raise UserError(
                f"Move {number}, {text!r}, is not a move of {game.name}.", f"{error.hint.capitalize()}."
            ) from None
        except IllegalMove as error:
            raise UserError(
                f"Move {number}, {text}, is illegal: {error.why}.", "Write the moves of a game in order."
            ) from None
    return position


def _request_json(game: Game, moves: list[str]) -> dict[str, Any]:
    return {
        "schema": 1,
        "game": game.name,
        "options": game.options,
        "moves": [game.format(game.parse(text)) for text in moves],
    }


def _solution_json(position: Position, moves: list[str], solution: Solution) -> dict[str, Any]:
    game = position.game
    undecided = {"undecided": [game.format(move) for move in solution.undecided]} if solution.undecided else {}
    from_here = {} if solution.margin_from_here is None else {"from_here": _int_if_whole(solution.margin_from_here)}
    return {
        **_request_json(game, moves),
        "value": _int_if_whole(solution.value),
        "margin": solution.is_margin,
        **from_here,
        "plies": solution.plies,
        "best": [game.format(move) for move in solution.best_moves],
        **undecided,
        "nodes": solution.nodes,
        "seconds": round(solution.seconds, 3),
    }


def _prove_by_threats(position: GomokuPosition, seconds: float | None) -> Proof | None:
    """Return the result of the champion's threat search for a Gomoku position; None if the search does not support
    the rules.
    """
    from gomogo_core.engines import compiling

    is_supported = position.game.line == 5 and not position.is_opening_turn and position.outcome() is None
    if not is_supported or not compiling.has_numba():
        return None
    engine = compiling.load("gomogo_core.engines.gomoku").GomokuEngine(position.game)
    stop_at = time.monotonic() + (_PROOF_SECONDS if seconds is None else seconds)
    proof: Proof = engine.solve(position, stop_at=stop_at)
    return proof


def _proof_json(position: GomokuPosition, moves: list[str], proof: Proof) -> dict[str, Any]:
    game = position.game
    return {
        **_request_json(game, moves),
        "result": proof.result,
        "line": [game.board.names[number] for number in proof.point_numbers],
        "plies": proof.plies,
        "nodes": proof.nodes,
    }


def _proof_sentences(position: GomokuPosition, proof: Proof) -> list[str]:
    mover = position.to_move
    winner = mover if proof.result == "win" else 3 - mover
    line = " ".join(position.game.board.names[number] for number in proof.point_numbers)
    plies = f"{proof.plies} pl{'y' if proof.plies == 1 else 'ies'}"
    return [f"The {_SEAT_WORDS[winner]} player wins by threats, in {plies} at most.", f"One line: {line}."]


def _int_if_whole(value: float) -> float:
    """Return a whole number as an int, so that JSON has 2 instead of 2.0."""
    return int(value) if value == int(value) else value


def _solution_lines(position: Position, solution: Solution) -> list[str]:
    """Return the solution in sentences."""
    sentences = [f"{_result_text(solution)}."]
    if solution.best_moves:
        moves = " ".join(map(position.game.format, solution.best_moves))
        sentences.append(f"Best for the {_SEAT_WORDS[position.to_move]} player, to move: {moves}.")
    else:
        sentences.append("The game is over.")
    if solution.undecided:
        sentences.append(f"Not decided: {' '.join(map(position.game.format, solution.undecided))}.")
    return sentences


def _result_text(solution: Solution) -> str:
    value, value_from_here = solution.value, solution.margin_from_here
    if solution.is_margin:
        result = f"{_margin_text(value)} at the end"
        return (
            result
            if value_from_here is None or value_from_here == value
            else f"{result}; from here on, {_margin_text(value_from_here).lower()}"
        )
    if not value:
        return "A draw"
    winner = "first" if value > 0 else "second"
    if solution.plies is None:
        return f"The {winner} player wins"
    return f"The {winner} player wins in {solution.plies} pl{'y' if solution.plies == 1 else 'ies'}"


def _margin_text(margin: float) -> str:
    if not margin:
        return "Nobody is ahead"
    return f"The {'first' if margin > 0 else 'second'} player is {abs(margin):g} ahead"
