"""Where the games of a run are played, and the workers that play them there.

Chooses the workers for a run; loads those of the chosen kind only.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from gomogo_core.processes.limits import Level
    from tournaments.run_state import RunState
    from tournaments.workers import Workers


class Workplace(NamedTuple):
    """Where games are played, and how many at a time; None means the tournament's own setting.

    workers: games at a time. sandbox: confinement level. cluster: the address of a scheduler, or None for
    workers on this machine.
    """

    workers: int | None = None
    cores_per_game: int | None = None
    pin: bool | None = None
    sandbox: Level | None = None
    cluster: str | None = None


def workers_for(state: RunState, workplace: Workplace, *, live: Path, log: Path | None) -> Workers:
    """Return the workers. A human at this terminal plays one game at a time.

    live: the folder for live files. log: the folder for conversations.
    """
    plan, left = state.plan, state.remaining
    cores_per_game = workplace.cores_per_game or plan.cores_per_game
    pin = plan.spec.pin if workplace.pin is None else workplace.pin
    most = workplace.workers or plan.spec.workers
    sandbox = workplace.sandbox or plan.spec.sandbox
    if workplace.cluster:
        from tournaments.cluster import ClusterWorkers

        agents = plan.located_specs[: len(plan.spec.agents)]
        return ClusterWorkers(
            workplace.cluster,
            agents,
            cores_per_game=cores_per_game,
            pin=pin,
            most=most,
            sandbox=sandbox,
            log=log,
            live=live,
        )
    from gomogo_core.records.live_writer import in_folder
    from tournaments.thread_workers import ThreadWorkers
    from tournaments.workers import ProcessWorkers, default_capacity, live_in

    here = plan.has_human
    size = 1 if here else most or default_capacity(cores_per_game)
    size = size if left is None else min(size, max(1, left))
    if sandbox == "bwrap":
        from gomogo_core.processes.sandbox import require_sandbox

        require_sandbox()  # before any thread is started
    terms: dict[str, Any] = {
        "log": log,
        "own_cores": cores_per_game if pin and not here else 0,
        "sandbox": sandbox,
        "capture_output": plan.captures_output,
    }
    if os.name == "nt":
        return ThreadWorkers(size, live=in_folder(live), **terms)
    return ProcessWorkers(size, show=live_in(live), **terms)
