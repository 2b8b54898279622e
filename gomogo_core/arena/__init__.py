"""Seats agents at a table: a process each, one game played, everything put away afterwards.

Knows who plays and how each is seated; the verdicts are the game loop's. Standard library only.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from gomogo_core.arena._building import BUILD_LIMIT, Built, build, environment, run_build
from gomogo_core.arena._by_files import ByFiles, SeatedByFiles
from gomogo_core.arena._farewells import PATIENCE, Farewells, Place
from gomogo_core.arena._holding import Hold, prepare
from gomogo_core.catalogue import PIPES, Agent, check
from gomogo_core.games.base import Game, Outcome, Reason, Seat
from gomogo_core.play.adjudication import Adjudication
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Listener, Ply, Table
from gomogo_core.play.game_loop import play_game
from gomogo_core.play.player import Guest, Player
from gomogo_core.processes.limits import DEFAULT, Level
from gomogo_core.processes.standstill import Heartbeat
from gomogo_core.protocols.conversation_log import ConversationLog
from gomogo_core.records.played import PlayedGame, Recorder
from gomogo_core.stopping import undisturbed
from gomogo_core.wire.lines import check_teams

if TYPE_CHECKING:
    from gomogo_core.arena._by_pipes import ByPipes, SeatedByPipes

_Seated: TypeAlias = "SeatedByFiles | SeatedByPipes"

__all__ = [
    "BUILD_LIMIT",
    "PATIENCE",
    "Arena",
    "Built",
    "Hold",
    "build",
    "distinct",
    "environment",
    "prepare",
    "run_build",
]


class Arena:
    """Plays games one after another; a context manager that ends every process it started.

    keep: where the game folders stay to be looked at; by default they are in memory and go with the game.
    sandbox: how the agents' programs are held; at "bwrap" each game has fresh processes, which see nothing of others.
    hear_out: ask after every game what the programs have printed, so that its record has it.
    Not for several threads at once: each has an arena of its own.
    """

    def __init__(self, keep: Path | None = None, sandbox: Level = DEFAULT, *, hear_out: bool = False) -> None:
        self._numbers, self._level = itertools.count(1), sandbox
        self._place, self._farewells = Place(keep), Farewells()
        self._heartbeat = Heartbeat()
        self._by_files = ByFiles(self._place, self._farewells, sandbox)
        self._hear_out = hear_out
        self._alone: _Seated | None = None
        self._at_table: dict[Seat, _Seated] = {}
        self._by_pipes: ByPipes | None = None  # made when the first engine comes: agents by files need none of it

    def __enter__(self) -> Arena:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def place(self) -> Path:
        """The folder of its games."""
        return self._place.path

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
        adjudication: Adjudication | None = None,
        log: Path | None = None,
    ) -> PlayedGame:
        """Play one game and return its record, a void one's too.

        agents and controls: by seat. players: who takes a seat instead of the agent's process (a person here).
        adjudication: when to end a game that its rules would let go on. log: a file to which every line to and from the
        agents is appended.
        Raises UserError where an agent cannot sit down; an interrupt goes on after everybody was let go.
        """
        here = players or {}
        check(game, agents, bool(opening))
        for seat, agent in enumerate(agents, 1):
            if seat not in here:
                prepare(agent, self._level)
        names = self.names(agents)
        table = Table(game, names, tuple(controls), tuple(opening), seed)
        recorder = Recorder(table, tuple(agent.spec for agent in agents), self._level)
        seated = self._at_table = dict[Seat, _Seated]()
        number = next(self._numbers)
        notes = ConversationLog(log) if log is not None else None
        person = bool(here) or any(agent.protocol == "human" for agent in agents)
        before = self._heartbeat.still()
        try:
            for seat, agent in enumerate(agents, 1):
                if seat not in here:
                    seated[seat] = self._seat(agent, names, seat, number)
                    seated[seat].player.note = notes.of(names[seat - 1]) if notes is not None else None
            at_table = [here[s] if s in here else seated[s].player for s in range(1, len(agents) + 1)]
            play_game(
                table,
                at_table,
                (recorder, *listeners),
                retry=retry,
                pace=pace,
                adjudication=adjudication,
                stood_still=lambda: self._heartbeat.still() - before,
                lenient=person,
            )
        finally:
            remarks = [(seat, what) for seat, one in seated.items() for what in one.remarks]
            with undisturbed():
                printed = self._rise(seated, recorder.played)
            if notes is not None:
                notes.close()
        outputs = tuple(printed.get(seat, "") for seat in range(1, len(agents) + 1))
        return recorder.with_outputs(outputs, remarks)

    def _rise(self, seated: Mapping[Seat, _Seated], played: PlayedGame | None) -> dict[Seat, str]:
        """Let everybody go after a game, and say what they have printed as far as that is known."""
        printed = dict[Seat, str]()
        for seat, one in seated.items():
            void, forfeited = played is None or played.outcome.void, played is not None and seat in played.forfeits
            if (forfeited or self._hear_out) and (process := one.player.process) is not None:
                process.hear()
            printed[seat] = one.printed
            self._let_go(one, void=void, forfeited=forfeited)
        return printed

    def processes(self) -> dict[Seat, int]:
        """The number of the process above all that a player at the table has started. A listener may ask."""
        return {seat: one.player.process.pid for seat, one in self._at_table.items() if one.player.process is not None}

    def take_seat(self, agent: Agent, table: Table, seat: Seat) -> Guest:
        """Seat one agent alone, for whoever asks it for moves without a game loop; one at a time.

        Raises UserError where it cannot sit down. `leave_table` lets it go.
        """
        check(table.game, [agent] * table.game.seats, bool(table.opening))
        prepare(agent, self._level)
        self._alone = self._seat(agent, table.names, seat, next(self._numbers))
        self._alone.player.start(table, seat)
        return self._alone.player

    def leave_table(self) -> str:
        """Let the agent go that sits here alone, if one does, and say what it has printed."""
        if self._alone is None:
            return ""
        one, self._alone = self._alone, None
        one.player.finish(Outcome((0, 0), Reason.INTERRUPTED, "the game is broken off"))
        if one.player.process is not None:
            one.player.process.hear()
        printed = one.printed
        self._let_go(one, void=False, forfeited=False)
        return printed

    def _seat(self, agent: Agent, names: tuple[str, ...], seat: Seat, number: int) -> _Seated:
        name = names[seat - 1]
        if agent.protocol in PIPES:
            if self._by_pipes is None:
                from gomogo_core.arena._by_pipes import ByPipes

                self._by_pipes = ByPipes(self._place, self._farewells, self._level)
            return self._by_pipes.seat(agent, name, number)
        return self._by_files.seat(agent, names, name, number)

    def _let_go(self, one: _Seated, *, void: bool, forfeited: bool) -> None:
        if isinstance(one, SeatedByFiles):
            self._by_files.let_go(one, void=void, forfeited=forfeited)
        elif self._by_pipes is not None:
            self._by_pipes.let_go(one, void=void, forfeited=forfeited)

    def close(self) -> None:
        """Send everybody home, end who stays, remove the folders."""
        with undisturbed():
            self._by_files.close()
            if self._by_pipes is not None:
                self._by_pipes.close()
            self._farewells.join()
        self._place.close()
        self._heartbeat.close()


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
