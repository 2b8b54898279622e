"""Find the run of a plan, so that the same command resumes it; begin one if there is none.

Uses plan and store; plays nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gomogo_core.errors import UserError
from gomogo_core.records.aggregates import ranks
from gomogo_core.records.store import Run, Status, Store
from tournaments.plan import Plan


def resume(plan: Plan, store: Store, *, extend: bool = False) -> Run:
    """Return the run of this plan's name; begin it if there is none.

    A run with other settings raises a UserError that names the difference. With `extend` the run takes the new
    settings: games that the new plan holds too are kept, the others are set aside. A run whose players may come and go
    does so without `extend`.
    """
    if run := store.begin(plan.spec.name, plan.fingerprint, plan.settings, plan.games()):
        return run
    run = store.find(plan.spec.name)
    assert run is not None
    if run.fingerprint == plan.fingerprint and not plan.is_open:
        return run
    if run.fingerprint != plan.fingerprint and not extend:
        raise UserError(
            f"The run {run.name!r} in {store.where} has other settings: {_difference(run.settings, plan.settings)}.",
            "Restore the setting, give the tournament another name, or continue with the new settings: --extend.",
        )
    if run.fingerprint == plan.fingerprint and plan.format.is_open:
        return store.change(run, plan.fingerprint, plan.settings_since(run.settings), plan.games())
    known = list(plan.results(ranks(store, run, (Status.PLAYED, Status.SET_ASIDE))))
    kept = {plan.key(pairing) for pairing in plan.pairings(known)}
    return store.change(run, plan.fingerprint, plan.settings, plan.games(known), kept)


def changes(before: Plan, now: Plan) -> list[str]:
    """Return sentences on the agents that came, went or cannot play between two looks at the folder."""
    come = [f"{now.names[i]} has come." for i, player in enumerate(now.players) if player not in before.players]
    gone = [f"{before.names[i]} has gone." for i, player in enumerate(before.players) if player not in now.players]
    return [*come, *gone, *(why for why in now.found.refused if why not in before.found.refused)]


def _difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return the settings that differ from the earlier ones, in words."""
    for key in sorted(before.keys() | now.keys()):
        was, is_now = before.get(key), now.get(key)
        if was == is_now:
            continue
        if key == "openings" and f"{was}{is_now}".count("file:"):
            return "its openings are others"
        if key == "players":
            old, new = ({one["player"] for one in players or ()} for players in (was, is_now))
            changes = [f"{who} has come" for who in sorted(new - old)] + [
                f"{who} has gone" for who in sorted(old - new)
            ]
            return ", ".join(changes) or "its players have another order or other names"
        if isinstance(was, Mapping) and isinstance(is_now, Mapping):
            return f"{key}: {_difference(was, is_now)}"
        return f"{key} was {_value_text(was)}, now it is {_value_text(is_now)}"
    return "it was written by another version"


def _value_text(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {one}" for key, one in value.items())
    return "none" if value in ("", None) else str(value)
