"""One agent asked for one move again, in a position that it has met before: what it answers, and what it prints.

Knows records of games and arenas; no screen.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path

from gomogo_core.arena import Arena
from gomogo_core.catalogue import agent
from gomogo_core.errors import UserError
from gomogo_core.games.base import RESIGN, IllegalMove, NotAMove, Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Table
from gomogo_core.play.player import Failure, Turn
from gomogo_core.processes.limits import DEFAULT, Level
from gomogo_core.records.played import PlayedGame


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of it. fault: why the answer would lose, or None; else `move` is a legal one. printed: by the agent."""

    move: str | None
    seconds: float
    fault: Reason | None
    evidence: str
    thoughts: str | None
    score: float | None
    printed: str


def last_asked(played: PlayedGame) -> int | None:
    """After how many moves the one who lost by its own fault, else a loser, was last asked for one; None for never.

    In a game that nobody lost it is who moved last.
    """
    positions = played.positions()
    losers = set(played.forfeits) or {seat for seat, rank in enumerate(played.outcome.ranks, 1) if rank > 1}
    for number in range(len(positions) - 1, played.opening - 1, -1):
        position = positions[number]
        if position.outcome() is None and (not losers or position.to_move in losers):
            return number
    return None


def ask_again(
    played: PlayedGame,
    number: int,
    seconds: float | None = None,
    keep: Path | None = None,
    sandbox: Level | None = None,
) -> Asked:
    """Start the agent that was to move after `number` moves, tell it of them, and ask it for its move.

    seconds: what it may take; without, what it had then. keep: where its folder stays. sandbox: how its program is
    held; without, as it was then. Raises UserError where the game is over there, the player is a person, or the agent
    cannot sit down.
    """
    game, positions = played.rules(), played.positions()
    position, before = positions[number], positions[number - 1] if number else None
    if position.outcome() is not None:
        raise UserError(f"After {number} moves the game is over: nobody is asked.", "Give a lower --move.")
    seat = position.to_move
    found = agent(played.specs[seat - 1])
    if found.protocol == "human":
        raise UserError(
            f"After {number} moves it is the turn of a person.", "Give --move with the number of another one's turn."
        )
    clocks = _clocks(played, number)
    control = played.controls[seat - 1] if seconds is None else TimeControl(per_move=seconds)
    left = None if control.total is None else clocks[seat - 1]
    allowed = min(math.inf if limit is None else limit for limit in (control.per_move, left))
    controls = tuple(control if one == seat else other for one, other in enumerate(played.controls, 1))
    plies = played.plies[:number]
    with Arena(keep, sandbox or played.sandbox or DEFAULT) as arena:
        player = arena.take_seat(found, Table(game, played.names, controls, plies, played.seed), seat)
        began = time.monotonic()
        got = player.ready() or player.choose(Turn(position, before, plies, allowed, control.grace, clocks))
        took = got.seconds or time.monotonic() - began
        printed = arena.leave_table()
    if isinstance(got, Failure):
        return Asked(None, took, got.reason, got.evidence, None, None, printed)
    fault, evidence = None, ""
    move: str | None = got.text.strip()
    try:
        if got.text.strip().casefold() != RESIGN:
            parsed = game.parse(got.text)
            position.play(parsed)
            move = game.format(parsed)
        if got.seconds > allowed + control.grace:
            fault, evidence = Reason.OUT_OF_TIME, f"{got.seconds:.3f} s taken, {allowed:g} s allowed"
    except NotAMove as wrong:
        fault, evidence = Reason.NOT_A_MOVE, str(wrong)
    except IllegalMove as wrong:
        fault, evidence = Reason.ILLEGAL_MOVE, wrong.why
    return Asked(move, took, fault, evidence, got.thoughts, got.score, printed)


def _clocks(played: PlayedGame, number: int) -> tuple[float | None, ...]:
    """What each had left of the whole game's time after so many moves."""
    clocks = [control.total for control in played.controls]
    for ply, left in zip(played.plies[played.opening : number], played.clocks, strict=False):
        clocks[ply.seat - 1] = left
    return tuple(clocks)
