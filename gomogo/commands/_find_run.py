"""Finds the run that a command is about: by its name, by its file, or by default.

Handles stores and files of tournaments; shows nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gomogo_core.errors import UserError

if TYPE_CHECKING:
    from gomogo_core.records.store import Run, Store


def store_of(which: str | None, store: str | None) -> Store:
    """Return the store of a run given by its name, or by its file."""
    from gomogo.commands._run import store_beside
    from gomogo_core.records.store import Store

    if which is not None and which.endswith(".toml"):
        store = store_beside(Path(which), store)
    return Store.open(store, create=False)


_RECENT = 20  # runs, the latest, that may still be going on


def run_to_watch(store: Store, before: Run | None) -> Run | None:
    """Return the run to show when none is named: the one being played, else the one shown before, else the latest.

    before: the run shown now; it stays while it is played. None if the store holds no run.
    """
    if before is not None and store.is_played(before.name):
        return before
    runs = store.runs()
    played = (run for run in runs[:_RECENT] if store.is_played(run.name))
    return next(played, before or next(iter(runs), None))


def run_of(store: Store, which: str | None) -> Run:
    """Return the run given by its name or its file, or the latest. Raises UserError if there is none."""
    from tournaments.spec import read_spec

    if which is None:
        runs = store.runs()
        if not runs:
            raise UserError(
                f"The store {store.where} holds no tournament and no match.",
                "Play one: `gomogo match alpha_beta greedy`.",
            )
        return runs[0]
    return store.run(read_spec(Path(which)).name if which.endswith(".toml") else which)
