"""The lock of a run: a locked file beside an SQLite store, or an advisory lock of PostgreSQL.

The system releases both kinds of lock when the process ends in any way. The module knows only the name of a run.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from gomogo_core.errors import UserError
from gomogo_core.records._database import Database


@contextmanager
def locked_run(database: Database, name: str, busy: UserError, timeout: float) -> Iterator[None]:
    """Within this context, lock the run `name`.

    Raises `busy` if another process holds the lock for `timeout` seconds.
    """
    path = database.address.path
    with _advisory_lock(database, name, busy) if path is None else _locked_file(path, name, busy, timeout):
        yield


@contextmanager
def _locked_file(database: Path, name: str, busy: UserError, timeout: float) -> Iterator[None]:
    path = database.with_name(f"{database.name}.{re.sub('[^A-Za-z0-9_-]', '_', name)}.lock")
    lock = FileLock(path, timeout=timeout)
    try:
        lock.acquire()
    except Timeout:
        raise busy from None
    except OSError as fault:
        raise UserError(
            f"The lock file {path} cannot be created: {fault.strerror}.",
            "Make its folder writable, or name another store by --store.",
        ) from None
    try:
        yield
    finally:
        # remove the file while the lock is held, because filelock never locks a file that no longer has a name
        path.unlink(missing_ok=True)
        lock.release()


@contextmanager
def _advisory_lock(database: Database, name: str, busy: UserError) -> Iterator[None]:
    number = int.from_bytes(hashlib.sha256(f"gomogo {name}".encode()).digest()[:8], signed=True)
    with database.transaction() as connection:
        if not connection.value("SELECT pg_try_advisory_lock(:number)", number=number):
            raise busy
        # the lock belongs to the database session; an open transaction would only keep old rows alive
        connection.commit()
        try:
            yield
        finally:
            connection.execute("SELECT pg_advisory_unlock(:number)", number=number)
            connection.commit()
