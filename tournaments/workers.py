"""Workers: processes of this machine, each with an arena of its own; other kinds have the same interface.

Uses workers and their deaths; the runner chooses the next game and stores its record.
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
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import msgspec

from gomogo_core.arena import prepare
from gomogo_core.cancellation import Cancelled, cancellable
from gomogo_core.errors import UserError
from gomogo_core.processes import cores
from gomogo_core.processes.limits import DEFAULT, Level
from gomogo_core.processes.run_folder import dead_run_folders
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.live_format import LiveFile, LiveLines
from gomogo_core.wire.small_files import remove_tree
from tournaments.playing import agent_of, void_record
from tournaments.task import Task
from tournaments.worker_process import START, Frames, GameOrder, Kind, WorkerTerms, frame

MOST_DEATHS = 3  # after so many workers have died on one game, the game itself may be the cause
_ROOT = str(Path(__file__).resolve().parents[1])
_PIECE = 1 << 20
_BATCH = 0.05  # seconds between two reads of results, if games are short: waking up costs more than a game
_AHEAD = 0.15  # seconds' worth of games that wait in a worker
_MOST_AHEAD = 30
# a game of more seconds has no game waiting behind it; behind a shorter one, a game waits in case the command is slow
_LONG = 0.5
_SLOWLY = 0.1  # weight of the last game's duration in a worker's average

ShowLive = Callable[[str, LiveLines], None]


class Workers(Protocol):
    """Workers that play games. size: the number of games at a time. ahead: how many more should wait, so that no worker
    idles.
    """

    size: int

    @property
    def ahead(self) -> int:
        """The number of games that should wait."""

    def submit(self, task: Task) -> Future[PlayedGame]:
        """Play a game when a worker is free. Returns its record, which may be void. Raises UserError if an agent cannot
        start.
        """

    def dismiss(self, worker: str) -> None:
        """Give this worker no more games."""

    def news(self) -> list[str]:
        """Return the changes among workers since the last call, in sentences."""

    def abandon(self) -> None:
        """Interrupt the running games. Their results are discarded."""

    def close(self) -> None:
        """Stop the workers, and end all their processes. A second call does nothing."""


def default_capacity(cores_per_game: int = 1) -> int:
    """Return the number of games at a time: by default one for each core, since only one player of a game thinks at a
    time.
    """
    return max(1, len(cores.allowed_cores()) // cores_per_game)


def live_in(folder: Path) -> ShowLive:
    """Write the news of running games into the live files of a folder."""
    return lambda key, lines: LiveFile(folder, key).write(lines)


@dataclass(eq=False)
class _LocalJob:
    """A requested game. deaths: of workers that played it. trusted: agents that are prepared."""

    task: Task
    future: Future[PlayedGame]
    deaths: int = 0
    trusted: tuple[str, ...] = ()


@dataclass(eq=False)
class _LocalWorker:
    """A process, our end of its socket, and its games: it plays the first of them.

    seconds: the average duration of its games, late ones weighted more; None before the first has ended.
    """

    terms: WorkerTerms
    process: subprocess.Popen[bytes]
    connection: socket.socket
    frames: Frames = field(default_factory=Frames)
    held: deque[_LocalJob] = field(default_factory=deque)
    ready: bool = False
    seconds: float | None = None

    @property
    def ahead(self) -> int:
        """Return the number of games that may wait in it: none if games are long, since another worker may be free
        earlier.
        """
        if self.seconds is None or self.seconds > _LONG:
            return 0
        return max(1, min(_MOST_AHEAD, int(_AHEAD / max(self.seconds, 1e-4))))

    @property
    def seconds_of_games(self) -> float:
        """Return the time in which it will probably have played all its games."""
        return len(self.held) * (self.seconds or 0.0)


class ProcessWorkers:
    """Workers that are processes here, each the referee of one game at a time.

    show: called with news of running games, or None. log: the folder of the games' conversations, or None. sandbox: the
    level of isolation: "none", "limits" or, for untrusted programs, "bwrap". capture_output: collect the programs'
    output. own_cores: the number of cores that each running game has for itself, if there are enough for all; 0 leaves
    that to the system. name: the name of these workers in records, if there are others. runner: the number of the
    process that the games depend on, if that is not this one.
    """

    def __init__(
        self,
        size: int,
        *,
        show: ShowLive | None = None,
        log: Path | None = None,
        sandbox: Level = DEFAULT,
        capture_output: bool = False,
        own_cores: int = 0,
        name: str = "",
        runner: int | None = None,
    ) -> None:
        self.size, self._show, self._sandbox = size, show, sandbox
        self._guard = threading.RLock()
        self._waiting: deque[_LocalJob] = deque()
        self._prepared: set[str] = set()
        self._to_prepare: queue.SimpleQueue[_LocalJob | None] = queue.SimpleQueue()
        self._preparing: threading.Thread | None = None
        self._news: deque[str] = deque()  # several threads append to it
        self._abandoned = threading.Event()
        self._closing = False
        self._fault: UserError | None = None  # the reason why no worker can start
        self._deaths_at_start = 0  # consecutive deaths of workers as they started
        self._died = False  # whether a worker has died
        self._claims = ExitStack()
        self._selector = selectors.DefaultSelector()
        count = own_cores if size * own_cores <= len(cores.allowed_cores()) else 0
        self._workers: list[_LocalWorker] = []
        told = None if show is None else (runner or os.getpid())
        for _ in range(size):
            own = self._claims.enter_context(cores.reserve_cores(count)) if count else ()
            self._start(WorkerTerms(sandbox, capture_output, own, name, None if log is None else str(log), told))
        self._thread = threading.Thread(target=self._listen, name="workers", daemon=True)
        self._thread.start()

    def _start(self, terms: WorkerTerms) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            words = [sys.executable, "-c", START.format(root=_ROOT), str(theirs.fileno())]
            process = subprocess.Popen(words, pass_fds=[theirs.fileno()])
        worker = _LocalWorker(terms, process, ours)
        self._workers.append(worker)
        self._selector.register(ours, selectors.EVENT_READ, worker)
        self._tell(worker, frame(Kind.TERMS, terms))

    # Requests of a runner

    @property
    def ahead(self) -> int:
        """Return the number of games that should wait, at least one."""
        return max(1, sum(worker.ahead for worker in self._workers))

    def submit(self, task: Task) -> Future[PlayedGame]:
        """Play a game when a worker is free; play it again if that worker dies."""
        job = _LocalJob(task, Future())
        try:
            job.trusted = () if task.called else tuple(spec for spec in task.agents if self._wants_preparing(spec))
        except UserError as fault:
            job.future.set_exception(fault)
            return job.future
        if all(spec in self._prepared for spec in job.trusted):
            with self._guard:
                self._waiting.append(job)
                self._assign_games()
        else:
            self._prepare_first(job)
        return job.future

    def _wants_preparing(self, spec: str) -> bool:
        return bool(agent_of(spec).build) or self._sandbox == "bwrap"

    def _prepare_first(self, job: _LocalJob) -> None:
        self._to_prepare.put(job)
        if self._preparing is None:
            self._preparing = threading.Thread(target=self._prepare, name="builder", daemon=True)
            self._preparing.start()

    def _prepare(self) -> None:
        """Build agents, or check them in the sandbox, once: two builds in one folder would collide."""
        while (job := self._to_prepare.get()) is not None:
            try:
                with cancellable(self._abandoned):
                    for spec in job.trusted:
                        prepare(agent_of(spec), self._sandbox)
                        self._prepared.add(spec)
            except (UserError, Cancelled, OSError) as fault:
                self._end(job, fault)
                continue
            with self._guard:
                self._waiting.append(job)
                self._assign_games()

    def dismiss(self, worker: str) -> None:
        """Do nothing: workers of one machine are equally fast, and the named worker is on another one."""

    def news(self) -> list[str]:
        """Return the workers that have died, in sentences."""
        return [self._news.popleft() for _ in range(len(self._news))]

    def abandon(self) -> None:
        """Interrupt every game, within a tenth of a second."""
        self._abandoned.set()
        self._tell_all(frame(Kind.DROP))

    def close(self) -> None:
        """Ask the workers to end their arenas, and wait until they exit."""
        with self._guard:
            self._closing = True
            for worker in self._workers:
                with contextlib.suppress(OSError):  # it has died
                    worker.connection.shutdown(socket.SHUT_WR)
        self._abandoned.set()
        self._to_prepare.put(None)
        if self._preparing is not None:
            self._preparing.join()
        self._thread.join()
        self._selector.close()
        self._claims.close()
        if self._died:
            _sweep()

    # The worker processes

    def _tell(self, worker: _LocalWorker, text: bytes) -> None:
        with contextlib.suppress(OSError):  # it has died, which `_listen` notices
            worker.connection.sendall(text)

    def _tell_all(self, text: bytes) -> None:
        with self._guard:
            for worker in self._workers:
                self._tell(worker, text)

    def _assign_games(self) -> None:
        """Give games to the workers that have the fewest."""
        while self._waiting:
            if self._fault is not None:
                self._end(self._waiting.popleft(), self._fault)
                continue
            worker = min(self._workers, key=lambda one: len(one.held))
            if len(worker.held) > worker.ahead:
                return
            job = self._waiting.popleft()
            if job.future.cancelled():
                continue
            worker.held.append(job)
            self._tell(worker, frame(Kind.TASK, GameOrder(job.task, job.trusted)))
            if len(worker.held) == 1:
                self._begin(job)
            else:
                job.future.add_done_callback(self._take_back)

    def _begin(self, job: _LocalJob) -> None:
        """Mark a game as running, the first of its worker, unless it was cancelled."""
        if not job.future.running() and not job.future.cancelled():
            job.future.set_running_or_notify_cancel()

    def _take_back(self, future: Future[PlayedGame]) -> None:
        if future.cancelled():
            self._tell_all(frame(Kind.TAKE_BACK))

    def _listen(self) -> None:
        while self._selector.get_map():
            for ready, _ in self._selector.select():
                try:
                    self._read(ready.data)
                except Exception as fault:
                    # the thread that waits for this game must learn of the error; other games continue
                    self._give_up(ready.data, fault)
            if self.ahead > self.size:  # games are short: take several at a time
                time.sleep(min(_BATCH, *(worker.seconds_of_games for worker in self._workers)))

    def _give_up(self, worker: _LocalWorker, fault: Exception) -> None:
        """End a worker after a bug of the arena, and report the bug for all its games, as the running one is
        unknown.
        """
        worker.process.kill()
        with self._guard:
            held = list(worker.held)
            worker.held.clear()
        for job in held:
            self._end(job, fault)

    def _read(self, worker: _LocalWorker) -> None:
        try:
            piece = worker.connection.recv(_PIECE)
        except OSError:
            piece = b""
        if not piece:
            self._replace_dead(worker)
            return
        for kind, what in worker.frames.complete_frames(piece):
            if kind is Kind.READY:
                worker.ready = True
            elif kind is Kind.LIVE:
                key, text, anew = msgspec.msgpack.decode(what)
                if self._show is not None and any(job.task.key == key for job in worker.held):
                    self._show(key, LiveLines(text, anew))
            else:
                self._settle(worker, kind, what)

    def _settle(self, worker: _LocalWorker, kind: Kind, what: bytes) -> None:
        """Return the record of a worker's game, and start its next one."""
        came = _decoded_result(kind, what)
        with self._guard:
            job = worker.held.popleft()
            if isinstance(came, PlayedGame):
                before = came.duration if worker.seconds is None else worker.seconds
                worker.seconds = before + _SLOWLY * (came.duration - before)
                # after a long game, no game waits behind the next one
                worker.seconds = max(worker.seconds, came.duration / 4)
            if worker.held:
                self._begin(worker.held[0])
            self._assign_games()
        self._end(job, came)

    def _end(self, job: _LocalJob, came: PlayedGame | BaseException) -> None:
        if job.future.cancelled():  # it was cancelled while its worker began it
            return
        if not job.future.running() and not job.future.set_running_or_notify_cancel():
            return
        if isinstance(came, BaseException):
            job.future.set_exception(came)
        else:
            job.future.set_result(came)

    def _replace_dead(self, worker: _LocalWorker) -> None:
        """Replace a dead worker; its game is void, and played again."""
        self._selector.unregister(worker.connection)
        worker.connection.close()
        code = worker.process.wait()
        with self._guard:
            if self._closing:
                return
            self._died = True
            _sweep()
            self._workers.remove(worker)
            first, *rest = worker.held or (None,)
            self._waiting.extendleft(reversed(rest))
            how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
            self._deaths_at_start = 0 if worker.ready else self._deaths_at_start + 1
            if not worker.ready and (code >= 0 or self._deaths_at_start >= MOST_DEATHS):
                self._fault = UserError(f"A worker process {how} as it started.", "See its output above.")
            again = "" if first is None else " Its game is played again."
            self._news.append(f"A worker process {how}.{again}")
            if self._fault is None:
                self._start(worker.terms)
            if first is not None:
                first.deaths += 1
                if first.deaths < MOST_DEATHS:
                    self._waiting.appendleft(first)
                else:
                    why = f"each of the {first.deaths} worker processes that played it {how}"
                    self._end(first, void_record(first.task, why, time.time(), 0))
            self._assign_games()


def _decoded_result(kind: Kind, what: bytes) -> PlayedGame | BaseException:
    if kind is Kind.PLAYED:
        return _PLAYED.decode(what)
    if kind is Kind.PLAYED_TEXT:
        return PlayedGame.from_json(json.loads(msgspec.msgpack.decode(what)))
    if kind is Kind.MISTAKE:
        return UserError(*msgspec.msgpack.decode(what))
    return Cancelled()


_PLAYED = msgspec.msgpack.Decoder(PlayedGame)


def _sweep() -> None:
    """Remove the game folders of dead workers, whose agents end by themselves."""
    for folder in dead_run_folders():
        with contextlib.suppress(OSError):
            remove_tree(folder)
