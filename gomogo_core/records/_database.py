"""How a store is reached: SQLite beside the user's files, or PostgreSQL by URL; and its faults in words.

Knows no table.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DataError,
    DBAPIError,
    IntegrityError,
    NoSuchModuleError,
    NotSupportedError,
    ProgrammingError,
)

from gomogo_core.errors import UserError
from gomogo_core.records.places import STORE

_PATIENCE = 30  # seconds to wait for another writer; each of ours holds the store for some milliseconds

_FAULTS = {  # a part of the database's sentence: why, and what to do
    "readonly": ("it is read-only", "Make the file and its folder writable, or name another store by --store."),
    "read-only": ("it is read-only", "Make the file and its folder writable, or name another store by --store."),
    "is locked": ("another program holds it", "Wait until it is done, or name another store by --store."),
    "is full": ("the disk is full", "Make room, or name another store by --store."),
    "not a database": ("it is no SQLite database", "Name another store by --store."),
    "malformed": ("it is damaged", "Restore it from a copy, or name another store by --store."),
    "unable to open": ("the folder is missing or not writable", "Make the folder, or name another store by --store."),
    "no such table": ("it is no store of Gomogo", "Name another store by --store."),
    "i/o error": ("the disk does not answer", "Look after the disk, or name another store by --store."),
    "connection": ("the server does not answer", "Start the server, or mend the address given by --store."),
}


def address(where: str | os.PathLike[str] | None) -> URL:
    """The URL of a store given as a path, as a URL, or not at all. Raises UserError for a URL that is none."""
    text = os.fspath(where) if where is not None else STORE
    if "://" not in text:
        return URL.create("sqlite", database=str(Path(text).expanduser().resolve()))
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        url = URL.create("none")
    if url.drivername in ("postgres", "postgresql"):
        return url.set(drivername="postgresql+psycopg")
    on_disk = url.get_backend_name() == "sqlite" and url.database not in (None, "", ":memory:")
    if not on_disk and url.get_backend_name() != "postgresql":
        raise UserError(
            f"{text.partition('://')[0]}://… is no address of a store.",  # the rest may hold a password
            "Write a path, or postgresql://USER:PASSWORD@HOST/DATABASE.",
        )
    return url


def shown(url: URL) -> str:
    """How a store is named to people: the path, or the URL without its password."""
    if url.get_backend_name() == "sqlite":
        path = Path(url.database or "")
        return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)
    return url.render_as_string(hide_password=True)


def connect(url: URL, *, writable: bool) -> Engine:
    """An engine for the store. Raises UserError where the database's driver is not installed."""
    arguments: dict[str, Any] = {}
    if url.get_backend_name() == "sqlite":
        arguments = {"timeout": _PATIENCE, "check_same_thread": False}
        if not writable:
            url = _read_only(Path(url.database or ""))
    try:
        engine = create_engine(url, connect_args=arguments, pool_size=1, max_overflow=4)
    except (NoSuchModuleError, ModuleNotFoundError) as missing:
        raise UserError(
            f"A store at {shown(url)} needs a driver: {missing}.",
            "Give a path, or install the driver: pip install 'gomogo[postgres]'.",
        ) from None
    if url.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _set_up_writing if writable else _leave_transactions_to_us)
        event.listen(engine, "begin", _begin)
    return engine


def may_write(url: URL) -> bool:
    """Whether an existing store can be written to; of a server only the server knows."""
    if url.get_backend_name() != "sqlite":
        return True
    path = Path(url.database or "")
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def _read_only(path: Path) -> URL:
    """Open a file nobody writes to as immutable: otherwise SQLite wants to make its -shm file beside it."""
    written_to = path.with_name(path.name + "-wal").exists()
    how = {"mode": "ro"} if written_to else {"immutable": "1"}
    return URL.create("sqlite", database=path.as_uri(), query={**how, "uri": "true"})


def _set_up_writing(connection: sqlite3.Connection, _: object) -> None:
    connection.isolation_level = None
    connection.execute("PRAGMA journal_mode=WAL")  # readers and the one writer do not wait for each other
    connection.execute("PRAGMA synchronous=FULL")  # what is committed outlives kill -9 and a power cut
    connection.execute("PRAGMA foreign_keys=ON")


def _leave_transactions_to_us(connection: sqlite3.Connection, _: object) -> None:
    connection.isolation_level = None


def _begin(connection: Connection) -> None:
    """A writer says so at once: one that reads first and then writes would fail where another wrote in between."""
    immediate = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


@contextmanager
def in_words(where: str) -> Iterator[None]:
    """Turn a database's fault into a UserError that says why and what to do."""
    try:
        yield
    except (ProgrammingError, IntegrityError, DataError, NotSupportedError):
        raise  # our own mistake
    except DBAPIError as fault:
        sentence = next(iter(str(fault.orig).strip().splitlines()), type(fault.orig).__name__)
        known = (words for part, words in _FAULTS.items() if part in sentence.casefold())
        why, remedy = next(known, (sentence, "Mend that, or name another store by --store."))
        raise UserError(f"The store {where} cannot be used: {why}.", remedy) from fault
