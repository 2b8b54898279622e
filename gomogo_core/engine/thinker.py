"""An agent asked for single moves, in whatever position a controller has come to.

Knows arenas and players; no protocol's words. The agent is a process of its own as in every game, so that what it
prints never gets into what we say.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from gomogo_core.arena import Arena
from gomogo_core.catalogue import Agent
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, IllegalMove, NotAMove
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ply, Table
from gomogo_core.play.player import Failure, Player, Turn

NAMES = ("engine", "opponent")
PATIENCE = 5.0  # seconds beyond its time that an agent gets here: the controller judges who is late


class CannotMove(Exception):
    """The agent gave no move; the words say why."""


class Thinker:
    """One agent. A context manager that ends its process."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self._arena = Arena()
        self._at_table: tuple[Table, int] | None = None
        self._told: list[Ply] = []
        self._player: Player | None = None

    def __enter__(self) -> Thinker:
        return self

    def __exit__(self, *_: object) -> None:
        self._arena.leave_table()
        self._arena.close()

    def prepare(self, game: Game, plies: Sequence[Ply], control: TimeControl) -> None:
        """Seat the agent, so that it is loaded before its clock starts. Raises CannotMove and UserError."""
        position = game.start()
        for ply in plies:
            position = game.follow(position, ply.seat, ply.move)
        self._sit(game, plies, control, position.to_move)

    def think(self, game: Game, plies: Sequence[Ply], control: TimeControl, left: float | None = None) -> str:
        """A legal move after `plies`, as the game writes it, or "resign".

        left: seconds of the whole game, where its time is limited. Raises CannotMove, and UserError for an agent that
        cannot sit down.
        """
        before, position = None, game.start()
        for ply in plies:
            before, position = position, game.follow(position, ply.seat, ply.move)
        if position.outcome() is not None:
            raise CannotMove("the game is over")
        seat = position.to_move
        player = self._sit(game, plies, control, seat)
        allowed = min(math.inf if limit is None else limit for limit in (control.per_move, left))
        clocks = tuple(left if control.total is not None else None for _ in NAMES)
        got = player.choose(Turn(position, before, plies, allowed, PATIENCE, clocks))
        if isinstance(got, Failure):
            self._leave()
            raise CannotMove(f"{got.reason.value.replace('_', ' ')}: {got.evidence}")
        if (text := got.text.strip().casefold()) == "resign":
            return text
        try:
            move = game.parse(text)
            position.play(move)
        except (NotAMove, IllegalMove) as wrong:
            self._leave()
            raise CannotMove(str(wrong)) from None
        ply = Ply(seat, game.format(move))
        player.accepted(ply)
        self._told = [*plies, ply]
        return ply.move

    def _sit(self, game: Game, plies: Sequence[Ply], control: TimeControl, seat: int) -> Player:
        """The agent's player, which knows of `plies`: told of those that are news, or at a new table."""
        told = len(self._told)
        if self._player is not None and self._at_table is not None:
            table, its = self._at_table
            if (table.game, table.controls[0], its) == (game, control, seat) and list(plies[:told]) == self._told:
                for ply in plies[told:]:
                    self._player.accepted(ply)
                self._told = list(plies)
                return self._player
        self._leave()
        names = NAMES if seat == 1 else (NAMES[1], NAMES[0])
        table = Table(game, names, (control, control), tuple(plies))
        player = self._arena.take_seat(self.agent, table, seat)
        if failure := player.ready():
            self._leave()
            raise CannotMove(f"{failure.reason.value.replace('_', ' ')}: {failure.evidence}")
        self._player, self._at_table, self._told = player, (table, seat), list(plies)
        return player

    def _leave(self) -> None:
        self._arena.leave_table()
        self._player = self._at_table = None
        self._told = []


def check_two(game: Game) -> None:
    """Raise UserError where more than two play: no protocol of engines knows such a game."""
    if game.seats != 2:
        raise UserError(f"Engines play games for two, and {game.name} is for {game.seats}.", "Choose another game.")
