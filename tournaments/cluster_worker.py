"""The functions that dask calls in a worker of a cluster: to describe the worker, to begin or end a session, and to
play a game.

A session is the time in which a worker plays for one runner. The module does not depend on schedulers. Most functions
are asynchronous, because a worker receives no messages while it waits in a synchronous function. dask itself fills in
the parameter `dask_worker`.
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
from gomogo_core.cancellation import GameCancelled
from gomogo_core.errors import UserError
from gomogo_core.processes.limits import DEFAULT_SANDBOX, SandboxLevel
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.search import SearchLimits, alpha_beta
from tournaments.playing import conversation_file
from tournaments.task import GameTask
from tournaments.workers import OnLiveLines, ProcessWorkers, remove_dead_run_folders

LEASE_SECONDS = 30.0  # seconds without a heartbeat of the runner after which the runner's games end
_LEASE_CHECK_SECONDS = 1.0  # seconds between two checks of the heartbeat
_SPEED_TEST_SECONDS = 0.3  # seconds of CPU time for the measurement of the speed

_sessions: dict[str, _Session] = {}
_lock = threading.Lock()


@dataclass(frozen=True)
class WorkerInfo:
    """A worker's description of itself. unplayable_reasons: the reasons why agents cannot play on this worker, by spec.

    fingerprints: a hash of each agent's files, so that two workers cannot play two versions of one agent.
    positions_per_second: positions searched per second of CPU time. CPU time does not depend on other programs on the
    machine.
    """

    version: str
    host: str
    unplayable_reasons: dict[str, str]
    fingerprints: dict[str, str]
    positions_per_second: float


async def describe_worker(specs: Sequence[str]) -> WorkerInfo:
    """Describe this worker: the agents that it has, and its speed."""
    return await asyncio.to_thread(_create_worker_info, specs)


def _create_worker_info(specs: Sequence[str]) -> WorkerInfo:
    unplayable, hashes = {}, {}
    for spec in specs:
        try:
            hashes[spec] = agent_fingerprint(spec)
        except UserError as error:
            unplayable[spec] = error.problem
    return WorkerInfo(__version__, platform.node(), unplayable, hashes, measure_speed())


def agent_fingerprint(spec: str) -> str:
    """Return a hash of an agent's files. Raises UserError if the agent or its program is missing."""
    agent = catalogue.agent(spec)
    if not agent.build_command:  # an agent that is not built yet may lack the files of its command
        catalogue.check_program(agent)
    return fingerprints.agent_fingerprint(agent)


def measure_speed() -> float:
    """Return the number of positions that alpha-beta searches in a second of this thread's CPU time."""
    position, node_count, started_at = games.load("gomoku", size=9).start(), 0, time.thread_time()
    for move in ("e5", "d4", "e4", "e6"):
        position = position.play(position.game.parse(move))
    while (cpu_seconds := time.thread_time() - started_at) < _SPEED_TEST_SECONDS:
        node_count += alpha_beta.search(position, SearchLimits(depth=2)).nodes
    return node_count / cpu_seconds


class WorkerResult(NamedTuple):
    """The record of a game. conversation: the lines to and from the agents, if requested."""

    record: PlayedGame
    conversation: str = ""


