"""Played games as a page embeds them: a line of JSON each, with what each move changes, and nothing twice.

Knows records and rules; no page.
"""

from __future__ import annotations

import json
from typing import Any

from gomogo.commands._play_words import ending
from gomogo.report._changes import change
from gomogo_core.games import load
from gomogo_core.games._grid import Point
from gomogo_core.games.base import Game
from gomogo_core.records.played import PlayedGame
from gomogo_core.records.turning_point import turning_point

_THOUGHT = 300  # characters of a thought that are kept
_MOST_VALUES = 12  # moves of a position, of which what was thought is kept
_SEATS = "0123456789abcdefghijklmnopq"  # a seat, in one character


class Boards:
    """The boards that the games were played on, numbered as they come."""

    def __init__(self) -> None:
        self.games: list[Game] = []
        self._known: dict[str, int] = {}

    def number(self, played: PlayedGame) -> int:
        """The number of a game's board."""
        asked = f"{played.game} {json.dumps(played.options, sort_keys=True)}"
        if asked not in self._known:
            self._known[asked] = len(self.games)
            self.games.append(load(played.game, **played.options))
        return self._known[asked]


def embedded(played: PlayedGame, boards: Boards) -> str:
    """One line of JSON, safe within a page's script element: no `<` is in it."""
    plain = {name: value for name, value in _plain(played, boards).items() if value not in (None, "", [], {})}
    return json.dumps(plain, separators=(",", ":")).replace("<", "\\u003c")


def _plain(played: PlayedGame, boards: Boards) -> dict[str, Any]:
    number = boards.number(played)
    game = boards.games[number]
    position, changes, taken = game.start(), [], {}
    for count, ply in enumerate(played.plies, 1):
        before, position = position, game.follow(position, ply.seat, ply.move)
        changes.append(change(before, position))
        captures = getattr(position, "captures", None)
        if captures != getattr(before, "captures", None):
            taken[count] = captures
    won: tuple[Point, ...] = getattr(position, "winning_row", tuple)()
    return {
        "board": number,
        "names": played.names,
        "marks": [position.mark(seat) for seat in range(1, game.seats + 1)],
        "ending": "Not finished." if played.outcome.void else ending(played),
        "opening": played.opening,
        "moves": " ".join(ply.move for ply in played.plies),
        "seats": "".join(_SEATS[ply.seat] for ply in played.plies),
        "changes": ";".join(changes),
        "taken": taken,
        "won": list(map(str, won)),
        "seconds": [round(seconds, 3) for seconds in played.seconds],
        "total": [control.total for control in played.controls] if any(c.total for c in played.controls) else None,
        "clocks": [None if left is None else round(left, 1) for left in played.clocks] if any(played.clocks) else None,
        "scores": [None if score is None else float(f"{score:.4g}") for score in played.scores],
        "lines": _sparse(played, played.lines),
        "thoughts": _sparse(played, played.thoughts),
        "values": _values(played, game),
        "turning": turning_point(played),
        "warnings": [(count, played.names[seat - 1], what[:_THOUGHT]) for count, seat, what in played.warnings],
    }


def _values(played: PlayedGame, game: Game) -> dict[int, str]:
    """By the number of moves before, what was thought of the moves that were held to be the best: `h8 0.4 c3 0.1`."""
    told = {}
    for number in range(played.opening, len(played.plies)) if any(played.values) else ():
        if heat := sorted(played.heat(number, game).items(), key=lambda item: -item[1])[:_MOST_VALUES]:
            told[number] = " ".join(f"{game.format(move)} {value:.3g}" for move, value in heat)
    return told


def _sparse(played: PlayedGame, said: tuple[str | None, ...]) -> dict[int, str]:
    """What was said of moves, by their numbers."""
    return {number: words[:_THOUGHT] for number, words in enumerate(said, played.opening + 1) if words}
