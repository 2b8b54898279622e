"""Terminal output beside the questions to a person: the thinking player, the moves, the last board.

Knows events and the terminal; asks and decides nothing.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

from gomogo_core.drawing.text import printable
from gomogo_core.games.base import RESIGN, Position
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ended, Event, Moved, PlayerLeft, Ply, Started, Warned, last_move
from gomogo_core.protocols.terminal import Terminal
from gomogo_core.records.game_record import Leaver

_LEAST = 0.05  # seconds: a clock cannot be set to nothing


class Watcher:
    """A listener for one game, or for the part of it since moves were taken back.

    names and controls: by seat. plies: all moves so far, those that were there before among them. leavers: who left
    while the others played on.
    """

    def __init__(
        self, terminal: Terminal, names: Sequence[str], controls: Sequence[TimeControl], plies: Sequence[Ply]
    ) -> None:
        self.terminal, self.console, self.plies = terminal, terminal.console, list(plies)
        self._names, self._controls = names, controls
        self._left = [control.total for control in controls]
        self._position: Position | None = None  # before the next move
        self.leavers: list[Leaver] = []

    def __call__(self, event: Event) -> None:
        """Show one event."""
        if isinstance(event, Started):
            self.console.hush()
            self._position = event.position
            self._await(event.position)
        elif isinstance(event, Moved):
            self._moved(event)
        elif isinstance(event, PlayerLeft):
            self._left_by(event)
        elif isinstance(event, Warned):
            self.console.say(f"{printable(self._names[event.seat - 1])}: {printable(event.what)}")
        elif isinstance(event, Ended):
            self.console.hush()
            if not event.outcome.void and (event.position.outcome() is not None or not self._asked(event.position)):
                self.console.say(self._board(event.position))

    def controls(self) -> tuple[TimeControl, ...]:
        """The time each has now: of a total, what is left of it."""
        return tuple(
            control if left is None else replace(control, total=max(left, _LEAST))
            for control, left in zip(self._controls, self._left, strict=True)
        )

    def _asked(self, position: Position) -> bool:
        """Whether a person is to move, and so is shown the board."""
        return position.to_move in self.terminal.people

    def _moved(self, event: Moved) -> None:
        self.plies.append(Ply(event.seat, event.move))
        self._left[event.seat - 1] = event.clock_left
        told = self._told(event.move)
        if event.seat not in self.terminal.people:
            name = printable(self._names[event.seat - 1])
            thoughts = f": {printable(event.thoughts)}" if event.thoughts else ""
            does = f", {told}" if told else ""
            self.terminal.say(f"\n{name} plays {event.move}{does} ({event.seconds:.1f} s){thoughts}")
        elif told:
            self.terminal.say(f"\n{event.position.mark(event.seat)} {told}.")
        self._position = event.position
        if event.position.outcome() is None:
            self._await(event.position)

    def _told(self, move: str) -> str:
        """Describe the effects of the move."""
        assert self._position is not None
        return self._position.describe_effect(self._position.game.parse(move))

    def _left_by(self, event: PlayerLeft) -> None:
        self.plies.append(Ply(event.seat, RESIGN))
        self.leavers.append(Leaver(event.seat, event.reason, event.detail))
        self._position = event.position
        who = "You leave" if event.seat in self.terminal.people else f"{printable(self._names[event.seat - 1])} leaves"
        why = f"{event.reason.value.replace('_', ' ')} ({printable(event.detail)})"
        self.terminal.say(f"\n{who}: {why}. The others play on.")
        self._await(event.position)

    def _board(self, position: Position) -> str:
        return self.terminal.board(position, self._names, last_move(position.game, self.plies), self._left)

    def _await(self, position: Position) -> None:
        """Show that an agent thinks, and how long; a person's own question shows it.

        A spectator sees every board; a person sees their own move at once only if the answer takes long.
        """
        if self._asked(position):
            return
        board = self._board(position)
        if not self.terminal.people:
            self.console.say(board)
        seat, since = position.to_move, time.monotonic()
        name, per_move, left = printable(self._names[seat - 1]), self._controls[seat - 1].per_move, self._left[seat - 1]
        allowed = min(math.inf if per_move is None else per_move, math.inf if left is None else left)
        limit = "" if math.isinf(allowed) else f" / {round(allowed, 2):g}"

        def line() -> str:
            taken = f"{name} is thinking {time.monotonic() - since:.1f}{limit} s"
            return f"{taken:<{len(name) + 28}}"  # constant width: typed characters appear behind it

        self.console.show(line, board if self.terminal.people else "")
