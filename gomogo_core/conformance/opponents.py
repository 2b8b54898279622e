"""Opponents that play by a script in this process, for checks and tests.

In matches and tournaments, each player is a separate process instead.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from typing import TypeAlias

from gomogo_core.games.base import RESIGN, Outcome, Reason, Seat
from gomogo_core.play.events import GameSetup, Ply
from gomogo_core.play.player import Failure, Player, Reply, Turn

Script: TypeAlias = Callable[[Turn], str]  # returns the answer to a turn


class ScriptedOpponent:
    """A player that answers each turn by the function `script`.

    exits_after_moves: the number of own moves after which the opponent acts like a player whose process has ended.
    opponents: the other players, which are known from the first turn on.
    """

    def __init__(self, script: Script, exits_after_moves: int | None = None) -> None:
        self.name, self.seat = "", 0
        self.opponents: tuple[Player, ...] = ()
        self._script, self._dies_after = script, exits_after_moves
        self._own_move_count = 0
        self._exit_reader, self._exit_writer = os.pipe() if exits_after_moves is not None else (-1, -1)

    def start(self, setup: GameSetup, seat: Seat) -> None:
        """Take the seat."""
        self.name, self.seat = setup.names[seat - 1], seat

    def await_ready(self) -> None:
        """Return at once, because there is nothing to load."""

    def await_move(self, turn: Turn) -> Reply:
        """Return the answer of the script."""
        self.opponents = turn.opponents
        turn.on_waiting()
        return Reply(self._script(turn), 0.0)

    def notify_move(self, ply: Ply) -> None:
        """Count the player's own moves. After `exits_after_moves` moves, act as if the process had ended."""
        self._own_move_count += ply.seat == self.seat
        if self._own_move_count == self._dies_after and self._exit_writer >= 0:
            os.close(self._exit_writer)
            self._exit_writer = -1

    def exit_failure(self) -> Failure | None:
        """Return a failure if the player acts as if its process had ended, else None."""
        if self._dies_after is None or self._exit_writer >= 0:
            return None
        return Failure(Reason.CRASHED, "ended as the check requires", seat=self.seat)

    def exit_fd(self) -> int | None:
        """Return a descriptor that becomes readable when the player acts as if its process had ended."""
        return self._exit_reader if self._exit_reader >= 0 else None

    def finish(self, outcome: Outcome) -> None:
        """Close the descriptors."""
        for descriptor in (self._exit_writer, self._exit_reader):
            if descriptor >= 0:
                os.close(descriptor)
        self._exit_reader = self._exit_writer = -1
        self._dies_after = None


def random_moves(seed: str) -> Script:
    """Return a script of random legal moves. Equal seeds give equal moves."""
    generator = random.Random(seed)
    return lambda turn: turn.position.game.format(generator.choice(list(turn.position.moves())))


def resign_after(script: Script, move_count: int) -> Script:
    """Return a script that makes this number of moves by `script`, and then resigns."""
    moves_left = iter(range(move_count))
    return lambda turn: RESIGN if next(moves_left, None) is None else script(turn)


def answer_slowly(script: Script, seconds: float) -> Script:
    """Return a script that answers by `script`, and waits for `seconds` before each answer."""

    def answer_late(turn: Turn) -> str:
        time.sleep(seconds)
        return script(turn)

    return answer_late


def take_over_first(script: Script) -> Script:
    """Return a script that takes over the last stone, and then continues with `script`."""
    first_turn = iter((True,))
    return lambda turn: turn.plies[-1].move if next(first_turn, False) else script(turn)
