"""Plays one case, and returns its result. The module itself gives no verdict."""

from __future__ import annotations

import socket
import time
from dataclasses import dataclass

from gomogo_core.arena import Arena
from gomogo_core.arena.conditions import ConditionsMeter
from gomogo_core.catalogue import Agent
from gomogo_core.conformance.misbehaving.cases import LONG_LIMIT, FaultCase, honest_program, misbehaving_program
from gomogo_core.games.base import Reason
from gomogo_core.play.events import Ended, Event, Moved, PlayerLeft, Started
from gomogo_core.processes import cores
from gomogo_core.records.game_record import PlayedGame


@dataclass(frozen=True)
class CaseResult:
    """The result of one case.

    game: the record of the game. verdict: the reason for which the misbehaving program lost; None if it did not lose.
    evidence: the sentence that proves the verdict. verdict_delay_seconds: the time from the last move before the
    verdict to the verdict, or to the end of the game.
    """

    game: PlayedGame
    verdict: Reason | None
    evidence: str
    verdict_delay_seconds: float

    def is_right(self, case: FaultCase) -> bool:
        """Return whether the verdict is the expected one, the game is not void, and no other program forfeited."""
        expected_losers = {case.seat} if case.expected_reason is not None else set()
        return (
            self.verdict is case.expected_reason
            and set(self.game.forfeits) == expected_losers
            and not self.game.outcome.is_void
        )


def play_case(case: FaultCase, arena: Arena, opponent: Agent | None = None) -> CaseResult:
    """Play the game of a case to its end.

    opponent: the agent that plays against the misbehaving program; by default the honest program.
    """
    verdict_timer = _VerdictTimer(case.seat)
    with socket.create_server(("127.0.0.1", 0)) as server:  # for a program that connects to a port of this machine
        port = server.getsockname()[1]
        agents = [opponent or honest_program(case.protocol, case.fault.pause)] * case.seats
        agents[case.seat - 1] = misbehaving_program(case.fault, case.protocol, case.answer_number, case.control, port)
        controls = [LONG_LIMIT] * case.seats
        controls[case.seat - 1] = case.control
        # a built-in agent answers too fast for a fault during its turn
        pace = case.fault.pause if opponent else 0.0
        meter = ConditionsMeter(arena, cores.allowed_cores())
        played_game = arena.play(
            case.game, agents, controls, seed=1, listeners=[verdict_timer.on_event, meter], pace=pace
        )
    played_game = meter.add_conditions(played_game)
    verdict = played_game.forfeits.get(case.seat)
    evidence = "" if verdict is None else played_game.detail_of_loss(case.seat)
    return CaseResult(played_game, verdict, evidence, verdict_timer.verdict_delay_seconds)


class _VerdictTimer:
    """A listener that measures the time from the last move before a verdict to the verdict."""

    def __init__(self, seat: int) -> None:
        self._seat, self._last_move_time = seat, time.monotonic()
        self.verdict_delay_seconds, self._has_verdict = 0.0, False

    def on_event(self, event: Event) -> None:
        now = time.monotonic()
        if isinstance(event, Started | Moved):
            self._last_move_time = now
        elif not self._has_verdict and (
            isinstance(event, Ended) or (isinstance(event, PlayerLeft) and event.seat == self._seat)
        ):
            self.verdict_delay_seconds, self._has_verdict = now - self._last_move_time, True
