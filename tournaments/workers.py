"""Where games are played: on threads of this machine, each with an arena of its own; other places have the same face.

Knows how one planned game is played; not which comes next, nor what becomes of its record.
"""

from __future__ import annotations

import errno
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from gomogo_core import catalogue, games
from gomogo_core.arena import Arena
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, Outcome, Reason, Seat
from gomogo_core.play.adjudication import Adjudication
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Listener, Ply
from gomogo_core.processes import cores, run_folder
from gomogo_core.processes.limits import DEFAULT, Level
from gomogo_core.records.live_files import LiveFiles
from gomogo_core.records.played import PlayedGame
from gomogo_core.stopping import Stopped, heeding
from tournaments.conditions import Meter
from tournaments.plan import Task


class Workers(Protocol):
    """Places where games are played. size: how many at a time."""

    size: int

    def submit(self, task: Task) -> Future[PlayedGame]:
        """Play a game when there is room; its record, which may be void. UserError where an agent cannot sit down."""

    def dismiss(self, worker: str) -> None:
        """Give this one of the places no more games."""

    def news(self) -> list[str]:
        """What has happened to places since this was last asked, in sentences."""

    def abandon(self) -> None:
        """Break the running games off. What they come to is to be thrown away."""

    def close(self) -> None:
        """Let the workers go, and end all they have started."""


class Table(Protocol):
    """What plays a game: an Arena, or what stands for one in tests."""

    def play(
        self,
        game: Game,
        agents: Sequence[catalogue.Agent],
        controls: Sequence[TimeControl],
        *,
        opening: Sequence[Ply] = (),
        seed: int | None = None,
        listeners: Sequence[Listener] = (),
        retry: bool = False,
        log: Path | None = None,
        adjudication: Adjudication | None = None,
    ) -> PlayedGame:
        """Play one game and return its record."""

    def processes(self) -> Mapping[Seat, int]:
        """The process above all that a player at the table has started, by seat."""


