"""Seats agents at a table: a folder and a process each, one game played, everything put away afterwards.

Knows processes, folders and who plays; the verdicts are the game loop's. Standard library only.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gomogo_core.catalogue import Agent, check, check_program
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, Seat
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Listener, Ply, Table
from gomogo_core.play.game_loop import play_game
from gomogo_core.play.player import Player
from gomogo_core.processes.process import Process
from gomogo_core.processes.run_folder import RunFolder
from gomogo_core.protocols.files import LATE_START, FilesPlayer
from gomogo_core.records.played import PlayedGame, Recorder
from gomogo_core.wire.lines import check_teams
from gomogo_core.wire.mailbox import Mailbox

PATIENCE = 4.0  # seconds an agent has after the end to leave by itself
BUILD_LIMIT = 300.0  # seconds a build command may take
_ROOT = str(Path(__file__).resolve().parent.parent)
_built: set[Agent] = set()
_build_lock = threading.Lock()


@dataclass
class _Seated:
    """A player with its process, its folder, and the folder it came from, when it has played before."""

    agent: Agent
    player: FilesPlayer
    mailbox: Mailbox
    came_from: Mailbox | None = None


@dataclass
class _Kept:
    """A process that waits in the folder of its last game to hear of the next."""

    process: Process
    mailbox: Mailbox


@dataclass
class Arena:
    """Plays games one after another; a context manager that ends every process it started.

    keep: where the game folders stay to be looked at; by default they are in memory and go with the game.
    Not for several threads at once: each has an arena of its own.
    """

    keep: Path | None = None
    _kept: dict[str, list[_Kept]] = field(default_factory=dict)
    _farewells: list[threading.Thread] = field(default_factory=list)
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    _folder: RunFolder | None = None
    _at_table: dict[Seat, _Seated] = field(default_factory=dict)

    def __enter__(self) -> Arena:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @staticmethod
    def names(agents: Sequence[Agent]) -> tuple[str, ...]:
        """What the players of a game between these agents are called, by seat."""
        return distinct([agent.name for agent in agents])

    def play(
        self,
        game: Game,
        agents: Sequence[Agent],
        controls: Sequence[TimeControl],
        *,
        opening: Sequence[Ply] = (),
        seed: int | None = None,
        listeners: Sequence[Listener] = (),
        retry: bool = False,
        pace: float = 0.0,
        players: Mapping[Seat, Player] | None = None,
    ) -> PlayedGame:
        """Play one game and return its record, a void one's too.

        agents and controls: by seat. players: who takes a seat instead of the agent's process (a person here).
        Raises UserError where an agent cannot sit down; an interrupt goes on after everybody was let go.
        """
        here = players or {}
        check(game, agents, bool(opening))
        for seat, agent in enumerate(agents, 1):
            if seat not in here:
                build(agent)
        names = self.names(agents)
        table = Table(game, names, tuple(controls), tuple(opening), seed)
        recorder = Recorder(table, tuple(agent.spec for agent in agents))
        seated = self._at_table = dict[Seat, _Seated]()
        number = next(self._numbers)
        try:
            for seat, agent in enumerate(agents, 1):
                if seat not in here:
                    seated[seat] = self._seat(agent, names, seat, number)
            at_table = [here[s] if s in here else seated[s].player for s in range(1, len(agents) + 1)]
            play_game(table, at_table, (recorder, *listeners), retry=retry, pace=pace)
        finally:
            played = recorder.played
            for seat, one in seated.items():
                self._let_go(one, played is None or played.outcome.void, played is not None and seat in played.forfeits)
        outputs = tuple(self._printed(seated.get(seat)) for seat in range(1, len(agents) + 1))
        return recorder.with_outputs(outputs)

    def processes(self) -> dict[Seat, int]:
        """The number of the process above all that a player at the table has started. A listener may ask."""
        return {seat: one.player.process.pid for seat, one in self._at_table.items() if one.player.process is not None}

    def _seat(self, agent: Agent, names: tuple[str, ...], seat: Seat, number: int) -> _Seated:
        name = names[seat - 1]
        if self._folder is None:
            self._folder = RunFolder(self.keep)
        mailbox = Mailbox(self._folder.path / str(number) / name, names, owner=name)
        kept = self._take_kept(agent)

        def launch() -> Process:
            if kept is not None:
                kept.mailbox.send_on(str(mailbox.folder))
                return kept.process
            words = agent.words(name)
            return Process(words, mailbox.folder, environment(), terminal=agent.protocol == "human")

        player = FilesPlayer(name, mailbox, launch, agent.says_ready, person=agent.protocol == "human")
        return _Seated(agent, player, mailbox, None if kept is None else kept.mailbox)

    def _take_kept(self, agent: Agent) -> _Kept | None:
        waiting = self._kept.get(agent.spec, [])
        while waiting:
            kept = waiting.pop()
            if kept.process.ended() is None:
                return kept
            kept.process.end()
            self._remove(kept.mailbox)
        return None

    def _let_go(self, one: _Seated, void: bool, forfeited: bool) -> None:
        """Keep the process for another game, or send it home and end it when its patience is over."""
        process, player = one.player.process, one.player
        one.mailbox.close()
        if one.came_from is not None:
            self._remove(one.came_from)
        if process is None:
            self._remove(one.mailbox)
            return
        if one.agent.keep and player.says_ready and not void and not forfeited and process.ended() is None:
            self._kept.setdefault(one.agent.spec, []).append(_Kept(process, one.mailbox))
            return
        # an interrupted or void game waits for nobody: our own agents leave at once, others are ended
        patience = 0.0 if void else PATIENCE
        farewell = threading.Thread(target=self._say_farewell, args=(one, process, patience), daemon=True)
        farewell.start()
        self._farewells = [thread for thread in self._farewells if thread.is_alive()] + [farewell]

    def _say_farewell(self, one: _Seated, process: Process, patience: float) -> None:
        if process.ended() is None and patience:
            if not one.player.says_ready:
                process.wait(LATE_START)
            one.player.dismiss()
            process.wait(patience)
        process.end()
        self._remove(one.mailbox)

    def _remove(self, mailbox: Mailbox) -> None:
        mailbox.close()
        if self.keep is None:
            with contextlib.suppress(OSError):  # what stays is taken away with the whole run's folder
                mailbox.remove()
                mailbox.folder.parent.rmdir()

    def _printed(self, one: _Seated | None) -> str:
        return one.player.process.printed if one is not None and one.player.process is not None else ""

    def close(self) -> None:
        """Send everybody home, end who stays, remove the folders."""
        waiting = [kept for several in self._kept.values() for kept in several]
        self._kept.clear()
        for kept in waiting:
            with contextlib.suppress(OSError):
                kept.mailbox.send_on("")
        for kept in waiting:
            kept.process.wait(PATIENCE)
            kept.process.end()
            self._remove(kept.mailbox)
        for farewell in self._farewells:
            farewell.join()
        self._farewells.clear()
        if self._folder is not None:
            self._folder.close()
            self._folder = None


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """The names, with -2, -3 … behind those that stand there again: each player has its own.

    >>> distinct(["greedy", "greedy"])
    ('greedy', 'greedy-2')
    """
    given: list[str] = []
    for name in names:
        other, number = name, 2
        while other.casefold() in {one.casefold() for one in given}:
            other, number = f"{name[:36]}-{number}", number + 1
        given.append(other)
    check_teams(given)
    return tuple(given)


def build(agent: Agent) -> None:
    """Run the agent's build command, once in this process, and see that its program can be started.

    Raises UserError with the end of what the command said, or why there is nothing to start.
    """
    with _build_lock:
        if agent in _built:
            return
        if not agent.build:
            check_program(agent)
            _built.add(agent)
            return
        try:
            done = subprocess.run(
                agent.build,
                shell=True,
                cwd=agent.folder,
                capture_output=True,
                text=True,
                timeout=BUILD_LIMIT,
                check=False,
            )
            said = (done.stdout + done.stderr).strip().splitlines()
        except subprocess.TimeoutExpired:
            raise UserError(
                f"Building {agent.spec} took more than {BUILD_LIMIT:g} s.",
                f"Run `{agent.build}` in {agent.folder} yourself.",
            ) from None
        if done.returncode:
            raise UserError(
                f"Building {agent.spec} failed: {said[-1] if said else f'exit code {done.returncode}'}.",
                f"Run `{agent.build}` in {agent.folder} and mend what it says.",
            )
        check_program(agent)
        _built.add(agent)


def environment() -> dict[str, str]:
    """Ours, and our own modules in reach of agents that import them, whether the project is installed or not."""
    paths = [_ROOT, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
