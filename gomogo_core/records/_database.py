"""The database of a store: an SQLite file, or a PostgreSQL database named by a URL; and plain words for its errors.

Both drivers follow PEP 249, and the store's statements use only the SQL that both databases share. The module knows no
table.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from gomogo_core.errors import UserError
from gomogo_core.records.paths import STORE

PATIENCE = 30  # seconds to wait for another writer; Gomogo itself locks the store only for some milliseconds per write
_SCHEMA_LOCK = 0x676F6D6F676F  # the number of PostgreSQL's advisory lock: "gomogo"
_PARAMETER = re.compile(r":(\w+)")
_PASSWORD = re.compile(r"(://[^:/@]*:)[^@]*@")

_ERROR_EXPLANATIONS = {  # maps a part of the database's message to the reason and the remedy
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


class StoreAddress(NamedTuple):
    """The address of a store: the path of an SQLite file, or the URL of a PostgreSQL database."""

    path: Path | None
    url: str = ""

    @property
    def name(self) -> str:
        """The name for messages: the path, or the URL without the password."""
        if self.path is None:
            return _PASSWORD.sub(r"\1***@", self.url)
        return os.path.relpath(self.path) if self.path.is_relative_to(Path.cwd()) else str(self.path)

    def can_write(self) -> bool:
        """Return whether this process can write to an existing store. For a server the result is True, because the
        server decides only later.
        """
        return self.path is None or (os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK))


def address_of(place: str | os.PathLike[str] | None) -> StoreAddress:
    """Return the address for a path, a URL or None. Raises UserError for a URL that names no store."""
    text = os.fspath(place) if place is not None else STORE
    scheme, is_url, rest = text.partition("://")
    if not is_url:
        return StoreAddress(Path(text).expanduser().resolve())
    if scheme == "sqlite" and rest not in ("", "/", "/:memory:"):
        return StoreAddress(Path(rest.removeprefix("/")))
    if scheme not in ("postgres", "postgresql", "postgresql+psycopg"):
        raise UserError(
            f"{scheme}://… is not the address of a store.",  # do not quote the rest, which may contain a password
            "Write a path, or postgresql://USER:PASSWORD@HOST/DATABASE.",
        )
    return StoreAddress(None, f"postgresql://{rest}")


class Connection:
    """A connection within a transaction.

    In a statement, `:name` stands for a parameter. A list as a parameter adds its own parentheses.
    """

    def __init__(self, raw: Any, *, is_file: bool) -> None:
        self._raw, self.is_file = raw, is_file

    def execute(self, statement: str, **parameters: Any) -> Any:
        """Run a statement, and return the driver's cursor."""
        for name, values in parameters.copy().items():
            if isinstance(values, (list, tuple)):
                del parameters[name]
                each = {f"{name}_{number}": value for number, value in enumerate(values)}
                statement = statement.replace(f":{name}", f"({', '.join(f':{one}' for one in each) or 'NULL'})")
                parameters |= each
        cursor = self._raw.cursor()
        return cursor.execute(statement if self.is_file else _for_psycopg(statement), parameters)

    def rows(self, statement: str, **parameters: Any) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        return self.execute(statement, **parameters).fetchall()  # type: ignore[no-any-return]

    def row(self, statement: str, **parameters: Any) -> tuple[Any, ...] | None:
        """Return the first row of a query; None if there are no rows."""
        return self.execute(statement, **parameters).fetchone()  # type: ignore[no-any-return]

    def column(self, statement: str, **parameters: Any) -> list[Any]:
        """Return the first column of a query."""
        return [row[0] for row in self.rows(statement, **parameters)]

    def value(self, statement: str, **parameters: Any) -> Any:
        """Return the first value of the first row of a query; None if there are no rows."""
        found = self.row(statement, **parameters)
        return None if found is None else found[0]

    def insert(self, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert rows, all with the same columns."""
        columns = ", ".join(rows[0])
        statement = f"INSERT INTO {table} ({columns}) VALUES ({', '.join(f':{name}' for name in rows[0])})"
        self._raw.cursor().executemany(statement if self.is_file else _for_psycopg(statement), rows)

    def update(self, table: str, changes: Mapping[str, Any], condition: str, **parameters: Any) -> int:
        """Change columns in some rows, and return their number. Columns and parameters must have different names."""
        setting = ", ".join(f"{name} = :{name}" for name in changes)
        return int(self.execute(f"UPDATE {table} SET {setting} WHERE {condition}", **changes, **parameters).rowcount)

    def tables(self) -> set[str]:
        """Return the names of all tables."""
        if self.is_file:
            return set(self.column("SELECT name FROM sqlite_master WHERE type = 'table'"))
        return set(self.column("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"))

    def lock_for_setup(self) -> None:
        """Until the end of the transaction, let no other process create or migrate the tables.

        SQLite has only one writer. PostgreSQL lets two processes create the same table, and then refuses the second
        commit. This happened when a match and a page started together on a new database.
        """
        if not self.is_file:
            self.execute("SELECT pg_advisory_xact_lock(:number)", number=_SCHEMA_LOCK)

    def commit(self) -> None:
        """End the transaction. In PostgreSQL, the next statement begins another transaction."""
        self._raw.commit()

    def rollback(self) -> None:
        """Undo the transaction."""
        self._raw.rollback()


@lru_cache(maxsize=256)
def _for_psycopg(statement: str) -> str:
    return _PARAMETER.sub(r"%(\1)s", statement.replace("%", "%%"))


class Database:
    """Opens connections to a store, and keeps one connection for the next use. Several threads can use it."""

    def __init__(self, address: StoreAddress, *, writable: bool) -> None:
        self.address, self._writable = address, writable
        self._idle: list[Any] = []
        self._driver: Any = sqlite3
        if address.path is None:
            try:
                import psycopg
            except ModuleNotFoundError as missing:
                raise UserError(
                    f"A store at {address.name} needs a driver: {missing}.",
                    "Give a path, or install the driver: pip install 'gomogo[postgres]'.",
                ) from None
            self._driver = psycopg
        self.IntegrityError: type[Exception] = self._driver.IntegrityError
        self.OperationalError: type[Exception] = self._driver.OperationalError

    def _connect(self) -> Any:
        path = self.address.path
        if path is None:
            return self._driver.connect(self.address.url)
        name = str(path) if self._writable else _read_only_uri(path)
        connection = sqlite3.connect(
            name, PATIENCE, isolation_level=None, check_same_thread=False, uri=not self._writable
        )
        if self._writable:
            try:
                connection.execute("PRAGMA journal_mode=WAL")  # readers and the one writer do not wait for each other
                connection.execute("PRAGMA synchronous=FULL")  # a commit survives kill -9 and a power cut
                connection.execute("PRAGMA foreign_keys=ON")
            except BaseException:
                connection.close()
                raise
        return connection

    @contextmanager
    def transaction(self, *, writes: bool = False) -> Iterator[Connection]:
        """Within this context, run a transaction. If `writes` is set, the transaction is committed unless an error
        occurs.

        A writing transaction takes the write lock immediately. Otherwise SQLite would refuse the first write if another
        process had written since the first read.
        """
        try:
            raw = self._idle.pop()
        except IndexError:
            raw = self._connect()
        try:
            connection = Connection(raw, is_file=self.address.path is not None)
            if connection.is_file:
                raw.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
            yield connection
            if writes:
                raw.commit()
            else:
                raw.rollback()
        except BaseException:  # close the connection, which may be broken; this undoes the transaction
            raw.close()
            raise
        if self._idle:
            raw.close()
        else:
            self._idle.append(raw)

    def close(self) -> None:
        """Close the connection that is kept for the next use."""
        while self._idle:
            self._idle.pop().close()

    @contextmanager
    def as_user_errors(self) -> Iterator[None]:
        """Within this context, convert errors of the database to a UserError with the reason and the remedy."""
        own = self._driver
        try:
            yield
        except (own.ProgrammingError, own.IntegrityError, own.DataError, own.NotSupportedError):
            raise  # a bug in Gomogo
        except own.Error as fault:
            sentence = next(iter(str(fault).strip().splitlines()), type(fault).__name__)
            known = (words for part, words in _ERROR_EXPLANATIONS.items() if part in sentence.casefold())
            why, remedy = next(known, (sentence, "Fix that, or name another store by --store."))
            raise UserError(f"The store {self.address.name} cannot be used: {why}.", remedy) from fault


def _read_only_uri(path: Path) -> str:
    """Return the URI that opens a file read-only; as immutable if nobody writes to the file, so that SQLite creates no
    other file.
    """
    written_to = path.with_name(path.name + "-wal").exists()
    return f"{path.absolute().as_uri()}?{'mode=ro' if written_to else 'immutable=1'}"
