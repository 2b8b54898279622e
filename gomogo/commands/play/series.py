"""A series of games at the terminal: the seats of each game, and each game played to its end with undo.

Knows agents, persons and the arena; no options of a command line, no store.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from gomogo.commands.play.saved_game import SavedGame, free_name
from gomogo.commands.play.watcher import Watcher
from gomogo_core.analysis import hint
from gomogo_core.arena import Arena
from gomogo_core.catalogue import Agent, agent
from gomogo_core.drawing.coordinates import OURS, Coordinates
from gomogo_core.drawing.text import picture
from gomogo_core.games.base import RESIGN, Game, Seat
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Listener, Ply
from gomogo_core.play.player import Player
from gomogo_core.protocols.terminal import Draw, Face, HumanLeft, HumanPlayer, TakenBack, Terminal
from gomogo_core.records.game_record import Leaver, PlayedGame

_PEOPLE = ("me", "guest")  # what persons are called in records: `gomogo results me`


@dataclass(frozen=True)
class Seats:
    """The players and settings of one game, by seat."""

    game: Game
    agents: tuple[Agent, ...]
    controls: tuple[TimeControl, ...] = ()

    @property
    def people(self) -> list[Seat]:
        """The seats of persons."""
        return [seat for seat, one in enumerate(self.agents, 1) if is_person(one)]

    @property
    def you(self) -> Seat | None:
        """The seat of the only person, if there is just one."""
        return self.people[0] if len(self.people) == 1 else None

    @property
    def names(self) -> tuple[str, ...]:
        """Return the name of each player in this game."""
        return Arena.names(self.agents)


def is_person(one: Agent) -> bool:
    """Whether it is somebody at this terminal."""
    return one.is_human


def invited(specs: Sequence[str], seats: int) -> tuple[Agent, ...]:
    """Return the requested players; the human comes first where one seat is free. Raises UserError."""
    there = [agent(spec) for spec in specs]
    if len(there) == seats - 1 and not any(map(is_person, there)):
        there.insert(0, agent("human"))
    return called(there)


def called(there: Sequence[Agent]) -> tuple[Agent, ...]:
    """The players, the persons among them called as in records."""
    names = iter(_PEOPLE)
    return tuple(replace(one, name=next(names, _PEOPLE[-1])) if is_person(one) else one for one in there)


def seated(players: Sequence[Agent], first_named_at: Seat) -> tuple[Agent, ...]:
    """The players by seat, in their order round the table, the first named in the seat given."""
    shift = (first_named_at - 1) % len(players)
    return (*players[len(players) - shift :], *players[: len(players) - shift])


def play(
    arena: Arena,
    console: Face,
    seats: Seats,
    opening: Sequence[Ply] = (),
    delay: float = 0.0,
    coordinates: Coordinates = OURS,
    draw: Draw | None = None,
    others: Sequence[Listener] = (),
) -> PlayedGame:
    """Play one game to its end. Raises Left when a person left it. draw: how boards are shown, by default as text.

    others: further listeners.

    Where moves are taken back, and where a person presses Ctrl-C while an agent thinks and then wants to go on, the
    game begins again from the moves that stay: so nobody's clock runs while a question is open.
    """
    controls, plies = seats.controls, tuple(opening)
    undone: list[tuple[int, Seat, str]] = []
    gone: list[Leaver] = []
    unknowing = [one.name for one in seats.agents if not is_person(one) and not one.knows_history]
    alone = (
        f"{unknowing[0]} receives only the last move, so it cannot continue from an earlier position."
        if unknowing
        else ""
    )
    while True:
        shown = draw or partial(picture, coordinates=coordinates)
        terminal, watcher = _sitting(console, seats, controls, plies, alone, coordinates, shown)
        players: dict[Seat, Player] = {seat: HumanPlayer(seats.names[seat - 1], terminal) for seat in seats.people}
        console.show(lambda: "Waiting for all players ...")
        try:
            played = arena.play(
                seats.game,
                seats.agents,
                controls,
                opening=plies,
                listeners=(watcher, *others),
                players=players,
                pace=delay,
            )
            return replace(played, warnings=(*undone, *played.warnings), left=(*gone, *played.left))
        except TakenBack as back:
            stay = back.stay
            undone.append((len(watcher.plies), back.seat, f"took back {len(watcher.plies) - stay} of the moves"))
        except KeyboardInterrupt:
            if alone:
                console.say(alone)
                raise HumanLeft(unasked=True) from None
            terminal.may_leave(watcher.plies)
            stay = len(watcher.plies)
        finally:
            console.hush()
        controls, plies = watcher.controls(), tuple(watcher.plies[:stay])
        away = {ply.seat for ply in plies if ply.move == RESIGN}
        gone = [leaver for leaver in (*gone, *watcher.leavers) if leaver.seat in away]


def _sitting(
    console: Face,
    seats: Seats,
    controls: Sequence[TimeControl],
    plies: Sequence[Ply],
    no_undo: str,
    coordinates: Coordinates,
    draw: Draw,
) -> tuple[Terminal, Watcher]:
    def save(plies: Sequence[Ply], file: str) -> str:
        path = Path(file).expanduser() if file else free_name(seats.game, Path.cwd())
        specs = tuple(one.spec for one in seats.agents)
        SavedGame(seats.game, specs, seats.names, watcher.controls(), tuple(plies)).write(path)
        return f"Saved. `gomogo play --load {path if file else path.name}` goes on from here."

    terminal = Terminal(console, draw, hint, save, no_undo, shown=coordinates.shown, read=coordinates.read)
    watcher = Watcher(terminal, seats.names, controls, plies)
    return terminal, watcher
