"""The registry of faults. Each fault has a name, a sentence that describes it, a moment, and the verdict that it must
get.

A verdict is the name of a `Reason`, or None if the game must continue. The module does not depend on protocols or
referees.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, TypeAlias

FILES, GOMOCUP, GTP, JSON = "files", "gomocup", "gtp", "json"
PIPE_PROTOCOLS = (GOMOCUP, GTP, JSON)
ALL_PROTOCOLS = (FILES, *PIPE_PROTOCOLS)


class NextBehaviour(Enum):
    """The behaviour of the program after a fault on its turn. None stands for a program that never answers again."""

    ANSWER_HONESTLY = auto()  # the program answers this turn honestly
    AWAIT_TURN = auto()  # the program has answered, and waits for the next turn


class FaultMoment(Enum):
    """The moment of a fault."""

    START = "before it writes anything"
    TURN = "on its turn, instead of an answer"
    WAITING = "after an answer, while the others think"
    END = "after the end"


CommitFault: TypeAlias = Callable[[Any, str], NextBehaviour | None]


@dataclass(frozen=True)
class Fault:
    """One way to misbehave.

    description: a sentence about the fault. commit: the function that commits the fault; its parameters are the client
    (a `FilesClient` if the fault is only for files) and the honest move of this turn. verdict: the reason for which the
    program loses; None if it does not lose.
    verdicts_by_protocol: the verdicts that differ, by protocol. verdict_at_deadline: whether the verdict comes only
    when the time is over. min_moves: the minimum number of moves before the fault. needs_takeover: whether the fault
    needs Gomoku with the opening takeover. pause: the seconds that honest opponents take for each answer, to give the
    program time. memory_mb: the memory limit of the program; 0 for the usual limit.
    """

    name: str
    description: str
    commit: CommitFault
    moment: FaultMoment
    verdict: str | None
    protocols: tuple[str, ...] = ALL_PROTOCOLS
    verdicts_by_protocol: Mapping[str, str | None] = field(default_factory=dict)
    verdict_at_deadline: bool = False
    min_moves: int = 0
    needs_takeover: bool = False
    pause: float = 0.0
    memory_mb: int = 0

    def verdict_for_protocol(self, protocol: str) -> str | None:
        """Return the reason for which the program loses in this protocol; None if it does not lose."""
        return self.verdicts_by_protocol.get(protocol, self.verdict)


FAULTS: dict[str, Fault] = {}


def register_fault(
    verdict: str | None, moment: FaultMoment = FaultMoment.TURN, **properties: Any
) -> Callable[[CommitFault], CommitFault]:
    """Register a function as a fault, under its own name, with the first line of its docstring as the description.

    verdict, moment, properties: fields of `Fault`.
    """

    def register(commit: CommitFault) -> CommitFault:
        name, description = commit.__name__, (commit.__doc__ or "").partition("\n")[0]
        FAULTS[name] = Fault(name, description, commit, moment, verdict, **properties)
        return commit

    return register
