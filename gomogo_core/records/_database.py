"""Connect to a store: SQLite beside the user's files, or PostgreSQL by URL. Explain database errors in plain words.

Needs no table.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, func, make_url, select
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
from gomogo_core.records.paths import STORE

PATIENCE = 30  # seconds to wait for another writer; each of ours holds the store for some milliseconds
_SCHEMA_LOCK = 0x676F6D6F676F  # the number of PostgreSQL's advisory lock: "gomogo"

_FAULTS = {  # a part of the database's message: the reason, and the remedy
    "readonly": ("it is read-only", "Make the file and its folder writable, or name another store by --store."),
    "read-only": ("it is read-only", "Make the file and its folder writable, or name another store by --store."),
    "is locked": ("another program holds it", "Wait until it is done, or name another store by --store."),
    "is full": ("the disk is full", "Free some space, or name another store by --store."),
    "not a database": ("it is not an SQLite database", "Name another store by --store."),
    "malformed": ("it is damaged", "Restore it from a copy, or name another store by --store."),
    "unable to open": ("the folder is missing or not writable", "Make the folder, or name another store by --store."),
    "no such table": ("it is not a store of Gomogo", "Name another store by --store."),
    "i/o error": ("the disk does not answer", "Check the disk, or name another store by --store."),
    "connection": ("the server does not answer", "Start the server, or correct the address in --store."),
}


def store_url(where: str | os.PathLike[str] | None) -> URL:
    """Return the URL of a store, from a path, a URL or None. Raises UserError for a URL that names no store."""
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
            f"{text.partition('://')[0]}://… is not the address of a store.",  # the rest may hold a password
            "Write a path, or postgresql://USER:PASSWORD@HOST/DATABASE.",
        )
    return url


def name_of_store(url: URL) -> str:
    """Return the name of a store for messages: its path, or its URL without the password."""
    if url.get_backend_name() == "sqlite":
        path = Path(url.database or "")
        return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)
    return url.render_as_string(hide_password=True)


def connect(url: URL, *, writable: bool) -> Engine:
    """Create an engine for the store. Raises UserError if the database's driver is not installed."""
    arguments: dict[str, Any] = {}
    if url.get_backend_name() == "sqlite":
        arguments = {"timeout": PATIENCE, "check_same_thread": False}
        if not writable:
            url = _read_only(Path(url.database or ""))
    try:
        engine = create_engine(url, connect_args=arguments, pool_size=1, max_overflow=4)
    except (NoSuchModuleError, ModuleNotFoundError) as missing:
        raise UserError(
            f"A store at {name_of_store(url)} needs a driver: {missing}.",
            "Give a path, or install the driver: pip install 'gomogo[postgres]'.",
        ) from None
    if url.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _set_up_writing if writable else _leave_transactions_to_us)
        event.listen(engine, "begin", _begin)
    return engine


def may_write(url: URL) -> bool:
    """Return whether this process can write to an existing store; a server decides that later, so True."""
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
    connection.execute("PRAGMA synchronous=FULL")  # a committed transaction survives kill -9 and a power cut
    connection.execute("PRAGMA foreign_keys=ON")


def _leave_transactions_to_us(connection: sqlite3.Connection, _: object) -> None:
    connection.isolation_level = None


def _begin(connection: Connection) -> None:
    """Begin a transaction; a writer takes the write lock at once.

    A transaction that reads first and then writes would fail where another process wrote in between.
    """
    immediate = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def prepare_alone(connection: Connection) -> None:
    """Let one process at a time create or migrate the tables, until the end of the transaction.

    SQLite has one writer in any case. PostgreSQL lets two processes create the same table and refuses the second
    commit: a match and a page that started together on a new database ended so.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(_SCHEMA_LOCK)))


@contextmanager
def friendly_errors(where: str) -> Iterator[None]:
    """Turn a database error into a UserError with the reason and the remedy."""
    try:
        yield
    except (ProgrammingError, IntegrityError, DataError, NotSupportedError):
        raise  # a fault of this program
    except DBAPIError as fault:
        sentence = next(iter(str(fault.orig).strip().splitlines()), type(fault.orig).__name__)
        known = (words for part, words in _FAULTS.items() if part in sentence.casefold())
        why, remedy = next(known, (sentence, "Fix that, or name another store by --store."))
        raise UserError(f"The store {where} cannot be used: {why}.", remedy) from fault
