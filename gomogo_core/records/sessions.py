"""Stores interactive games: saves them after each move, loads them, and deletes them on request.

The module also stores the class that plays on the page. A visitor is the key of one human's browser or terminal, as
text. In the tables, sessions have the older name `sittings` and visitors the older name `sitters`. The module uses
tables and plain values, but no rules and no page.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from gomogo_core.games.base import Seat
from gomogo_core.records.store import Store


class SavedSession(NamedTuple):
    """A saved game.

    json_values: the values that `save_session` received. is_over: whether the game has ended. changed_at: the Unix time
    of the last change.
    """

    key: str
    json_values: Mapping[str, Any]
    is_over: bool
    changed_at: float


def save_session(
    store: Store,
    key: str,
    json_values: Mapping[str, Any],
    visitors: Mapping[Seat, str],
    *,
    is_over: bool,
    changed: float | None = None,
) -> None:
    """Save the state of a game.

    json_values: values for JSON. visitors: the visitor of each seat that a human has. is_over: whether the game has
    ended. changed: the Unix time of the last change, by default now.
    """
    row = {"json": json.dumps(json_values), "over": is_over, "changed": time.time() if changed is None else changed}
    with store.write_transaction() as connection:
        if not connection.update("sittings", row, "key = :key", key=key):
            connection.insert("sittings", [{"key": key, **row}])
        stored_visitors = dict(connection.rows("SELECT seat, sitter FROM sitters WHERE key = :key", key=key))
        if stored_visitors != dict(visitors):
            connection.execute("DELETE FROM sitters WHERE key = :key", key=key)
            if visitors:
                rows = [{"key": key, "seat": seat, "sitter": visitor} for seat, visitor in visitors.items()]
                connection.insert("sitters", rows)


def load_session(store: Store, key: str) -> SavedSession | None:
    """Return the saved game with this key; None if there is none."""
    rows = store.rows(f"{_SELECT_SESSIONS} WHERE key = :key", key=key)
    return _session_from_row(rows[0]) if rows else None


_SELECT_SESSIONS = "SELECT key, json, over, changed FROM sittings"


def _session_from_row(row: tuple[Any, ...]) -> SavedSession:
    key, text, is_over, changed_at = row
    return SavedSession(key, json.loads(text), bool(is_over), changed_at)


def sessions_of(store: Store, visitor: str, limit: int = 100) -> list[SavedSession]:
    """Return at most `limit` games in which a visitor has a seat, the last changed first."""
    condition = "key IN (SELECT key FROM sitters WHERE sitter = :sitter) ORDER BY changed DESC LIMIT :most"
    rows = store.rows(f"{_SELECT_SESSIONS} WHERE {condition}", sitter=visitor, most=limit)
    return [_session_from_row(row) for row in rows]


def count_unfinished_sessions(store: Store, visitor: str) -> int:
    """Return the number of unfinished games in which a visitor has a seat."""
    query = "SELECT count(*) FROM sittings WHERE key IN (SELECT key FROM sitters WHERE sitter = :sitter) AND NOT over"
    return int(store.rows(query, sitter=visitor)[0][0])


def delete_session(store: Store, key: str) -> None:
    """Delete an interactive game and, if it has ended, its record. A game of a run is not deleted."""
    with store.write_transaction() as connection:
        if connection.row("SELECT key FROM sittings WHERE key = :key", key=key) is None:
            return
        tables = ["sitters", "sittings"]
        if connection.row("SELECT key FROM games WHERE key = :key AND run IS NULL", key=key) is not None:
            tables += ["records", "seats", "games"]
        for table in tables:
            connection.execute(f"DELETE FROM {table} WHERE key = :key", key=key)


_CLASS_NAME = "class"  # a store has only one class


def save_class(store: Store, json_values: Mapping[str, Any]) -> None:
    """Save the class that plays on the page. json_values: values for JSON."""
    row = {"json": json.dumps(json_values)}
    with store.write_transaction() as connection:
        if not connection.update("classes", row, "name = :name", name=_CLASS_NAME):
            connection.insert("classes", [{"name": _CLASS_NAME, **row}])


def load_class(store: Store) -> Mapping[str, Any] | None:
    """Return the values that `save_class` received last; None if no class was saved."""
    rows = store.rows("SELECT json FROM classes WHERE name = :name", name=_CLASS_NAME)
    return dict(json.loads(rows[0][0])) if rows else None
