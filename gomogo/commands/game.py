"""The command `gomogo game`: show how a stored game ended, ask an agent for a move again, or check the rules of a game.

The module handles options and messages; the arena asks the agent.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gomogo import complete
from gomogo.command_group import CommandGroup
from gomogo.commands._find_game import check_move_number, find_game
from gomogo.options import keep_option, read_settings, sandbox_option, store_option
from gomogo_core.errors import UserError

if TYPE_CHECKING:
    from gomogo_core.processes.limits import SandboxLevel
    from gomogo_core.records.game_record import PlayedGame

_MAX_OUTPUT_LINES = 40  # only the last lines of an agent's output are printed
_TRACEBACK_FRAME_PATTERN = re.compile(r'^ *File "(.+)", line (\d+).*\n', re.MULTILINE)
# faulthandler prints the latest call first
_TIMEOUT_FRAME_PATTERN = re.compile(r'^ *File "(.+)", line (\d+) in ', re.MULTILINE)


@click.group(cls=CommandGroup, short_help="Show how a game ended, ask an agent again, or check rules.")
def command() -> None:
    """Show how a stored game ended, ask an agent for a move again, or check the rules of a game."""


_game_argument = click.argument("selector", metavar="[GAME]", default="last", shell_complete=complete.stored_games)
_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@command.command()
@_game_argument
@click.option("--why", is_flag=True, help="Print the evidence: the verdict, the agent's line, and the agents' output.")
@_json_option
@store_option
def show(selector: str, why: bool, as_json: bool, store: str | None) -> None:
    """Show the last position of a stored game, and how the game ended.

    Name the GAME by the beginning of its key, by the file of its record, or as `last`. With --why, also
    print the verdict with the line that the referee read, the agents' output, and a command that asks the loser again
    in the same position.
    """
    from gomogo_core.drawing.text import picture, printable
    from gomogo_core.games.base import Reason
    from gomogo_core.play.events import last_move
    from gomogo_core.session.sentences import ending_sentence

    played_game = find_game(selector, store)
    reask_command = _reask_command(played_game, selector, store)
    if as_json:
        click.echo(json.dumps(_game_json(played_game, reask_command), indent=2))
        return
    last_move_played, width = last_move(played_game.rules(), played_game.plies), shutil.get_terminal_size().columns
    click.echo(f"{played_game.key}: {played_game.game}, {_moves_text(len(played_game.plies))}\n")
    click.echo(picture(played_game.positions()[-1], played_game.names, last_move_played, width=width))
    click.echo(f"\n{'Not finished.' if played_game.outcome.is_void else ending_sentence(played_game)}")
    for seat, reason in played_game.forfeits.items():
        name, output = (
            printable(played_game.names[seat - 1]),
            played_game.outputs[seat - 1] if played_game.outputs else "",
        )
        if reason is Reason.CRASHED and (place := _find_crash_place(output)):
            click.echo(f"{name} crashed in {printable(place)}")
        elif reason is Reason.OUT_OF_TIME and (place := _find_timeout_place(output)):
            click.echo(f"{name} was in {printable(place)} when its time was over.")
    if not why:
        return
    outcome = played_game.outcome
    verdict = outcome.reason.value.replace("_", " ")
    detail = f": {printable(outcome.detail)}" if outcome.detail not in ("", verdict) else ""
    click.echo(f"\nVerdict: {verdict}{detail}")
    for move_number, seat, warning in played_game.warnings:
        click.echo(f"After {_moves_text(move_number)} {printable(played_game.names[seat - 1])} {printable(warning)}")
    if played_game.doubtful:
        click.echo(f"Doubtful: {printable(played_game.doubtful)}")
    for seat, name in enumerate(played_game.names, 1):
        output = played_game.outputs[seat - 1] if played_game.outputs else ""
        if output or seat in played_game.forfeits:
            click.echo(_output_text(name, output))
        else:
            click.echo(f"The output of {printable(name)} is not stored, because it did not lose by a fault.")
    if reask_command:
        click.echo(f"\nTo ask the agent again: {reask_command}")


@command.command()
@_game_argument
@click.option(
    "--move",
    type=click.IntRange(min=0),
    metavar="N",
    help="Ask in the position after N moves. Default: the loser's last turn.",
)
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(0.001),
    metavar="S",
    help="Seconds for the move. Default: the agent's time limit in the game.",
)
@keep_option("Keep the agent's files in this folder.")
@sandbox_option(None)
@_json_option
@store_option
def again(
    selector: str,
    move: int | None,
    seconds: float | None,
    keep: Path | None,
    sandbox: SandboxLevel | None,
    as_json: bool,
    store: str | None,
) -> None:
    """Start the agent that was to move in a position of GAME, and ask it for a move again.

    The command prints the agent's answer and output, and the verdict. The exit code is 1 if the agent would lose by
    this answer.
    """
    from gomogo_core.arena.reask import ask_again, move_count_before_last_turn
    from gomogo_core.drawing.text import printable

    played_game = find_game(selector, store)
    check_move_number(played_game, move or 0)
    move_number = move_count_before_last_turn(played_game) if move is None else move
    if move_number is None:
        raise UserError("No agent was asked for a move in this game.", "Choose another game.")
    reply = ask_again(played_game, move_number, seconds, keep, sandbox)
    name = played_game.names[played_game.positions()[move_number].to_move - 1]
    if as_json:
        fault = reply.fault and reply.fault.value
        reply_json = {"schema": 1, "after": move_number, "player": name, **asdict(reply), "fault": fault}
        reply_json["printed"] = reply_json.pop("output")  # the name in earlier versions
        click.echo(json.dumps(reply_json, indent=2))
    else:
        action = f"wrote {reply.move!r}" if reply.move is not None else "made no move"
        click.echo(f"After {_moves_text(move_number)} {printable(name)} {action}, in {reply.seconds:.3f} s.")
        if reply.fault is not None:
            click.echo(f"It would forfeit: {reply.fault.value.replace('_', ' ')}: {printable(reply.evidence)}")
        if reply.thoughts:
            click.echo(printable(reply.thoughts))
        click.echo(_output_text(name, reply.output))
    raise click.exceptions.Exit(1 if reply.fault is not None else 0)


def _moves_text(count: int) -> str:
    return f"{count} move{'s' * (count != 1)}"


def _find_crash_place(output: str) -> str:
    """Return the file, the line and the message of the last traceback in an agent's output; empty if there is none.

    The line is the agent's own, even if it called a function of Gomogo that raised the error.
    """
    frames = list(_TRACEBACK_FRAME_PATTERN.finditer(output))
    if not frames:
        return ""
    lines_after = output[frames[-1].end() :].splitlines()
    message = next((line for line in lines_after if line and not line.startswith(" ")), "")
    own_frame = next((frame for frame in reversed(frames) if "gomogo_core" not in Path(frame[1]).parts), frames[-1])
    return f"{own_frame[1]}, line {own_frame[2]}{f': {message}' if message else '.'}"


def _find_timeout_place(output: str) -> str:
    """Return the file and the line that the agent was executing when its time was over; empty if the output has none.

    output: the output of the agent, in which faulthandler has printed the calls.
    """
    # faulthandler marks the main thread as the current one, or prints it last
    thread = max(output.rfind("Current thread 0x"), 0) or max(output.rfind("Thread 0x"), 0)
    for frame in _TIMEOUT_FRAME_PATTERN.finditer(output, thread):
        if "gomogo_core" not in Path(frame[1]).parts:
            return f"{frame[1]}, line {frame[2]},"
    return ""


def _output_text(name: str, output: str) -> str:
    """Return the last lines of an agent's output."""
    from gomogo_core.drawing.text import printable

    lines = output.rstrip().splitlines()
    if not lines:
        return f"{printable(name)} printed nothing."
    omission_note = f" (the last {_MAX_OUTPUT_LINES} of {len(lines)} lines)" if len(lines) > _MAX_OUTPUT_LINES else ""
    return "\n".join(
        [f"{printable(name)} printed{omission_note}:", *(f"  {printable(line)}" for line in lines[-_MAX_OUTPUT_LINES:])]
    )


