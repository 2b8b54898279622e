"""One agent on trial in one game: seats it in the arena against opponents with a script, and words what it did wrong.

Knows arenas and records; what is tried and what is expected is for the checks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from gomogo_core.arena import Arena
from gomogo_core.catalogue import PIPES, Agent
from gomogo_core.conformance.opponents import Answer, Opponent, resigning
from gomogo_core.conformance.variants import as_at_wpi, named
from gomogo_core.games import load
from gomogo_core.games.base import Game, Reason, Seat
from gomogo_core.play.clock import NO_LIMIT, TimeControl
from gomogo_core.play.events import Ply
from gomogo_core.play.player import Player
from gomogo_core.processes.limits import DEFAULT, Level
from gomogo_core.processes.process import Process
from gomogo_core.protocols._engine import Engine
from gomogo_core.protocols.files import FilesPlayer
from gomogo_core.records.played import PlayedGame

WPI_LIMIT = 10.0  # seconds a move for a program that cannot be told of its limit
_STAND_IN = Agent("conformance:opponent", "opponent", "plays by a script", (), Path(), says_ready=True)
_REFUSES_SIZE = re.compile(r"answered START \d+ by '|refused 'boardsize")  # START: and RECTSTART, too
_LINES = 12  # of what the program printed, shown with a fault


class Fault(Exception):
    """The agent failed a check. did, expected: a sentence each. printed: the end of what the program printed."""

    def __init__(self, did: str, expected: str, printed: str = "") -> None:
        super().__init__(did, expected)
        self.did, self.expected = did, expected
        self.printed = "\n".join(printed.rstrip().splitlines()[-_LINES:])


class LeftOut(Exception):
    """The check says nothing about this agent; the sentence says why."""


@dataclass
class Trial:
    """An agent in the game called `game_name`.

    keep: a folder for the game folders, which then stay. sandbox: how its program is held. A context manager: on exit
    all processes are ended.
    """

    agent: Agent
    game_name: str
    keep: Path | None = None
    sandbox: Level = DEFAULT
    _open: ExitStack = field(default_factory=ExitStack)
    _arena: Arena | None = None

    def __enter__(self) -> Trial:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def begin(self, check: str) -> None:
        """Take a fresh arena for the next check. Who still sits in the last one has its time to leave meanwhile."""
        folder = None if self.keep is None else self.keep / f"{self.game_name}-{check}"
        self._arena = self._open.enter_context(Arena(folder, self.sandbox))

    @property
    def folder(self) -> Path:
        """A place for a program that is talked to without an arena."""
        return self.arena.place / "dialogue"

    @property
    def arena(self) -> Arena:
        """The arena of the check that runs."""
        assert self._arena is not None
        return self._arena

    @cached_property
    def knows_terms(self) -> bool:
        """Whether it is told of game, options and limits: it says when it is ready, as those do that know `game.json`.

        Where the agent does not say which it is, a game that its opponent resigns at once shows it.
        """
        if self.agent.says_ready is not None:
            return self.agent.says_ready
        opponent = Opponent(resigning(lambda _: "", 0))
        self.play(as_at_wpi() if self.game_name == "gomoku" else load(self.game_name), 2, lambda _: opponent)
        return any(isinstance(player, FilesPlayer) and player.says_ready is True for player in opponent.met)

    @property
    def by_pipes(self) -> bool:
        """Whether it is reached through its standard input and output, and so knows no files."""
        return self.agent.protocol in PIPES

    @property
    def usual(self) -> Game:
        """The game as it is played when nobody asks for options."""
        return as_at_wpi() if self.game_name == "gomoku" and not self.knows_terms else load(self.game_name)

    def limit(self, seconds: float) -> TimeControl:
        """A limit for each move; a program that cannot know it gets the 10 s that it takes for granted."""
        if self.agent.protocol == "gtp":  # it counts whole seconds
            seconds = math.ceil(seconds)
        return TimeControl(seconds if self.knows_terms else WPI_LIMIT)

    def need_terms(self, why: str) -> None:
        """Raise LeftOut for a program that is not told of game, options and limits."""
        if not self.knows_terms:
            raise LeftOut(f"it does not say when it is ready, so it cannot be told of {why}")

    def play(
        self,
        game: Game,
        seat: Seat,
        opponent: Callable[[Seat], Opponent],
        control: TimeControl | None = None,
        opening: Sequence[Ply] = (),
    ) -> PlayedGame:
        """Play one game with the agent on `seat`, and scripted opponents on all others.

        Raises Fault where the agent forfeits, and for a game that is void; LeftOut where it refuses an unusual board,
        as its protocol allows.
        """
        others: dict[Seat, Player] = {other: opponent(other) for other in _others(game, seat)}
        agents = [_STAND_IN if other in others else self.agent for other in range(1, game.seats + 1)]
        own = TimeControl(WPI_LIMIT) if control is None else control
        controls = [NO_LIMIT if other in others else own for other in range(1, game.seats + 1)]
        played = self.arena.play(game, agents, controls, opening=opening, seed=seat, players=others)
        if (offence := _offence(played, seat)) is not None:
            reason, evidence = offence
            if _REFUSES_SIZE.match(evidence) and _size(game) != _size(self.usual):
                raise LeftOut(f"it refuses other boards, as its protocol allows: it {evidence}")
            what = _DID.get(reason, "the game could not be played")
            if reason is Reason.CRASHED and self.by_pipes:  # it may have refused what it was told, and live
                what = "it could not play on"
            did = f"{_moment(played, seat)}, {what}: {evidence}."
            raise Fault(did, _expected(reason, own, self.by_pipes), played.outputs[seat - 1])
        return played

    def play_all_seats(self, game: Game, answer: Callable[[Seat], Answer], control: TimeControl) -> list[PlayedGame]:
        """Play a game from each seat. answer: how the opponent on that seat plays."""
        return [
            self.play(game, seat, lambda other: Opponent(answer(other)), control) for seat in range(1, game.seats + 1)
        ]

    def play_and_part(self, game: Game, seat: Seat, opponent: Opponent, control: TimeControl) -> Process:
        """Play a game, let the agent leave, and give back its ended process."""
        self.play(game, seat, lambda other: opponent, control)
        met = next(player for player in opponent.met if isinstance(player, FilesPlayer | Engine))
        process = met.process  # asked for now: an engine that has left has none
        assert process is not None
        self.arena.close()
        return process


def _size(game: Game) -> object:
    return game.options.get("size")


def _others(game: Game, seat: Seat) -> list[Seat]:
    return [other for other in range(1, game.seats + 1) if other != seat]


def moves_of(played: PlayedGame, seat: Seat) -> list[str]:
    """The moves that the player on `seat` made, the opening's left out."""
    return [ply.move for ply in played.plies[played.opening :] if ply.seat == seat]


