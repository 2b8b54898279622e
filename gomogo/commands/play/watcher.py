"""Prints the events of a game at the terminal: the player that thinks, the moves of agents, and the last board.

The module asks humans no questions; `gomogo_core.session.terminal` does that.
"""

from __future__ import annotations

import math
import time

from gomogo_core.drawing.text import printable
from gomogo_core.games.base import Position
from gomogo_core.play.events import Ended, Event, Moved, PlayerLeft, Started, Warned
from gomogo_core.session.sentences import action_sentence
from gomogo_core.session.terminal import Terminal


class Watcher:
    """A listener that prints the events of one session. It reads the session's actions, so the referee's listener,
    which appends them, must receive each event first.
    """

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
            own_seats = self.session.seats_of(self.terminal.visitor)
            self.terminal.say(
                f"\n{action_sentence(self.session, self.session.actions[-1], own_seats, self.terminal.format_name)}."
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
        action = self.session.actions[-1]
        if not self.session.seat_infos[event.seat - 1].is_human:
            thoughts = f": {printable(event.thoughts)}" if event.thoughts else ""
            sentence = action_sentence(self.session, action, format_name=self.terminal.format_name)
            self.terminal.say(f"\n{sentence} ({event.seconds_taken:.1f} s){thoughts}")
        elif action.effect:
            self.terminal.say(f"\n{event.position.mark(event.seat)} {action.effect}.")
        if event.position.outcome() is None:
            self._show_thinking(event.position)

    def _show_board(self, position: Position) -> str:
        return self.terminal.board(
            position, self.session.last, [info.control.total for info in self.session.seat_infos]
        )

    def _show_thinking(self, position: Position) -> None:
        """Show that an agent thinks, and for how many seconds.

        Without humans, every board is printed. A human sees the board before the agent's move only if the agent thinks
        for a long time.
        """
        if self._human_to_move(position):
            return
        board = self._show_board(position)
        has_human = any(info.is_human for info in self.session.seat_infos)
        if not has_human:
            self.console.say(board)
        mover, begin = self.session.seat_infos[position.to_move - 1], time.monotonic()
        name, control = self.terminal.format_name(mover.name), mover.control
        time_limit = min(math.inf if limit is None else limit for limit in (control.per_move, control.total))
        limit_text = "" if math.isinf(time_limit) else f" / {round(time_limit, 2):g}"

        def thinking_line() -> str:
            status = f"{name} is thinking {time.monotonic() - begin:.1f}{limit_text} s"
            # the line has a constant width, so that typed characters appear after it
            return f"{status:<{len(name) + 28}}"

        self.console.show_status_line(thinking_line, board if has_human else "")
