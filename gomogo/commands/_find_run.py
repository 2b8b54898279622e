"""Finds the store and the run that the user of a command names: by the run's name, by its TOML file, or by default."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gomogo_core.errors import UserError

if TYPE_CHECKING:
    from gomogo_core.records.store import Run, Store


def open_store_of_run(selector: str | None, store: str | None) -> Store:
    """Open the store of a run.

    selector: the name of the run, its TOML file, or None. store: the store that the user has chosen, or None.
    """
    from gomogo.commands._run import store_name_for_file
    from gomogo_core.records.store import Store

    if selector is not None and selector.endswith(".toml"):
        store = store_name_for_file(Path(selector), store)
    return Store.open(store, create=False)


_MAX_CHECKED_RUNS = 20  # only the latest runs are checked: an older run is hardly ever being played


def choose_run_to_watch(store: Store, previous: Run | None) -> Run | None:
    """Return the run to show if the user has named none: a run that is being played, else `previous`, else the latest.

    previous: the run that is shown now, or None. While it is being played, the function returns it again. Returns None
    if the store has no run.
    """
    if previous is not None and store.is_run_being_played(previous.name):
        return previous
    runs = store.runs()
    running_runs = (run for run in runs[:_MAX_CHECKED_RUNS] if store.is_run_being_played(run.name))
    return next(running_runs, previous or next(iter(runs), None))


def find_run(store: Store, selector: str | None) -> Run:
    """Return the run with the name or the TOML file `selector`; for None, the latest run. Raises UserError if there is
    none.
    """
    from tournaments.spec import read_spec

    if selector is None:
        runs = store.runs()
        if not runs:
            raise UserError(
                f"The store {store.address} has no tournament and no match.",
                "Play a match: `gomogo match alpha_beta greedy`.",
            )
        return runs[0]
    return store.run(read_spec(Path(selector)).name if selector.endswith(".toml") else selector)
