"""Workers on other machines, through dask.distributed. Each worker is checked before it plays, and then gets a game for
each of its free threads.

The module uses the scheduler and the workers' descriptions; the runner stores the records. A single thread changes the
state of the cluster: it handles the scheduler's messages as events, and lists the workers every second.
"""

from __future__ import annotations

import os
import queue
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gomogo_core.cancellation import GameCancelled
from gomogo_core.errors import UserError
from gomogo_core.processes.limits import DEFAULT_SANDBOX, SandboxLevel
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.live_format import LiveFile, LiveFileUpdate, remove_live_files
from tournaments import cluster_worker
from tournaments.cluster_check import (
    SCHEDULER_TIMEOUT_SECONDS,
    check_worker,
    connect,
    create_no_answer_error,
    find_worker_refusals,
)
from tournaments.cluster_worker import WorkerInfo
from tournaments.playing import conversation_file, create_void_record
from tournaments.task import GameTask
from tournaments.workers import MAX_WORKER_DEATHS

_WORKER_LIST_INTERVAL_SECONDS = 1.0  # seconds between two requests for the list of workers
_HEARTBEAT_INTERVAL_SECONDS = 5.0  # seconds between two heartbeats to the workers
_FIRST_WORKER_TIMEOUT_SECONDS = 5.0  # maximum seconds to wait for the first worker
_DESCRIPTION_TIMEOUT_SECONDS = 30.0  # seconds that a worker may take to describe itself
_NO_WORKER_TIMEOUT_SECONDS = 60.0  # seconds without any worker after which a run gives up
_SHUTDOWN_TIMEOUT_SECONDS = 15.0  # seconds that workers may take to end their agents


@dataclass(eq=False)
class _ClusterJob:
    """A requested game. worker_deaths: the number of workers that have died while they played this game."""

    task: GameTask
    future: Future[PlayedGame]
    started: bool = False
    worker_deaths: int = 0


@dataclass(eq=False)
class _ClusterWorker:
    """A worker of this run. capacity: the number of games that the worker plays at a time. running_jobs: the worker's
    running games, each by the future that dask returned for it.
    """

    address: str
    name: str
    capacity: int
    running_jobs: dict[Any, _ClusterJob] = field(default_factory=dict)

    @property
    def free_threads(self) -> int:
        """The number of further games that the worker can play now."""
        return self.capacity - len(self.running_jobs)


