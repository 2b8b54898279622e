"""Interactive games: saved after each move, loaded by their players, deleted on request.

Uses tables and plain values, but no rules, no page. A sitter is any text that stands for one person's browser or
terminal.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from gomogo_core.games.base import Seat
from gomogo_core.records.store import Store


class SavedSession(NamedTuple):
    """A saved game. plain: the values that `save_session` received. changed: Unix time."""

    key: str
    plain: Mapping[str, Any]
    over: bool
    changed: float


def save_session(store: Store, key: str, plain: Mapping[str, Any], sat: Mapping[Seat, str], *, over: bool) -> None:
    """Save the state of a game. plain: values that JSON can carry. sat: the person in each seat that has one."""
    row = {"json": json.dumps(plain), "over": over, "changed": time.time()}
    with store.writing() as connection:
        if not connection.update("sittings", row, "key = :key", key=key):
            connection.insert("sittings", [{"key": key, **row}])
        held = dict(connection.rows("SELECT seat, sitter FROM sitters WHERE key = :key", key=key))
        if held != dict(sat):
            connection.execute("DELETE FROM sitters WHERE key = :key", key=key)
            if sat:
                connection.insert("sitters", [{"key": key, "seat": seat, "sitter": one} for seat, one in sat.items()])


def load_session(store: Store, key: str) -> SavedSession | None:
    """Return the game of this key, or None."""
    with store.reading() as connection:
        row = connection.row(f"{_SITTINGS} WHERE key = :key", key=key)
    return None if row is None else _session(row)


_SITTINGS = "SELECT key, json, over, changed FROM sittings"


def _session(row: tuple[Any, ...]) -> SavedSession:
    key, text, over, changed = row
    return SavedSession(key, json.loads(text), bool(over), changed)


def sessions_of(store: Store, sitter: str, most: int = 100) -> list[SavedSession]:
    """Return the games in which `sitter` has a seat, the last changed first."""
    theirs = "key IN (SELECT key FROM sitters WHERE sitter = :sitter) ORDER BY changed DESC LIMIT :most"
    with store.reading() as connection:
        return [_session(row) for row in connection.rows(f"{_SITTINGS} WHERE {theirs}", sitter=sitter, most=most)]


def unfinished_of(store: Store, sitter: str) -> int:
    """Return the number of games that `sitter` has begun and not ended."""
    begun = "SELECT count(*) FROM sittings WHERE key IN (SELECT key FROM sitters WHERE sitter = :sitter) AND NOT over"
    with store.reading() as connection:
        return int(connection.value(begun, sitter=sitter))


def delete_session(store: Store, key: str) -> None:
    """Delete a game with its moves, and its record if it is over. A game of a run is no session: it stays."""
    with store.writing() as connection:
        if connection.row("SELECT key FROM sittings WHERE key = :key", key=key) is None:
            return
        tables = ["sitters", "sittings"]
        if connection.row("SELECT key FROM games WHERE key = :key AND run IS NULL", key=key) is not None:
            tables += ["records", "seats", "games"]
        for table in tables:
            connection.execute(f"DELETE FROM {table} WHERE key = :key", key=key)
