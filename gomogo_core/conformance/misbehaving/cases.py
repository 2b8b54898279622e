"""Lists every fault in every protocol and seat, at the first, a middle and the last answer, for two and three players.

Each case has its expected verdict. The module uses rules, agents and verdicts, and plays nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from gomogo_core.catalogue import Agent
from gomogo_core.conformance.misbehaving import _program
from gomogo_core.conformance.misbehaving._registry import ALL_PROTOCOLS, FAULTS, FILES, JSON, Fault, FaultMoment
from gomogo_core.errors import UserError, suggest_name
from gomogo_core.games import load
from gomogo_core.games.base import Game, Move, Reason, Seat
from gomogo_core.play.clock import TimeControl
from gomogo_core.protocols.settings import Settings

__all__ = [
    "ALL_PROTOCOLS",
    "FAULTS",
    "Fault",
    "FaultCase",
    "FaultyAnswer",
    "fault_cases",
    "find_fault",
    "honest_program",
    "misbehaving_program",
]

SHORT_LIMIT = TimeControl(per_move=0.4, grace=0.2)  # for a program that must lose on time
LONG_LIMIT = TimeControl(per_move=20.0)  # for all other programs; so long that a busy machine does not matter
_RUN_SCRIPT = "from gomogo_core.conformance.misbehaving._program import main; main()"
_THREE_PLAYER_PROTOCOLS = (FILES, JSON)  # the protocols with games for three


class FaultyAnswer(StrEnum):
    """The answer that the fault replaces or follows: the first answer, a middle one or the last."""

    FIRST = "first"
    MIDDLE = "middle"
    LAST = "last"


@dataclass(frozen=True)
class FaultCase:
    """One game with one program that misbehaves. The other programs are honest and use the same protocol.

    seat: the seat of the misbehaving program. answer: the answer that the fault replaces or follows. seats: the number
    of players.
    """

    fault: Fault
    protocol: str
    seat: Seat
    answer: FaultyAnswer
    seats: int = 2

    def __str__(self) -> str:
        return f"{self.fault.name}-{self.protocol}-{self.seat}of{self.seats}-{self.answer}"

    @property
    def expected_reason(self) -> Reason | None:
        """The reason for which the misbehaving program must lose; None if it must not lose."""
        verdict = self.fault.verdict_for_protocol(self.protocol)
        return None if verdict is None else Reason(verdict)

    @property
    def verdict_at_deadline(self) -> bool:
        """Whether the verdict comes only when the time is over."""
        return self.fault.verdict_at_deadline or self.expected_reason is Reason.OUT_OF_TIME

    @property
    def control(self) -> TimeControl:
        """The time control of the program that misbehaves."""
        return SHORT_LIMIT if self.verdict_at_deadline else LONG_LIMIT

    @property
    def game(self) -> Game:
        """A small game. All players make the first free move, so the last answer of every seat is known."""
        if self.seats == 3:
            return load("dots_and_boxes", rows=2, cols=2, players=3)
        return load("gomoku", size=5, opening="takeover" if self.fault.needs_takeover else "none")

    @property
    def answer_number(self) -> int:
        """The number, from 0, of the answer at which the program misbehaves.

        The field `answer` says whether this is the first, a middle or the last one of the answers at which the fault is
        possible. For example, a fault while the program waits needs another player's turn afterwards.
        """
        movers = _movers_of_first_free_moves(self.game)
        possible_numbers = list[int]()
        for number, ply in enumerate(ply for ply, seat in enumerate(movers) if seat == self.seat):
            later_movers = movers[ply + 1 :]
            waits_for_others = later_movers[:1] != [self.seat] and self.seat in later_movers
            if ply >= self.fault.min_moves and (waits_for_others or self.fault.moment is not FaultMoment.WAITING):
                possible_numbers.append(number)
        places = {FaultyAnswer.FIRST: 0, FaultyAnswer.MIDDLE: len(possible_numbers) // 2, FaultyAnswer.LAST: -1}
        return possible_numbers[places[self.answer]]


def _movers_of_first_free_moves(game: Game) -> list[Seat]:
    """Return, for each ply, the seat that makes it if all players make the first free move."""
    position, movers, taken_moves = game.start(), list[Seat](), set[Move]()
    while position.outcome() is None:
        movers.append(position.to_move)
        move = next(move for move in position.moves() if move not in taken_moves)  # honest programs never take over
        taken_moves.add(move)
        position = position.play(move)
    return movers


def fault_cases() -> Iterator[FaultCase]:
    """Yield every case that is possible."""
    for fault in FAULTS.values():
        has_answer = fault.moment in (FaultMoment.TURN, FaultMoment.WAITING)
        for protocol in fault.protocols:
            for seats in (2, 3) if protocol in _THREE_PLAYER_PROTOCOLS and not fault.needs_takeover else (2,):
                for seat in range(1, seats + 1):
                    for answer in FaultyAnswer if has_answer else (FaultyAnswer.FIRST,):
                        yield FaultCase(fault, protocol, seat, answer, seats)


def find_fault(name: str) -> Fault:
    """Return the fault with this name. Raises UserError."""
    if name not in FAULTS:
        raise UserError(
            f"There is no fault called {name!r}.", f"{suggest_name(name, FAULTS)} --show-me alone lists them."
        )
    return FAULTS[name]


def misbehaving_program(fault: Fault, protocol: str, answer_number: int, control: TimeControl, port: int = 0) -> Agent:
    """Return a program that commits this fault in its answer number `answer_number`.

    port: a local port, for a fault that opens a connection.
    """
    words = (fault.name, answer_number, control.per_move or LONG_LIMIT.per_move, control.grace, 0, port)
    program = _agent(fault.name, fault.description, protocol, *words)
    return program if not fault.memory_mb else replace(program, settings=Settings(memory_mb=fault.memory_mb))


def honest_program(protocol: str, pause: float = 0.0) -> Agent:
    """Return the same program without a fault. pause: the seconds that the program takes for each answer."""
    return _agent("honest", "It plays the first free move.", protocol, _program.NO_FAULT, 0, 0, 0, pause, 0)


def _agent(name: str, summary: str, protocol: str, *words: object) -> Agent:
    """Return the program as an agent. words: its arguments after the protocol, without the team."""
    command = (sys.executable, "-P", "-c", _RUN_SCRIPT, protocol, *map(str, words), "{team}")
    return Agent(f"misbehaving:{name}", name[:36], summary, command, Path(), protocol=protocol, says_ready=True)
