"""Show how a stored game ended and why, or ask an agent again in one of its positions.

Knows options and words; who is asked, and how, is the arena's affair.
"""

from __future__ import annotations

import json
import shlex
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gomogo.commands._group import Group
from gomogo.commands._options import sandbox_option, store_option
from gomogo.commands._stored import check_move, found_game
from gomogo_core.errors import UserError

if TYPE_CHECKING:
    from gomogo_core.processes.limits import Level
    from gomogo_core.records.played import PlayedGame

_LINES = 40  # of what an agent printed, the last so many


@click.group(cls=Group, short_help="Show how a game ended and why; ask an agent again in it.")
def command() -> None:
    """One stored game: how it ended, what proves it, and the agent's answer when it is asked again."""


_what = click.argument("what", metavar="[GAME]", default="last")
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@command.command()
@_what
@click.option("--why", is_flag=True, help="Print what proves the end: the verdict, the line read, what agents printed.")
@_json
@store_option
def show(what: str, why: bool, as_json: bool, store: str | None) -> None:
    """Show the last position and the end of GAME: the beginning of its key, the file of a record, or `last`.

    With --why also what the referee read and ruled, what the agents printed, and the command that asks the agent again
    in the position that it lost from.
    """
    from gomogo.commands._play_words import ending
    from gomogo_core.drawing.text import picture, visible
    from gomogo_core.play.events import last_move

    played = found_game(what, store)
    again = _again(played, what, store)
    if as_json:
        click.echo(json.dumps(_plain(played, again), indent=2))
        return
    last, width = last_move(played.rules(), played.plies), shutil.get_terminal_size().columns
    click.echo(f"{played.key}: {played.game}, {_moves(len(played.plies))}\n")
    click.echo(picture(played.positions()[-1], played.names, last, width=width))
    click.echo(f"\n{'Not finished.' if played.outcome.void else ending(played)}")
    if not why:
        return
    outcome = played.outcome
    detail = f": {visible(outcome.detail)}" if outcome.detail else ""
    click.echo(f"\nVerdict: {outcome.reason.value.replace('_', ' ')}{detail}")
    for number, seat, said in played.warnings:
        click.echo(f"After {_moves(number)} {visible(played.names[seat - 1])} {visible(said)}")
    if played.doubtful:
        click.echo(f"Doubtful: {visible(played.doubtful)}")
    for name, printed in zip(played.names, played.outputs or [""] * len(played.names), strict=False):
        click.echo(_said(name, printed))
    if again:
        click.echo(f"\nAsk it again: {again}")


@command.command()
@_what
@click.option(
    "--move", type=click.IntRange(min=0), metavar="N", help="After N moves; else where the loser was last asked."
)
@click.option(
    "--time", "seconds", type=click.FloatRange(0.001), metavar="S", help="Seconds it may take; else as it had."
)
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path), metavar="DIR", help="Leave its files there.")
@sandbox_option(None)
@_json
@store_option
def again(
    what: str,
    move: int | None,
    seconds: float | None,
    keep: Path | None,
    sandbox: Level | None,
    as_json: bool,
    store: str | None,
) -> None:
    """Start the agent that was to move in a position of GAME, and ask it for its move again.

    Prints what it answers, whether that would be accepted, and what the agent printed. Exit code 1 if it would lose.
    """
    from gomogo_core.arena.asking import ask_again, last_asked
    from gomogo_core.drawing.text import visible

    if keep is not None and keep.exists() and any(keep.iterdir()):
        raise UserError(f"The folder {keep} is not empty.", "Name one that is, or that does not exist yet.")
    played = found_game(what, store)
    check_move(played, move or 0)
    number = last_asked(played) if move is None else move
    if number is None:
        raise UserError("Nobody was asked for a move in this game.", "Name another one.")
    asked = ask_again(played, number, seconds, keep, sandbox)
    name = played.names[played.positions()[number].to_move - 1]
    if as_json:
        fault = asked.fault and asked.fault.value
        plain = {"schema": 1, "after": number, "player": name, **asdict(asked), "fault": fault}
        click.echo(json.dumps(plain, indent=2))
    else:
        wrote = f"wrote {asked.move!r}" if asked.move is not None else "made no move"
        click.echo(f"After {_moves(number)} {visible(name)} {wrote}, in {asked.seconds:.3f} s.")
        if asked.fault is not None:
            click.echo(f"It would lose: {asked.fault.value.replace('_', ' ')}: {visible(asked.evidence)}")
        if asked.thoughts:
            click.echo(visible(asked.thoughts))
        click.echo(_said(name, asked.printed))
    raise click.exceptions.Exit(1 if asked.fault is not None else 0)


def _moves(count: int) -> str:
    return f"{count} move{'s' * (count != 1)}"


def _said(name: str, printed: str) -> str:
    """What an agent printed, its last lines."""
    from gomogo_core.drawing.text import visible

    lines = printed.rstrip().splitlines()
    if not lines:
        return f"{visible(name)} printed nothing."
    left_out = f" (the last {_LINES} of {len(lines)} lines)" if len(lines) > _LINES else ""
    return "\n".join([f"{visible(name)} printed{left_out}:", *(f"  {visible(line)}" for line in lines[-_LINES:])])


def _again(played: PlayedGame, what: str, store: str | None) -> str | None:
    """The command that asks who lost again, or None where nobody can be asked."""
    from gomogo.commands._files import names_file
    from gomogo_core.arena.asking import last_asked
    from gomogo_core.records.formats import FORMATS

    number = last_asked(played)
    if number is None or played.specs[played.positions()[number].to_move - 1] == "human":
        return None
    named = what if names_file(what, tuple(FORMATS)) else played.key
    words = ["gomogo", "game", "again", named, "--move", str(number), *(["--store", store] if store else [])]
    return shlex.join(words)


def _plain(played: PlayedGame, again: str | None) -> dict[str, Any]:
    forfeits = {seat: reason.value for seat, reason in played.forfeits.items()}
    outputs = played.outputs or ("",) * len(played.names)
    return {
        "schema": 1,
        "key": played.key,
        "game": played.game,
        "options": played.options,
        "players": [
            {
                "name": name,
                "spec": spec,
                "rank": rank,
                "forfeit": forfeits.get(seat),
                "printed": printed,
            }
            for seat, (name, spec, rank, printed) in enumerate(
                zip(played.names, played.specs, played.outcome.ranks, outputs, strict=True), 1
            )
        ],
        "winner": played.winner,
        "reason": played.outcome.reason.value,
        "detail": played.outcome.detail,
        "doubtful": played.doubtful,
        "moves": [ply.move for ply in played.plies],
        "warnings": [
            {"after": number, "player": played.names[seat - 1], "what": said} for number, seat, said in played.warnings
        ],
        "position": played.positions()[-1].diagram(),
        "again": again,
    }
