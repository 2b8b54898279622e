"""What a misdeed is: its name, a sentence on it, when it is done, and the verdict it must get. The list of all.

Knows no protocol and no referee: a verdict is the name of a `Reason`, or None where the game is to go on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from gomogo_core.conformance.misbehaving._voices import Voice

FILES, GOMOCUP, GTP, JSON = "files", "gomocup", "gtp", "json"
PIPES = (GOMOCUP, GTP, JSON)
EVERY = (FILES, *PIPES)


class Then(Enum):
    """What the program does after its misdeed."""

    SILENCE = auto()  # nothing any more
    ANSWER = auto()  # the honest answer of this turn
    GO_ON = auto()  # it has answered: it waits for the next turn


class When(Enum):
    """The moment of a misdeed."""

    START = "before it says anything"
    TURN = "on its turn, instead of an answer"
    WAITING = "after an answer, while the others think"
    END = "after the end"


Done: TypeAlias = "Callable[[Voice, str], Then]"


@dataclass(frozen=True)
class Misdeed:
    """One way to misbehave.

    does: a sentence. act: does it, given the voice and the honest move of this turn. verdict: by which reason it loses,
    None where it does not; `but` has the protocols in which that is another one. waits: the verdict comes only when the
    time is over. stones: so many moves must have been made before. takeover: it needs Gomoku with this opening. pause:
    seconds the honest opponents take for each answer, so that something can happen meanwhile. memory_mb: what it may
    take, 0 for the usual.
    """

    name: str
    does: str
    act: Done
    when: When
    verdict: str | None
    protocols: tuple[str, ...] = EVERY
    but: Mapping[str, str | None] = field(default_factory=dict)
    waits: bool = False
    stones: int = 0
    takeover: bool = False
    pause: float = 0.0
    memory_mb: int = 0

    def verdict_by(self, protocol: str) -> str | None:
        """The reason by which it loses in this protocol, or None."""
        return self.but.get(protocol, self.verdict)


MISDEEDS: dict[str, Misdeed] = {}


def misdeed(
    verdict: str | None,
    when: When = When.TURN,
    *,
    on: tuple[str, ...] = EVERY,
    but: Mapping[str, str | None] | None = None,
    waits: bool = False,
    stones: int = 0,
    takeover: bool = False,
    pause: float = 0.0,
    memory_mb: int = 0,
) -> Callable[[Done], Done]:
    """Put a function into the list, under its own name, with the first line of its docstring as the sentence."""

    def listed(act: Done) -> Done:
        does = (act.__doc__ or "").partition("\n")[0]
        MISDEEDS[act.__name__] = Misdeed(
            act.__name__, does, act, when, verdict, on, but or {}, waits, stones, takeover, pause, memory_mb
        )
        return act

    return listed
