"""Judges a single answer of a player: the answer is a legal move in time, or a failure of the player.

The module depends on rules and clocks, and not on the game loop, players or adapters.
"""

from __future__ import annotations

from typing import NamedTuple

from gomogo_core.games.base import RESIGN, IllegalMove, NotAMove, Position, Reason
from gomogo_core.play.clock import Clock
from gomogo_core.play.player import Failure, Reply


class AcceptedMove(NamedTuple):
    """A legal move in time.

    move: its text. position: the position after the move. seconds_taken: the time to subtract from the clock.
    """

    move: str
    position: Position
    seconds_taken: float


def judge(position: Position, reply: Reply, clock: Clock) -> AcceptedMove | Failure:
    """Return the accepted move if the reply is a legal move in time, else the failure.

    clock: the clock of the player to move, which is only read.
    """
    limit, seconds = clock.allowed_seconds + clock.control.grace, clock.refused_seconds + reply.seconds_taken
    if seconds > limit and (seconds := max(0.0, seconds - clock.extension_seconds)) > limit:
        return Failure(
            Reason.OUT_OF_TIME, f"{seconds:.3f} s taken, {clock.allowed_seconds:g} s allowed", reply.seconds_taken
        )
    try:
        move = position.game.parse(reply.text)
        next_position = position.play(move)
    except NotAMove as error:
        if reply.text.strip().casefold() == RESIGN:
            return Failure(Reason.RESIGNED, "resigned", reply.seconds_taken)
        return Failure(Reason.NOT_A_MOVE, str(error), reply.seconds_taken)
    except IllegalMove as error:
        evidence = error.why
        if reply.original_text not in ("", reply.text):
            evidence += f"; the answer was {reply.original_text[:80]!r}"
        return Failure(Reason.ILLEGAL_MOVE, evidence, reply.seconds_taken)
    return AcceptedMove(position.game.format(move), next_position, seconds)
