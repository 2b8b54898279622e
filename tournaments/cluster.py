"""Workers on other machines, through dask.distributed: checked before they play, one game for each free thread.

Uses the scheduler and the workers' descriptions; the runner stores the records. One thread owns all
facts about the cluster: the scheduler's news reach it as events, and it lists the workers every second.
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
from gomogo_core.processes.limits import DEFAULT, Level
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.live_format import LiveFile, LiveLines, remove_live_files
from tournaments import cluster_worker as side
from tournaments.cluster_check import PATIENCE, check_worker, connect, silent_scheduler_error, worker_refusals
from tournaments.cluster_worker import WorkerInfo
from tournaments.playing import log_of, void_record
from tournaments.task import Task

MOST_DEATHS = 3  # after so many workers have died on one game, the game itself may be the cause
_LOOK = 1.0  # seconds between two lists of the workers
_RENEW = 5.0  # seconds between two heartbeats to the workers
_ARRIVE = 5.0  # seconds to wait for the first worker
_ANSWER = 30.0  # seconds for a worker to describe itself
_ALONE = 60.0  # seconds without any worker, after which a run gives up
_FAREWELL = 15.0  # seconds for workers to end their agents


@dataclass(eq=False)
class _ClusterJob:
    """A requested game. deaths: workers that died while they played it."""

    task: Task
    future: Future[PlayedGame]
    begun: bool = False
    deaths: int = 0


@dataclass(eq=False)
class _ClusterWorker:
    """A worker of this run. capacity: the number of games at a time. playing: by the scheduler's own future."""

    address: str
    name: str
    capacity: int
    playing: dict[Any, _ClusterJob] = field(default_factory=dict)


