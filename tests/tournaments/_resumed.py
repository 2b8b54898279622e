"""The state of a run without its lock, for tests that play the run in one process only."""

from __future__ import annotations

from gomogo_core.records.store import Store
from tournaments.plan import Plan
from tournaments.run_state import RunState


def resume_state(plan: Plan, store: Store, *, allows_changes: bool = False) -> RunState:
    """Return the state of a plan's new or resumed run, and unlock the run."""
    with RunState(plan, store, allows_changes=allows_changes) as state:
        return state