def room(cores_per_game: int = 1) -> int:
    """How many games may run at a time: one player of a game thinks, so one a core we may use, unless told."""
    return max(1, len(cores.allowed()) // cores_per_game)


class ThreadWorkers:
    """Workers that are threads here.

    live: where live files are written, or None; closed with us. log: the folder of the games' conversations, or None.
    sandbox: how the agents' programs are held: "none", "limits" or, for those of strangers, "bwrap". arena: makes the
    arena of a thread, by default one of that level; hear_out: that asks what they have printed. own_cores: so many
    cores each running game has for itself, where there are enough for all; 0 leaves them to the system. name: what
    these workers are called in records, where there are others.
    """

    def __init__(
        self,
        size: int,
        *,
        live: LiveFiles | None = None,
        log: Path | None = None,
        sandbox: Level = DEFAULT,
        arena: Callable[[], AbstractContextManager[Table]] | None = None,
        hear_out: bool = False,
        own_cores: int = 0,
        name: str = "",
    ) -> None:
        self.size = size
        self._live, self._log, self._name = live, log, name
        self._arena = arena or partial(Arena, sandbox=sandbox, hear_out=hear_out)
        self._own_cores = own_cores if size * own_cores <= len(cores.allowed()) else 0
        self._tasks: queue.SimpleQueue[tuple[Future[PlayedGame], Task] | None] = queue.SimpleQueue()
        self._abandoned = threading.Event()
        self._threads = [threading.Thread(target=self._work, name=f"worker {i + 1}", daemon=True) for i in range(size)]
        for thread in self._threads:
            thread.start()

    def submit(self, task: Task) -> Future[PlayedGame]:
        """Play a game when a thread is free."""
        future: Future[PlayedGame] = Future()
        self._tasks.put((future, task))
        return future

    def dismiss(self, worker: str) -> None:
        """Threads of one machine are equally fast: whoever is named is elsewhere, and has no games of ours."""

    def news(self) -> list[str]:
        """Threads neither come nor go."""
        return []

    def abandon(self) -> None:
        """Stop every thread that plays; felt within a tenth of a second."""
        self._abandoned.set()

    def close(self) -> None:
        """Let the threads end their arenas."""
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()
        if self._live is not None:
            self._live.close()

    def _work(self) -> None:
        # the referee too: on one core with its players it costs them less than beside them
        pinned = cores.pinned(self._own_cores) if self._own_cores else nullcontext()
        with pinned as own, self._arena() as arena:
            place = Place(own or cores.allowed(), self._name)
            while (item := self._tasks.get()) is not None:
                future, task = item
                if not future.set_running_or_notify_cancel():
                    continue
                try:
                    with heeding(self._abandoned):
                        future.set_result(play(task, arena, self._live, place, self._log))
                except BaseException as fault:  # also Stopped: whoever waits for the record must hear of it
                    future.set_exception(fault)


class Place(NamedTuple):
    """The cores that a game may use, and what the worker is called."""

    cores: tuple[int, ...]
    worker: str = ""


def play(
    task: Task,
    arena: Table,
    live: LiveFiles | None = None,
    place: Place | None = None,
    log: Path | None = None,
) -> PlayedGame:
    """Play a planned game. A fault of ours is a void game that says which; UserError and Stopped go on.

    live: where live files are written, or None. place: where we are, if known. log: the folder of conversations, or
    None; a game's are in the file of its key.
    """
    game = games.load(task.game, **task.options)
    meter = Meter(arena.processes, *(place or Place(cores.allowed())))
    listeners: list[Listener] = [meter] if live is None else [meter, live.of(task.key, task.run)]
    started, since = time.time(), time.monotonic()
    try:
        played = arena.play(
            game,
            _seated(task),
            task.controls,
            opening=task.opening,
            seed=task.seed,
            listeners=listeners,
            retry=task.retry,
            log=None if log is None else log_of(log, task),
            adjudication=task.adjudication,
        )
    except (UserError, Stopped) as fault:
        if isinstance(fault, Stopped) or not task.called:
            raise
        return void_record(task, fault.what, started, time.monotonic() - since)
    except Exception as fault:
        return void_record(task, _told(fault), started, time.monotonic() - since)
    record = meter.added_to(played)
    return replace(record, key=task.key, names=task.names, specs=task.specs, hashes=task.hashes)


def _told(fault: Exception) -> str:
    """A fault of ours in a line. A full disk is none that a name of Python's would explain."""
    if isinstance(fault, OSError) and fault.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"the disk of the game folders is full ({run_folder.base()[0]}; GOMOGO_FOLDER names another place)"
    return f"{type(fault).__name__}: {fault}"


def log_of(folder: Path, task: Task) -> Path:
    """The file of a game's conversations in a folder of them."""
    return folder / f"{task.key}.log"


def _seated(task: Task) -> list[catalogue.Agent]:
    """The agents of a game. Where names at the table differ, all are built, and leave after each game."""
    agents = [_agent(spec) for spec in task.agents]
    if not task.called:
        return agents
    return [replace(agent, name=name, build="", keep=False) for agent, name in zip(agents, task.called, strict=True)]


@lru_cache(maxsize=1024)
def _agent(spec: str) -> catalogue.Agent:
    return catalogue.agent(spec)


def void_record(task: Task, why: str, started: float, duration: float) -> PlayedGame:
    """The record of a game that a fault of ours kept from being played."""
    nothing: dict[str, Any] = {"seconds": (), "clocks": (), "thoughts": (), "warnings": ()}
    return PlayedGame(
        game=task.game,
        options=task.options,
        specs=task.specs,
        names=task.names,
        controls=task.controls,
        plies=task.opening,
        opening=len(task.opening),
        outcome=Outcome((0,) * len(task.players), Reason.REFEREE_FAULT, why),
        started=started,
        duration=duration,
        seed=task.seed,
        key=task.key,
        **nothing,
    )
