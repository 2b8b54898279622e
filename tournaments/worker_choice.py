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


def create_workers(
    state: RunState, worker_options: WorkerOptions, *, live_folder: Path, log_folder: Path | None
) -> Workers:
    """Return the workers for the remaining games of a run; only one worker if a human at this terminal plays.

    live_folder: the folder for live files. log_folder: the folder for conversations, or None.
    """
    plan, remaining_games = state.plan, state.remaining_games
    cores_per_game = worker_options.cores_per_game or plan.cores_per_game
    pin = plan.spec.pin if worker_options.pin is None else worker_options.pin
    max_games = worker_options.workers or plan.spec.workers
    sandbox = worker_options.sandbox or plan.spec.sandbox
    if worker_options.cluster:
        from tournaments.cluster import ClusterWorkers

        agents = plan.absolute_specs[: len(plan.spec.agents)]
        settings: dict[str, Any] = {"cores_per_game": cores_per_game, "pin": pin, "max_games": max_games}
        settings |= {"sandbox": sandbox, "log_folder": log_folder, "live_folder": live_folder}
        return ClusterWorkers(worker_options.cluster, agents, **settings)
    from gomogo_core.records.live_writer import live_files_in
    from tournaments.thread_workers import ThreadWorkers
    from tournaments.workers import ProcessWorkers, create_live_file_writer, default_concurrent_games

    human_plays = plan.has_human
    worker_count = 1 if human_plays else max_games or default_concurrent_games(cores_per_game)
    worker_count = worker_count if remaining_games is None else min(worker_count, max(1, remaining_games))
    if sandbox == "bwrap":
        from gomogo_core.processes.sandbox import require_sandbox

        require_sandbox()  # before any thread is started
    reserved_cores = cores_per_game if pin and not human_plays else 0
    settings = {"log_folder": log_folder, "cores_per_game": reserved_cores, "sandbox": sandbox}
    settings["capture_output"] = plan.captures_output
    if os.name == "nt":
        return ThreadWorkers(worker_count, live_files=live_files_in(live_folder), **settings)
    return ProcessWorkers(worker_count, on_live_lines=create_live_file_writer(live_folder), **settings)
