"""Announces a game: moves to the players, events to the listeners.

Chooses the moment of each announcement, so that no player's clock runs while another's screen is drawn. Judges nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from gomogo_core.games.base import Seat
from gomogo_core.play.events import Event, Listener, Moved, PlayerLeft, Ply
from gomogo_core.play.player import Player


class Announcer:
    """The players and the listeners of one game."""

    def __init__(self, players: Sequence[Player], listeners: Sequence[Listener]) -> None:
        self._players, self._listeners = players, listeners
        # for each seat, the players that wait while this seat thinks
        self._waiting = [[*players[:seat], *players[seat + 1 :]] for seat in range(len(players))]
        # moves that only the next player has received, each with that player
        self.pending: list[tuple[Ply, Moved, Seat]] = []

    def emit(self, event: Event) -> None:
        """Send an event to the listeners."""
        for listener in self._listeners:
            listener(event)

    def move(self, ply: Ply, event: Moved, following: Seat) -> None:
        """Notify the player `following` at once, because its turn comes next. The others are notified by `flush`."""
        self._players[following - 1].notify_move(ply)
        self.pending.append((ply, event, following))

    def departure(self, ply: Ply, event: PlayerLeft) -> None:
        """Announce that a player has left, and that others play on."""
        for player in self._players:
            player.notify_move(ply)
        self.emit(event)

    def flush(self) -> None:
        """Announce the pending moves to the waiting players and to the listeners, while the next player thinks."""
        pending, self.pending = self.pending, []
        for ply, event, following in pending:
            for player in self._waiting[following - 1]:
                player.notify_move(ply)
            for listener in self._listeners:
                listener(event)
