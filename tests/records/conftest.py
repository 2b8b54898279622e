"""Played games to store and to write."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gomogo_core.games import load
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ply
from gomogo_core.records._tables import COLUMNS_BY_TABLE
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.store import Store

LINE = "h8 a1 i8 a2 j8 a3 k8 a4 l8"  # black wins on the ninth stone

PlayedBy = Callable[..., PlayedGame]


def played_by(
    names: tuple[str, ...] = ("ann", "bob"),
    moves: str = LINE,
    *,
    options: dict[str, Any] | None = None,
    opening_length: int = 0,
    outcome: Outcome | None = None,
    **record_fields: Any,
) -> PlayedGame:
    """A record of these moves, each of them made in a quarter of a second."""
    game = load("gomoku", **(options or {}))
    position, plies = game.start(), []
    for move in moves.split():
        plies.append(Ply(position.to_move, move))
        position = position.play(game.parse(move))
    count = len(plies) - opening_length
    facts: dict[str, Any] = {
        "game": "gomoku",
        "options": game.options,
        "specs": names,
        "names": names,
        "controls": (TimeControl(),) * len(names),
        "plies": tuple(plies),
        "opening_length": opening_length,
        "seconds": (0.25,) * count,
        "clocks": (None,) * count,
        "thoughts": (None,) * count,
        "warnings": (),
        "outcome": outcome or position.outcome() or Outcome((0, 0), Reason.INTERRUPTED),
        "started": 1_700_000_000.0,
        "duration": 0.25 * count,
    }
    return PlayedGame(**{**facts, **record_fields})


@pytest.fixture
def played() -> PlayedBy:
    return played_by


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store in SQLite; with GOMOGO_TEST_STORE set to the URL of a PostgreSQL database for tests, in that, emptied."""
    server = os.environ.get("GOMOGO_TEST_STORE")
    with Store.open(server or tmp_path / "games.db") as opened:
        yield opened
        if server:
            with opened.write_transaction() as connection:
                for table in reversed(COLUMNS_BY_TABLE):
                    connection.execute(f"DROP TABLE {table}")
