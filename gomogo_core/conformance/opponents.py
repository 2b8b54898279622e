"""Opponents that play by a script, in our own process: what an agent meets while it is checked.

Only for checks and tests: matches and tournaments are played between independent processes.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from typing import TypeAlias

from gomogo_core.games.base import RESIGN, Outcome, Reason, Seat
from gomogo_core.play.events import Ply, Table
from gomogo_core.play.player import Failure, Player, Reply, Turn

Answer: TypeAlias = Callable[[Turn], str]


class Opponent:
    """A player that answers each turn with what `answer` says, at once.

    met: the players that sat beside it, as soon as it had a turn. `dies_after` as many moves of its own its process
    is gone, and the others notice as they would of any.
    """

    def __init__(self, answer: Answer, dies_after: int | None = None) -> None:
        self.name, self.seat = "", 0
        self.met: tuple[Player, ...] = ()
        self._answer, self._dies_after = answer, dies_after
        self._moves = 0
        self._pulse, self._life = os.pipe() if dies_after is not None else (-1, -1)

    def start(self, table: Table, seat: Seat) -> None:
        """Take the seat."""
        self.name, self.seat = table.names[seat - 1], seat

    def ready(self) -> None:
        """Be ready."""

    def choose(self, turn: Turn) -> Reply:
        """Answer by the script."""
        self.met = turn.others
        turn.meanwhile()
        return Reply(self._answer(turn), 0.0)

    def accepted(self, ply: Ply) -> None:
        """Count own moves, and die after the last."""
        self._moves += ply.seat == self.seat
        if self._moves == self._dies_after and self._life >= 0:
            os.close(self._life)
            self._life = -1

    def death(self) -> Failure | None:
        """Say that it is dead, once it is."""
        if self._dies_after is None or self._life >= 0:
            return None
        return Failure(Reason.CRASHED, "ended as the check wanted it", seat=self.seat)

    def pulse(self) -> int | None:
        """Readable once it is dead."""
        return self._pulse if self._pulse >= 0 else None

    def finish(self, outcome: Outcome) -> None:
        """Give the descriptors back."""
        for descriptor in (self._life, self._pulse):
            if descriptor >= 0:
                os.close(descriptor)
        self._pulse = self._life = -1
        self._dies_after = None


def random_moves(seed: str) -> Answer:
    """Any legal move, the same ones for the same `seed`."""
    lots = random.Random(seed)
    return lambda turn: turn.position.game.format(lots.choice(list(turn.position.moves())))


def resigning(answer: Answer, after: int) -> Answer:
    """Answer `after` times, then resign."""
    left = iter(range(after))
    return lambda turn: RESIGN if next(left, None) is None else answer(turn)


def slow(answer: Answer, seconds: float) -> Answer:
    """Take so long for each answer."""

    def answer_late(turn: Turn) -> str:
        time.sleep(seconds)
        return answer(turn)

    return answer_late


def taking_over(answer: Answer) -> Answer:
    """Take the stone that was played last, then go on with `answer`."""
    left = iter((True,))
    return lambda turn: turn.plies[-1].move if next(left, False) else answer(turn)
