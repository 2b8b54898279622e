"""What must hold of every game with a program that misbehaves."""

from __future__ import annotations

from gomogo_core.arena import Arena
from gomogo_core.conformance.misbehaving.cases import FaultCase
from gomogo_core.conformance.misbehaving.runner import CaseResult, play_case
from gomogo_core.games.base import Reason, Seat
from gomogo_core.records.game_record import PlayedGame

MAX_ATTEMPTS = 5  # games of a case: on a busy machine, the referee or an honest program may have no core for a second
MARGIN = 1.0  # seconds after the limit and the grace, without those in which the referee or the program had no core
MEMORY_MARGIN = 10.0  # the same for the memory limit, which is checked from time to time, less often on a busy machine


def check_verdict(case: FaultCase) -> CaseResult:
    """Play a case, and check the referee's verdict and its promises.

    If the verdict is wrong, but the machine may be at fault, as the record says, play the case again.
    """
    for _ in range(MAX_ATTEMPTS):
        with Arena() as arena:
            played = play_case(case, arena)
        game, seat = played.game, case.seat
        is_busy = game.outcome.reason is Reason.INTERRUPTED or bool(game.doubtful)
        if played.is_right(case) or not is_busy:
            break
    assert played.is_right(case), f"{case}: {game.outcome}, {game.forfeits}"
    if case.expected_reason is None:
        assert game.outcome.reason.kind == "rules", f"{case}: {game.outcome}"
        return played
    assert game.outcome.ranks[seat - 1] == case.seats, f"{case}: {game.outcome}"
    if case.seats > 2:  # the others play on
        assert game.outcome.reason is Reason.BOXES, f"{case}: {game.outcome}"
    assert len(played.evidence.split()) >= 3, f"{case}: {played.evidence!r} proves nothing"
    assert played.evidence.isprintable(), f"{case}: {played.evidence!r}"
    limit = case.control.per_move or 0.0 if case.verdict_at_deadline else 0.0
    margin = MEMORY_MARGIN if case.expected_reason is Reason.TOO_MUCH_MEMORY else MARGIN
    margin += _seconds_without_core(game, seat)
    assert played.verdict_delay_seconds <= limit + case.control.grace + margin, (
        f"{case}: {played.verdict_delay_seconds:.2f} s to the verdict"
    )
    return played


def _seconds_without_core(game: PlayedGame, seat: Seat) -> float:
    """Return the seconds in which the referee or the program of a seat was ready to run, but had no core."""
    if game.machine is None:  # the game never began
        return 0.0
    return (game.machine.waited or 0.0) + (game.waited[seat - 1] or 0.0)
