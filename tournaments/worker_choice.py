"""Choose the workers for a run: processes or threads of this machine, or workers of a cluster.

The module imports only the chosen kind of workers.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from gomogo_core.processes.limits import SandboxLevel
    from tournaments.run_state import RunState
    from tournaments.workers import Workers


class WorkerOptions(NamedTuple):
    """Options of a command that override a tournament's settings for its workers; None keeps a setting.

    workers: the number of games at a time. pin: whether each running game has cores of its own. sandbox: the level of
    isolation. cluster: the address of a scheduler, or None for workers on this machine.
    """

    workers: int | None = None
    cores_per_game: int | None = None
    pin: bool | None = None
    sandbox: SandboxLevel | None = None
    cluster: str | None = None


def workers_for(state: RunState, worker_options: WorkerOptions, *, live_folder: Path, log: Path | None) -> Workers:
    """Return the workers for the remaining games of a run; only one worker if a human at this terminal plays.

    live_folder: the folder for live files. log: the folder for conversations, or None.
    """
    plan, remaining = state.plan, state.remaining
    cores_per_game = worker_options.cores_per_game or plan.cores_per_game
    pin = plan.spec.pin if worker_options.pin is None else worker_options.pin
    max_games = worker_options.workers or plan.spec.workers
    sandbox = worker_options.sandbox or plan.spec.sandbox
    if worker_options.cluster:
        from tournaments.cluster import ClusterWorkers

        agents = plan.located_specs[: len(plan.spec.agents)]
        return ClusterWorkers(
            worker_options.cluster,
            agents,
            cores_per_game=cores_per_game,
            pin=pin,
            max_games=max_games,
            sandbox=sandbox,
            log=log,
            live_folder=live_folder,
        )
    from gomogo_core.records.live_writer import live_files_in
    from tournaments.thread_workers import ThreadWorkers
    from tournaments.workers import ProcessWorkers, default_capacity, live_file_writer

    human_plays = plan.has_human
    size = 1 if human_plays else max_games or default_capacity(cores_per_game)
    size = size if remaining is None else min(size, max(1, remaining))
    if sandbox == "bwrap":
        from gomogo_core.processes.sandbox import require_sandbox

        require_sandbox()  # before any thread is started
    settings: dict[str, Any] = {
        "log": log,
        "game_cores": cores_per_game if pin and not human_plays else 0,
        "sandbox": sandbox,
        "capture_output": plan.captures_output,
    }
    if os.name == "nt":
        return ThreadWorkers(size, live_files=live_files_in(live_folder), **settings)
    return ProcessWorkers(size, show=live_file_writer(live_folder), **settings)