class ClusterWorkers:
    """Workers of a dask cluster. agents: specs of those that play, as tasks name them.

    cores_per_game, pin, sandbox: how each worker plays. most: the maximum number of games at a time on all workers, or
    None. log: the folder of conversations here, or None. live: the folder of live files here, or None. Raises UserError
    if there is no such cluster, or a worker cannot play these agents.
    """

    def __init__(
        self,
        address: str,
        agents: Sequence[str],
        *,
        cores_per_game: int = 1,
        pin: bool = True,
        most: int | None = None,
        sandbox: Level = DEFAULT,
        log: Path | None = None,
        live: Path | None = None,
    ) -> None:
        self._log, self._live = log, live
        self._address, self._agents = address, list(dict.fromkeys(agents))
        self._cores_per_game, self._pin, self._most, self._sandbox = cores_per_game, pin, most, sandbox
        self._pid = None if live is None else os.getpid()
        self._session = uuid.uuid4().hex
        self._workers: dict[str, _ClusterWorker] = {}
        self._speeds: dict[str, float] = {}
        self._refused: set[str] = set()
        self._dismissed: set[str] = set()
        self._waiting: deque[_ClusterJob] = deque()
        self._events: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._news: deque[str] = deque()  # several threads append to it
        self._numbers = 0
        self._workers_hear = True  # whether messages reach the workers through the scheduler
        self._last_contact = self._renewed = self._last_worker = time.monotonic()
        self._closing = self._abandoned = False
        self.size = self.ahead = 1
        self._client = connect(address)
        try:
            if live is not None:
                self._client.subscribe_topic(self._session, self._receive_news)
            self._meet_the_first()
        except BaseException:
            self._leave()
            raise
        self._thread = threading.Thread(target=self._watch_workers, name="cluster", daemon=True)
        self._thread.start()

    # Requests of a runner

    def submit(self, task: Task) -> Future[PlayedGame]:
        """Play a game when a worker is free; play it elsewhere again if that worker dies."""
        job = _ClusterJob(task, Future())
        self._events.put(lambda: self._waiting.append(job))
        return job.future

    def dismiss(self, worker: str) -> None:
        """Give a worker no more games; let it finish its running games."""
        self._events.put(lambda: self._dismissed.add(worker))

    def news(self) -> list[str]:
        """Return the changes among workers since the last call, in sentences."""
        return [self._news.popleft() for _ in range(len(self._news))]

    def abandon(self) -> None:
        """Interrupt the running games."""
        self._abandoned = True
        self._broadcast(side.break_off)

    def close(self) -> None:
        """Release the workers, which end their games and agents."""
        if self._closing:
            return
        self._closing = True
        self._events.put(None)
        self._thread.join()
        self._leave()

    def _leave(self) -> None:
        self._broadcast(side.end, wait=True)
        with suppress(Exception):  # a dead scheduler cannot be unsubscribed from
            self._client.close(timeout=2)

    def _broadcast(self, function: Callable[..., Any], *, wait: bool = False) -> None:
        """Release the workers; a worker that does not hear it stops by itself when its lease is over."""
        if self._workers and self._workers_hear:
            with suppress(Exception):
                self._client.run(
                    function,
                    self._session,
                    workers=list(self._workers),
                    wait=wait,
                    on_error="ignore",
                    callback_timeout=_FAREWELL if wait else _RENEW,
                )

    # The workers

    def _workers_by_address(self) -> Mapping[str, Mapping[str, Any]]:
        """Return every worker that the scheduler knows, by address."""
        known = self._client.sync(self._client.scheduler.identity, n_workers=-1, callback_timeout=PATIENCE)
        found: Mapping[str, Mapping[str, Any]] = known["workers"]
        return found

    def _meet_the_first(self) -> None:
        until = time.monotonic() + _ARRIVE
        while not (present := self._workers_by_address()):
            if time.monotonic() > until:
                raise UserError(
                    f"The scheduler at {self._address} has no workers.",
                    f"Start some, on any machine that has Gomogo: dask worker {self._address}",
                )
            time.sleep(0.1)
        said = self._ask(present)
        for address, answer in said.items():
            check_worker(str(present[address]["name"]), answer, self._agents)
        self._take_on(present, said)

    def _ask(self, present: Mapping[str, Mapping[str, Any]]) -> dict[str, WorkerInfo | BaseException]:
        said: dict[str, WorkerInfo | BaseException]
        try:
            said = self._client.run(
                side.describe_worker, self._agents, workers=list(present), on_error="return", callback_timeout=_ANSWER
            )
        except TimeoutError:  # any of them may be stuck; a restarted worker has another address
            said = dict.fromkeys(present, TimeoutError(f"no answer in {_ANSWER:g} s"))
        return said

    def _take_on(
        self, present: Mapping[str, Mapping[str, Any]], infos: Mapping[str, WorkerInfo | BaseException]
    ) -> None:
        """Admit the workers that have just come, except those that cannot play or are too slow."""
        names = {address: str(present[address]["name"]) for address in infos}
        why_not = worker_refusals(
            {names[address]: answer for address, answer in infos.items()}, self._agents, self._speeds
        )
        for address, name in names.items():
            if name in why_not:
                self._refused.add(address)
                self._news.append(why_not[name])
                continue
            capacity = max(1, int(present[address]["nthreads"]) // self._cores_per_game)
            own = self._cores_per_game if self._pin else 0
            asked = (self._session, capacity, own, name, self._sandbox, self._log is not None, self._pid)
            self._client.run(side.begin, *asked, workers=[address], callback_timeout=_ANSWER)
            self._workers[address] = _ClusterWorker(address, name, capacity)
            self._news.append(f"Worker {name} plays {capacity} game{'s' * (capacity != 1)} at a time.")
        self._measure()

    def _check_workers(self) -> None:
        present = self._workers_by_address()
        self._last_contact = time.monotonic()
        for address in self._workers.keys() - present.keys():
            gone = self._workers.pop(address)
            jobs = list(gone.playing.values())
            self._speeds.pop(gone.name, None)
            self._news.append(f"Worker {gone.name} has gone.{_games(len(jobs))}")
            for job in jobs:
                self._play_again(job, f"worker {gone.name} has gone")
        new = {a: facts for a, facts in present.items() if a not in self._workers and a not in self._refused}
        if new:
            self._take_on(new, self._ask(new))
        if time.monotonic() - self._renewed > _RENEW:
            self._renewed = time.monotonic()
            self._broadcast(side.renew)
        if self._playing_workers():
            self._last_worker = time.monotonic()
        elif time.monotonic() - self._last_worker > _ALONE:
            raise UserError(
                f"The cluster at {self._address} has had no worker that can play for {_ALONE:g} s.", "Start workers."
            )

    def _playing_workers(self) -> list[_ClusterWorker]:
        return [worker for worker in self._workers.values() if worker.name not in self._dismissed]

    def _measure(self) -> None:
        capacity = sum(worker.capacity for worker in self._playing_workers())
        self.size = max(1, capacity if self._most is None else min(capacity, self._most))

    # The thread that owns these facts

    def _watch_workers(self) -> None:
        looked = 0.0
        while not self._closing:
            with suppress(queue.Empty):
                event = self._events.get(timeout=_LOOK)
                if event is not None:
                    event()
            if self._closing or self._abandoned:
                continue
            try:
                if time.monotonic() - looked >= _LOOK:
                    self._check_workers()
                    looked = time.monotonic()
                self._assign_games()
            except UserError as fault:
                self._fail(fault)
            except Exception as fault:  # a broken connection raises many kinds of errors
                if time.monotonic() - self._last_contact > PATIENCE:
                    self._workers_hear = False
                    self._fail(silent_scheduler_error(self._address, fault))

    def _assign_games(self) -> None:
        """Give each free thread a game; the worker with the fewest games is first."""
        workers = self._playing_workers()
        self._measure()
        playing = sum(len(worker.playing) for worker in self._workers.values())
        while self._waiting and playing < self.size and (free := [w for w in workers if len(w.playing) < w.capacity]):
            job = self._waiting.popleft()
            if not job.begun and not job.future.set_running_or_notify_cancel():
                continue
            job.begun = True
            self._submit_to(job, max(free, key=lambda worker: worker.capacity - len(worker.playing)))
            playing += 1

    def _submit_to(self, job: _ClusterJob, worker: _ClusterWorker) -> None:
        self._numbers += 1
        asked = self._client.submit(
            side.play_on_worker,
            self._session,
            job.task,
            key=f"{job.task.key}-{self._session[:8]}-{self._numbers}",
            workers=[worker.address],
            allow_other_workers=False,
            pure=False,
        )
        worker.playing[asked] = job
        asked.add_done_callback(lambda _: self._events.put(lambda: self._deliver_result(asked, worker)))

    def _deliver_result(self, future: Any, worker: _ClusterWorker) -> None:
        """Return the record of a game, or play it again."""
        if self._workers.get(worker.address) is not worker or (job := worker.playing.pop(future, None)) is None:
            return  # its worker has left, and another worker has the game
        try:
            came = future.result(timeout=PATIENCE)
        except Exception as fault:  # a worker's fault does not affect its game
            self._play_again(job, f"worker {worker.name}: {type(fault).__name__}: {fault}")
            return
        if isinstance(came, UserError):
            job.future.set_exception(UserError(f"Worker {worker.name}: {came.what}", came.remedy))
        elif came is None and not self._abandoned:
            self._workers.pop(worker.address)  # the worker considered this runner dead: admit the worker again
            for other in (job, *worker.playing.values()):
                self._play_again(other, f"worker {worker.name} had let us go")
        elif came is None:
            job.future.set_exception(Cancelled())
        else:
            self._keep_conversations(job.task, came.log)
            job.future.set_result(came.played)

    def _keep_conversations(self, task: Task, text: str) -> None:
        """Store a game's conversations. If the disk fails, they are lost, but not the game."""
        if self._log is not None and text:
            with suppress(OSError):
                self._log.mkdir(parents=True, exist_ok=True)
                with log_of(self._log, task).open("a", encoding="utf-8") as file:
                    file.write(text)

    def _receive_news(self, event: tuple[float, Any]) -> None:
        """Receive news of a running game; dask calls this in a thread of its own."""
        self._events.put(lambda: self._write_live(*event[1]))

    def _write_live(self, name: str, key: str, text: str, anew: bool) -> None:
        """Write a worker's news of a game into its live file, if that worker plays it."""
        jobs = (job for worker in self._workers.values() if worker.name == name for job in worker.playing.values())
        if self._live is not None and any(job.task.key == key for job in jobs):
            LiveFile(self._live, key).write(LiveLines(text, anew))

    def _play_again(self, job: _ClusterJob, reason: str) -> None:
        job.deaths += 1
        if self._live is not None:
            remove_live_files(self._live, [job.task.key])
        if job.deaths < MOST_DEATHS:
            self._waiting.appendleft(job)
        else:
            job.future.set_result(
                void_record(job.task, f"it was begun {job.deaths} times, the last: {reason}", time.time(), 0)
            )

    def _fail(self, fault: UserError) -> None:
        """End every requested game with this fault."""
        self._abandoned = True
        jobs = [*self._waiting, *(job for worker in self._workers.values() for job in worker.playing.values())]
        self._waiting.clear()
        for job in jobs:
            if job.begun or job.future.set_running_or_notify_cancel():
                job.future.set_exception(fault)


def _games(count: int) -> str:
    if not count:
        return ""
    return f" Its {'running game is' if count == 1 else f'{count} running games are'} played again elsewhere."
