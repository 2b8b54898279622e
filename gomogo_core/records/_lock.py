"""The lock of a run: a locked file beside an SQLite store, or an advisory lock of PostgreSQL.

The system releases both kinds of lock when the process ends in any way. The module depends only on the name of a run.
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
def locked_run(database: Database, name: str, busy_error: UserError, timeout: float) -> Iterator[None]:
    """Within this context, lock the run `name`.

    Raises `busy_error` if another process still holds the lock after `timeout` seconds.
    """
    path = database.address.path
    with _advisory_lock(database, name, busy_error) if path is None else _locked_file(path, name, busy_error, timeout):
        yield


@contextmanager
def _locked_file(database: Path, name: str, busy_error: UserError, timeout: float) -> Iterator[None]:
    path = database.with_name(f"{database.name}.{re.sub('[^A-Za-z0-9_-]', '_', name)}.lock")
    lock = FileLock(path, timeout=timeout)
    try:
        lock.acquire()
    except Timeout:
        raise busy_error from None
    except OSError as error:
        raise UserError(
            f"The lock file {path} cannot be created: {error.strerror}.",
            "Make its folder writable, or name another store by --store.",
        ) from None
    try:
        yield
    finally:
        # remove the file before releasing the lock: filelock does not lock a file that another process has removed
        path.unlink(missing_ok=True)
        lock.release()


@contextmanager
def _advisory_lock(database: Database, name: str, busy_error: UserError) -> Iterator[None]:
    number = int.from_bytes(hashlib.sha256(f"gomogo {name}".encode()).digest()[:8], signed=True)
    with database.transaction() as connection:
        if not connection.value("SELECT pg_try_advisory_lock(:number)", number=number):
            raise busy_error
        # an open transaction would prevent the removal of old rows; the lock lasts until the connection closes
        connection.commit()
        try:
            yield
        finally:
            connection.execute("SELECT pg_advisory_unlock(:number)", number=number)
            connection.commit()
