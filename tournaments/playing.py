"""Play one planned game in an arena. Worker processes and threads run this code.

The runner chooses the next game and stores the record.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Protocol

from gomogo_core import catalogue, games
from gomogo_core.arena.conditions import ConditionsMeter
from gomogo_core.cancellation import GameCancelled
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, Outcome, Reason, Seat
from gomogo_core.play.adjudication import Adjudication
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Listener, Ply
from gomogo_core.processes import cores, run_folder
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.live_writer import LiveFiles
from tournaments.task import GameTask


class ArenaProtocol(Protocol):
    """The part of an Arena's interface that `play_task` needs. Tests pass other objects with this interface."""

    def play(
        self,
        game: Game,
        agents: Sequence[catalogue.Agent],
        controls: Sequence[TimeControl],
        *,
        opening: Sequence[Ply] = (),
        seed: int | None = None,
        listeners: Sequence[Listener] = (),
        retry_illegal: bool = False,
        pace: float = 0.0,
        log: Path | None = None,
        adjudication: Adjudication | None = None,
    ) -> PlayedGame:
        """Play one game and return its record."""

    def process_ids(self) -> Mapping[Seat, int]:
        """Return the id of each player's parent process, by seat."""

    def cpu_before_turn(self, seat: Seat) -> float | None:
        """Return an upper bound of the seconds of CPU time that a seat's program used before its last turn, or None."""


class WorkerContext(NamedTuple):
    """The cores that a worker's games may use, and the worker's name, which is empty on this machine."""

    cores: tuple[int, ...]
    worker_name: str = ""


def play_task(
    task: GameTask,
    arena: ArenaProtocol,
    live_files: LiveFiles | None = None,
    context: WorkerContext | None = None,
    log_folder: Path | None = None,
) -> PlayedGame:
    """Play a planned game, and return its record. After a bug of the arena, the game is void, with the bug as its
    reason.

    live_files: the writer of live files, or None. context: the worker's cores and name; None for all cores. log_folder:
    the folder for conversations, or None; `conversation_file` names the file of a game. Raises UserError and
    GameCancelled.
    """
    game = games.load(task.game, **task.options)
    meter = ConditionsMeter(arena, *(context or WorkerContext(cores.allowed_cores())))
    listeners: list[Listener] = [meter]
    if live_files is not None:
        listeners.append(live_files.listener_for(task.key, task.run_name))
    start_time, started_at = time.time(), time.monotonic()
    try:
        played_game = arena.play(
            game,
            _load_agents(task),
            task.time_controls,
            opening=task.opening,
            seed=task.seed,
            listeners=listeners,
            retry_illegal=task.retry_illegal,
            pace=task.min_turn_seconds,
            log=None if log_folder is None else conversation_file(log_folder, task),
            adjudication=task.adjudication,
        )
    except (UserError, GameCancelled) as error:
        if isinstance(error, GameCancelled) or not task.public_names:
            raise
        return create_void_record(task, error.problem, start_time, time.monotonic() - started_at)
    except Exception as error:
        return create_void_record(task, _describe_error(error), start_time, time.monotonic() - started_at)
    record = meter.add_conditions(played_game)
    return replace(record, key=task.key, names=task.display_names, specs=task.specs, hashes=task.agent_hashes)


def _describe_error(error: Exception) -> str:
    """Describe an error of the arena in one line. For a full disk, the line says which folder is on it."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        parent, _ = run_folder.run_folders_parent()
        return f"the disk of the game folders is full ({parent}; GOMOGO_FOLDER names another folder)"
    return f"{type(error).__name__}: {error}"


def conversation_file(folder: Path, task: GameTask) -> Path:
    """Return the file in `folder` for the conversations of a game."""
    return folder / f"{task.key}.log"


def _load_agents(task: GameTask) -> list[catalogue.Agent]:
    """Return the agents of a game. If the task has public names, the agents have these names, are not built again, and
    end after each game.
    """
    agents = [load_cached_agent(spec) for spec in task.absolute_specs]
    if not task.public_names:
        return agents
    names = zip(agents, task.public_names, strict=True)
    return [replace(agent, name=name, build_command="", keeps_running=False) for agent, name in names]


@lru_cache(maxsize=1024)
def load_cached_agent(spec: str) -> catalogue.Agent:
    """Return the agent of a spec, from a cache. Raises UserError if there is no such agent."""
    return catalogue.agent(spec)


def create_void_record(task: GameTask, reason: str, start_time: float, duration: float) -> PlayedGame:
    """Return the record of a game that an error of the arena prevented."""
    return PlayedGame(
        game=task.game,
        options=task.options,
        specs=task.specs,
        names=task.display_names,
        controls=task.time_controls,
        plies=task.opening,
        opening_length=len(task.opening),
        outcome=Outcome((0,) * len(task.stored_names), Reason.REFEREE_FAULT, reason),
        started=start_time,
        duration=duration,
        seed=task.seed,
        key=task.key,
        seconds=(),
        clocks=(),
        thoughts=(),
        warnings=(),
    )
