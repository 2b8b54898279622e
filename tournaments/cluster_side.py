"""What a worker of a cluster does: it says what it is, holds threads that play for one runner, and lets them go.

Runs in the worker's process; knows nothing of schedulers. The functions are asynchronous since a worker that waits in
one could not be heard meanwhile; `dask_worker` is filled in by dask.
"""

from __future__ import annotations

import asyncio
import platform
import shutil
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from gomogo_core import __version__, catalogue, fingerprints, games
from gomogo_core.errors import UserError
from gomogo_core.play.events import Event
from gomogo_core.processes.limits import DEFAULT, Level
from gomogo_core.processes.run_folder import remains
from gomogo_core.records.live import lines_of
from gomogo_core.records.live_files import Append, LiveFiles
from gomogo_core.records.played import PlayedGame
from gomogo_core.search import Limits, alpha_beta
from gomogo_core.stopping import Stopped
from gomogo_core.wire.folder import remove_tree
from tournaments.plan import Task
from tournaments.workers import ThreadWorkers, log_of

LEASE = 30.0  # seconds without a word from the runner, after which nobody plays for it any more
_LOOK = 1.0  # seconds between two looks at it
_SPEED_SECONDS = 0.3

_sessions: dict[str, _Session] = {}
_guard = threading.Lock()


@dataclass(frozen=True)
class Facts:
    """What a worker says of itself. missing: agents' specs with the sentence that says why they cannot play here.

    prints: of each agent's own files, so that two workers cannot play with two versions of one. speed: positions a
    second of its own time, so that what else the machine does does not count.
    """

    version: str
    host: str
    missing: dict[str, str]
    prints: dict[str, str]
    speed: float


async def say_what_you_are(specs: Sequence[str]) -> Facts:
    """Look at this worker: which of the agents are there, and how fast it is."""
    return await asyncio.to_thread(_facts, specs)


def _facts(specs: Sequence[str]) -> Facts:
    missing, prints = {}, {}
    for spec in specs:
        try:
            prints[spec] = fingerprint(spec)
        except UserError as fault:
            missing[spec] = fault.what
    return Facts(__version__, platform.node(), missing, prints, speed())


def fingerprint(spec: str) -> str:
    """A hash of the files that an agent's command names. Raises UserError where it is not here, or cannot start."""
    agent = catalogue.agent(spec)
    if not agent.build:  # else what it names may not be there yet
        catalogue.check_program(agent)
    return fingerprints.of_agent(agent)


def speed() -> float:
    """Positions that alpha-beta evaluates in a second of this thread's time."""
    position, nodes, began = games.load("gomoku", size=9).start(), 0, time.thread_time()
    for move in ("e5", "d4", "e4", "e6"):
        position = position.play(position.game.parse(move))
    while (spent := time.thread_time() - began) < _SPEED_SECONDS:
        nodes += alpha_beta.search(position, Limits(depth=2)).nodes
    return nodes / spent


class Came(NamedTuple):
    """What came of a game; log: the lines to and from its agents, where they are wanted."""

    played: PlayedGame
    log: str = ""


class _Session:
    """The threads that play for one runner, as long as it gives word. log: where they keep conversations, if wanted."""

    def __init__(self, workers: ThreadWorkers, log: Path | None = None) -> None:
        self._workers, self._until, self._over = workers, time.monotonic() + LEASE, threading.Event()
        self._log = log
        threading.Thread(target=self._watch, name="lease", daemon=True).start()

    def renew(self) -> None:
        self._until = time.monotonic() + LEASE

    def _watch(self) -> None:
        while not self._over.wait(_LOOK):
            if time.monotonic() > self._until:
                self.end()

    def play(self, task: Task) -> Came | None:
        """Play a game; None where it was broken off, or came when all was over."""
        future = self._workers.submit(task)
        while not self._over.is_set():
            with suppress(TimeoutError):
                return Came(future.result(timeout=_LOOK), self._said(task))
        return None

    def _said(self, task: Task) -> str:
        """What was said in a game that is over; here it is kept no longer."""
        if self._log is None:
            return ""
        try:
            path = log_of(self._log, task)
            said = path.read_text(encoding="utf-8")
            path.unlink()
        except OSError:  # nobody said anything, or the disk is full: the game is none the worse for it
            return ""
        return said

    def break_off(self) -> None:
        self._workers.abandon()

    def end(self) -> None:
        """Break off what is still played, and end every agent."""
        with _guard:
            if self._over.is_set():
                return
            self._over.set()
        self._workers.abandon()
        self._workers.close()
        if self._log is not None:
            shutil.rmtree(self._log, ignore_errors=True)


async def begin(
    session: str,
    size: int,
    own_cores: int,
    name: str,
    sandbox: Level = DEFAULT,
    logs: bool = False,
    runner: int | None = None,
    dask_worker: Any = None,
) -> None:
    """Hold threads for a runner, so many at a time; and take away what killed workers have left here.

    runner: the number of its process, if it wants to hear of the games while they last.
    """
    await asyncio.to_thread(_clear)
    log = Path(tempfile.mkdtemp(prefix="gomogo-logs-")) if logs else None
    with _guard:
        live = None if runner is None else _told_of(session, name, runner, dask_worker)
        workers = ThreadWorkers(size, live=live, log=log, own_cores=own_cores, name=name, sandbox=sandbox)
        _sessions[session] = _Session(workers, log)
    if dask_worker is not None:
        await dask_worker.plugin_add(_at_the_end_of(session), name=session)


def _told_of(session: str, name: str, runner: int, dask_worker: Any) -> LiveFiles:
    """Live files whose lines go to the runner, under its session as the topic."""

    def append_to(key: str, run: str) -> Append:
        def append(events: Sequence[tuple[Event, float]]) -> None:
            dask_worker.log_event(session, (name, key, *lines_of(events, run, runner)))

        return append

    return LiveFiles(append_to)


def _at_the_end_of(session: str) -> Any:
    """What dask calls when the worker is told to leave: it waits for its games otherwise."""
    from distributed import WorkerPlugin

    class Leaving(WorkerPlugin):
        async def teardown(self, worker: Any) -> None:
            await end(session)

    return Leaving()


def _clear() -> None:
    for folder in remains():
        with suppress(OSError):  # another worker may be doing the same
            remove_tree(folder)


async def renew(session: str) -> None:
    """The runner is still there."""
    if (held := _sessions.get(session)) is not None:
        held.renew()


async def break_off(session: str) -> None:
    """Break the running games off."""
    if (held := _sessions.get(session)) is not None:
        held.break_off()


async def end(session: str, dask_worker: Any = None) -> None:
    """Let a runner's threads go."""
    if dask_worker is not None:
        dask_worker.plugins.pop(session, None)
    if (held := _sessions.pop(session, None)) is not None:
        await asyncio.to_thread(held.end)


def play_there(session: str, task: Task) -> Came | UserError | None:
    """Play a game; the mistake of a user's that kept it from being played; None where the runner is held for gone."""
    held = _sessions.get(session)
    try:
        return None if held is None else held.play(task)
    except UserError as fault:
        return fault
    except Stopped:
        return None
