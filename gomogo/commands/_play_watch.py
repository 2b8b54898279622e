"""What the terminal shows beside the questions to a person: who thinks, what was played, the last board.

Knows events and the terminal; asks and decides nothing.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

from gomogo_core.drawing.text import visible
from gomogo_core.games.base import Position
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ended, Event, Moved, Ply, Started, Warned
from gomogo_core.protocols.terminal import Terminal

_LEAST = 0.05  # seconds: a clock cannot be set to nothing


class Watcher:
    """A listener for one game, or for the part of it since moves were taken back.

    names and controls: by seat. plies: all moves so far, those that were there before among them.
    """

    def __init__(
        self, terminal: Terminal, names: Sequence[str], controls: Sequence[TimeControl], plies: Sequence[Ply]
    ) -> None:
        self.terminal, self.console, self.plies = terminal, terminal.console, list(plies)
        self._names, self._controls = names, controls
        self._left = [control.total for control in controls]

    def __call__(self, event: Event) -> None:
        """Show one event."""
        if isinstance(event, Started):
            self.console.hush()
            self._await(event.position)
        elif isinstance(event, Moved):
            self._moved(event)
        elif isinstance(event, Warned):
            self.console.say(f"{visible(self._names[event.seat - 1])}: {visible(event.what)}")
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
        if event.seat not in self.terminal.people:
            name = visible(self._names[event.seat - 1])
            thoughts = f": {visible(event.thoughts)}" if event.thoughts else ""
            self.console.say(f"\n{name} plays {event.move} ({event.seconds:.1f} s){thoughts}")
        if event.position.outcome() is None:
            self._await(event.position)

    def _board(self, position: Position) -> str:
        last = position.game.parse(self.plies[-1].move) if self.plies else None
        return self.terminal.board(position, self._names, last, self._left)

    def _await(self, position: Position) -> None:
        """Show that an agent thinks, and how long; a person's own question shows it.

        Who only watches sees every board; a person sees their own move at once only if the answer takes long.
        """
        if self._asked(position):
            return
        board = self._board(position)
        if not self.terminal.people:
            self.console.say(board)
        seat, since = position.to_move, time.monotonic()
        name, per_move, left = visible(self._names[seat - 1]), self._controls[seat - 1].per_move, self._left[seat - 1]
        allowed = min(math.inf if per_move is None else per_move, math.inf if left is None else left)
        limit = "" if math.isinf(allowed) else f" / {round(allowed, 2):g}"

        def line() -> str:
            taken = f"{name} is thinking {time.monotonic() - since:.1f}{limit} s"
            return f"{taken:<{len(name) + 28}}"  # of one length: what is typed meanwhile stands behind it

        self.console.show(line, board if self.terminal.people else "")
