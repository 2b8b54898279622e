"""The seats and actions of a session, and the errors with which a session refuses an action."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gomogo_core.errors import UserError
from gomogo_core.games.base import Seat
from gomogo_core.games.boards.points import Point
from gomogo_core.play.clock import NO_LIMIT, TimeControl

_AGENT_GRACE_SECONDS = 1.0


class ActionRefused(UserError):
    """Raised if the rules forbid an action, or if the visitor has no right to the action. The game does not change."""


class NotUnderstood(ActionRefused):
    """Raised if a text is not a move of this game."""


class NeedsConfirmation(UserError):
    """Raised if a legal move loses by a rule, such as a forbidden move in Renju, and the human has not confirmed it.

    dead_points: the points of each player's stones that look dead, if the move is a pass in Go; else None. A user
    interface then shows them on the board, with the territory that would count.
    """

    def __init__(self, problem: str, remedy: str, dead_points: Mapping[Seat, Sequence[Point]] | None = None) -> None:
        super().__init__(problem, remedy)
        self.dead_points = dead_points


@dataclass(frozen=True, slots=True)
class SeatInfo:
    """The player in a seat.

    spec: an agent's spec, or "human". control: the time control, whose total is the time left. visitor: the identity of
    the human, for example that of their browser; empty while the seat is free. invite: the secret in the link by which
    a visitor takes the seat.
    """

    name: str
    spec: str
    control: TimeControl = NO_LIMIT
    visitor: str = ""
    invite: str = ""

    @property
    def seconds_per_move(self) -> float | None:
        """The time per move; None for no limit."""
        return self.control.per_move

    @property
    def is_human(self) -> bool:
        """Whether the seat is for a human."""
        return self.spec == "human"

    @property
    def is_free(self) -> bool:
        """Whether the seat is for a human who has not taken it yet."""
        return self.is_human and not self.visitor


class Action(NamedTuple):
    """A move, or the departure of a player.

    move: the move's text; "resign" for a departure. seconds_taken: the time that the action took. effect: the effect
    of the move in words, such as captures. thoughts, score, line, move_values: the agent's analysis. clock: the
    player's remaining time for the whole game, in seconds.
    """

    seat: Seat
    move: str
    seconds_taken: float
    effect: str = ""
    thoughts: str | None = None
    score: float | None = None
    line: str | None = None
    move_values: Mapping[str, float] | None = None
    clock: float | None = None


def agent_time_control(seconds: float | None) -> TimeControl:
    """Return the time control of an agent. seconds: the limit per move; None for no limit.

    The grace period keeps a human from winning merely because the machine is busy for a moment.
    """
    return NO_LIMIT if seconds is None else TimeControl(seconds, grace=_AGENT_GRACE_SECONDS)
