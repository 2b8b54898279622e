"""Count the games in a row that each player has lost by a crash, to stop a match whose player always crashes.

The module reads the results of games, and plays no game.
"""

from __future__ import annotations

from collections import Counter

from gomogo_core.games.base import Reason
from gomogo_core.printable import printable
from gomogo_core.records.game_record import PlayedGame


class CrashStreaks:
    """The number of games in a row that each player has lost by a crash.

    limit: the number of games that stops the match; None for no limit. limit_sentence: a sentence about the player that
    has reached the limit; empty if no player has.
    """

    def __init__(self, limit: int | None = None) -> None:
        self._limit, self.limit_sentence = limit, ""
        self._crashes_in_a_row: Counter[str] = Counter()

    def add_game(self, played_game: PlayedGame) -> bool:
        """Count a game. Return whether a player has reached the limit."""
        for seat, name in enumerate(played_game.names, 1):
            if played_game.forfeits.get(seat) is not Reason.CRASHED:
                self._crashes_in_a_row[name] = 0
                continue
            self._crashes_in_a_row[name] += 1
            if self._crashes_in_a_row[name] == self._limit:
                fault_words = printable(played_game.outcome.detail)  # it may quote the program's output
                self.limit_sentence = f"{printable(name)} crashed in {self._limit} games in a row: {fault_words}."
        return bool(self.limit_sentence)
