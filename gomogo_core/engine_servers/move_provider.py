"""Asks an agent for a move in any position that a controller sets up.

The agent runs in a process of its own, as in every game, so that its output never mixes with the answers to the
controller. An agent that plays both colours of a game runs in two processes. The module uses arenas and players, but
no protocol of engines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from gomogo_core.arena import Arena
from gomogo_core.catalogue import Agent
from gomogo_core.errors import UserError
from gomogo_core.games.base import RESIGN, Game, Reason, Seat
from gomogo_core.play.clock import Clock, TimeControl
from gomogo_core.play.events import GameSetup, Ply, positions_after
from gomogo_core.play.judge import judge
from gomogo_core.play.player import Failure, SoloPlayer, Turn

PLAYER_NAMES = ("engine", "opponent")
ADDITIONAL_SECONDS = 5.0  # additional seconds for an agent, because the controller decides whether a move is late


class CannotMove(Exception):
    """Raised if the agent gave no move. The message states the reason."""


@dataclass(eq=False)
class _ColourPlayer:
    """The agent as the player of one colour, in an arena of its own.

    setup: the setup of the game that the agent plays. known_moves: the moves that the agent knows. has_been_asked:
    whether the agent has been asked for a move; until then it may change its colour.
    """

    arena: Arena = field(default_factory=Arena)
    player: SoloPlayer | None = None
    setup: GameSetup | None = None
    seat: Seat = 0
    known_moves: list[Ply] = field(default_factory=list)
    has_been_asked: bool = False

    def knows_moves(self, game: Game, plies: Sequence[Ply]) -> bool:
        """Return whether the player plays this game, and `plies` contain all moves that the player knows."""
        is_same_game = self.setup is not None and self.setup.game == game
        return is_same_game and self.known_moves == list(plies[: len(self.known_moves)])

    def seat_agent(self, agent: Agent, setup: GameSetup, seat: Seat) -> SoloPlayer:
        """Seat the agent, and wait until it is loaded. Raises CannotMove and UserError."""
        self.release()
        player = self.arena.seat_agent(agent, setup, seat)
        if failure := player.await_ready():
            raise self.release_with_error(failure)
        self.player, self.setup, self.seat, self.known_moves = player, setup, seat, list(setup.opening)
        return player

    def release_with_error(self, failure: Failure) -> CannotMove:
        """Release the player, and return the error that states its failure."""
        self.release()
        return CannotMove(f"{failure.reason.value.replace('_', ' ')}: {failure.evidence}")

    def release(self) -> None:
        """Release the player, if there is one."""
        self.arena.release_agent()
        self.player, self.setup, self.known_moves, self.has_been_asked = None, None, [], False


class MoveProvider:
    """Gets moves from one agent. As a context manager, it ends the agent's processes."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self._colour_players: list[_ColourPlayer] = []

    def __enter__(self) -> MoveProvider:
        return self

    def __exit__(self, *_: object) -> None:
        for colour_player in self._colour_players:
            colour_player.release()
        for colour_player in self._colour_players:  # each release waits until the player has ended
            colour_player.arena.close()

    def prepare(self, game: Game, plies: Sequence[Ply], control: TimeControl, seat: Seat) -> None:
        """Load the agent for `seat` before a clock runs, and prepare its loaded processes for this game.

        Raises CannotMove and UserError.
        """
        colour_player = self._player_for(game, plies, seat)
        for player in self._colour_players:
            if (player is colour_player or player.player is not None) and not player.knows_moves(game, plies):
                player_seat = seat if player is colour_player else player.seat
                player.seat_agent(self.agent, _game_setup(game, control, player_seat), player_seat)

    def choose_move(
        self, game: Game, plies: Sequence[Ply], control: TimeControl, seconds_left: float | None = None
    ) -> str:
        """Return the agent's legal move after `plies`, as the game writes it, or "resign".

        seconds_left: the remaining seconds for the whole game; None without such a limit. Raises CannotMove, or
        UserError if the agent cannot play.
        """
        positions = positions_after(game, plies)
        position, previous_position = positions[-1], positions[-2] if plies else None
        if position.outcome() is not None:
            raise CannotMove("the game is over")
        seat = position.to_move
        colour_player = self._player_for(game, plies, seat)
        player = self._update_player(colour_player, _game_setup(game, control, seat, plies), seat)
        clock = Clock(replace(control, grace=ADDITIONAL_SECONDS), seconds_left)
        clocks = tuple(seconds_left if control.total is not None else None for _ in PLAYER_NAMES)
        colour_player.has_been_asked = True
        turn = Turn(position, previous_position, plies, clock.allowed_seconds, ADDITIONAL_SECONDS, clocks)
        answer = player.await_move(turn)
        verdict = answer if isinstance(answer, Failure) else judge(position, answer, clock)
        if isinstance(verdict, Failure):
            if verdict.reason is Reason.RESIGNED:
                return RESIGN
            raise colour_player.release_with_error(verdict)
        ply = Ply(seat, verdict.move)
        player.notify_move(ply)
        colour_player.known_moves = [*plies, ply]
        return ply.move

    def _player_for(self, game: Game, plies: Sequence[Ply], seat: Seat) -> _ColourPlayer:
        """Return the player of this colour; else a player that may still change its colour or its game; else a new
        player.
        """
        candidates = [
            candidate
            for candidate in self._colour_players
            if candidate.seat == seat or not candidate.has_been_asked or not candidate.knows_moves(game, plies)
        ]
        if not candidates:
            self._colour_players.append(candidate := _ColourPlayer())
            return candidate
        return min(candidates, key=lambda candidate: (not candidate.knows_moves(game, plies), candidate.seat != seat))

    def _update_player(self, colour_player: _ColourPlayer, setup: GameSetup, seat: Seat) -> SoloPlayer:
        """Bring the player up to date with the moves and limits of this game; seat the player again if that is
        impossible.
        """
        player, new_moves = colour_player.player, setup.opening[len(colour_player.known_moves) :]
        # then seating the agent again raises UserError
        needs_history = len(new_moves) > 1 and not self.agent.knows_history
        if player is None or needs_history or not colour_player.knows_moves(setup.game, setup.opening):
            return colour_player.seat_agent(self.agent, setup, seat)
        assert colour_player.setup is not None
        if (colour_player.seat, colour_player.setup.controls) != (seat, setup.controls):
            colour_player.seat, colour_player.setup = seat, replace(setup, opening=colour_player.setup.opening)
            if failure := player.set_limits_and_seat(colour_player.setup, seat):
                raise colour_player.release_with_error(failure)
        for ply in new_moves:
            player.notify_move(ply)
        colour_player.known_moves = list(setup.opening)
        return player


def _game_setup(game: Game, control: TimeControl, seat: Seat, plies: Sequence[Ply] = ()) -> GameSetup:
    names = PLAYER_NAMES if seat == 1 else (PLAYER_NAMES[1], PLAYER_NAMES[0])
    return GameSetup(game, names, (control, control), tuple(plies))


def check_two_players(game: Game) -> None:
    """Raise UserError unless the game is for two players, because the protocols of engines support no others."""
    if game.seats != 2:
        raise UserError(f"Engines play games for two, and {game.name} is for {game.seats}.", "Choose another game.")
