"""Notifies the players of moves, and sends events to the listeners.

The announcer chooses the moments so that no player's clock runs while a screen is drawn. It gives no verdict.
"""

from __future__ import annotations

from collections.abc import Sequence

from gomogo_core.games.base import Seat
from gomogo_core.play.events import Event, Listener, Moved, PlayerLeft, Ply
from gomogo_core.play.player import Player


class Announcer:
    """Notifies the players and the listeners of one game.

    pending_moves: the moves of which only the next player has been notified.
    """

    def __init__(self, players: Sequence[Player], listeners: Sequence[Listener]) -> None:
        self._players, self._listeners = players, listeners
        # for each seat, the players that wait while this seat thinks
        self._waiting_players = [[*players[:index], *players[index + 1 :]] for index in range(len(players))]
        self.pending_moves: list[tuple[Ply, Moved, Seat]] = []

    def emit(self, event: Event) -> None:
        """Send an event to the listeners."""
        for listener in self._listeners:
            listener(event)

    def announce_move(self, ply: Ply, event: Moved, next_seat: Seat) -> None:
        """Notify the player to move next, in the seat `next_seat`, at once; `flush` notifies the other players."""
        self._players[next_seat - 1].notify_move(ply)
        self.pending_moves.append((ply, event, next_seat))

    def announce_departure(self, ply: Ply, event: PlayerLeft) -> None:
        """Notify all players and listeners that a player has left. The others play on."""
        for player in self._players:
            player.notify_move(ply)
        self.emit(event)

    def flush(self) -> None:
        """Notify the waiting players and the listeners of the pending moves, while the next player thinks."""
        pending, self.pending_moves = self.pending_moves, []
        for ply, event, next_seat in pending:
            for player in self._waiting_players[next_seat - 1]:
                player.notify_move(ply)
            for listener in self._listeners:
                listener(event)
