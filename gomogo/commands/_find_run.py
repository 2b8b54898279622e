"""Finds the store and the run that the user of a command names: by the run's name, by its TOML file, or by default."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gomogo_core.errors import UserError

if TYPE_CHECKING:
    from gomogo_core.records.store import Run, Store


def open_store_of(which: str | None, store: str | None) -> Store:
    """Open the store of a run. which: the name of the run, its TOML file, or None. store: the user's choice, or
    None.
    """
    from gomogo.commands._run import store_for_file
    from gomogo_core.records.store import Store

    if which is not None and which.endswith(".toml"):
        store = store_for_file(Path(which), store)
    return Store.open(store, create=False)


_RECENT = 20  # number of the latest runs that are checked for being played


def run_to_watch(store: Store, before: Run | None) -> Run | None:
    """Return the run to show if the user named none: a run being played, else the run shown before, else the latest.

    before: the run that is shown now. While it is played, it is returned again. Returns None if the store has no run.
    """
    if before is not None and store.is_run_being_played(before.name):
        return before
    runs = store.runs()
    played = (run for run in runs[:_RECENT] if store.is_run_being_played(run.name))
    return next(played, before or next(iter(runs), None))


def find_run(store: Store, which: str | None) -> Run:
    """Return the run with the name or the TOML file `which`; the latest for None. Raises UserError if it is missing."""
    from tournaments.spec import read_spec

    if which is None:
        runs = store.runs()
        if not runs:
            raise UserError(
                f"The store {store.address} has no tournament and no match.",
                "Play a match: `gomogo match alpha_beta greedy`.",
            )
        return runs[0]
    return store.run(read_spec(Path(which)).name if which.endswith(".toml") else which)
