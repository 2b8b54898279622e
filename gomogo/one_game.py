"""The commands that play one game: `referee.py` in one shared folder, and `gameTest.py` with a folder per agent.

The module reads options and prints results; the core plays the games. It needs only the standard library and click.
"""

from __future__ import annotations

import contextlib
import functools
import json
import random
import shlex
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from gomogo.cli import HELP_SETTINGS
from gomogo.options import (
    TimeControlFinder,
    game_options,
    illegal_option,
    keep_option,
    pace_option,
    sandbox_option,
    time_options,
)
from gomogo_core.arena import Arena
from gomogo_core.catalogue import agent
from gomogo_core.drawing.text import board, printable
from gomogo_core.errors import UserError, there_are_text
from gomogo_core.games.base import Game, Position, ReasonKind
from gomogo_core.play.clock import CLASSIC_PACE
from gomogo_core.play.events import Event, GameSetup, Listener, Moved, PlayerLeft, Started, Warned
from gomogo_core.play.game_loop import play_game
from gomogo_core.processes.limits import SandboxLevel
from gomogo_core.protocols.files import END_NOTICE_DELAY, FilesPlayer
from gomogo_core.records.game_record import BY_HAND_SPEC, PlayedGame, Recorder
from gomogo_core.records.live_writer import live_listener
from gomogo_core.records.paths import live_folder, records_folder, store_record
from gomogo_core.wire.game_folder import GameFolder
from gomogo_core.wire.lines import check_teams, result_line, spaced_text

_END_SHOWN_SECONDS = 0.5  # seconds for which spectators see the end of a game that is not stored
_DEFAULT_OPTIONS = {"opening": "takeover"}  # the rules of the course at WPI, where these two scripts come from


