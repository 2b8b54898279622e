"""Several processes that open one new store at the same moment."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from gomogo_core.records.store import Store

PROCESS_COUNT = 6


def open_store_at_once(store_path: str | os.PathLike[str]) -> list[int]:
    """Open the store MANY times at once; how many games each finds in it."""
    ready = Barrier(PROCESS_COUNT)

    def count(_: int) -> int:
        ready.wait()
        with Store.open(store_path) as store, store.read_transaction() as connection:
            return int(connection.value("SELECT count(*) FROM games"))

    with ThreadPoolExecutor(PROCESS_COUNT) as threads:
        return list(threads.map(count, range(PROCESS_COUNT)))
