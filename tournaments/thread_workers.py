"""Workers that are threads of this process, with the interface of `tournaments.workers.Workers`.

The module plays games, and does not depend on schedules or stores.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path

from gomogo_core.arena import Arena
from gomogo_core.cancellation import cancellable
from gomogo_core.processes import cores
from gomogo_core.processes.limits import DEFAULT_SANDBOX, SandboxLevel
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.live_writer import LiveFiles
from tournaments.playing import ArenaProtocol, WorkerContext, play_task
from tournaments.task import GameTask


class ThreadWorkers:
    """Workers that are threads: for Windows, where a child process cannot inherit a socket, and for tests.

    live_files: the writer of live files, or None; it is closed with these workers. log_folder: the folder for the
    games' conversations, or None. sandbox: the level of isolation: "none", "limits" or, for untrusted programs,
    "bwrap". create_arena: a function that creates the arena of a thread; None for an Arena with this level.
    capture_output: whether to collect the programs' output. cores_per_game: the number of cores reserved for each
    running game, if there are enough for all; 0 reserves none. name: the name of these workers in records, if there are
    workers on other machines.
    """

    def __init__(
        self,
        concurrent_games: int,
        *,
        live_files: LiveFiles | None = None,
        log_folder: Path | None = None,
        sandbox: SandboxLevel = DEFAULT_SANDBOX,
        create_arena: Callable[[], AbstractContextManager[ArenaProtocol]] | None = None,
        capture_output: bool = False,
        cores_per_game: int = 0,
        name: str = "",
    ) -> None:
        self.concurrent_games, self.queue_size = concurrent_games, 1
        self._live_files, self._log_folder, self._worker_name = live_files, log_folder, name
        self._create_arena = create_arena or partial(Arena, sandbox=sandbox, capture_output=capture_output)
        self._cores_per_game = cores_per_game if concurrent_games * cores_per_game <= len(cores.allowed_cores()) else 0
        self._tasks: queue.SimpleQueue[tuple[Future[PlayedGame], GameTask] | None] = queue.SimpleQueue()
        self._interrupt_event = threading.Event()
        self._threads = [
            threading.Thread(target=self._play_games, name=f"worker {number + 1}", daemon=True)
            for number in range(concurrent_games)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, task: GameTask) -> Future[PlayedGame]:
        """Play a game when a thread is free."""
        future: Future[PlayedGame] = Future()
        self._tasks.put((future, task))
        return future

    def dismiss_worker(self, worker_name: str) -> None:
        """Do nothing: only workers of a cluster are dismissed."""

    def take_messages(self) -> list[str]:
        """Return an empty list, since the number of threads never changes."""
        return []

    def interrupt_games(self) -> None:
        """Interrupt every thread that plays, within a tenth of a second."""
        self._interrupt_event.set()

    def close(self) -> None:
        """Let the threads end their arenas."""
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()
        if self._live_files is not None:
            self._live_files.close()

    def _play_games(self) -> None:
        # pin the referee, too: it disturbs players less on a core of its own game than on a core of another game
        pinning = cores.pin_to_cores(self._cores_per_game) if self._cores_per_game else nullcontext()
        with pinning as pinned_cores, self._create_arena() as arena:
            context = WorkerContext(pinned_cores or cores.allowed_cores(), self._worker_name)
            while (request := self._tasks.get()) is not None:
                future, task = request
                if not future.set_running_or_notify_cancel():
                    continue
                try:
                    with cancellable(self._interrupt_event):
                        future.set_result(play_task(task, arena, self._live_files, context, self._log_folder))
                except (
                    BaseException
                ) as error:  # even GameCancelled: the thread that waits for the record must receive it
                    future.set_exception(error)
