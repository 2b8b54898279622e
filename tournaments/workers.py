"""The interface of workers, and workers that are processes of this machine, each with an arena of its own.

The module distributes games and replaces dead workers; the runner chooses the next game and stores its record.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import selectors
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import msgspec

from gomogo_core.arena import prepare_agent
from gomogo_core.cancellation import GameCancelled, cancellable
from gomogo_core.errors import UserError
from gomogo_core.processes import cores
from gomogo_core.processes.limits import DEFAULT_SANDBOX, SandboxLevel
from gomogo_core.processes.run_folder import dead_run_folders
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.live_format import LiveFile, LiveFileUpdate
from gomogo_core.wire.small_files import remove_tree
from tournaments.playing import create_void_record, load_cached_agent
from tournaments.task import GameTask
from tournaments.worker_process import WORKER_CODE, FrameKind, FrameParser, GameRequest, WorkerSettings, encode_frame

# A game during which this number of workers died becomes void, because the game may be the cause.
MAX_WORKER_DEATHS = 3
_CODE_FOLDER = str(Path(__file__).resolve().parents[1])
_MAX_READ_BYTES = 1 << 20
_BATCH_SECONDS = 0.05  # seconds between two reads of results if games are short, since a wake-up costs more than a game
_QUEUE_SECONDS = 0.15  # a worker's queue holds games for about this number of seconds
_MAX_QUEUE_LENGTH = 30  # games
# If games are shorter than these seconds, a game waits in each worker, so that no worker waits for a slow command.
_LONG_GAME_SECONDS = 0.5
_LAST_GAME_WEIGHT = 0.1  # weight of the last game's duration in a worker's average

OnLiveLines = Callable[[str, LiveFileUpdate], None]


class Workers(Protocol):
    """Workers that play games. concurrent_games: the number of games at a time."""

    concurrent_games: int

    @property
    def queue_size(self) -> int:
        """The number of further games that should be queued, so that no worker idles."""

    def submit(self, task: GameTask) -> Future[PlayedGame]:
        """Play a game when a worker is free. The future has the game's record, which may be void, or a UserError if an
        agent cannot start.
        """

    def dismiss_worker(self, worker_name: str) -> None:
        """Give this worker no more games."""

    def take_messages(self) -> list[str]:
        """Return a sentence for each change among the workers since the last call."""

    def interrupt_games(self) -> None:
        """Interrupt the running games. Their results are discarded."""

    def close(self) -> None:
        """Stop the workers, and end all their processes. A second call does nothing."""


def default_concurrent_games(cores_per_game: int = 1) -> int:
    """Return the default number of games at a time: with one core per game, one game for each core."""
    return max(1, len(cores.allowed_cores()) // cores_per_game)


def create_live_file_writer(folder: Path) -> OnLiveLines:
    """Return a function that writes lines about running games into the live files of a folder."""
    return lambda key, lines: LiveFile(folder, key).write(lines)


@dataclass(eq=False)
class _LocalJob:
    """A requested game. worker_deaths: the number of workers that died while they played the game. prepared_specs: the
    specs of agents that are built, or checked in the sandbox, before the game starts.
    """

    task: GameTask
    future: Future[PlayedGame]
    worker_deaths: int = 0
    prepared_specs: tuple[str, ...] = ()


@dataclass(eq=False)
class _LocalWorker:
    """A worker process. connection: the command's end of the worker's socket. jobs: the worker's games; the worker
    plays the first game, and the other games wait.

    has_started: whether the worker has reported that it is ready. game_seconds: the average duration of the worker's
    games, with more weight for recent games; None before the first game has ended.
    """

    settings: WorkerSettings
    process: subprocess.Popen[bytes]
    connection: socket.socket
    frame_parser: FrameParser = field(default_factory=FrameParser)
    jobs: deque[_LocalJob] = field(default_factory=deque)
    has_started: bool = False
    game_seconds: float | None = None

    @property
    def queue_size(self) -> int:
        """The number of games that may wait in the worker. It is 0 if games are long, since another worker may be free
        earlier.
        """
        if self.game_seconds is None or self.game_seconds > _LONG_GAME_SECONDS:
            return 0
        return max(1, min(_MAX_QUEUE_LENGTH, int(_QUEUE_SECONDS / max(self.game_seconds, 1e-4))))

    @property
    def expected_seconds(self) -> float:
        """The time that the worker will probably need for all its games."""
        return len(self.jobs) * (self.game_seconds or 0.0)


class ProcessWorkers:
    """Workers that are processes of this machine. Each referees one game at a time.

    on_live_lines: a function that is called with lines about running games, or None. log_folder: the folder for the
    games' conversations, or None. sandbox: the level of isolation: "none", "limits" or, for untrusted programs,
    "bwrap". capture_output: whether to collect the programs' output. cores_per_game: the number of cores reserved for
    each running game, if there are enough for all; 0 reserves none. name: the name of these workers in records, if
    there are workers on other machines. runner_pid: the id of the process that runs the tournament, if it is not this
    process.
    """

    def __init__(
        self,
        worker_count: int,
        *,
        on_live_lines: OnLiveLines | None = None,
        log_folder: Path | None = None,
        sandbox: SandboxLevel = DEFAULT_SANDBOX,
        capture_output: bool = False,
        cores_per_game: int = 0,
        name: str = "",
        runner_pid: int | None = None,
    ) -> None:
        self.concurrent_games, self._on_live_lines, self._sandbox = worker_count, on_live_lines, sandbox
        self._lock = threading.RLock()
        self._waiting_jobs: deque[_LocalJob] = deque()
        self._prepared_specs: set[str] = set()
        self._jobs_to_prepare: queue.SimpleQueue[_LocalJob | None] = queue.SimpleQueue()
        self._preparation_thread: threading.Thread | None = None
        self._messages: deque[str] = deque()  # several threads append messages
        self._interrupt_event = threading.Event()
        self._is_closing = False
        self._start_error: UserError | None = None  # the reason why no worker can start
        self._start_deaths_in_a_row = 0  # the number of workers in a row that died while they started
        self._has_worker_died = False
        self._reserved_cores = ExitStack()
        self._selector = selectors.DefaultSelector()
        reserved_cores_per_worker = cores_per_game if worker_count * cores_per_game <= len(cores.allowed_cores()) else 0
        self._workers: list[_LocalWorker] = []
        live_runner_pid = None if on_live_lines is None else (runner_pid or os.getpid())
        for _ in range(worker_count):
            reservation = (
                cores.reserve_cores(reserved_cores_per_worker) if reserved_cores_per_worker else nullcontext(())
            )
            own_cores = self._reserved_cores.enter_context(reservation)
            log_folder_name = None if log_folder is None else str(log_folder)
            settings = WorkerSettings(sandbox, capture_output, own_cores, name, log_folder_name, live_runner_pid)
            self._start_worker(settings)
        self._thread = threading.Thread(target=self._listen, name="workers", daemon=True)
        self._thread.start()

    def _start_worker(self, settings: WorkerSettings) -> None:
        own_socket, worker_socket = socket.socketpair()
        with worker_socket:
            command_words = [sys.executable, "-c", WORKER_CODE.format(root=_CODE_FOLDER), str(worker_socket.fileno())]
            process = subprocess.Popen(command_words, pass_fds=[worker_socket.fileno()])
        worker = _LocalWorker(settings, process, own_socket)
        self._workers.append(worker)
        self._selector.register(own_socket, selectors.EVENT_READ, worker)
        self._send(worker, encode_frame(FrameKind.SETTINGS, settings))

    # Requests of a runner

    @property
    def queue_size(self) -> int:
        """The number of further games that should be queued, at least one."""
        return max(1, sum(worker.queue_size for worker in self._workers))

    def submit(self, task: GameTask) -> Future[PlayedGame]:
        """Play a game when a worker is free. If that worker dies, play the game again."""
        job = _LocalJob(task, Future())
        try:
            if not task.public_names:
                job.prepared_specs = tuple(filter(self._needs_preparation, task.absolute_specs))
        except UserError as error:
            job.future.set_exception(error)
            return job.future
        if all(spec in self._prepared_specs for spec in job.prepared_specs):
            with self._lock:
                self._waiting_jobs.append(job)
                self._assign_games()
        else:
            self._prepare_before_playing(job)
        return job.future

    def _needs_preparation(self, spec: str) -> bool:
        return bool(load_cached_agent(spec).build_command) or self._sandbox == "bwrap"

    def _prepare_before_playing(self, job: _LocalJob) -> None:
        self._jobs_to_prepare.put(job)
        if self._preparation_thread is None:
            self._preparation_thread = threading.Thread(target=self._prepare_agents, name="builder", daemon=True)
            self._preparation_thread.start()

    def _prepare_agents(self) -> None:
        """Build each agent, or check it in the sandbox. A single thread does this, so that builds in one folder do not
        collide.
        """
        while (job := self._jobs_to_prepare.get()) is not None:
            try:
                with cancellable(self._interrupt_event):
                    for spec in job.prepared_specs:
                        prepare_agent(load_cached_agent(spec), self._sandbox)
                        self._prepared_specs.add(spec)
            except (UserError, GameCancelled, OSError) as error:
                self._end_job(job, error)
                continue
            with self._lock:
                self._waiting_jobs.append(job)
                self._assign_games()

    def dismiss_worker(self, worker_name: str) -> None:
        """Do nothing: only workers of a cluster are dismissed."""

    def take_messages(self) -> list[str]:
        """Return a sentence for each worker that died since the last call."""
        return [self._messages.popleft() for _ in range(len(self._messages))]

    def interrupt_games(self) -> None:
        """Interrupt every game, within a tenth of a second."""
        self._interrupt_event.set()
        self._send_to_all(encode_frame(FrameKind.INTERRUPT))

    def close(self) -> None:
        """Ask the workers to end their arenas, and wait until they exit."""
        with self._lock:
            self._is_closing = True
            for worker in self._workers:
                with contextlib.suppress(OSError):  # the worker has died
                    worker.connection.shutdown(socket.SHUT_WR)
        self._interrupt_event.set()
        self._jobs_to_prepare.put(None)
        if self._preparation_thread is not None:
            self._preparation_thread.join()
        self._thread.join()
        self._selector.close()
        self._reserved_cores.close()
        if self._has_worker_died:
            remove_dead_run_folders()

    # The worker processes

    def _send(self, worker: _LocalWorker, frame: bytes) -> None:
        with contextlib.suppress(OSError):  # the worker has died, which `_listen` notices
            worker.connection.sendall(frame)

    def _send_to_all(self, frame: bytes) -> None:
        with self._lock:
            for worker in self._workers:
                self._send(worker, frame)

    def _assign_games(self) -> None:
        """Give games to the workers that have the fewest games."""
        while self._waiting_jobs:
            if self._start_error is not None:
                self._end_job(self._waiting_jobs.popleft(), self._start_error)
                continue
            worker = min(self._workers, key=lambda candidate: len(candidate.jobs))
            if len(worker.jobs) > worker.queue_size:
                return
            job = self._waiting_jobs.popleft()
            if job.future.cancelled():
                continue
            worker.jobs.append(job)
            self._send(worker, encode_frame(FrameKind.TASK, GameRequest(job.task, job.prepared_specs)))
            if len(worker.jobs) == 1:
                self._mark_running(job)
            else:
                job.future.add_done_callback(self._cancel_waiting_games)

    def _mark_running(self, job: _LocalJob) -> None:
        """Mark the first game of a worker as running, unless it was cancelled."""
        if not job.future.running() and not job.future.cancelled():
            job.future.set_running_or_notify_cancel()

    def _cancel_waiting_games(self, future: Future[PlayedGame]) -> None:
        if future.cancelled():
            self._send_to_all(encode_frame(FrameKind.CANCEL_WAITING))

    def _listen(self) -> None:
        while self._selector.get_map():
            for selected, _ in self._selector.select():
                try:
                    self._receive(selected.data)
                except Exception as error:
                    # the thread that waits for this game must receive the error; other games continue
                    self._end_worker(selected.data, error)
            if self.queue_size > self.concurrent_games:  # games are short, so read several results at once
                time.sleep(min(_BATCH_SECONDS, *(worker.expected_seconds for worker in self._workers)))

    def _end_worker(self, worker: _LocalWorker, error: Exception) -> None:
        """End a worker after a bug of the arena. All its games end with this error, since any of them may be the
        cause.
        """
        worker.process.kill()
        with self._lock:
            jobs = list(worker.jobs)
            worker.jobs.clear()
        for job in jobs:
            self._end_job(job, error)

    def _receive(self, worker: _LocalWorker) -> None:
        try:
            chunk = worker.connection.recv(_MAX_READ_BYTES)
        except OSError:
            chunk = b""
        if not chunk:
            self._replace_dead_worker(worker)
            return
        for kind, content in worker.frame_parser.complete_frames(chunk):
            if kind is FrameKind.READY:
                worker.has_started = True
            elif kind is FrameKind.LIVE_LINES:
                key, text, replace_content = msgspec.msgpack.decode(content)
                if self._on_live_lines is not None and any(job.task.key == key for job in worker.jobs):
                    self._on_live_lines(key, LiveFileUpdate(text, replace_content))
            else:
                self._handle_result(worker, kind, content)

    def _handle_result(self, worker: _LocalWorker, kind: FrameKind, content: bytes) -> None:
        """Set the result of a worker's game, and mark the worker's next game as running."""
        result = _decode_result(kind, content)
        with self._lock:
            job = worker.jobs.popleft()
            if isinstance(result, PlayedGame):
                average = result.duration if worker.game_seconds is None else worker.game_seconds
                worker.game_seconds = average + _LAST_GAME_WEIGHT * (result.duration - average)
                # after a long game, no other game waits while the next game is played
                worker.game_seconds = max(worker.game_seconds, result.duration / 4)
            if worker.jobs:
                self._mark_running(worker.jobs[0])
            self._assign_games()
        self._end_job(job, result)

    def _end_job(self, job: _LocalJob, result: PlayedGame | BaseException) -> None:
        if job.future.cancelled():  # the game was cancelled while its worker began it
            return
        if not job.future.running() and not job.future.set_running_or_notify_cancel():
            return
        if isinstance(result, BaseException):
            job.future.set_exception(result)
        else:
            job.future.set_result(result)

    def _replace_dead_worker(self, worker: _LocalWorker) -> None:
        """Start a new worker in place of a dead one. The dead worker's game is played again."""
        self._selector.unregister(worker.connection)
        worker.connection.close()
        exit_code = worker.process.wait()
        with self._lock:
            if self._is_closing:
                return
            self._has_worker_died = True
            remove_dead_run_folders()
            self._workers.remove(worker)
            running_job, *waiting_jobs = worker.jobs or (None,)
            self._waiting_jobs.extendleft(reversed(waiting_jobs))
            cause = f"was killed by signal {-exit_code}" if exit_code < 0 else f"ended with code {exit_code}"
            self._start_deaths_in_a_row = 0 if worker.has_started else self._start_deaths_in_a_row + 1
            if not worker.has_started and (exit_code >= 0 or self._start_deaths_in_a_row >= MAX_WORKER_DEATHS):
                self._start_error = UserError(f"A worker process {cause} as it started.", "See its output above.")
            consequence = "" if running_job is None else " Its game is played again."
            self._messages.append(f"A worker process {cause}.{consequence}")
            if self._start_error is None:
                self._start_worker(worker.settings)
            if running_job is not None:
                running_job.worker_deaths += 1
                if running_job.worker_deaths < MAX_WORKER_DEATHS:
                    self._waiting_jobs.appendleft(running_job)
                else:
                    reason = f"each of {running_job.worker_deaths} worker processes died during it; the last {cause}"
                    self._end_job(running_job, create_void_record(running_job.task, reason, time.time(), 0))
            self._assign_games()


def _decode_result(kind: FrameKind, content: bytes) -> PlayedGame | BaseException:
    if kind is FrameKind.RECORD:
        return _RECORD_DECODER.decode(content)
    if kind is FrameKind.RECORD_JSON:
        return PlayedGame.from_json(json.loads(msgspec.msgpack.decode(content)))
    if kind is FrameKind.USER_ERROR:
        return UserError(*msgspec.msgpack.decode(content))
    return GameCancelled()


_RECORD_DECODER = msgspec.msgpack.Decoder(PlayedGame)


def remove_dead_run_folders() -> None:
    """Remove the game folders of dead workers. The supervisors of their agents end the agents."""
    for folder in dead_run_folders():
        with contextlib.suppress(OSError):  # another worker may be removing the same folder
            remove_tree(folder)
