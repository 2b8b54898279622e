"""The functions that dask calls in a worker of a cluster: describe it, begin and end a session, play a game.

A session is the time in which a worker plays for one runner. The module knows nothing about schedulers. Most functions
are asynchronous, because a worker that waits in a plain function receives no messages. dask itself fills in the
parameter `dask_worker`.
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
from gomogo_core.processes.limits import DEFAULT_SANDBOX, SandboxLevel
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.search import SearchLimits, alpha_beta
from tournaments.playing import log_file
from tournaments.task import Task
from tournaments.workers import ProcessWorkers, ShowLive, remove_dead_run_folders

LEASE = 30.0  # seconds without a heartbeat of the runner after which the runner's games end
_CHECK_SECONDS = 1.0  # seconds between two checks of the heartbeat
_SPEED_SECONDS = 0.3  # seconds of CPU time for the measurement of the speed

_sessions: dict[str, _Session] = {}
_guard = threading.Lock()


@dataclass(frozen=True)
class WorkerInfo:
    """A worker's description of itself. unplayable: the agents that cannot play on this worker, each as spec and
    reason.

    fingerprints: a hash of each agent's files, so that two workers cannot play two versions of one agent. speed:
    positions searched per second of CPU time. CPU time does not depend on other programs on the machine.
    """

    version: str
    host: str
    unplayable: dict[str, str]
    fingerprints: dict[str, str]
    speed: float


async def describe_worker(specs: Sequence[str]) -> WorkerInfo:
    """Describe this worker: the agents that it has, and its speed."""
    return await asyncio.to_thread(_worker_info, specs)


def _worker_info(specs: Sequence[str]) -> WorkerInfo:
    unplayable, hashes = {}, {}
    for spec in specs:
        try:
            hashes[spec] = agent_fingerprint(spec)
        except UserError as fault:
            unplayable[spec] = fault.problem
    return WorkerInfo(__version__, platform.node(), unplayable, hashes, measure_speed())


def agent_fingerprint(spec: str) -> str:
    """Return a hash of an agent's files. Raises UserError if the agent or its program is missing."""
    agent = catalogue.agent(spec)
    if not agent.build_command:  # before its build, the files of its command may be missing
        catalogue.check_program(agent)
    return fingerprints.of_agent(agent)


def measure_speed() -> float:
    """Return the number of positions that alpha-beta searches in a second of this thread's CPU time."""
    position, nodes, began = games.load("gomoku", size=9).start(), 0, time.thread_time()
    for move in ("e5", "d4", "e4", "e6"):
        position = position.play(position.game.parse(move))
    while (spent := time.thread_time() - began) < _SPEED_SECONDS:
        nodes += alpha_beta.search(position, SearchLimits(depth=2)).nodes
    return nodes / spent


class WorkerResult(NamedTuple):
    """The record of a game. conversation: the lines to and from the agents, if requested."""

    record: PlayedGame
    conversation: str = ""


class _Session:
    """The workers that play for one runner until its heartbeats stop. log: the folder for conversations, or None."""

    def __init__(self, workers: ProcessWorkers, log: Path | None = None) -> None:
        self._workers, self._lease_end, self._ended = workers, time.monotonic() + LEASE, threading.Event()
        self._log = log
        threading.Thread(target=self._watch_lease, name="lease", daemon=True).start()

    def renew_lease(self) -> None:
        self._lease_end = time.monotonic() + LEASE

    def _watch_lease(self) -> None:
        while not self._ended.wait(_CHECK_SECONDS):
            if time.monotonic() > self._lease_end:
                self.end()

    def play(self, task: Task) -> WorkerResult | None:
        """Play a game. Returns None if the session ended before or during the game."""
        future = self._workers.submit(task)
        while not self._ended.is_set():
            with suppress(TimeoutError):
                return WorkerResult(future.result(timeout=_CHECK_SECONDS), self._read_conversation(task))
        return None

    def _read_conversation(self, task: Task) -> str:
        """Return the conversation of a finished game, and delete its file on this machine."""
        if self._log is None:
            return ""
        try:
            path = log_file(self._log, task)
            conversation = path.read_text(encoding="utf-8")
            path.unlink()
        except OSError:  # no conversation, or the disk is full: that does not affect the game
            return ""
        return conversation

    def interrupt_games(self) -> None:
        self._workers.abandon()

    def end(self) -> None:
        """Interrupt the running games, and end every agent."""
        with _guard:
            if self._ended.is_set():
                return
            self._ended.set()
        self._workers.abandon()
        self._workers.close()
        if self._log is not None:
            shutil.rmtree(self._log, ignore_errors=True)


async def begin_session(
    session: str,
    size: int,
    game_cores: int,
    name: str,
    sandbox: SandboxLevel = DEFAULT_SANDBOX,
    has_log: bool = False,
    runner: int | None = None,
    dask_worker: Any = None,
) -> None:
    """Start `size` workers for a runner, after removing the game folders of killed workers.

    has_log: whether to write conversations. runner: the process id of the runner, if it shows running games.
    """
    await asyncio.to_thread(remove_dead_run_folders)
    log = Path(tempfile.mkdtemp(prefix="gomogo-logs-")) if has_log else None
    with _guard:
        show = None if runner is None else _live_line_sender(session, name, dask_worker)
        workers = ProcessWorkers(
            size, show=show, log=log, game_cores=game_cores, name=name, sandbox=sandbox, runner=runner
        )
        _sessions[session] = _Session(workers, log)
    if dask_worker is not None:
        await dask_worker.plugin_add(_session_end_plugin(session), name=session)


def _live_line_sender(session: str, name: str, dask_worker: Any) -> ShowLive:
    """Return the function that sends lines about running games to the runner, with the session as dask's topic."""
    return lambda key, lines: dask_worker.log_event(session, (name, key, *lines))


def _session_end_plugin(session: str) -> Any:
    """Return a plugin of dask that ends the session when the worker shuts down; otherwise dask would wait for the
    games.
    """
    from distributed import WorkerPlugin

    class SessionEnd(WorkerPlugin):
        async def teardown(self, worker: Any) -> None:
            await end_session(session)

    return SessionEnd()


async def receive_heartbeat(session: str) -> None:
    """Receive a heartbeat of the runner, which renews the lease of its session."""
    if (held := _sessions.get(session)) is not None:
        held.renew_lease()


async def interrupt_games(session: str) -> None:
    """Interrupt the running games of a session."""
    if (held := _sessions.get(session)) is not None:
        held.interrupt_games()


async def end_session(session: str, dask_worker: Any = None) -> None:
    """Stop the workers of a session, with their games and agents."""
    if dask_worker is not None:
        dask_worker.plugins.pop(session, None)
    if (held := _sessions.pop(session, None)) is not None:
        await asyncio.to_thread(held.end)


def play_on_worker(session: str, task: Task) -> WorkerResult | UserError | None:
    """Play a game, and return its result. Return the error instead if a mistake of the user prevented the game, and
    None if the session has ended.
    """
    held = _sessions.get(session)
    try:
        return None if held is None else held.play(task)
    except UserError as fault:
        return fault
    except Cancelled:
        return None
