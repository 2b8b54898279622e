"""The worker of a cluster: it describes itself, runs threads that play for one runner, and releases them.

Runs in the worker's process; knows nothing of schedulers. The functions are asynchronous because a worker that waits in
a plain function does not hear messages; dask fills in `dask_worker`.
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
from gomogo_core.cancellation import Cancelled
from gomogo_core.errors import UserError
from gomogo_core.processes.limits import DEFAULT, Level
from gomogo_core.processes.run_folder import dead_run_folders
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.search import SearchLimits, alpha_beta
from gomogo_core.wire.small_files import remove_tree
from tournaments.playing import log_of
from tournaments.task import Task
from tournaments.workers import ProcessWorkers, ShowLive

LEASE = 30.0  # seconds without a heartbeat of the runner, after which its games end
_LOOK = 1.0  # seconds between two checks of the heartbeat
_SPEED_SECONDS = 0.3

_sessions: dict[str, _Session] = {}
_guard = threading.Lock()


@dataclass(frozen=True)
class WorkerInfo:
    """A worker's description of itself. missing: agents' specs with the reason why they cannot play here.

    prints: hashes of each agent's own files, so that two workers cannot play two versions of one agent. speed:
    positions a second of its own CPU time, which other programs on the machine do not change.
    """

    version: str
    host: str
    missing: dict[str, str]
    prints: dict[str, str]
    speed: float


async def describe_worker(specs: Sequence[str]) -> WorkerInfo:
    """Describe this worker: the agents that it has, and its speed."""
    return await asyncio.to_thread(_worker_info, specs)


def _worker_info(specs: Sequence[str]) -> WorkerInfo:
    missing, prints = {}, {}
    for spec in specs:
        try:
            prints[spec] = fingerprint(spec)
        except UserError as fault:
            missing[spec] = fault.what
    return WorkerInfo(__version__, platform.node(), missing, prints, measure_speed())


def fingerprint(spec: str) -> str:
    """Return a hash of the files of an agent's command. Raises UserError if it is missing or cannot start."""
    agent = catalogue.agent(spec)
    if not agent.build:  # before its build, the files of its command may be missing
        catalogue.check_program(agent)
    return fingerprints.of_agent(agent)


def measure_speed() -> float:
    """Return how many positions alpha-beta visits in a second of this thread's CPU time."""
    position, nodes, began = games.load("gomoku", size=9).start(), 0, time.thread_time()
    for move in ("e5", "d4", "e4", "e6"):
        position = position.play(position.game.parse(move))
    while (spent := time.thread_time() - began) < _SPEED_SECONDS:
        nodes += alpha_beta.search(position, SearchLimits(depth=2)).nodes
    return nodes / spent


class GameReturn(NamedTuple):
    """The result of a game. log: the lines to and from its agents, if requested."""

    played: PlayedGame
    log: str = ""


class _Session:
    """The threads that play for one runner, while its heartbeats come. log: the folder of conversations, or None."""

    def __init__(self, workers: ProcessWorkers, log: Path | None = None) -> None:
        self._workers, self._until, self._over = workers, time.monotonic() + LEASE, threading.Event()
        self._log = log
        threading.Thread(target=self._watch, name="lease", daemon=True).start()

    def renew(self) -> None:
        self._until = time.monotonic() + LEASE

    def _watch(self) -> None:
        while not self._over.wait(_LOOK):
            if time.monotonic() > self._until:
                self.end()

    def play(self, task: Task) -> GameReturn | None:
        """Play a game. Returns None if it was interrupted, or requested after the end."""
        future = self._workers.submit(task)
        while not self._over.is_set():
            with suppress(TimeoutError):
                return GameReturn(future.result(timeout=_LOOK), self._read_conversation(task))
        return None

    def _read_conversation(self, task: Task) -> str:
        """Return the conversation of a finished game, and delete it here."""
        if self._log is None:
            return ""
        try:
            path = log_of(self._log, task)
            said = path.read_text(encoding="utf-8")
            path.unlink()
        except OSError:  # no conversation, or the disk is full: that does not affect the game
            return ""
        return said

    def break_off(self) -> None:
        self._workers.abandon()

    def end(self) -> None:
        """Interrupt the running games, and end every agent."""
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
    """Start `size` threads for a runner; remove the remains of killed workers.

    runner: the number of its process, if it wants news of running games.
    """
    await asyncio.to_thread(_clear)
    log = Path(tempfile.mkdtemp(prefix="gomogo-logs-")) if logs else None
    with _guard:
        show = None if runner is None else _send_news(session, name, dask_worker)
        workers = ProcessWorkers(
            size, show=show, log=log, own_cores=own_cores, name=name, sandbox=sandbox, runner=runner
        )
        _sessions[session] = _Session(workers, log)
    if dask_worker is not None:
        await dask_worker.plugin_add(_on_worker_exit(session), name=session)


def _send_news(session: str, name: str, dask_worker: Any) -> ShowLive:
    """Send the runner news of running games, under its session as the topic."""
    return lambda key, lines: dask_worker.log_event(session, (name, key, *lines))


def _on_worker_exit(session: str) -> Any:
    """Return the hook that dask calls when the worker must leave; without it dask waits for the games."""
    from distributed import WorkerPlugin

    class Leaving(WorkerPlugin):
        async def teardown(self, worker: Any) -> None:
            await end(session)

    return Leaving()


def _clear() -> None:
    for folder in dead_run_folders():
        with suppress(OSError):  # another worker may be removing the same remains
            remove_tree(folder)


async def renew(session: str) -> None:
    """Receive a heartbeat of the runner."""
    if (held := _sessions.get(session)) is not None:
        held.renew()


async def break_off(session: str) -> None:
    """Interrupt the running games."""
    if (held := _sessions.get(session)) is not None:
        held.break_off()


async def end(session: str, dask_worker: Any = None) -> None:
    """Stop a runner's threads."""
    if dask_worker is not None:
        dask_worker.plugins.pop(session, None)
    if (held := _sessions.pop(session, None)) is not None:
        await asyncio.to_thread(held.end)


def play_on_worker(session: str, task: Task) -> GameReturn | UserError | None:
    """Play a game. Returns its result; a user's mistake that prevented it; None if the runner counts as dead."""
    held = _sessions.get(session)
    try:
        return None if held is None else held.play(task)
    except UserError as fault:
        return fault
    except Cancelled:
        return None
