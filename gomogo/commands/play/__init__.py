"""Play at this terminal: against agents, against each other, or watch agents play.

Knows options, the store and the order of games; a game itself is _play_series.py's.
"""

from __future__ import annotations

import sys
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import click
from click.core import ParameterSource

from gomogo.commands import _complete
from gomogo.commands.play import saved_game
from gomogo.commands.play.levels import level_now, opposed, own_limit, read_level, under_its_level
from gomogo.commands.play.series import Seats, called, invited, play, seated
from gomogo.options import Controls, game_options, sandbox_option, store_option, time_options
from gomogo.text.game_words import ending, introduction, score
from gomogo_core.arena import Arena
from gomogo_core.catalogue import check
from gomogo_core.drawing.coordinates import KINDS, Coordinates, coordinates_of
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, Reason, Seat
from gomogo_core.play.clock import CLASSIC_PACE, NO_LIMIT, TimeControl
from gomogo_core.play.events import Ply
from gomogo_core.processes.limits import Level
from gomogo_core.protocols.terminal import Console, Draw, Face, HumanLeft
from gomogo_core.records.live_writer import shown_live

if TYPE_CHECKING:
    from gomogo_core.catalogue import Agent
    from gomogo_core.records.store import Store

Sitting: TypeAlias = "Callable[[int, Store | None], tuple[Seats, str]]"  # of the nth game from 0, and words on it
_WATCHED = 0.5  # seconds between moves that agents make before somebody's eyes
_INTERRUPTED = 3


def _read_seat(ctx: click.Context, param: click.Parameter, value: str | None) -> Seat | None:
    words = {"first": 1, "second": 2}
    if value is None or value.casefold() in words:
        return None if value is None else words[value.casefold()]
    if not value.isdecimal():
        raise click.BadParameter(f"{value!r} is not a seat: write first, second or a number.")
    return int(value)


@click.command(short_help="Play at this terminal, or watch agents play.")
@click.argument("players", nargs=-1, metavar="AGENT|human ...", shell_complete=_complete.agents)
@game_options("players")
@click.option(
    "--seat", callback=_read_seat, metavar="first|second|N", help="Your seat, or the seat of the first player named."
)
@click.option(
    "--level",
    callback=read_level,
    metavar="1-8|auto",
    help="Play against an opponent of this level; `auto` finds the level at which you win half of the games.",
    shell_complete=_complete.levels,
)
@time_options
@click.option(
    "--delay",
    type=click.FloatRange(min=0),
    metavar="S",
    help=f"Pause after each move, in seconds. Default: {_WATCHED:g} if you only watch at a terminal, otherwise 0.",
)
@click.option("--classic-pace", is_flag=True, help=f"Wait {CLASSIC_PACE} s between turns, as the original referee did.")
@click.option("-n", "--games", "count", type=click.IntRange(min=1), default=1, metavar="GAMES", help="Number of games.")
@click.option(
    "--load",
    type=click.Path(path_type=Path, readable=False),
    metavar="FILE",
    help="Continue a game that `save` wrote.",
)
@click.option(
    "--coordinates",
    type=click.Choice(KINDS),
    default=KINDS[0],
    show_default=True,
    help="Names of points: a to z with row 1 on top, or as in Go books (no i, row 1 at the bottom).",
)
@click.option("--no-color", is_flag=True, help="Print without colour.")
@click.option("--tui", is_flag=True, help="Use the full screen and choose moves with the arrow keys or the mouse.")
@sandbox_option()
@store_option
@click.pass_context
def command(
    ctx: click.Context,
    players: Sequence[str],
    game: Game,
    seat: Seat | None,
    level: str | None,
    controls: Controls,
    delay: float | None,
    classic_pace: bool,
    count: int,
    load: Path | None,
    coordinates: str,
    no_color: bool,
    tui: bool,
    sandbox: Level,
    store: str | None,
) -> None:
    """Play at this terminal: you against an AGENT, `human human` for two of you, or AGENT AGENT to watch.

    Without an AGENT, --level sets the strength of the opponent, from 1 (beginner) to 8 (strongest).

    You have all the time you want unless --time says otherwise. Seats change from game to game unless --seat is
    given. Every game that comes to its end is stored.
    """
    if tui:
        _check_screen()
    if load is not None:
        _reject_options_with_load(ctx)
        saved = saved_game.read(load)
        sitting, opening = _again(saved), saved.plies
    else:
        sitting, opening = _sitting(players, game, seat, level), ()
    first, _ = sitting(0, None)  # whatever is to be refused is refused before anything is stored
    points = coordinates_of(coordinates, first.game)
    timed = load is None or ctx.params["times"] or ctx.params["total"] is not None

    def series(console: Face, draw: Draw | None = None) -> None:
        rest = max(delay or 0.0, CLASSIC_PACE) if classic_pace else delay
        terms = (lambda seats: _terms(ctx, seats, controls)) if timed else None
        _play_all(console, sitting, opening, count, terms, rest, points, draw, sandbox, store)

    if tui:
        from gomogo.tui.app import run

        run(lambda screen: series(screen, screen.draw), points)
        return
    series(Console(colour=False if no_color else None))


