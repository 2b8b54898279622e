"""A PostgreSQL server for the tests: Debian's package, with its data and its socket in a folder of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests._tools import find_program

_USER = "postgres"  # the user that runs the server if we are root, since PostgreSQL refuses to run as root


def find_postgresql_programs() -> Path:
    """The folder of `initdb` and `pg_ctl`; tests that use them need "initdb"."""
    program = find_program("initdb")
    assert program is not None
    return Path(program).resolve().parent  # the program on PATH may be a link into the folder of all programs


@contextmanager
def postgresql() -> Iterator[str]:
    """Run a server with an empty database within this context. Yields its URL."""
    pytest.importorskip("psycopg")
    folder, user = find_postgresql_programs(), _USER if os.getuid() == 0 else None
    place = Path(tempfile.mkdtemp(prefix="gomogo-pg-"))
    if user is not None:
        shutil.chown(place, user, user)

    def run(program: str, *words: str) -> None:
        subprocess.run(
            [str(folder / program), "-D", str(place / "data"), *words],
            cwd="/", user=user, group=user, extra_groups=[] if user else None,
            check=True, stdout=subprocess.DEVNULL, timeout=300,
        )  # fmt: skip

    try:
        run("initdb", "-U", "gomogo", "--auth=trust", "-E", "UTF8", "--no-locale", "--no-sync")
        options = f"-k {place} -c listen_addresses= -c fsync=off"
        run("pg_ctl", "-w", "-l", str(place / "log"), "-o", options, "start")
        try:
            yield f"postgresql://gomogo@/postgres?host={place}"
        finally:
            run("pg_ctl", "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(place)
