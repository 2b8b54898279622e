"""The content of `game.json` and `position.json`, for agents that need more than the last move.

The module formats positions and names, and opens no files.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from gomogo_core.games.base import Game, Position

PROTOCOL_VERSION = 1  # the version of Gomogo's additions to the file protocol


def game_json(
    game: Game, teams: Sequence[str], controls: Mapping[str, Mapping[str, float | None]], opening: int, seed: int | None
) -> dict[str, Any]:
    """Return the content of `game.json`, which stays the same during a game. In a private folder, the folder adds the
    key `you`.

    controls: the values of per_move, total, increment and grace of each team, in seconds; None for no limit. opening:
    the number of opening moves, which are the first lines of `history_file`.
    """
    return {
        "protocol": PROTOCOL_VERSION,
        "game": game.name,
        "options": game.options,
        "teams": list(teams),
        "time": {team: dict(control) for team, control in controls.items()},
        "opening": opening,
        "seed": seed,
    }


class PositionFormatter:
    """Formats the content of `position.json` for each turn."""

    def __init__(self, teams: Sequence[str]) -> None:
        self._quoted_names = tuple(json.dumps(team) for team in teams)
        self._seats = range(1, len(teams) + 1)
        self._cached_values: object = None  # the marks, limit and clocks in `_cached_text`
        self._cached_text = ""

    def format_position(
        self,
        position: Position,
        previous_position: Position | None,
        move_count: int,
        allowed_seconds: float | None,
        clocks: Sequence[float | None],
    ) -> bytes:
        """Return the content for one turn: boards as rows of text, the team to move, clocks, and the game's own facts.

        previous_position: the position before the last move, if there was one. allowed_seconds: the seconds for this
        move; None for no limit. clocks: the seconds left in the game, by seat; None if only single moves are limited.
        """
        marks = tuple(map(position.mark, self._seats))
        if (marks, allowed_seconds, clocks) != self._cached_values:
            self._cached_values = marks, allowed_seconds, clocks
            self._cached_text = self._format_cached_part(marks, allowed_seconds, clocks)
        facts = ""
        for name, value in position.facts().items():
            facts += f', "{name}": {value if type(value) is int else json.dumps(value)}'
        return (
            f'{{"board": {_rows_as_json(position)}, "board_before": {_rows_as_json(previous_position)}, '
            f'"to_move": {self._quoted_names[position.to_move - 1]}, "moves": {move_count}, '
            f"{self._cached_text}{facts}}}\n"
        ).encode()

    def _format_cached_part(
        self, marks: Sequence[str], allowed_seconds: float | None, clocks: Sequence[float | None]
    ) -> str:
        """Return the part of the content that rarely changes: marks, limit and clocks."""
        marks_text = ", ".join(f'{name}: "{mark}"' for name, mark in zip(self._quoted_names, marks, strict=True))
        clocks_text = ", ".join(
            f"{name}: {_number_text(seconds)}" for name, seconds in zip(self._quoted_names, clocks, strict=True)
        )
        return f'"marks": {{{marks_text}}}, "seconds": {_number_text(allowed_seconds)}, "clocks": {{{clocks_text}}}'


def _rows_as_json(position: Position | None) -> str:
    # boards contain no characters that JSON escapes, and json.dumps would double the cost of a move
    return "null" if position is None else '["' + '", "'.join(position.rows()) + '"]'


def _number_text(value: float | None) -> str:
    return "null" if value is None else repr(value)
