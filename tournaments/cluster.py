"""Workers on other machines, through dask.distributed. Each worker is checked before it plays; each free thread of a
worker gets a game.

The module knows the scheduler and the workers' descriptions; the runner stores the records. A single thread changes the
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

from gomogo_core.cancellation import Cancelled
from gomogo_core.errors import UserError
from gomogo_core.processes.limits import DEFAULT_SANDBOX, SandboxLevel
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.live_format import LiveFile, LiveFileUpdate, remove_live_files
from tournaments import cluster_worker
from tournaments.cluster_check import SCHEDULER_TIMEOUT, check_worker, connect, silent_scheduler_error, worker_refusals
from tournaments.cluster_worker import WorkerInfo
from tournaments.playing import log_file, void_record
from tournaments.task import Task

MAX_WORKER_DEATHS = 3  # after this number of workers have died during one game, the game itself may be the cause
_LIST_SECONDS = 1.0  # seconds between two requests for the list of workers
_HEARTBEAT_SECONDS = 5.0  # seconds between two heartbeats to the workers
_FIRST_WORKER_SECONDS = 5.0  # seconds to wait for the first worker
_DESCRIPTION_SECONDS = 30.0  # seconds that a worker may take to describe itself
_NO_WORKER_SECONDS = 60.0  # seconds without any worker after which a run gives up
_SHUTDOWN_SECONDS = 15.0  # seconds that workers may take to end their agents


@dataclass(eq=False)
class _ClusterJob:
    """A requested game. worker_deaths: the number of workers that died while they played this game."""

    task: Task
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


class ClusterWorkers:
    """Workers of a dask cluster. agents: the specs of all agents that play, as tasks name them.

    cores_per_game, pin, sandbox: the settings of each worker, as in TournamentSpec. max_games: the maximum number of
    games at a time on all workers, or None. log: the local folder for conversations, or None. live_folder: the local
    folder for live files, or None. Raises UserError if there is no cluster at this address, or a worker cannot play
    these agents.
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
        log: Path | None = None,
        live_folder: Path | None = None,
    ) -> None:
        self._log, self._live = log, live_folder
        self._address, self._agents = address, list(dict.fromkeys(agents))
        self._cores_per_game, self._pin, self._max_games, self._sandbox = cores_per_game, pin, max_games, sandbox
        self._pid = None if live_folder is None else os.getpid()
        self._session = uuid.uuid4().hex
        self._workers: dict[str, _ClusterWorker] = {}
        self._speeds: dict[str, float] = {}
        self._refused: set[str] = set()
        self._dismissed: set[str] = set()
        self._waiting: deque[_ClusterJob] = deque()
        self._events: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._messages: deque[str] = deque()  # several threads append to it
        self._submissions = 0
        self._workers_reachable = True  # whether the workers can be reached through the scheduler
        self._last_contact = self._last_heartbeat = self._last_worker = time.monotonic()
        self._closing = self._abandoned = False
        self.size = self.queue_size = 1
        self._client = connect(address)
        try:
            if live_folder is not None:
                self._client.subscribe_topic(self._session, self._receive_live_lines)
            self._wait_for_first_workers()
        except BaseException:
            self._disconnect()
            raise
        self._thread = threading.Thread(target=self._watch_workers, name="cluster", daemon=True)
        self._thread.start()

    # Requests of a runner

    def submit(self, task: Task) -> Future[PlayedGame]:
        """Play a game when a worker is free. If that worker dies, play the game again on another worker."""
        job = _ClusterJob(task, Future())
        self._events.put(lambda: self._waiting.append(job))
        return job.future

    def dismiss(self, worker: str) -> None:
        """Give a worker no more games; let it finish its running games."""
        self._events.put(lambda: self._dismissed.add(worker))

    def take_messages(self) -> list[str]:
        """Return a sentence for each worker that joined, left or was refused since the last call."""
        return [self._messages.popleft() for _ in range(len(self._messages))]

    def abandon(self) -> None:
        """Interrupt the running games."""
        self._abandoned = True
        self._broadcast(cluster_worker.interrupt_games)

    def close(self) -> None:
        """Release the workers, which end their games and agents."""
        if self._closing:
            return
        self._closing = True
        self._events.put(None)
        self._thread.join()
        self._disconnect()

    def _disconnect(self) -> None:
        self._broadcast(cluster_worker.end_session, wait=True)
        with suppress(Exception):  # closing fails if the scheduler is dead
            self._client.close(timeout=2)

    def _broadcast(self, function: Callable[..., Any], *, wait: bool = False) -> None:
        """Call a function of cluster_worker.py on all workers. Errors are ignored: a worker that does not receive the
        call stops when its lease ends.
        """
        if self._workers and self._workers_reachable:
            with suppress(Exception):
                self._client.run(
                    function,
                    self._session,
                    workers=list(self._workers),
                    wait=wait,
                    on_error="ignore",
                    callback_timeout=_SHUTDOWN_SECONDS if wait else _HEARTBEAT_SECONDS,
                )

    # The workers

    def _workers_by_address(self) -> Mapping[str, Mapping[str, Any]]:
        """Return every worker that the scheduler knows, by address."""
        known = self._client.sync(self._client.scheduler.identity, n_workers=-1, callback_timeout=SCHEDULER_TIMEOUT)
        found: Mapping[str, Mapping[str, Any]] = known["workers"]
        return found

    def _wait_for_first_workers(self) -> None:
        until = time.monotonic() + _FIRST_WORKER_SECONDS
        while not (present := self._workers_by_address()):
            if time.monotonic() > until:
                raise UserError(
                    f"The scheduler at {self._address} has no workers.",
                    f"Start some, on any machine that has Gomogo: dask worker {self._address}",
                )
            time.sleep(0.1)
        infos = self._describe_workers(present)
        for address, answer in infos.items():
            check_worker(str(present[address]["name"]), answer, self._agents)
        self._admit_workers(present, infos)

    def _describe_workers(self, present: Mapping[str, Mapping[str, Any]]) -> dict[str, WorkerInfo | BaseException]:
        infos: dict[str, WorkerInfo | BaseException]
        try:
            infos = self._client.run(
                cluster_worker.describe_worker,
                self._agents,
                workers=list(present),
                on_error="return",
                callback_timeout=_DESCRIPTION_SECONDS,
            )
        except TimeoutError:  # any worker may be stuck; a restarted worker has another address
            infos = dict.fromkeys(present, TimeoutError(f"no answer in {_DESCRIPTION_SECONDS:g} s"))
        return infos

    def _admit_workers(
        self, present: Mapping[str, Mapping[str, Any]], infos: Mapping[str, WorkerInfo | BaseException]
    ) -> None:
        """Add new workers, except workers that cannot play or are too slow."""
        names = {address: str(present[address]["name"]) for address in infos}
        refusals = worker_refusals(
            {names[address]: answer for address, answer in infos.items()}, self._agents, self._speeds
        )
        for address, name in names.items():
            if name in refusals:
                self._refused.add(address)
                self._messages.append(refusals[name])
                continue
            capacity = max(1, int(present[address]["nthreads"]) // self._cores_per_game)
            own = self._cores_per_game if self._pin else 0
            arguments = (self._session, capacity, own, name, self._sandbox, self._log is not None, self._pid)
            self._client.run(
                cluster_worker.begin_session, *arguments, workers=[address], callback_timeout=_DESCRIPTION_SECONDS
            )
            self._workers[address] = _ClusterWorker(address, name, capacity)
            self._messages.append(f"Worker {name} plays {capacity} game{'s' * (capacity != 1)} at a time.")
        self._update_size()

    def _refresh_workers(self) -> None:
        """Remove workers that have left, add new workers, and send heartbeats. Raises UserError after a minute without
        a worker.
        """
        present = self._workers_by_address()
        self._last_contact = time.monotonic()
        for address in self._workers.keys() - present.keys():
            lost = self._workers.pop(address)
            jobs = list(lost.running_jobs.values())
            self._speeds.pop(lost.name, None)
            self._messages.append(f"Worker {lost.name} has left.{_replay_sentence(len(jobs))}")
            for job in jobs:
                self._replay_or_void(job, f"worker {lost.name} has left")
        new = {a: facts for a, facts in present.items() if a not in self._workers and a not in self._refused}
        if new:
            self._admit_workers(new, self._describe_workers(new))
        if time.monotonic() - self._last_heartbeat > _HEARTBEAT_SECONDS:
            self._last_heartbeat = time.monotonic()
            self._broadcast(cluster_worker.receive_heartbeat)
        if self._active_workers():
            self._last_worker = time.monotonic()
        elif time.monotonic() - self._last_worker > _NO_WORKER_SECONDS:
            raise UserError(
                f"The cluster at {self._address} has had no worker that can play for {_NO_WORKER_SECONDS:g} s.",
                "Start workers.",
            )

    def _active_workers(self) -> list[_ClusterWorker]:
        return [worker for worker in self._workers.values() if worker.name not in self._dismissed]

    def _update_size(self) -> None:
        capacity = sum(worker.capacity for worker in self._active_workers())
        self.size = max(1, capacity if self._max_games is None else min(capacity, self._max_games))

    # The thread that changes this state

    def _watch_workers(self) -> None:
        looked = 0.0
        while not self._closing:
            with suppress(queue.Empty):
                event = self._events.get(timeout=_LIST_SECONDS)
                if event is not None:
                    event()
            if self._closing or self._abandoned:
                continue
            try:
                if time.monotonic() - looked >= _LIST_SECONDS:
                    self._refresh_workers()
                    looked = time.monotonic()
                self._assign_games()
            except UserError as fault:
                self._fail_all_games(fault)
            except Exception as fault:  # a broken connection raises many kinds of errors
                if time.monotonic() - self._last_contact > SCHEDULER_TIMEOUT:
                    self._workers_reachable = False
                    self._fail_all_games(silent_scheduler_error(self._address, fault))

    def _assign_games(self) -> None:
        """Give each free thread a game. The worker with the most free threads gets the next game."""
        workers = self._active_workers()
        self._update_size()
        playing = sum(len(worker.running_jobs) for worker in self._workers.values())
        while (
            self._waiting and playing < self.size and (free := [w for w in workers if len(w.running_jobs) < w.capacity])
        ):
            job = self._waiting.popleft()
            if not job.started and not job.future.set_running_or_notify_cancel():
                continue
            job.started = True
            self._submit_to(job, max(free, key=lambda worker: worker.capacity - len(worker.running_jobs)))
            playing += 1

    def _submit_to(self, job: _ClusterJob, worker: _ClusterWorker) -> None:
        self._submissions += 1
        future = self._client.submit(
            cluster_worker.play_on_worker,
            self._session,
            job.task,
            key=f"{job.task.key}-{self._session[:8]}-{self._submissions}",
            workers=[worker.address],
            allow_other_workers=False,
            pure=False,
        )
        worker.running_jobs[future] = job
        future.add_done_callback(lambda _: self._events.put(lambda: self._deliver_result(future, worker)))

    def _deliver_result(self, future: Any, worker: _ClusterWorker) -> None:
        """Hand over the record or the error of a game, or play the game again if its worker failed."""
        if self._workers.get(worker.address) is not worker or (job := worker.running_jobs.pop(future, None)) is None:
            return  # the worker has left, and another worker has received the game
        try:
            result = future.result(timeout=SCHEDULER_TIMEOUT)
        except Exception as fault:  # the worker failed, which is no fault of the players
            self._replay_or_void(job, f"worker {worker.name}: {type(fault).__name__}: {fault}")
            return
        if isinstance(result, UserError):
            job.future.set_exception(UserError(f"Worker {worker.name}: {result.problem}", result.remedy))
        elif result is None and not self._abandoned:
            self._workers.pop(worker.address)  # the worker considered this runner dead: the worker will be added again
            for other in (job, *worker.running_jobs.values()):
                self._replay_or_void(other, f"worker {worker.name} had ended the session of this run")
        elif result is None:
            job.future.set_exception(Cancelled())
        else:
            self._write_conversations(job.task, result.conversation)
            job.future.set_result(result.record)

    def _write_conversations(self, task: Task, text: str) -> None:
        """Write the conversations of a game to the game's file. An error does not affect the game."""
        if self._log is not None and text:
            with suppress(OSError):
                self._log.mkdir(parents=True, exist_ok=True)
                with log_file(self._log, task).open("a", encoding="utf-8") as file:
                    file.write(text)

    def _receive_live_lines(self, event: tuple[float, Any]) -> None:
        """Receive lines about a running game; dask calls this in a thread of its own."""
        self._events.put(lambda: self._write_live_lines(*event[1]))

    def _write_live_lines(self, name: str, key: str, text: str, replace_content: bool) -> None:
        """Write a worker's lines about a game into the live file of that game, if this worker plays the game."""
        jobs = (job for worker in self._workers.values() if worker.name == name for job in worker.running_jobs.values())
        if self._live is not None and any(job.task.key == key for job in jobs):
            LiveFile(self._live, key).write(LiveFileUpdate(text, replace_content))

    def _replay_or_void(self, job: _ClusterJob, reason: str) -> None:
        job.worker_deaths += 1
        if self._live is not None:
            remove_live_files(self._live, [job.task.key])
        if job.worker_deaths < MAX_WORKER_DEATHS:
            self._waiting.appendleft(job)
        else:
            job.future.set_result(
                void_record(
                    job.task, f"it was started {job.worker_deaths} times; the last time {reason}", time.time(), 0
                )
            )

    def _fail_all_games(self, fault: UserError) -> None:
        """End every requested game with this error."""
        self._abandoned = True
        jobs = [*self._waiting, *(job for worker in self._workers.values() for job in worker.running_jobs.values())]
        self._waiting.clear()
        for job in jobs:
            if job.started or job.future.set_running_or_notify_cancel():
                job.future.set_exception(fault)


def _replay_sentence(count: int) -> str:
    if not count:
        return ""
    return f" Its {'running game is' if count == 1 else f'{count} running games are'} played again elsewhere."
