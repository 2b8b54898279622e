"""What `game.json` and `position.json` tell an agent that wants to know more than the last move.

Knows positions and names; no files.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from gomogo_core.games.base import Game, Position

PROTOCOL = 1  # the version of what is ours in the file protocol


def game_json(
    game: Game, teams: Sequence[str], controls: Mapping[str, Mapping[str, float | None]], opening: int, seed: int | None
) -> dict[str, Any]:
    """What stays the same all through a game.

    controls: for each team its per_move, total, increment and grace, in seconds, null without a limit. opening: how
    many lines of `history_file` were there before anybody thought. A private folder adds `you`.
    """
    return {
        "protocol": PROTOCOL,
        "game": game.name,
        "options": game.options,
        "teams": list(teams),
        "time": {team: dict(control) for team, control in controls.items()},
        "opening": opening,
        "seed": seed,
    }


class Facts:
    """Writes `position.json` turn after turn."""

    def __init__(self, teams: Sequence[str]) -> None:
        self._names = tuple(json.dumps(team) for team in teams)
        self._seats = range(1, len(teams) + 1)
        self._terms: object = None  # marks, limit and clocks, and how they were told
        self._told = ""

    def text(
        self,
        position: Position,
        before: Position | None,
        moves: int,
        allowed: float | None,
        clocks: Sequence[float | None],
    ) -> bytes:
        """What is true on this turn: boards as rows of text, whose turn, clocks, and the game's own facts.

        before: the position before the last move, if there was one. allowed: seconds for this move, None without a
        limit. clocks: seconds left of the whole game by seat, None where only moves are limited.
        """
        marks = tuple([position.mark(seat) for seat in self._seats])
        if (marks, allowed, clocks) != self._terms:
            self._terms = marks, allowed, clocks
            self._told = self._tell(marks, allowed, clocks)
        own = "".join([f', "{name}": {_plain(fact)}' for name, fact in position.facts().items()])
        return (
            f'{{"board": {_rows(position)}, "board_before": {_rows(before)}, '
            f'"to_move": {self._names[position.to_move - 1]}, "moves": {moves}, {self._told}{own}}}\n'
        ).encode()

    def _tell(self, marks: Sequence[str], allowed: float | None, clocks: Sequence[float | None]) -> str:
        """What seldom changes from turn to turn: with limits on moves only, never."""
        marked = ", ".join(f'{name}: "{mark}"' for name, mark in zip(self._names, marks, strict=True))
        lefts = ", ".join(f"{name}: {_number(left)}" for name, left in zip(self._names, clocks, strict=True))
        return f'"marks": {{{marked}}}, "seconds": {_number(allowed)}, "clocks": {{{lefts}}}'


# The last boards as JSON: each is asked for twice, as the board and as the one before. A few games may run at once.
_boards: deque[tuple[Position, str]] = deque(maxlen=8)


def _rows(position: Position | None) -> str:
    if position is None:
        return "null"
    for known, text in tuple(_boards):
        if known is position:
            return text
    # boards are drawn with characters that JSON need not escape; json.dumps would cost as much as the rest of a move
    text = '["' + '", "'.join(position.rows()) + '"]'
    _boards.append((position, text))
    return text


def _plain(fact: Any) -> str:
    return str(fact) if type(fact) is int else json.dumps(fact)


def _number(value: float | None) -> str:
    return "null" if value is None else repr(value)