def where(game: Game, seat: Seat) -> str:
    """The place of a fault, as a sentence begins."""
    return f"In {named(game)}, on seat {seat}"


def _moment(played: PlayedGame, seat: Seat) -> str:
    line = " ".join(ply.move for ply in played.plies[-6:])
    after = f"after {'… ' if len(played.plies) > 6 else ''}{line}" if line else "before the first move"
    return f"{where(played.rules(), seat)}, {after}"


def _offence(played: PlayedGame, seat: Seat) -> tuple[Reason, str] | None:
    """Why the agent lost its place, or the game is void, with the evidence; None where it did nothing wrong."""
    if played.outcome.void:
        return played.outcome.reason, played.outcome.detail
    if seat not in played.forfeits:
        return None
    left = (leaver.detail for leaver in played.left if leaver.seat == seat)  # one of three or more: others played on
    return played.forfeits[seat], next(left, played.outcome.detail)


_DID = {
    Reason.OUT_OF_TIME: "it ran out of time",
    Reason.ILLEGAL_MOVE: "it made an illegal move",
    Reason.NOT_A_MOVE: "it wrote what is no move",
    Reason.OUT_OF_TURN: "it wrote a line in another's name",
    Reason.CRASHED: "its program ended",
    Reason.TOO_MUCH_MEMORY: "it took too much memory",
}


def _expected(reason: Reason, control: TimeControl, by_pipes: bool) -> str:
    if reason is Reason.OUT_OF_TIME:
        limit = f"{control.per_move:g} s" if control.total is None else f"{control.total:g} s for the whole game"
        told = "game.json tells the limit, and choose(position, clock) has clock.stop_at"
        return f"A legal move within {limit}; {'it is told the limit' if by_pipes else told}."
    if reason is Reason.CRASHED:
        told = ", and does as it is told," * by_pipes
        return f"A program that runs on{told} until the game is over."
    if by_pipes:
        return "A legal move, as its protocol writes it."
    if reason is Reason.NOT_A_MOVE:
        return "One line: the team's name, then a move; choose may return one of position.moves(), or its text."
    return "One of position.moves(), in a line that begins with the own team's name."
