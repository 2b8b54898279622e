"""A game that another process plays, as its live file tells so far.

Knows the file's events and how a board is shown; no request, no store.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from gomogo.page.shown import Shown, board, called, colour_of, rules_of, sitters
from gomogo_core import games
from gomogo_core.drawing.text import visible
from gomogo_core.games.base import RESIGN, Game, Position
from gomogo_core.records.live import UNREADABLE, clocks_of, moved

_MOST = 64_000_000  # bytes of a live file


class GameSoFar:
    """The game. version: how many events it has had, those of files before it too. `read` goes on where it was."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.since: float | None = None
        self.version = 0
        self._head = b""
        self._begin()

    def _begin(self) -> None:
        self._place = 0
        self.names: tuple[str, ...] = ()
        self.moves: list[str] = []
        self.ended: str = ""
        self._clocks: list[float | None] = []
        self._told = ""
        self._game: Game | None = None
        self._position: Position | None = None
        self._run = ""

    def read(self) -> bool:
        """Read what is new; False where there is no game, or no longer. A line still being written waits."""
        try:
            with self.path.open("rb") as file:
                if self._head and file.read(len(self._head)) != self._head:  # begun again: a void attempt, an undo
                    self._begin()
                    self._head = b""
                file.seek(self._place)
                new = file.read(_MOST)
            whole, newline, _ = new.rpartition(b"\n")
            self._head = self._head or whole.partition(b"\n")[0]
            for line in whole.split(b"\n") if newline else ():
                self._hear(json.loads(line))
            self._place += len(whole) + len(newline)
        except UNREADABLE:
            self._begin()
            return False
        return self._game is not None

    def _hear(self, event: dict[str, Any]) -> None:
        kind = event["event"]
        if kind == "started":
            place = self._place
            self._begin()
            self._place = place
            self.names = tuple(str(name) for name in event["names"])
            self._game = games.load(event["game"], **event["options"])
            self._run = str(event["run"])
            self._clocks = clocks_of(event, self._game.seats)
            self._position = self._game.start()
            for seat, move in event["opening"]:
                self._follow(int(seat), str(move))
        elif kind == "moved":
            seat, move, left = moved(event, len(self.names))
            self._follow(seat, move)
            self._clocks[seat - 1] = left
            self._told = self._said(event)
        elif kind == "left":
            seat = moved(event, len(self.names))[0]
            self._follow(seat, RESIGN)
            self._told = f"{visible(self.names[seat - 1])} left: {visible(str(event['detail']))}."
        elif kind == "ended":
            self.ended = str(event["detail"]) or str(event["reason"]).replace("_", " ")
        self.version += 1
        self.since = time.monotonic() - max(0.0, time.time() - float(event["at"]))

    def _follow(self, seat: int, move: str) -> None:
        assert self._game is not None
        assert self._position is not None
        self._does = "" if move == RESIGN else self._position.told(self._game.parse(move))
        self._position = self._game.follow(self._position, seat, move)
        self.moves.append(move)

    def _said(self, event: dict[str, Any]) -> str:
        name = visible(self.names[int(event["seat"]) - 1])
        does = f", {self._does}" if self._does else ""
        thoughts = f": {visible(str(event['thoughts']))[:300]}" if event.get("thoughts") else ""
        return f"{name} plays {event['move']}{does} ({float(event['seconds']):.1f} s){thoughts}"

    @property
    def about(self) -> str:
        """Which game, and of which run."""
        assert self._game is not None
        return ", ".join([rules_of(self._game), *([self._run] if self._run else [])])

    @property
    def status(self) -> str:
        """Whose turn it is."""
        assert self._position is not None
        if self.ended or self._position.outcome() is not None:
            return self.farewell
        seat = self._position.to_move
        return f"{visible(self.names[seat - 1])} ({colour_of(self._position, seat)}) is thinking"

    @property
    def farewell(self) -> str:
        """How it ended, as far as is known."""
        outcome = self._position.outcome() if self._position is not None else None
        if outcome is not None:
            won = f"{visible(self.names[outcome.winner - 1])} won" if outcome.winner else "Nobody won alone"
            return f"The game is over: {won}, {outcome.detail or outcome.reason.value.replace('_', ' ')}."
        return f"The game is over: {visible(self.ended)}." if self.ended else "The game is over, or was broken off."

    def shown(self, *, spoken: bool = True) -> Shown:
        """The board and all around it. spoken: see `board`."""
        assert self._game is not None
        assert self._position is not None
        last = None
        with suppress(StopIteration):
            last = self._game.parse(next(move for move in reversed(self.moves) if move != RESIGN))
        return Shown(
            board(self._position, last, interactive=False, spoken=spoken, title=f"{called(self._game.name)} board"),
            self._position.diagram(),
            sitters(self._position, self.names, self._clocks),
            self._told,
            moves=tuple(self.moves),
        )
