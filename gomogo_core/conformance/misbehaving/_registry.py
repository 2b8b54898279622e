"""The registry of misdeeds: each has a name, a sentence that describes it, a moment, and the verdict that it must get.

Needs no protocol and no referee: a verdict is the name of a `Reason`, or None if the game must continue.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from gomogo_core.conformance.misbehaving._clients import Client

FILES, GOMOCUP, GTP, JSON = "files", "gomocup", "gtp", "json"
PIPES = (GOMOCUP, GTP, JSON)
EVERY = (FILES, *PIPES)


class AfterFault(Enum):
    """The behaviour of the program after its misdeed."""

    SILENCE = auto()  # it never answers again
    ANSWER = auto()  # it answers this turn honestly
    GO_ON = auto()  # it has answered, and waits for the next turn


class FaultMoment(Enum):
    """The moment of a misdeed."""

    START = "before it says anything"
    TURN = "on its turn, instead of an answer"
    WAITING = "after an answer, while the others think"
    END = "after the end"


Done: TypeAlias = "Callable[[Client, str], AfterFault]"


@dataclass(frozen=True)
class Misdeed:
    """One way to misbehave.

    does: a sentence. act: the function that does it, with the client and the honest move of this turn. verdict: the
    reason by which it loses, or None if it does not lose; `but` has the protocols in which the verdict differs. waits:
    the verdict comes only when the time is over. stones: the least number of moves before the misdeed. takeover: the
    misdeed needs Gomoku with the opening takeover. pause: seconds that honest opponents take for each answer, to give
    it time. memory_mb: its memory limit, 0 for the usual.
    """

    name: str
    does: str
    act: Done
    when: FaultMoment
    verdict: str | None
    protocols: tuple[str, ...] = EVERY
    but: Mapping[str, str | None] = field(default_factory=dict)
    waits: bool = False
    stones: int = 0
    takeover: bool = False
    pause: float = 0.0
    memory_mb: int = 0

    def verdict_by(self, protocol: str) -> str | None:
        """Return the reason by which it loses in this protocol, or None."""
        return self.but.get(protocol, self.verdict)


MISDEEDS: dict[str, Misdeed] = {}


def misdeed(
    verdict: str | None,
    when: FaultMoment = FaultMoment.TURN,
    *,
    on: tuple[str, ...] = EVERY,
    but: Mapping[str, str | None] | None = None,
    waits: bool = False,
    stones: int = 0,
    takeover: bool = False,
    pause: float = 0.0,
    memory_mb: int = 0,
) -> Callable[[Done], Done]:
    """Register a function under its own name, with the first line of its docstring as the sentence."""

    def listed(act: Done) -> Done:
        does = (act.__doc__ or "").partition("\n")[0]
        MISDEEDS[act.__name__] = Misdeed(
            act.__name__, does, act, when, verdict, on, but or {}, waits, stones, takeover, pause, memory_mb
        )
        return act

    return listed
