"""What `game.json` and `position.json` tell an agent that wants to know more than the last move.

Knows positions and names; no files.
"""

from __future__ import annotations

import json
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
        names = self._names
        marks = ", ".join([f'{name}: "{position.mark(seat)}"' for seat, name in enumerate(names, 1)])
        lefts = ", ".join([f"{name}: {_number(left)}" for name, left in zip(names, clocks, strict=True)])
        own = json.dumps(position.facts())[1:-1]
        return (
            f'{{"board": {_rows(position)}, "board_before": {_rows(before)}, "to_move": {names[position.to_move - 1]}, '
            f'"marks": {{{marks}}}, "moves": {moves}, "seconds": {_number(allowed)}, "clocks": {{{lefts}}}'
            f"{', ' if own else ''}{own}}}\n"
        ).encode()


def _rows(position: Position | None) -> str:
    # boards are drawn with characters that JSON need not escape; json.dumps would cost as much as the rest of a move
    return "null" if position is None else '["' + '", "'.join(position.rows()) + '"]'


def _number(value: float | None) -> str:
    return "null" if value is None else repr(value)
