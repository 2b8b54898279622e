"""The database of a store, an SQLite file or a PostgreSQL database, and explanations of its errors.

Both drivers follow PEP 249, and the store's statements use only the SQL that both databases share. The module does not
depend on tables.
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
from gomogo_core.records.paths import DEFAULT_STORE

LOCK_TIMEOUT = 30  # seconds to wait for another writer; one write of Gomogo locks the store for a few milliseconds
_SCHEMA_LOCK_NUMBER = 0x676F6D6F676F  # the number of an advisory lock of PostgreSQL: "gomogo" in ASCII
_PARAMETER_PATTERN = re.compile(r":(\w+)")
_PASSWORD_PATTERN = re.compile(r"(://[^:/@]*:)[^@]*@")

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
            return _PASSWORD_PATTERN.sub(r"\1***@", self.url)
        return os.path.relpath(self.path) if self.path.is_relative_to(Path.cwd()) else str(self.path)

    def can_write(self) -> bool:
        """Return whether this process can write to an existing store. The result is True for a server, which itself
        checks the right to write.
        """
        return self.path is None or (os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK))


def parse_address(location: str | os.PathLike[str] | None) -> StoreAddress:
    """Return the address for a path, a URL or None. Raises UserError for a URL that names no store."""
    text = os.fspath(location) if location is not None else DEFAULT_STORE
    scheme, is_url, path_or_host = text.partition("://")
    if not is_url:
        return StoreAddress(Path(text).expanduser().resolve())
    if scheme == "sqlite" and path_or_host not in ("", "/", "/:memory:"):
        return StoreAddress(Path(path_or_host.removeprefix("/")))
    if scheme not in ("postgres", "postgresql", "postgresql+psycopg"):
        raise UserError(
            f"{scheme}://… is not the address of a store.",  # do not quote the rest, which may contain a password
            "Write a path, or postgresql://USER:PASSWORD@HOST/DATABASE.",
        )
    return StoreAddress(None, f"postgresql://{path_or_host}")


class Connection:
    """A connection within a transaction.

    In a statement, `:name` stands for a parameter. A list is written in parentheses, as in `key IN :keys`.
    """

    def __init__(self, driver_connection: Any, *, is_sqlite: bool) -> None:
        self._driver_connection, self.is_sqlite = driver_connection, is_sqlite

    def execute(self, statement: str, **parameters: Any) -> Any:
        """Run a statement, and return the driver's cursor."""
        for name, values in parameters.copy().items():
            if isinstance(values, (list, tuple)):
                del parameters[name]
                numbered = {f"{name}_{index}": value for index, value in enumerate(values)}
                statement = statement.replace(
                    f":{name}", f"({', '.join(f':{parameter}' for parameter in numbered) or 'NULL'})"
                )
                parameters |= numbered
        cursor = self._driver_connection.cursor()
        return cursor.execute(statement if self.is_sqlite else _convert_for_psycopg(statement), parameters)

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
        first_row = self.row(statement, **parameters)
        return None if first_row is None else first_row[0]

    def insert(self, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert rows, all with the same columns."""
        columns = ", ".join(rows[0])
        statement = f"INSERT INTO {table} ({columns}) VALUES ({', '.join(f':{name}' for name in rows[0])})"
        self._driver_connection.cursor().executemany(
            statement if self.is_sqlite else _convert_for_psycopg(statement), rows
        )

    def update(self, table: str, changes: Mapping[str, Any], condition: str, **parameters: Any) -> int:
        """Change columns in some rows, and return their number. Columns and parameters must have different names."""
        setting = ", ".join(f"{name} = :{name}" for name in changes)
        return int(self.execute(f"UPDATE {table} SET {setting} WHERE {condition}", **changes, **parameters).rowcount)

    def tables(self) -> set[str]:
        """Return the names of all tables."""
        if self.is_sqlite:
            return set(self.column("SELECT name FROM sqlite_master WHERE type = 'table'"))
        return set(self.column("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"))

    def lock_for_setup(self) -> None:
        """Prevent other processes from creating or migrating the tables until the end of the transaction.

        SQLite has only one writer. PostgreSQL lets two processes create the same table, and then refuses the second
        commit. A match and a page that started together on a new database failed in this way.
        """
        if not self.is_sqlite:
            self.execute("SELECT pg_advisory_xact_lock(:number)", number=_SCHEMA_LOCK_NUMBER)

    def commit(self) -> None:
        """End the transaction. In PostgreSQL, the next statement begins another transaction."""
        self._driver_connection.commit()


@lru_cache(maxsize=256)
def _convert_for_psycopg(statement: str) -> str:
    return _PARAMETER_PATTERN.sub(r"%(\1)s", statement.replace("%", "%%"))


class Database:
    """Opens connections to a store, and keeps one of them for the next transaction. Several threads can use it."""

    def __init__(self, address: StoreAddress, *, writable: bool) -> None:
        self.address, self._writable = address, writable
        self._idle_connections: list[Any] = []
        self._driver: Any = sqlite3
        if address.path is None:
            try:
                import psycopg
            except ModuleNotFoundError as error:
                raise UserError(
                    f"A store at {address.name} needs a driver: {error}.",
                    "Give a path, or install the driver: pip install 'gomogo[postgres]'.",
                ) from None
            self._driver = psycopg
        self.IntegrityError: type[Exception] = self._driver.IntegrityError
        self.OperationalError: type[Exception] = self._driver.OperationalError

    def _connect(self) -> Any:
        path = self.address.path
        if path is None:
            return self._driver.connect(self.address.url)
        path_or_uri = str(path) if self._writable else _read_only_uri(path)
        connection = sqlite3.connect(
            path_or_uri, LOCK_TIMEOUT, isolation_level=None, check_same_thread=False, uri=not self._writable
        )
        if self._writable:
            try:
                connection.execute("PRAGMA journal_mode=WAL")  # readers and the writer do not wait for each other
                connection.execute("PRAGMA synchronous=FULL")  # a commit survives kill -9 and a power cut
                connection.execute("PRAGMA foreign_keys=ON")
            except BaseException:
                connection.close()
                raise
        return connection

    @contextmanager
    def transaction(self, *, writes: bool = False) -> Iterator[Connection]:
        """Within this context, run a transaction. writes: whether to commit the transaction if no error occurs.

        A writing transaction takes the write lock immediately. Otherwise SQLite would refuse the first write if another
        process had written since the first read.
        """
        try:
            driver_connection = self._idle_connections.pop()
        except IndexError:
            driver_connection = self._connect()
        try:
            connection = Connection(driver_connection, is_sqlite=self.address.path is not None)
            if connection.is_sqlite:
                driver_connection.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
            yield connection
            if writes:
                driver_connection.commit()
            else:
                driver_connection.rollback()
        except BaseException:  # close the connection, which may be broken; this undoes the transaction
            driver_connection.close()
            raise
        if self._idle_connections:
            driver_connection.close()
        else:
            self._idle_connections.append(driver_connection)

    def close(self) -> None:
        """Close the connection that was kept for the next transaction."""
        while self._idle_connections:
            self._idle_connections.pop().close()

    @contextmanager
    def as_user_errors(self) -> Iterator[None]:
        """Within this context, convert errors of the database to a UserError with the reason and the remedy."""
        driver = self._driver
        try:
            yield
        except (driver.ProgrammingError, driver.IntegrityError, driver.DataError, driver.NotSupportedError):
            raise  # a bug in Gomogo
        except driver.Error as error:
            sentence = next(iter(str(error).strip().splitlines()), type(error).__name__)
            message = sentence.casefold()
            explanations = (explanation for part, explanation in _ERROR_EXPLANATIONS.items() if part in message)
            reason, remedy = next(explanations, (sentence, "Fix that, or name another store by --store."))
            raise UserError(f"The store {self.address.name} cannot be used: {reason}.", remedy) from error


def _read_only_uri(path: Path) -> str:
    """Return a URI by which SQLite opens a file read-only.

    If no process writes to the file, the URI declares it immutable, so that SQLite creates no other file beside it.
    """
    has_writer = path.with_name(path.name + "-wal").exists()
    return f"{path.absolute().as_uri()}?{'mode=ro' if has_writer else 'immutable=1'}"
