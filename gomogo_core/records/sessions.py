"""Interactive games: saved after each move, loaded by their players, deleted on request.

Uses tables and plain values, but no rules, no page. A sitter is any text that stands for one person's browser or
terminal.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import delete, func, insert, select, update

from gomogo_core.games.base import Seat
from gomogo_core.records._tables import games, records, seats, sitters, sittings
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
        if not connection.execute(update(sittings).where(sittings.c.key == key).values(**row)).rowcount:
            connection.execute(insert(sittings).values(key=key, **row))
        held = {row.seat: row.sitter for row in connection.execute(_seats(key))}
        if held != dict(sat):
            connection.execute(delete(sitters).where(sitters.c.key == key))
            if sat:
                rows = [{"key": key, "seat": seat, "sitter": sitter} for seat, sitter in sat.items()]
                connection.execute(insert(sitters), rows)


def _seats(key: str) -> Any:
    return select(sitters.c.seat, sitters.c.sitter).where(sitters.c.key == key)


def load_session(store: Store, key: str) -> SavedSession | None:
    """Return the game of this key, or None."""
    with store.reading() as connection:
        row = connection.execute(select(sittings).where(sittings.c.key == key)).first()
    return None if row is None else SavedSession(row.key, json.loads(row.json), row.over, row.changed)


def sessions_of(store: Store, sitter: str, most: int = 100) -> list[SavedSession]:
    """Return the games in which `sitter` has a seat, the last changed first."""
    theirs = select(sitters.c.key).where(sitters.c.sitter == sitter)
    query = select(sittings).where(sittings.c.key.in_(theirs)).order_by(sittings.c.changed.desc()).limit(most)
    with store.reading() as connection:
        return [SavedSession(row.key, json.loads(row.json), row.over, row.changed) for row in connection.execute(query)]


def unfinished_of(store: Store, sitter: str) -> int:
    """Return how many games `sitter` has begun and not ended."""
    theirs = select(sitters.c.key).where(sitters.c.sitter == sitter)
    query = select(func.count()).select_from(sittings).where(sittings.c.key.in_(theirs), sittings.c.over.is_(False))
    with store.reading() as connection:
        return int(connection.execute(query).scalar_one())


def delete_session(store: Store, key: str) -> None:
    """Delete a game with its moves, and its record if it is over. A game of a run is no session: it stays."""
    with store.writing() as connection:
        if connection.execute(select(sittings.c.key).where(sittings.c.key == key)).first() is None:
            return
        for table in (sitters, sittings):
            connection.execute(delete(table).where(table.c.key == key))
        stored = select(games.c.key).where(games.c.key == key, games.c.run.is_(None))
        if connection.execute(stored).first() is not None:
            for table in (records, seats, games):
                connection.execute(delete(table).where(table.c.key == key))
