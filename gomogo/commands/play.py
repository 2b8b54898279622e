"""Play at this terminal: against agents, against each other, or watch agents play.

Knows options, the store and the order of games; a game itself is _play_series.py's.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click
from click.core import ParameterSource

from gomogo.commands import _play_saved
from gomogo.commands._options import Controls, game_options, store_option, time_options
from gomogo.commands._play_series import Seats, invited, play, seated
from gomogo.commands._play_words import ending, introduction, score
from gomogo_core.arena import Arena
from gomogo_core.catalogue import check
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, Seat
from gomogo_core.play.clock import NO_LIMIT, TimeControl
from gomogo_core.protocols.terminal import Console, Left

_WATCHED = 0.5  # seconds between moves that agents make before somebody's eyes
_INTERRUPTED = 3


def _read_seat(ctx: click.Context, param: click.Parameter, value: str | None) -> Seat | None:
    words = {"first": 1, "second": 2}
    if value is None or value.casefold() in words:
        return None if value is None else words[value.casefold()]
    if not value.isdecimal():
        raise click.BadParameter(f"{value!r} is no seat: say first, second, or its number.")
    return int(value)


@click.command(short_help="Play at this terminal, or watch agents play.")
@click.argument("players", nargs=-1, metavar="AGENT|human ...")
@game_options
@click.option("--seat", callback=_read_seat, metavar="first|second|N", help="Your seat, or the first named player's.")
@time_options
@click.option(
    "--delay",
    type=click.FloatRange(min=0),
    metavar="S",
    help=f"Seconds to rest after each move; {_WATCHED:g} where you only watch at a terminal, else none.",
)
@click.option("-n", "--games", "count", type=click.IntRange(min=1), default=1, metavar="GAMES", help="How many games.")
@click.option(
    "--load",
    type=click.Path(path_type=Path, readable=False),
    metavar="FILE",
    help="Go on with a game that `save` wrote.",
)
@click.option("--no-color", is_flag=True, help="Show everything without colour.")
@store_option
@click.pass_context
def command(
    ctx: click.Context,
    players: Sequence[str],
    game: Game,
    seat: Seat | None,
    controls: Controls,
    delay: float | None,
    count: int,
    load: Path | None,
    no_color: bool,
    store: str | None,
) -> None:
    """Play at this terminal: you against an AGENT, `human human` for two of you, or AGENT AGENT to watch.

    You have all the time you want unless --time says otherwise. Seats change from game to game unless --seat is
    given. Every game that comes to its end is stored.
    """
    from gomogo_core.records.store import DEFAULT, Store  # SQLAlchemy: 0.3 s that `gomogo play --help` need not take

    if load is not None:
        _refuse_beside_load(ctx)
        saved = _play_saved.read(load)
        sittings, opening = [Seats(saved.game, invited(saved.specs, saved.game.seats), saved.controls)], saved.plies
    else:
        sittings, opening = _sittings(players, game, seat, count), ()
    if load is None or ctx.params["times"] or ctx.params["total"] is not None:
        sittings = [replace(seats, controls=_terms(ctx, seats, controls)) for seats in sittings]
    console = Console(colour=False if no_color else None)
    rest = delay if delay is not None else _WATCHED if console.live and not sittings[0].people else 0.0
    winners: list[str | None] = []
    with Store.open(store) as kept, Arena() as arena:
        console.say(introduction(sittings[0].game, sittings[0].names, ask=bool(sittings[0].people)))
        for number, seats in enumerate(sittings, 1):
            if count > 1:
                console.say(f"\nGame {number} of {count}: {' against '.join(seats.names)}")
            try:
                played = play(arena, console, seats, opening, rest)
            except (Left, KeyboardInterrupt) as left:
                console.say("The game is not over, and does not count yet.")
                if isinstance(left, Left) and not left.unasked:
                    return
                sys.exit(_INTERRUPTED)
            if played.outcome.void:
                raise UserError(
                    f"The game could not be played: {played.outcome.detail}.",
                    "`gomogo agent check AGENT` says what is wrong with an agent.",
                )
            kept.add(played)
            winners.append(played.winner)
            console.say(f"\n{ending(played, seats.you)}")
            if count > 1:
                console.say(f"So far: {score(winners, seats.names)}.")
        where = "" if kept.where == DEFAULT else f" --store {kept.where}"
        console.say(f"Step through it by `gomogo replay last{where}`.")


def _refuse_beside_load(ctx: click.Context) -> None:
    """Refuse what the saved game itself says."""
    for param in ctx.command.params:
        told = {"players", "--game", "--option", "--seat", "--games"} & {param.name, *param.opts}
        if told and param.name and ctx.get_parameter_source(param.name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"The saved game says who plays what: leave out {param.opts[-1].strip('-')}.")


def _sittings(specs: Sequence[str], game: Game, seat: Seat | None, count: int) -> list[Seats]:
    """Who sits where in each game: in the seat asked for, else one seat on from game to game."""
    if not specs:
        raise UserError("Nobody is named to play against.", "Try `gomogo play alpha_beta`; `gomogo list agents`.")
    players = invited(specs, game.seats)
    check(game, players)
    if seat is not None and not 1 <= seat <= game.seats:
        raise UserError(f"There is no seat {seat}: {game.name} has {game.seats}.", f"Give 1 to {game.seats}.")
    return [Seats(game, seated(players, seat or 1 + number)) for number in range(count)]


def _terms(ctx: click.Context, seats: Seats, controls: Controls) -> tuple[TimeControl, ...]:
    """The time of each, by seat: a person's has no limit, unless one was given to them, or to all."""
    timed = {text.rpartition("=")[0] for text in ctx.params["times"]}  # "" for all
    free = [] if "" in timed or ctx.params["total"] is not None else [seats.names[seat - 1] for seat in seats.people]
    given = zip(seats.names, controls(seats.names), strict=True)
    return tuple(NO_LIMIT if name in free and name not in timed else control for name, control in given)
