"""An agent asked for single moves, in whatever position a controller has come to.

Knows arenas and players; no protocol's words. The agent is a process of its own as in every game, so that what it
prints never gets into what we say; it is two where it plays both colours of a game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from gomogo_core.arena import Arena
from gomogo_core.catalogue import Agent
from gomogo_core.errors import UserError
from gomogo_core.games.base import RESIGN, Game, Reason, Seat
from gomogo_core.play.clock import Clock, TimeControl
from gomogo_core.play.events import GameSetup, Ply
from gomogo_core.play.judge import judge
from gomogo_core.play.player import Failure, SoloPlayer, Turn

NAMES = ("engine", "opponent")
PATIENCE = 5.0  # seconds beyond its time that an agent gets here: the controller judges who is late


class CannotMove(Exception):
    """The agent gave no move; the words say why."""


@dataclass(eq=False)
class _Chair:
    """Where the agent sits for one colour. An arena each: it seats one alone.

    told: the moves that the player knows of. played: whether it was asked for one; until then it may change its colour.
    """

    arena: Arena = field(default_factory=Arena)
    player: SoloPlayer | None = None
    table: GameSetup | None = None
    seat: Seat = 0
    told: list[Ply] = field(default_factory=list)
    played: bool = False

    def holds(self, game: Game, plies: Sequence[Ply]) -> bool:
        """Whether the player sits at this game, and knows of no other moves than these."""
        return self.table is not None and self.table.game == game and self.told == list(plies[: len(self.told)])

    def sit(self, agent: Agent, table: GameSetup, seat: Seat) -> SoloPlayer:
        """Seat the agent, and wait until it is loaded. Raises CannotMove and UserError."""
        self.leave()
        player = self.arena.take_seat(agent, table, seat)
        if failure := player.ready():
            raise self.failed(failure)
        self.player, self.table, self.seat, self.told = player, table, seat, list(table.opening)
        return player

    def failed(self, failure: Failure) -> CannotMove:
        """Let the player go, and say why in an exception."""
        self.leave()
        return CannotMove(f"{failure.reason.value.replace('_', ' ')}: {failure.evidence}")

    def leave(self) -> None:
        """Let the player go, if one sits here."""
        self.arena.leave_table()
        self.player, self.table, self.told, self.played = None, None, [], False


class Thinker:
    """One agent. A context manager that ends its processes."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self._chairs: list[_Chair] = []

    def __enter__(self) -> Thinker:
        return self

    def __exit__(self, *_: object) -> None:
        for chair in self._chairs:
            chair.leave()
        for chair in self._chairs:  # each waits for the player that has left
            chair.arena.close()

    def prepare(self, game: Game, plies: Sequence[Ply], control: TimeControl, seat: Seat) -> None:
        """Load the agent before a clock runs: for `seat`, and for what it played last; nothing where it is loaded.

        Raises CannotMove and UserError.
        """
        chair = self._chair(game, plies, seat)
        for one in self._chairs:
            if (one is chair or one.player is not None) and not one.holds(game, plies):
                its = seat if one is chair else one.seat
                one.sit(self.agent, _table(game, control, its), its)

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
        chair = self._chair(game, plies, seat)
        player = self._tell(chair, _table(game, control, seat, plies), seat)
        clock = Clock(replace(control, grace=PATIENCE), left)
        clocks = tuple(left if control.total is not None else None for _ in NAMES)
        chair.played = True
        got = player.choose(Turn(position, before, plies, clock.allowed, PATIENCE, clocks))
        verdict = got if isinstance(got, Failure) else judge(position, got, clock)
        if isinstance(verdict, Failure):
            if verdict.reason is Reason.RESIGNED:
                return RESIGN
            raise chair.failed(verdict)
        ply = Ply(seat, verdict.move)
        player.notify_move(ply)
        chair.told = [*plies, ply]
        return ply.move

    def _chair(self, game: Game, plies: Sequence[Ply], seat: Seat) -> _Chair:
        """Where the agent sits for this colour or, without having played, for the other; else one that is free."""
        free = [one for one in self._chairs if one.seat == seat or not one.played or not one.holds(game, plies)]
        if not free:
            self._chairs.append(one := _Chair())
            return one
        return min(free, key=lambda one: (not one.holds(game, plies), one.seat != seat))

    def _tell(self, chair: _Chair, table: GameSetup, seat: Seat) -> SoloPlayer:
        """The player of a chair, once it knows this table's moves and terms."""
        player, news = chair.player, table.opening[len(chair.told) :]
        strange = len(news) > 1 and not self.agent.knows_history  # then sitting down is what raises UserError
        if player is None or strange or not chair.holds(table.game, table.opening):
            return chair.sit(self.agent, table, seat)
        assert chair.table is not None
        if (chair.seat, chair.table.controls) != (seat, table.controls):
            chair.seat, chair.table = seat, replace(table, opening=chair.table.opening)
            if failure := player.change_terms(chair.table, seat):
                raise chair.failed(failure)
        for ply in news:
            player.notify_move(ply)
        chair.told = list(table.opening)
        return player


def _table(game: Game, control: TimeControl, seat: Seat, plies: Sequence[Ply] = ()) -> GameSetup:
    names = NAMES if seat == 1 else (NAMES[1], NAMES[0])
    return GameSetup(game, names, (control, control), tuple(plies))


def check_two(game: Game) -> None:
    """Raise UserError where more than two play: no protocol of engines knows such a game."""
    if game.seats != 2:
        raise UserError(f"Engines play games for two, and {game.name} is for {game.seats}.", "Choose another game.")
