"""A running game, read from the live file that the process of its referee writes.

The module uses the events of the file and board views. It does not depend on HTTP requests or on the store.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from gomogo.page.analysis.links import position_url
from gomogo.page.board_view import (
    BoardView,
    describe_game,
    draw_board,
    draw_card_board,
    player_lines,
    seat_colour,
)
from gomogo.text.names import display_name
from gomogo_core import games
from gomogo_core.drawing.text import printable
from gomogo_core.games.base import RESIGN, Game, Position, Reason
from gomogo_core.records.live_format import UNREADABLE_FILE_ERRORS, clocks_at_start, read_move_event
from gomogo_core.regular_files import open_regular, read_at_most

_MAX_READ_BYTES = 64_000_000  # the most bytes of a live file that one call of `read_events` reads


class RunningGame:
    """A running game. version: the number of events so far, including those before a restart.

    last_event_at: the time of the last event, in seconds of the monotonic clock. moves: the moves so far, as text.
    end_reason: the reason of the end; empty before it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.last_event_at: float | None = None
        self.version = 0
        self._first_line = b""
        self._reset()

    def _reset(self) -> None:
        self._offset = 0
        self.names: tuple[str, ...] = ()
        self.moves: list[str] = []
        self.end_reason: str = ""
        self._clocks: list[float | None] = []
        self._last_event = ""
        self._game: Game | None = None
        self._position: Position | None = None
        self._run = ""

    def read_events(self) -> bool:
        """Read the new events. Return False if there is no such game.

        A line that is incomplete now is read by the next call.
        """
        try:
            with open_regular(self.path) as file:
                # a changed first line means that the game has restarted, after a void game or an undo
                if self._first_line and file.read(len(self._first_line)) != self._first_line:
                    self._reset()
                    self._first_line = b""
                file.seek(self._offset)
                new_bytes = read_at_most(file, _MAX_READ_BYTES)
            complete, newline, _ = new_bytes.rpartition(b"\n")
            self._first_line = self._first_line or complete.partition(b"\n")[0]
            for line in complete.split(b"\n") if newline else ():
                self._apply(json.loads(line))
            self._offset += len(complete) + len(newline)
        except UNREADABLE_FILE_ERRORS:
            self._reset()
            return False
        return self._game is not None

    def _apply(self, event: dict[str, Any]) -> None:
        kind = event["event"]
        if kind == "started":
            offset = self._offset
            self._reset()
            self._offset = offset
            self.names = tuple(str(name) for name in event["names"])
            self._game = games.load(event["game"], **event["options"])
            self._run = str(event["run"])
            self._clocks = clocks_at_start(event, self._game.seats)
            self._position = self._game.start()
            for seat, move in event["opening"]:
                self._play_move(int(seat), str(move))
        elif kind == "moved":
            seat, move, seconds_left = read_move_event(event, len(self.names))
            self._play_move(seat, move)
            self._clocks[seat - 1] = seconds_left
            self._last_event = self._describe(event)
        elif kind == "left":
            seat = read_move_event(event, len(self.names))[0]
            self._play_move(seat, RESIGN)
            self._last_event = f"{display_name(self.names[seat - 1])} left: {printable(str(event['detail']))}."
        elif kind == "ended":
            self.end_reason = str(event["detail"]) or Reason(event["reason"]).ended_by
        self.version += 1
        self.last_event_at = time.monotonic() - max(0.0, time.time() - float(event["at"]))

    def _play_move(self, seat: int, move: str) -> None:
        assert self._game is not None
        assert self._position is not None
        self._last_effect = "" if move == RESIGN else self._position.describe_effect(self._game.parse(move))
        self._position = self._game.apply_action(self._position, seat, move)
        self.moves.append(move)

    def _describe(self, event: dict[str, Any]) -> str:
        name = display_name(self.names[int(event["seat"]) - 1])
        effect = f", {self._last_effect}" if self._last_effect else ""
        thoughts = f": {printable(str(event['thoughts']))[:300]}" if event.get("thoughts") else ""
        return f"{name} plays {event['move']}{effect} ({float(event['seconds']):.1f} s){thoughts}"

    @property
    def description(self) -> str:
        """The name of the game with its options, and the name of the run."""
        assert self._game is not None
        return ", ".join([describe_game(self._game), *([self._run] if self._run else [])])

    @property
    def clock_at_turn_start(self) -> float | None:
        """The seconds that the player to move had left when the turn began; None if it has no clock."""
        assert self._position is not None
        return None if self._position.outcome() else self._clocks[self._position.to_move - 1]

    @property
    def status_line(self) -> str:
        """The status line: the player to move, or the end of the game."""
        assert self._position is not None
        if self.end_reason or self._position.outcome() is not None:
            return self.end_sentence
        seat = self._position.to_move
        return f"{display_name(self.names[seat - 1])} ({seat_colour(self._position, seat)}) is thinking"

    @property
    def end_sentence(self) -> str:
        """A sentence on the end of the game. It gives no result if the live file contains none."""
        outcome = self._position.outcome() if self._position is not None else None
        if outcome is not None:
            result = f"{display_name(self.names[outcome.winner - 1])} won" if outcome.winner else "No single winner"
            return f"The game is over: {result}, {outcome.detail or outcome.reason.ended_by}."
        return (
            f"The game is over: {printable(self.end_reason)}."
            if self.end_reason
            else "The game is over, or was interrupted."
        )

    def board_view(self, *, small: bool = False) -> BoardView:
        """Return the view of the board.

        small: whether to draw the board as in a group of boards, without names of points for screen readers.
        """
        assert self._game is not None
        assert self._position is not None
        last_move = None
        with suppress(StopIteration):
            last_move = self._game.parse(next(move for move in reversed(self.moves) if move != RESIGN))
        return BoardView(
            draw_card_board(self._position, last_move)
            if small
            else draw_board(self._position, last_move, interactive=False),
            self._position.diagram(),
            player_lines(self._position, self.names, self._clocks),
            self._last_event,
            moves=tuple(self.moves),
            links={} if RESIGN in self.moves else {position_url(self._game, self.moves): "Analyse"},
        )