class _Session:
    """The workers that play for one runner until the runner's heartbeats stop. log: the folder for conversations, or
    None.
    """

    def __init__(self, workers: ProcessWorkers, log: Path | None = None) -> None:
        self.workers, self._lease_end, self._end_event = workers, time.monotonic() + LEASE_SECONDS, threading.Event()
        self._log_folder = log
        threading.Thread(target=self._watch_lease, name="lease", daemon=True).start()

    def renew_lease(self) -> None:
        self._lease_end = time.monotonic() + LEASE_SECONDS

    def _watch_lease(self) -> None:
        while not self._end_event.wait(_LEASE_CHECK_SECONDS):
            if time.monotonic() > self._lease_end:
                self.end()

    def play(self, task: GameTask) -> WorkerResult | None:
        """Play a game. Returns None if the session ended before or during the game."""
        future = self.workers.submit(task)
        while not self._end_event.is_set():
            with suppress(TimeoutError):
                return WorkerResult(future.result(timeout=_LEASE_CHECK_SECONDS), self._read_conversation(task))
        return None

    def _read_conversation(self, task: GameTask) -> str:
        """Return the conversation of a finished game, and delete its file on this machine."""
        if self._log_folder is None:
            return ""
        try:
            path = conversation_file(self._log_folder, task)
            conversation = path.read_text(encoding="utf-8")
            path.unlink()
        except OSError:  # there is no conversation, or the disk is full; this does not affect the game
            return ""
        return conversation

    def end(self) -> None:
        """Interrupt the running games, and end every agent."""
        with _lock:
            if self._end_event.is_set():
                return
            self._end_event.set()
        self.workers.interrupt_games()
        self.workers.close()
        if self._log_folder is not None:
            shutil.rmtree(self._log_folder, ignore_errors=True)


async def begin_session(
    session_id: str,
    worker_count: int,
    cores_per_game: int,
    worker_name: str,
    sandbox: SandboxLevel = DEFAULT_SANDBOX,
    has_log: bool = False,
    runner_pid: int | None = None,
    dask_worker: Any = None,
) -> None:
    """Start `worker_count` workers for a runner, after removing the game folders of killed workers.

    has_log: whether to write conversations. runner_pid: the process id of the runner, if it shows running games.
    """
    await asyncio.to_thread(remove_dead_run_folders)
    log_folder = Path(tempfile.mkdtemp(prefix="gomogo-logs-")) if has_log else None
    with _lock:
        send_live_lines = None if runner_pid is None else _create_live_line_sender(session_id, worker_name, dask_worker)
        workers = ProcessWorkers(
            worker_count,
            on_live_lines=send_live_lines,
            log_folder=log_folder,
            cores_per_game=cores_per_game,
            name=worker_name,
            sandbox=sandbox,
            runner_pid=runner_pid,
        )
        _sessions[session_id] = _Session(workers, log_folder)
    if dask_worker is not None:
        await dask_worker.plugin_add(_create_session_end_plugin(session_id), name=session_id)


def _create_live_line_sender(session_id: str, worker_name: str, dask_worker: Any) -> OnLiveLines:
    """Return the function that sends lines about running games to the runner, with the session as dask's topic."""
    return lambda key, lines: dask_worker.log_event(session_id, (worker_name, key, *lines))


def _create_session_end_plugin(session_id: str) -> Any:
    """Return a plugin of dask that ends the session when the worker shuts down. Without it, dask would wait for the
    games.
    """
    from distributed import WorkerPlugin

    class SessionEnd(WorkerPlugin):
        async def teardown(self, worker: Any) -> None:
            await end_session(session_id)

    return SessionEnd()


async def receive_heartbeat(session_id: str) -> None:
    """Receive a heartbeat of the runner, which renews the lease of its session."""
    if (session := _sessions.get(session_id)) is not None:
        session.renew_lease()


async def interrupt_games(session_id: str) -> None:
    """Interrupt the running games of a session."""
    if (session := _sessions.get(session_id)) is not None:
        session.workers.interrupt_games()


async def end_session(session_id: str, dask_worker: Any = None) -> None:
    """Stop the workers of a session, with their games and agents."""
    if dask_worker is not None:
        dask_worker.plugins.pop(session_id, None)
    if (session := _sessions.pop(session_id, None)) is not None:
        await asyncio.to_thread(session.end)


def play_on_worker(session_id: str, task: GameTask) -> WorkerResult | UserError | None:
    """Play a game, and return its result. Return the error instead if a mistake of the user prevented the game, and
    None if the session has ended.
    """
    session = _sessions.get(session_id)
    try:
        return None if session is None else session.play(task)
    except UserError as error:
        return error
    except GameCancelled:
        return None
