"""Plays one game at the terminal: finds the players, arranges their seats, and plays the game to its end.

The module handles agents, humans and the arena, but no options of the command line and no store.
"""

from __future__ import annotations

import getpass
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from gomogo.commands.play import saved_game
from gomogo.commands.play.watcher import Watcher
from gomogo.text.names import display_name
from gomogo_core.arena import Arena
from gomogo_core.catalogue import Agent, agent, why_no_undo
from gomogo_core.drawing.coordinates import FILE_COORDINATES, Coordinates
from gomogo_core.drawing.text import picture
from gomogo_core.games.base import Game, Seat
from gomogo_core.play.clock import NO_LIMIT, TimeControl
from gomogo_core.play.events import Listener
from gomogo_core.play.player import Player
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.session.actions import SeatInfo
from gomogo_core.session.game_session import GameSession
from gomogo_core.session.referee import Referee
from gomogo_core.session.terminal import ConsoleInterface, DrawFunction, HumanLeft, Terminal, TerminalPlayer

_HUMAN_RECORD_NAMES = ("me", "guest")  # names of humans in records: `gomogo results me` finds their games


@cache
def terminal_visitor() -> str:
    """Return the identity of the humans at this terminal, by which `--continue` finds their games."""
    try:
        return f"terminal of {getpass.getuser()}"
    except (OSError, KeyError):  # in some containers, the user has no name
        return f"terminal of {os.getuid()}"


def find_players(specs: Sequence[str], seat_count: int) -> tuple[Agent, ...]:
    """Return the agents of these specs. If one player is missing and no player is a human, the function adds a human as
    the first player.

    Raises UserError for an unknown agent.
    """
    players = [agent(spec) for spec in specs]
    if len(players) == seat_count - 1 and not any(player.is_human for player in players):
        players.insert(0, agent("human"))
    return with_record_names(players)


def with_record_names(players: Sequence[Agent]) -> tuple[Agent, ...]:
    """Return the players. The humans among them get the names that records have for humans."""
    names = iter(_HUMAN_RECORD_NAMES)
    return tuple(
        replace(player, name=next(names, _HUMAN_RECORD_NAMES[-1])) if player.is_human else player for player in players
    )


def arrange_seats(players: Sequence[Agent], first_player_seat: Seat) -> tuple[Agent, ...]:
    """Return the players by seat. The first player has the seat `first_player_seat`, the others follow in order."""
    shift = (first_player_seat - 1) % len(players)
    return (*players[len(players) - shift :], *players[: len(players) - shift])


def session_of(game: Game, players: Sequence[Agent], saved: GameSession | None = None) -> GameSession:
    """Return a session of these players, by seat. saved: the session whose moves and times the new session takes over,
    or None.
    """
    controls = [info.control for info in saved.seat_infos] if saved else [NO_LIMIT] * len(players)
    seat_infos = tuple(
        SeatInfo(name, player.spec, control, terminal_visitor() if player.is_human else "")
        for name, player, control in zip(Arena.names(players), players, controls, strict=True)
    )
    actions = saved.actions if saved else []
    return GameSession(game, seat_infos, actions=actions, opening_length=len(actions), why_no_undo=why_no_undo(players))


def players_of(session: GameSession) -> tuple[Agent, ...]:
    """Return the players of a session, by seat."""
    return tuple(agent(seat_info.spec, seat_info.name) for seat_info in session.seat_infos)


def set_times(session: GameSession, controls: Sequence[TimeControl]) -> None:
    """Set the time controls of a session's players, by seat."""
    session.seat_infos = tuple(map(lambda info, control: replace(info, control=control), session.seat_infos, controls))


def play_session(
    arena: Arena,
    console: ConsoleInterface,
    session: GameSession,
    delay: float = 0.0,
    coordinates: Coordinates = FILE_COORDINATES,
    draw: DrawFunction = picture,
    more_listeners: Sequence[Listener] = (),
) -> PlayedGame:
    """Play a session to its end, and return the record. Raises HumanLeft if a human leaves the game.

    delay: seconds between two turns. draw: a function that draws a board. more_listeners: further listeners.

    If a human presses Ctrl-C while an agent thinks, the human is asked whether to leave. Meanwhile no clock runs: to
    continue, a new game starts from the moves so far.
    """
    terminal = Terminal(
        console, draw, session, terminal_visitor(), _save, coordinates=coordinates, format_name=display_name
    )
    listeners: list[Listener] = [Watcher(terminal), *more_listeners]
    play_game = partial(arena.play, session.game, players_of(session), pace=delay)

    def human_players() -> dict[Seat, Player]:
        console.show_status_line(lambda: "Waiting for all players ...")
        return {
            seat: TerminalPlayer(session.names[seat - 1], terminal) for seat in session.seats_of(terminal_visitor())
        }

    while True:
        try:
            return Referee(session).play(play_game, human_players, listeners)
        except KeyboardInterrupt:
            if session.why_no_undo:
                console.say(session.why_no_undo)
                raise HumanLeft(by_interrupt=True) from None
            terminal.confirm_leaving()
        finally:
            console.clear_status_line()


def _save(session: GameSession, file: str) -> str:
    path = Path(file).expanduser() if file else saved_game.unused_file_name(session.game, Path.cwd())
    saved_game.write_saved_game(session, path)
    return f"Saved. `gomogo play --load {path if file else path.name}` continues the game."
