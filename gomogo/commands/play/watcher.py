"""Prints the events of a game at the terminal: the player that thinks, the moves of agents, the last board.

Prints no questions to humans; `gomogo_core.session.terminal` does that.
"""

from __future__ import annotations

import math
import time

from gomogo_core.drawing.text import printable
from gomogo_core.games.base import Position
from gomogo_core.play.events import Ended, Event, Moved, PlayerLeft, Started, Warned
from gomogo_core.session.terminal import Terminal
from gomogo_core.session.words import action_words


class Watcher:
    """A listener that prints the events of one session. The referee's listener must receive each event first."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal, self.console, self.session = terminal, terminal.console, terminal.session

    def __call__(self, event: Event) -> None:
        """Show one event."""
        if isinstance(event, Started):
            self.console.clear_status_line()
            self._show_thinking(event.position)
        elif isinstance(event, Moved):
            self._show_move(event)
        elif isinstance(event, PlayerLeft):
            you = self.session.seats_of(self.terminal.visitor)
            self.terminal.say(
                f"\n{action_words(self.session, self.session.actions[-1], you, self.terminal.format_name)}."
            )
            self._show_thinking(event.position)
        elif isinstance(event, Warned):
            self.console.say(f"{self.terminal.names[event.seat - 1]}: {printable(event.warning)}")
        elif isinstance(event, Ended):
            self.console.clear_status_line()
            if not event.outcome.is_void and (
                event.position.outcome() is not None or not self._human_to_move(event.position)
            ):
                self.console.say(self._show_board(event.position))

    def _human_to_move(self, position: Position) -> bool:
        """Return whether a human is to move. The question to a human also shows the board."""
        return self.session.seat_infos[position.to_move - 1].is_human

    def _show_move(self, event: Moved) -> None:
        one = self.session.actions[-1]
        if not self.session.seat_infos[event.seat - 1].is_human:
            thoughts = f": {printable(event.thoughts)}" if event.thoughts else ""
            said = action_words(self.session, one, format_name=self.terminal.format_name)
            self.terminal.say(f"\n{said} ({event.seconds:.1f} s){thoughts}")
        elif one.effect:
            self.terminal.say(f"\n{event.position.mark(event.seat)} {one.effect}.")
        if event.position.outcome() is None:
            self._show_thinking(event.position)

    def _show_board(self, position: Position) -> str:
        return self.terminal.board(
            position, self.session.last, [info.control.total for info in self.session.seat_infos]
        )

    def _show_thinking(self, position: Position) -> None:
        """Show that an agent thinks, and for how many seconds.

        Without humans every board is printed. A human sees the board before the agent's answer only if that takes long.
        """
        if self._human_to_move(position):
            return
        board = self._show_board(position)
        has_human = any(info.is_human for info in self.session.seat_infos)
        if not has_human:
            self.console.say(board)
        mover, since = self.session.seat_infos[position.to_move - 1], time.monotonic()
        name, control = self.terminal.format_name(mover.name), mover.control
        allowed = min(math.inf if limit is None else limit for limit in (control.per_move, control.total))
        shown = "" if math.isinf(allowed) else f" / {round(allowed, 2):g}"

        def thinking_line() -> str:
            taken = f"{name} is thinking {time.monotonic() - since:.1f}{shown} s"
            return (
                f"{taken:<{len(name) + 28}}"  # the line has a constant width, so that typed characters appear after it
            )

        self.console.show_status_line(thinking_line, board if has_human else "")
