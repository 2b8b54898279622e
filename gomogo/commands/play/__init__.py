"""The command `gomogo play`: play at this terminal against agents or another human, or watch agents play.

The module handles options, the store and the order of games; series.py plays each game.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import click
from click.core import ParameterSource

from gomogo import complete
from gomogo.commands.play import saved_game
from gomogo.commands.play.levels import (
    add_level_opponents,
    current_level,
    level_time_control,
    read_level,
    restore_level_name,
)
from gomogo.commands.play.series import (
    arrange_seats,
    find_players,
    play_session,
    players_of,
    session_of,
    set_times,
    terminal_visitor,
    with_record_names,
)
from gomogo.new_games import usual_options
from gomogo.options import (
    POSITIVE,
    TimeControlFinder,
    game_options,
    pace_option,
    sandbox_option,
    store_option,
    time_options,
    timed_player,
)
from gomogo.text.names import display_name
from gomogo_core.arena import Arena
from gomogo_core.catalogue import check_agents
from gomogo_core.drawing.coordinates import COORDINATE_KINDS, Coordinates, coordinates_of
from gomogo_core.drawing.text import picture
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, Reason, Seat
from gomogo_core.play.clock import CLASSIC_PACE, NO_LIMIT, TimeControl
from gomogo_core.play.events import Event
from gomogo_core.processes.limits import SandboxLevel
from gomogo_core.procfs import is_alive
from gomogo_core.records.live_format import UNREADABLE_FILE_ERRORS, read_live_events
from gomogo_core.records.live_writer import live_listener
from gomogo_core.session.game_session import GameSession
from gomogo_core.session.sentences import ending_sentence, game_introduction, series_score
from gomogo_core.session.stored_session import session_from_json, session_json
from gomogo_core.session.terminal import Console, ConsoleInterface, DrawFunction, HumanLeft

if TYPE_CHECKING:
    from gomogo_core.catalogue import Agent
    from gomogo_core.records.store import Store

# A function from the number of a game, counted from 0, and the store to the game's session and a sentence about it.
SessionFactory: TypeAlias = "Callable[[int, Store | None], tuple[GameSession, str]]"
_WATCHING_DELAY = 0.5  # seconds between the moves of agents while a human watches
_EXIT_INTERRUPTED = 3


def _read_seat(ctx: click.Context, param: click.Parameter, value: str | None) -> Seat | None:
    words = {"first": 1, "second": 2}
    if value is None or value.casefold() in words:
        return None if value is None else words[value.casefold()]
    if not value.isdecimal():
        raise click.BadParameter(f"{value!r} is not a seat. Write first, second or a number.")
    return int(value)


@click.command(short_help="Play at this terminal, or watch agents play.")
@click.argument("players", nargs=-1, metavar="AGENT|human ...", shell_complete=complete.agents)
@game_options("players", usual_options=usual_options)
@click.option(
    "--seat",
    callback=_read_seat,
    metavar="first|second|N",
    help="Your seat; if you name all players, the seat of the first named player.",
)
@click.option(
    "--level",
    callback=read_level,
    metavar="1-8|NAME|auto",
    help=(
        'Play against an opponent of this level, such as 5 or Club; "auto" finds the level at which you win half of '
        "the games."
    ),
    shell_complete=complete.levels,
)
@time_options
@click.option(
    "--delay",
    type=click.FloatRange(min=0),
    metavar="S",
    help=f"Pause after each move, in seconds. Default: {_WATCHING_DELAY:g} if you only watch in a terminal, else 0.",
)
@pace_option
@click.option("-n", "--games", "count", type=POSITIVE, default=1, metavar="GAMES", help="Number of games.")
@click.option(
    "--load",
    type=click.Path(path_type=Path, readable=False),
    metavar="FILE",
    help="Continue a game from a file that the command `save` wrote.",
)
@click.option("--continue", "continues_last", is_flag=True, help="Continue your last unfinished game.")
@click.option(
    "--coordinates",
    type=click.Choice(COORDINATE_KINDS),
    help='Names of points. "ours": columns a to z, row 1 at the top; "book": no column i, row 1 at the bottom. '
    "Default: book in Go, Capture Go and Robogo, else ours.",
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
    controls: TimeControlFinder,
    delay: float | None,
    classic_pace: bool,
    count: int,
    load: Path | None,
    continues_last: bool,
    coordinates: str | None,
    no_color: bool,
    tui: bool,
    sandbox: SandboxLevel,
    store: str | None,
) -> None:
    """Play at this terminal against an AGENT. Name `human human` for two humans, or two agents to watch them.

    Instead of an AGENT, --level sets the strength of the opponent, from 1 (Beginner) to 8 (Champion). Go begins on
    9 × 9 with a komi of 7.5.

    Humans have no time limit without --time. Without --seat, the players swap seats after each game. Every finished
    game is stored.
    """
    if tui:
        _check_screen()
        click.echo("Starting the game ...")  # is visible until the screen has loaded
    if load is not None or continues_last:
        _reject_options_with_saved(ctx)
        session = _last_unfinished(store) if load is None else _restore_session(saved_game.read_saved_game(load))
        make_session: SessionFactory = lambda number, opened_store: (session, "")  # noqa: E731
    else:
        make_session = _session_factory(players, game, seat, level)
    first, _ = make_session(0, None)  # all checks come before the first write to the store
    point_coordinates = coordinates_of(coordinates, first.game)
    has_times = not (load or continues_last) or ctx.params["times"] or ctx.params["total"] is not None

    def play_all(console: ConsoleInterface, draw: DrawFunction = picture) -> None:
        pause = max(delay or 0.0, CLASSIC_PACE) if classic_pace else delay
        find_times = (lambda session: _times_by_seat(ctx, session, controls)) if has_times else None
        _play_series(console, make_session, count, find_times, pause, point_coordinates, draw, sandbox, store)

    if tui:
        from gomogo.tui.app import ScreenConsole, run_app

        def play(screen: ScreenConsole) -> None:
            screen.draw(first.position, list(map(display_name, first.names)))  # visible while the agents start
            play_all(screen, screen.draw)

        run_app(play, point_coordinates)
        return
    play_all(Console(colour=False if no_color else None))


def _check_screen() -> None:
    """Raise UserError if the full-screen interface cannot run."""
    if find_spec("textual") is None:
        raise UserError("--tui needs the package textual, which is not installed.", "Try: pip install 'gomogo[tui]'")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UserError("--tui needs a terminal.", "Leave out --tui.")


def _play_series(
    console: ConsoleInterface,
    make_session: SessionFactory,
    count: int,
    find_times: Callable[[GameSession], tuple[TimeControl, ...]] | None,
    delay: float | None,
    coordinates: Coordinates,
    draw: DrawFunction,
    sandbox: SandboxLevel,
    store: str | None,
) -> None:
    """Play a series of games, and store each finished one.

    find_times: a function that returns the players' time controls; None to keep those of a saved game. delay: the pause
    after each move in seconds, or None for the default. draw: a function that draws a board.
    """
    from gomogo_core.records.store import DEFAULT_STORE, Store

    winners, players = list[str | None](), dict[str, None]()
    with Store.open(store) as opened_store, Arena(sandbox=sandbox) as arena:
        store_option = "" if opened_store.address == DEFAULT_STORE else f" --store {opened_store.address}"
        for game_number in range(count):
            session, level_sentence = make_session(game_number, opened_store)
            if find_times:
                set_times(session, find_times(session))
            human_seats = session.seats_of(terminal_visitor())
            if not game_number:
                console.say(
                    game_introduction(
                        session.game,
                        list(map(display_name, session.names)),
                        human_plays=bool(human_seats),
                        convert_points=coordinates.display,
                    )
                )
            if count > 1:
                console.say(
                    f"\nGame {game_number + 1} of {count}: {' against '.join(map(display_name, session.names))}"
                )
            if level_sentence:
                console.say(level_sentence)
            pause = delay if delay is not None else _WATCHING_DELAY if console.can_redraw and not human_seats else 0.0
            saver = _SessionSaver(opened_store, session)
            try:
                with live_listener(opened_store.folder / "live", session.key) as live:
                    played_game = play_session(arena, console, session, pause, coordinates, draw, (saver, *live))
            except (HumanLeft, KeyboardInterrupt) as departure:
                resume_hint = f" `gomogo play --continue{store_option}` continues it." if saver.has_saved else ""
                console.say(f"The game is not over and does not count yet.{resume_hint}")
                if isinstance(departure, HumanLeft) and not departure.by_interrupt:
                    return
                sys.exit(_EXIT_INTERRUPTED)
            if played_game.outcome.is_void:
                remedy = "`gomogo agent check AGENT` finds the faults of an agent."
                if played_game.outcome.reason is Reason.INTERRUPTED:  # the human left while the agent was thinking
                    remedy = "Run the same command to start another game."
                raise UserError(f"The game could not finish: {played_game.outcome.detail}.", remedy)
            opened_store.add(played_game)
            session.is_stored = True
            saver.save()
            winners.append(played_game.winner)
            players.update(dict.fromkeys(session.names))
            own_seat = human_seats[0] if len(human_seats) == 1 else None
            ending = ending_sentence(
                played_game, own_seat, convert_points=coordinates.display, format_name=display_name
            )
            console.say(f"\n{ending}")
            if count > 1:
                console.say(f"So far: {series_score(winners, players, display_name)}.")
        console.say(f"Step through it by `gomogo replay last{store_option}`.")


class _SessionSaver:
    """A listener that saves a session with humans after each change, so that `--continue` finds it."""

    def __init__(self, store: Store, session: GameSession) -> None:
        self.store, self.session, self.version = store, session, session.version
        self.has_saved = bool(session.actions) and not session.opening_length  # a game of --continue is in the store

    def __call__(self, event: Event) -> None:
        """Save the session if it has changed."""
        if self.session.version != self.version and self.session.visitors():
            self.save()

    def save(self) -> None:
        """Save the session as it is."""
        from gomogo_core.records.sessions import save_session

        session, self.version, self.has_saved = self.session, self.session.version, True
        if visitors := session.visitors():
            save_session(self.store, session.key, session_json(session), visitors, is_over=session.is_over)


def _last_unfinished(store: str | None) -> GameSession:
    """Return the last unfinished game of this user. Raises UserError if there is none."""
    from gomogo_core.records.sessions import sessions_of
    from gomogo_core.records.store import Store

    with Store.open(store, create=False) as opened_store:
        for saved in sessions_of(opened_store, terminal_visitor()):
            if not saved.is_over and not _is_being_played(opened_store.folder / "live" / f"{saved.key}.jsonl"):
                with suppress(ValueError, KeyError, TypeError):  # a game stored by another version of Gomogo
                    return session_from_json(saved.json_values)
        raise UserError(
            f"{opened_store.address} has no unfinished game of yours.",
            "Start one, for example `gomogo play --level 3`.",
        )


def _is_being_played(live_file: Path) -> bool:
    """Return whether a running process still plays the game of this live file."""
    with suppress(*UNREADABLE_FILE_ERRORS, StopIteration):
        return is_alive(int(next(read_live_events(live_file))["process"]))
    return False


def _reject_options_with_saved(ctx: click.Context) -> None:
    """Raise a usage error for options that the saved game already sets."""
    saving_options = {"continues_last", "load"} & {name for name in ctx.params if ctx.params[name]}
    for param in ctx.command.params:
        names_of_set_options = {"players", "--game", "--option", "--seat", "--level", "--games"} & {
            param.name,
            *param.opts,
        }
        names_of_set_options |= {param.name} & saving_options if len(saving_options) > 1 else set()
        if names_of_set_options and param.name and ctx.get_parameter_source(param.name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"The saved game already sets its players and options: leave out {param.opts[-1].strip('-')}."
            )


def _session_factory(specs: Sequence[str], game: Game, seat: Seat | None, level: str | None) -> SessionFactory:
    """Return a function that creates the session of each game of a series.

    seat: the seat of the first named player in all games; None for the next seat in each game.
    """
    if not specs and level is None:
        raise UserError("An opponent is missing.", "Try `gomogo play alpha_beta`, or `gomogo play --level 3`.")
    if seat is not None and not 1 <= seat <= game.seats:
        raise UserError(f"There is no seat {seat} in {game.name}.", f"Choose --seat from 1 to {game.seats}.")
    named_players = () if level else find_players(specs, game.seats)

    def make_session(number: int, opened_store: Store | None) -> tuple[GameSession, str]:
        players, level_sentence = named_players, ""
        if level is not None:
            level_now, level_sentence = current_level(level, game, opened_store)
            players = with_record_names(add_level_opponents(specs, game, level_now))
        check_agents(game, players)
        return session_of(game, arrange_seats(players, seat or 1 + number)), level_sentence

    return make_session


def _restore_session(saved: GameSession) -> GameSession:
    """Return the session of a saved game, with the agents that the catalogue finds for its specs."""
    specs = [seat_info.spec for seat_info in saved.seat_infos]
    players = tuple(map(restore_level_name, find_players(specs, saved.game.seats), saved.names))
    return session_of(saved.game, players, saved)


def _times_by_seat(ctx: click.Context, session: GameSession, controls: TimeControlFinder) -> tuple[TimeControl, ...]:
    """Return the time control of each player, by seat. A human has no limit, unless the command line sets a limit for
    this human or for all players.
    """
    timed_names = {text.rpartition("=")[0] for text in ctx.params["times"]}  # "" stands for all players
    timed_players = {name and timed_player(name, session.names) for name in timed_names}
    human_names = [seat_info.name for seat_info in session.seat_infos if seat_info.is_human]
    unlimited_names = [] if "" in timed_players or ctx.params["total"] is not None else human_names
    agents = players_of(session)

    def control_of(name: str, agent: Agent, control: TimeControl) -> TimeControl:
        if name in timed_players or agent.own_time_control is not None:
            return control
        return NO_LIMIT if name in unlimited_names else level_time_control(session.game, name, control)

    return tuple(map(control_of, session.names, agents, controls(session.names, agents)))