def _shared_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that both scripts have in addition to those of game and time."""

    @click.option(
        "--order",
        type=click.Choice(["random", "given"]),
        default="random",
        show_default=True,
        help="Order of the seats.",
    )
    @click.option("--seed", type=int, help="Seed of the random order and of agents that play at random.")
    @illegal_option
    @pace_option
    @click.option("--quiet", is_flag=True, help="Print the result only.")
    @click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
    @functools.wraps(function)
    def with_play_options(*args: Any, illegal: str, classic_pace: bool, **options: Any) -> Any:
        pace = CLASSIC_PACE if classic_pace else 0.0
        return function(*args, play_options={"retry_illegal": illegal == "retry", "pace": pace}, **options)

    return with_play_options


def _arrange_players(players: Sequence[Any], order: str, seed: int | None) -> list[Any]:
    seated = list(players)
    if order == "random":
        random.Random(seed).shuffle(seated)
    return seated


@click.command(context_settings=HELP_SETTINGS)
@click.argument("teams", nargs=-1, metavar="TEAM1 TEAM2 ...")
@game_options("teams", _DEFAULT_OPTIONS)
@time_options
@_shared_options
def referee(
    teams: tuple[str, ...],
    game: Game,
    controls: TimeControlFinder,
    order: str,
    seed: int | None,
    play_options: dict[str, Any],
    quiet: bool,
    as_json: bool,
) -> int:
    """Referee one game between agents that you start by hand in this folder.

    Start each agent in another terminal, with its team name: python agents/minimax.py TEAM, or gomogo agent run AGENT
    --team TEAM.
    """
    if len(teams) != game.seats:
        raise UserError(
            f"{game.name} is for {game.seats} teams, and {there_are_text(len(teams))}.",
            f"Run: python referee.py {' '.join(f'TEAM{seat}' for seat in range(1, game.seats + 1))}",
        )
    if len({team.casefold() for team in teams}) < len(teams):
        raise UserError(
            f"Two teams in a shared folder cannot have the same name: {', '.join(teams)}.",
            "Use gameTest.py, which gives each program its own folder: name both as files:TEAM:COMMAND.",
        )
    check_teams(teams)
    names = tuple(_arrange_players(teams, order, seed))
    setup = GameSetup(game, names, controls(names), seed=seed)
    game_folder = GameFolder(Path.cwd(), names)
    players = [FilesPlayer(name, game_folder) for name in names]
    recorder = Recorder(setup, tuple(map(BY_HAND_SPEC.format, names)))
    with live_listener(live_folder(), key := uuid.uuid4().hex, _END_SHOWN_SECONDS) as live:
        try:
            play_game(setup, players, (recorder, *_printing_listeners(quiet or as_json), *live), **play_options)
        finally:
            if game_folder.has_game:
                _wake_legacy_agents(players)
            game_folder.close()
    assert recorder.played_game is not None
    return _store_and_print_result(replace(recorder.played_game, key=key), as_json, None)


def _wake_legacy_agents(players: Sequence[FilesPlayer]) -> None:
    """Write the `.go` files after the end of the game. A legacy agent waits for these files only, and then finds
    `end_game`.

    If a legacy agent plays, the `.go` files of all teams are written, since it may wait for the file of another team.
    """
    for player in players:
        if player.says_ready:
            player.announce_last_game()
    if not all(player.says_ready for player in players):
        time.sleep(END_NOTICE_DELAY)
        for player in players:
            with contextlib.suppress(OSError):
                player.game_folder.create_turn_file(player.name)


@click.command(context_settings=HELP_SETTINGS)
@click.argument("agents", nargs=-1, metavar="AGENT1 AGENT2 ...")
@game_options("agents", _DEFAULT_OPTIONS)
@time_options
@_shared_options
@sandbox_option()
@keep_option("Keep all files in this folder.")
def game_test(
    agents: tuple[str, ...],
    game: Game,
    controls: TimeControlFinder,
    order: str,
    seed: int | None,
    play_options: dict[str, Any],
    quiet: bool,
    as_json: bool,
    sandbox: SandboxLevel,
    keep: Path | None,
) -> int:
    """Start agents, referee one game between them, and end all their processes.

    An AGENT is a name (`gomogo list agents`), a .py file with choose(position, clock), a folder with an agent.toml,
    files:TEAM:COMMAND LINE, or human. If none is given, alpha_beta plays random_mover.
    """
    seated = _arrange_players([agent(spec) for spec in agents or ("alpha_beta", "random_mover")], order, seed)
    has_human = any(player.is_human for player in seated)  # the board is already shown to the human
    with Arena(keep, sandbox) as arena:
        time_controls = controls(arena.names(seated), seated)
        with live_listener(live_folder(), key := uuid.uuid4().hex, _END_SHOWN_SECONDS) as live:
            listeners = (*_printing_listeners(quiet or as_json or has_human), *live)
            played_game = arena.play(game, seated, time_controls, seed=seed, listeners=listeners, **play_options)
        return _store_and_print_result(replace(played_game, key=key), as_json, keep)


def _printing_listeners(is_silent: bool) -> tuple[Listener, ...]:
    return () if is_silent else (_BoardPrinter(),)


class _BoardPrinter:
    """Prints the board after each move, like the referee of WPI."""

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ()
        self.last_position: Position | None = None

    def __call__(self, event: Event) -> None:
        if isinstance(event, Started):
            self.names, self.last_position = event.setup.names, event.position
            seats = [f"{name} ({event.position.mark(seat)})" for seat, name in enumerate(self.names, 1)]
            click.echo(f"{event.setup.game.name}: {', then '.join(seats)}")
        elif isinstance(event, Moved):
            move = event.position.game.parse(event.move)
            effect = self.last_position.describe_effect(move) if self.last_position is not None else ""
            move_text = spaced_text(event.move) + (f", {effect}" if effect else "")
            click.echo(f"\n{self.names[event.seat - 1]} plays {move_text}  ({event.seconds_taken:.2f} s)")
            click.echo(board(event.position, move))
            self.last_position = event.position
        elif isinstance(event, PlayerLeft):
            self.last_position = event.position
            name, reason = self.names[event.seat - 1], event.reason.value.replace("_", " ")
            click.echo(f"\n{name} is out: {reason} ({printable(event.detail)}). The others continue.")
        elif isinstance(event, Warned):
            click.echo(f"{self.names[event.seat - 1]}: {printable(event.warning)}", err=True)


def _store_and_print_result(played_game: PlayedGame, as_json: bool, keep: Path | None) -> int:
    """Return the exit code. keep: the file to store the record in; None for the folder of records."""
    record = store_record(played_game, keep)
    if as_json:
        click.echo(json.dumps(game_json(played_game, record)))
    else:
        click.echo(result_line(played_game.outcome, played_game.names).rstrip("\n"))
        if played_game.outcome.detail and played_game.outcome.reason.kind is not ReasonKind.RULES:
            click.echo(f"({printable(played_game.outcome.detail)})")
        if played_game.outcome.reason.kind is ReasonKind.FORFEIT:
            selector = played_game.key[:8] if record.parent == records_folder() else shlex.quote(str(record))
            click.echo(f"Why: gomogo game show {selector} --why", err=True)
    return 0


def game_json(played_game: PlayedGame, record: Path) -> dict[str, Any]:
    """Return the object that `--json` prints for a game."""
    forfeits = {seat: reason.value for seat, reason in played_game.forfeits.items()}
    return {
        "game": played_game.game,
        "options": played_game.options,
        "players": [
            {"name": name, "seat": seat, "rank": played_game.outcome.ranks[seat - 1], "forfeit": forfeits.get(seat)}
            for seat, name in enumerate(played_game.names, 1)
        ],
        "winner": played_game.winner,
        "reason": played_game.outcome.reason.value,
        "detail": played_game.outcome.detail,
        "end_game": result_line(played_game.outcome, played_game.names).rstrip("\n"),
        "moves": [ply.move for ply in played_game.plies],
        "seconds": [round(seconds, 6) for seconds in played_game.seconds],
        "record": str(record),
    }