def _check_screen() -> None:
    """Raise UserError where a game cannot have the whole screen."""
    if find_spec("textual") is None:
        raise UserError("--tui needs the package textual, which is not installed.", "Try: pip install 'gomogo[tui]'")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UserError("--tui needs a terminal.", "Leave out --tui.")


def _play_all(
    console: Face,
    sitting: Sitting,
    opening: Sequence[Ply],
    count: int,
    terms: Callable[[Seats], tuple[TimeControl, ...]] | None,
    delay: float | None,
    points: Coordinates,
    draw: Draw | None,
    sandbox: Level,
    store: str | None,
) -> None:
    """Play game after game, and store each that comes to its end.

    terms: the times of those who sit down, where the game does not say them itself. draw: how boards are shown, by
    default as text. sandbox: how programs are held.
    """
    from gomogo_core.records.store import DEFAULT, Store  # SQLAlchemy: 0.3 s that `gomogo play --help` need not take

    winners, met = list[str | None](), dict[str, None]()
    with Store.open(store) as kept, Arena(sandbox=sandbox) as arena:
        for number in range(count):
            seats, words = sitting(number, kept)
            if terms:
                seats = replace(seats, controls=terms(seats))
            if not number:
                console.say(introduction(seats.game, seats.names, ask=bool(seats.people), shown=points.shown))
            if count > 1:
                console.say(f"\nGame {number + 1} of {count}: {' against '.join(seats.names)}")
            if words:
                console.say(words)
            rest = delay if delay is not None else _WATCHED if console.live and not seats.people else 0.0
            try:
                with shown_live(kept.folder / "live", key := uuid.uuid4().hex) as live:
                    played = play(arena, console, seats, opening, rest, points, draw, live)
            except (HumanLeft, KeyboardInterrupt) as left:
                console.say("The game is not over and does not count yet.")
                if isinstance(left, HumanLeft) and not left.unasked:
                    return
                sys.exit(_INTERRUPTED)
            if played.outcome.void:
                remedy = "`gomogo agent check AGENT` finds the faults of an agent."
                if played.outcome.reason is Reason.INTERRUPTED:  # put aside while the agent thought
                    remedy = "Run the same command to start another game."
                raise UserError(f"The game could not finish: {played.outcome.detail}.", remedy)
            kept.add(replace(played, key=key))
            winners.append(played.winner)
            met.update(dict.fromkeys(seats.names))
            console.say(f"\n{ending(played, seats.you, shown=points.shown)}")
            if count > 1:
                console.say(f"So far: {score(winners, met)}.")
        where = "" if kept.where == DEFAULT else f" --store {kept.where}"
        console.say(f"Step through it by `gomogo replay last{where}`.")


def _reject_options_with_load(ctx: click.Context) -> None:
    """Refuse what the saved game itself says."""
    for param in ctx.command.params:
        told = {"players", "--game", "--option", "--seat", "--level", "--games"} & {param.name, *param.opts}
        if told and param.name and ctx.get_parameter_source(param.name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"The saved game already sets its players and options: leave out {param.opts[-1].strip('-')}."
            )


def _sitting(specs: Sequence[str], game: Game, seat: Seat | None, level: str | None) -> Sitting:
    """Return the seating of each game: the person's requested seat, else one seat further from game to game."""
    if not specs and level is None:
        raise UserError("The command names no opponent.", "Try `gomogo play alpha_beta`, or `gomogo play --level 3`.")
    if seat is not None and not 1 <= seat <= game.seats:
        raise UserError(f"There is no seat {seat}: {game.name} has {game.seats}.", f"Give 1 to {game.seats}.")
    named = () if level else invited(specs, game.seats)

    def sitting(number: int, kept: Store | None) -> tuple[Seats, str]:
        players, words = named, ""
        if level is not None:
            now, words = level_now(level, game, kept)
            players = called(opposed(specs, game, now))
        check(game, players)
        return Seats(game, seated(players, seat or 1 + number)), words

    return sitting


def _again(saved: saved_game.SavedGame) -> Sitting:
    """Return the seating of a saved game."""
    players = map(under_its_level, invited(saved.specs, saved.game.seats), saved.names)
    seats = Seats(saved.game, tuple(players), saved.controls)
    return lambda number, kept: (seats, "")


def _terms(ctx: click.Context, seats: Seats, controls: Controls) -> tuple[TimeControl, ...]:
    """The time of each, by seat: a person's has no limit, unless one was given to them, or to all."""
    timed = {text.rpartition("=")[0] for text in ctx.params["times"]}  # "" for all
    free = [] if "" in timed or ctx.params["total"] is not None else [seats.names[seat - 1] for seat in seats.people]

    def one(name: str, agent: Agent, control: TimeControl) -> TimeControl:
        if name in timed or agent.control is not None:
            return control
        return NO_LIMIT if name in free else own_limit(seats.game, name, control)

    return tuple(map(one, seats.names, seats.agents, controls(seats.names, seats.agents)))