class ClusterWorkers:
    """Workers of a dask cluster. agents: the specs of all agents that play, as tasks name them.

    cores_per_game, pin, sandbox: the settings of each worker, as in TournamentSpec. max_games: the maximum number of
    games at a time on all workers, or None. log_folder: the local folder for conversations, or None. live_folder: the
    local folder for live files, or None. Raises UserError if there is no cluster at this address, or a worker cannot
    play these agents.
    """

    def __init__(
        self,
        address: str,
        agents: Sequence[str],
        *,
        cores_per_game: int = 1,
        pin: bool = True,
        max_games: int | None = None,
        sandbox: SandboxLevel = DEFAULT_SANDBOX,
        log_folder: Path | None = None,
        live_folder: Path | None = None,
    ) -> None:
        self._log_folder, self._live_folder = log_folder, live_folder
        self._address, self._agent_specs = address, list(dict.fromkeys(agents))
        self._cores_per_game, self._pin, self._max_games, self._sandbox = cores_per_game, pin, max_games, sandbox
        self._runner_pid = None if live_folder is None else os.getpid()
        self._session_id = uuid.uuid4().hex
        self._workers: dict[str, _ClusterWorker] = {}
        self._speeds_by_name: dict[str, float] = {}
        self._refused_addresses: set[str] = set()
        self._dismissed_names: set[str] = set()
        self._waiting_jobs: deque[_ClusterJob] = deque()
        self._events: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._messages: deque[str] = deque()  # several threads append messages
        self._submission_count = 0
        self._are_workers_reachable = True  # whether the workers can be reached through the scheduler
        self._last_contact_time = self._last_heartbeat_time = self._last_worker_time = time.monotonic()
        self._is_closing = self._is_interrupted = False
        self.concurrent_games = self.queue_size = 1
        self._client = connect(address)
        try:
            if live_folder is not None:
                self._client.subscribe_topic(self._session_id, self._receive_live_lines)
            self._wait_for_first_workers()
        except BaseException:
            self._disconnect()
            raise
        self._thread = threading.Thread(target=self._watch_workers, name="cluster", daemon=True)
        self._thread.start()

    # Requests of a runner

    def submit(self, task: GameTask) -> Future[PlayedGame]:
        """Play a game when a worker is free. If that worker dies, play the game again on another worker."""
        job = _ClusterJob(task, Future())
        self._events.put(lambda: self._waiting_jobs.append(job))
        return job.future

    def dismiss_worker(self, worker_name: str) -> None:
        """Give a worker no more games; let it finish its running games."""
        self._events.put(lambda: self._dismissed_names.add(worker_name))

    def take_messages(self) -> list[str]:
        """Return a sentence for each worker that joined, left or was refused since the last call."""
        return [self._messages.popleft() for _ in range(len(self._messages))]

    def interrupt_games(self) -> None:
        """Interrupt the running games."""
        self._is_interrupted = True
        self._broadcast(cluster_worker.interrupt_games)

    def close(self) -> None:
        """Release the workers, which end their games and agents."""
        if self._is_closing:
            return
        self._is_closing = True
        self._events.put(None)
        self._thread.join()
        self._disconnect()

    def _disconnect(self) -> None:
        self._broadcast(cluster_worker.end_session, waits=True)
        with suppress(Exception):  # closing fails if the scheduler is dead
            self._client.close(timeout=2)

    def _broadcast(self, function: Callable[..., Any], *, waits: bool = False) -> None:
        """Call a function of cluster_worker.py on all workers. waits: whether to wait until it has returned.

        Errors are ignored, since a worker that does not receive the call stops when its lease ends.
        """
        if self._workers and self._are_workers_reachable:
            with suppress(Exception):
                timeout = _SHUTDOWN_TIMEOUT_SECONDS if waits else _HEARTBEAT_INTERVAL_SECONDS
                options: dict[str, Any] = {"wait": waits, "on_error": "ignore", "callback_timeout": timeout}
                self._client.run(function, self._session_id, workers=list(self._workers), **options)

    # The workers

    def _workers_by_address(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the scheduler's workers, by address."""
        identity = self._client.sync(
            self._client.scheduler.identity, n_workers=-1, callback_timeout=SCHEDULER_TIMEOUT_SECONDS
        )
        workers: Mapping[str, Mapping[str, Any]] = identity["workers"]
        return workers

    def _wait_for_first_workers(self) -> None:
        deadline = time.monotonic() + _FIRST_WORKER_TIMEOUT_SECONDS
        while not (present_workers := self._workers_by_address()):
            if time.monotonic() > deadline:
                raise UserError(
                    f"The scheduler at {self._address} has no workers.",
                    f"Start some, on any machine that has Gomogo: dask worker {self._address}",
                )
            time.sleep(0.1)
        infos = self._describe_workers(present_workers)
        for address, info in infos.items():
            check_worker(str(present_workers[address]["name"]), info, self._agent_specs)
        self._admit_workers(present_workers, infos)

    def _describe_workers(
        self, present_workers: Mapping[str, Mapping[str, Any]]
    ) -> dict[str, WorkerInfo | BaseException]:
        infos: dict[str, WorkerInfo | BaseException]
        try:
            infos = self._client.run(
                cluster_worker.describe_worker,
                self._agent_specs,
                workers=list(present_workers),
                on_error="return",
                callback_timeout=_DESCRIPTION_TIMEOUT_SECONDS,
            )
        except TimeoutError:  # refuse all, since any of them may be stuck; a restarted worker has another address
            infos = dict.fromkeys(present_workers, TimeoutError(f"no answer in {_DESCRIPTION_TIMEOUT_SECONDS:g} s"))
        return infos

    def _admit_workers(
        self, present_workers: Mapping[str, Mapping[str, Any]], infos: Mapping[str, WorkerInfo | BaseException]
    ) -> None:
        """Add new workers, except workers that cannot play or are too slow."""
        names = {address: str(present_workers[address]["name"]) for address in infos}
        infos_by_name = {names[address]: info for address, info in infos.items()}
        refusals = find_worker_refusals(infos_by_name, self._agent_specs, self._speeds_by_name)
        for address, name in names.items():
            if name in refusals:
                self._refused_addresses.add(address)
                self._messages.append(refusals[name])
                continue
            capacity = max(1, int(present_workers[address]["nthreads"]) // self._cores_per_game)
            reserved_cores = self._cores_per_game if self._pin else 0
            has_log, timeout = self._log_folder is not None, _DESCRIPTION_TIMEOUT_SECONDS
            arguments = (self._session_id, capacity, reserved_cores, name, self._sandbox, has_log, self._runner_pid)
            self._client.run(cluster_worker.begin_session, *arguments, workers=[address], callback_timeout=timeout)
            self._workers[address] = _ClusterWorker(address, name, capacity)
            self._messages.append(f"Worker {name} plays {capacity} game{'s' * (capacity != 1)} at a time.")
        self._update_size()

    def _refresh_workers(self) -> None:
        """Remove workers that have left, add new workers, and send heartbeats. Raises UserError after a minute without
        a worker.
        """
        present_workers = self._workers_by_address()
        self._last_contact_time = time.monotonic()
        for address in self._workers.keys() - present_workers.keys():
            lost_worker = self._workers.pop(address)
            jobs = list(lost_worker.running_jobs.values())
            self._speeds_by_name.pop(lost_worker.name, None)
            self._messages.append(f"Worker {lost_worker.name} has left.{_replay_sentence(len(jobs))}")
            for job in jobs:
                self._replay_or_void(job, f"worker {lost_worker.name} has left")
        new_addresses = present_workers.keys() - self._workers.keys() - self._refused_addresses
        if new_workers := {address: info for address, info in present_workers.items() if address in new_addresses}:
            self._admit_workers(new_workers, self._describe_workers(new_workers))
        if time.monotonic() - self._last_heartbeat_time > _HEARTBEAT_INTERVAL_SECONDS:
            self._last_heartbeat_time = time.monotonic()
            self._broadcast(cluster_worker.receive_heartbeat)
        if self._active_workers():
            self._last_worker_time = time.monotonic()
        elif time.monotonic() - self._last_worker_time > _NO_WORKER_TIMEOUT_SECONDS:
            raise UserError(
                f"The cluster at {self._address} has had no worker that can play for {_NO_WORKER_TIMEOUT_SECONDS:g} s.",
                "Start workers.",
            )

    def _active_workers(self) -> list[_ClusterWorker]:
        return [worker for worker in self._workers.values() if worker.name not in self._dismissed_names]

    def _update_size(self) -> None:
        capacity = sum(worker.capacity for worker in self._active_workers())
        self.concurrent_games = max(1, capacity if self._max_games is None else min(capacity, self._max_games))

    # The thread that changes this state

    def _watch_workers(self) -> None:
        last_refresh = 0.0
        while not self._is_closing:
            with suppress(queue.Empty):
                event = self._events.get(timeout=_WORKER_LIST_INTERVAL_SECONDS)
                if event is not None:
                    event()
            if self._is_closing or self._is_interrupted:
                continue
            try:
                if time.monotonic() - last_refresh >= _WORKER_LIST_INTERVAL_SECONDS:
                    self._refresh_workers()
                    last_refresh = time.monotonic()
                self._assign_games()
            except UserError as error:
                self._fail_all_games(error)
            except Exception as error:  # a broken connection raises many kinds of errors
                if time.monotonic() - self._last_contact_time > SCHEDULER_TIMEOUT_SECONDS:
                    self._are_workers_reachable = False
                    self._fail_all_games(create_no_answer_error(self._address, error))

    def _assign_games(self) -> None:
        """Give each free thread a game. The worker with the most free threads gets the next game."""
        workers = self._active_workers()
        self._update_size()
        running_games = sum(len(worker.running_jobs) for worker in self._workers.values())
        while self._waiting_jobs and running_games < self.concurrent_games:
            worker = max(workers, key=lambda worker: worker.free_threads, default=None)
            if worker is None or worker.free_threads <= 0:
                return
            job = self._waiting_jobs.popleft()
            if not job.started and not job.future.set_running_or_notify_cancel():
                continue
            job.started = True
            self._submit_to(job, worker)
            running_games += 1

    def _submit_to(self, job: _ClusterJob, worker: _ClusterWorker) -> None:
        self._submission_count += 1
        future = self._client.submit(
            cluster_worker.play_on_worker,
            self._session_id,
            job.task,
            key=f"{job.task.key}-{self._session_id[:8]}-{self._submission_count}",
            workers=[worker.address],
            allow_other_workers=False,
            pure=False,
        )
        worker.running_jobs[future] = job
        future.add_done_callback(lambda _: self._events.put(lambda: self._deliver_result(future, worker)))

    def _deliver_result(self, future: Any, worker: _ClusterWorker) -> None:
        """Give a game's future its record or error. If the worker failed, play the game again."""
        if self._workers.get(worker.address) is not worker or (job := worker.running_jobs.pop(future, None)) is None:
            return  # the worker has left, and another worker has the game
        try:
            result = future.result(timeout=SCHEDULER_TIMEOUT_SECONDS)
        except Exception as error:  # the worker failed, which is no fault of the players
            self._replay_or_void(job, f"worker {worker.name}: {type(error).__name__}: {error}")
            return
        if isinstance(result, UserError):
            job.future.set_exception(UserError(f"Worker {worker.name}: {result.problem}", result.remedy))
        elif result is None and not self._is_interrupted:
            self._workers.pop(worker.address)  # the worker has considered this runner dead; it will be admitted again
            for unfinished_job in (job, *worker.running_jobs.values()):
                self._replay_or_void(unfinished_job, f"worker {worker.name} had ended the session of this run")
        elif result is None:
            job.future.set_exception(GameCancelled())
        else:
            self._write_conversations(job.task, result.conversation)
            job.future.set_result(result.record)

    def _write_conversations(self, task: GameTask, text: str) -> None:
        """Write the conversations of a game to the game's file. An error does not affect the game."""
        if self._log_folder is not None and text:
            with suppress(OSError):
                self._log_folder.mkdir(parents=True, exist_ok=True)
                with conversation_file(self._log_folder, task).open("a", encoding="utf-8") as file:
                    file.write(text)

    def _receive_live_lines(self, event: tuple[float, Any]) -> None:
        """Receive lines about a running game; dask calls this in a thread of its own."""
        self._events.put(lambda: self._write_live_lines(*event[1]))

    def _write_live_lines(self, worker_name: str, game_key: str, text: str, replace_content: bool) -> None:
        """Write a worker's lines about a game into the live file of that game, if this worker plays the game."""
        workers = (worker for worker in self._workers.values() if worker.name == worker_name)
        game_keys = {job.task.key for worker in workers for job in worker.running_jobs.values()}
        if self._live_folder is not None and game_key in game_keys:
            LiveFile(self._live_folder, game_key).write(LiveFileUpdate(text, replace_content))

    def _replay_or_void(self, job: _ClusterJob, reason: str) -> None:
        job.worker_deaths += 1
        if self._live_folder is not None:
            remove_live_files(self._live_folder, [job.task.key])
        if job.worker_deaths < MAX_WORKER_DEATHS:
            self._waiting_jobs.appendleft(job)
        else:
            reason = f"it was started {job.worker_deaths} times; the last time {reason}"
            job.future.set_result(create_void_record(job.task, reason, time.time(), 0))

    def _fail_all_games(self, error: UserError) -> None:
        """End every requested game with this error."""
        self._is_interrupted = True
        jobs = [*self._waiting_jobs]
        for worker in self._workers.values():
            jobs += worker.running_jobs.values()
        self._waiting_jobs.clear()
        for job in jobs:
            if job.started or job.future.set_running_or_notify_cancel():
                job.future.set_exception(error)


def _replay_sentence(count: int) -> str:
    if not count:
        return ""
    return f" Its {'running game is' if count == 1 else f'{count} running games are'} played again elsewhere."