def _reask_command(played_game: PlayedGame, selector: str, store: str | None) -> str | None:
    """Return the command that asks the loser again, or None if no agent can be asked."""
    from gomogo.output_files import is_file_name
    from gomogo_core.arena.reask import agent_to_move, move_count_before_last_turn
    from gomogo_core.records.formats import FORMATS

    move_number = move_count_before_last_turn(played_game)
    if move_number is None:
        return None
    try:
        agent_to_move(played_game, move_number)
    except UserError:
        return None
    game_name = selector if is_file_name(selector, tuple(FORMATS)) else played_game.key
    command_words = [
        "gomogo",
        "game",
        "again",
        game_name,
        "--move",
        str(move_number),
        *(["--store", store] if store else []),
    ]
    return shlex.join(command_words)


def _game_json(played_game: PlayedGame, reask_command: str | None) -> dict[str, Any]:
    forfeits = {seat: reason.value for seat, reason in played_game.forfeits.items()}
    outputs = played_game.outputs or ("",) * len(played_game.names)
    return {
        "schema": 1,
        "key": played_game.key,
        "game": played_game.game,
        "options": played_game.options,
        "players": [
            {
                "name": name,
                "spec": spec,
                "rank": rank,
                "forfeit": forfeits.get(seat),
                "printed": output,
            }
            for seat, (name, spec, rank, output) in enumerate(
                zip(played_game.names, played_game.specs, played_game.outcome.ranks, outputs, strict=True), 1
            )
        ],
        "winner": played_game.winner,
        "reason": played_game.outcome.reason.value,
        "detail": played_game.outcome.detail,
        "doubtful": played_game.doubtful,
        "moves": [ply.move for ply in played_game.plies],
        "warnings": [
            {"after": move_number, "player": played_game.names[seat - 1], "what": warning}
            for move_number, seat, warning in played_game.warnings
        ],
        "position": played_game.positions()[-1].diagram(),
        "again": reask_command,
    }


@command.command()
@click.argument("name", shell_complete=complete.games)
@click.option("-o", "--option", "settings", multiple=True, metavar="NAME=VALUE", help="An option of the game.")
@click.option("--games", default=10, show_default=True, type=click.IntRange(1, 1000), help="Random games to play.")
@click.option("--seed", default=0, show_default=True, help="Seed of the random games.")
@_json_option
@click.pass_context
def check(context: click.Context, name: str, settings: tuple[str, ...], games: int, seed: int, as_json: bool) -> None:
    """Check the implementation of the game NAME: notation, moves, diagrams, places, symmetries, and drawing.

    This command is for authors of games (docs/how-to/add-a-game.md). The exit code is 1 if a check fails.
    """
    from gomogo_core.conformance.game_checks import check_game

    failed = False
    results = []
    for result in check_game(name, games=games, seed=seed, **read_settings(settings)):
        failed |= bool(result.fault)
        if as_json:
            results.append({"check": result.check, "proves": result.requirement, "fault": result.fault})
            continue
        click.echo(f"{'FAILED' if result.fault else 'passed':<8}{result.check}: {result.requirement}")
        if result.fault:
            click.echo(f"        {result.fault}")
    if as_json:
        click.echo(json.dumps(results, indent=2))
    context.exit(int(failed))
