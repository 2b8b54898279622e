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


def position_json(
    position: Position,
    before: Position | None,
    teams: Sequence[str],
    moves: int,
    allowed: float | None,
    clocks: Sequence[float | None],
) -> bytes:
    """What is true on this turn: boards as rows of text, whose turn, clocks, and the game's own facts.

    before: the position before the last move, if there was one. allowed: seconds for this move, None without a limit.
    clocks: seconds left of the whole game by seat, None where only moves are limited.
    """
    return json.dumps(
        {
            "board": position.rows(),
            "board_before": None if before is None else before.rows(),
            "to_move": teams[position.to_move - 1],
            "marks": {team: position.mark(seat) for seat, team in enumerate(teams, 1)},
            "moves": moves,
            "seconds": allowed,
            "clocks": dict(zip(teams, clocks, strict=True)),
            **position.facts(),
        }
    ).encode()
