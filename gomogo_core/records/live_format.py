"""The live file: a running game as lines of JSON, for viewers. A reader never delays a referee.

Needs no viewer. Standard library only. The file is `live/<key>.jsonl`; it is removed when the game is stored.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NamedTuple

from gomogo_core.errors import UserError
from gomogo_core.games.base import RESIGN, Seat
from gomogo_core.play.events import Ended, Event, GameSetup, Moved, PlayerLeft, Started, Warned
from gomogo_core.regular_files import open_regular

_MOST = 64_000_000  # bytes of a live file that are read: a game of 10,000 moves has about 1 MB
# errors from a live file that an agent has written instead of us: at `limits` it can
UNREADABLE = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    IndexError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    UserError,
)


class LiveFile:
    """A listener that appends each event to the live file of one game at once; LiveFiles uses a thread instead.

    If the disk fails, the game cannot be watched, but continues.
    """

    def __init__(self, folder: Path, key: str, run: str = "") -> None:
        self.path = folder / f"{key}.jsonl"
        self._run = run

    def __call__(self, event: Event) -> None:
        """Append one event."""
        self.append([(event, time.time())])

    def append(self, events: Sequence[tuple[Event, float]]) -> None:
        """Append events, each with its time. The event Started empties the file first."""
        self.write(lines_of(events, self._run, os.getpid()))

    def write(self, lines: LiveLines) -> None:
        """Append lines that `lines_of` has made."""
        with suppress(OSError):
            if lines.anew:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("w" if lines.anew else "a", encoding="ascii") as file:
                file.write(lines.text)


class LiveLines(NamedTuple):
    """Lines for a live file. anew: whether they replace its content, because the game has begun (perhaps again,
    after a void attempt).
    """

    text: str
    anew: bool


def lines_of(events: Sequence[tuple[Event, float]], run: str, process: int) -> LiveLines:
    """Return the lines of events, each with its time.

    process: the id of the referee's process, whose end ends the game.
    """
    text = "".join(json.dumps({**_event_json(event, run, process), "at": at}) + "\n" for event, at in events)
    return LiveLines(text, any(isinstance(event, Started) for event, _ in events))


def _event_json(event: Event, run: str, process: int) -> dict[str, Any]:
    if isinstance(event, Started):
        return {"event": "started", "run": run, "process": process, **_table(event.setup)}
    if isinstance(event, Moved):
        moved = {"seat": event.seat, "move": event.move, "seconds": event.seconds}
        said = {"thoughts": event.thoughts, "score": event.score, "line": event.line}
        return {"event": "moved", **moved, "clock_left": event.clock_left, **said}
    if isinstance(event, PlayerLeft):
        return {"event": "left", "seat": event.seat, "reason": event.reason.value, "detail": event.detail}
    if isinstance(event, Warned):
        return {"event": "warned", "seat": event.seat, "what": event.what}
    assert isinstance(event, Ended)
    return {"event": "ended", **event.outcome._asdict(), "reason": event.outcome.reason.value}


def _table(table: GameSetup) -> dict[str, Any]:
    return {
        "game": table.game.name,
        "options": table.game.options,
        "names": table.names,
        "controls": [asdict(control) for control in table.controls],
        "opening": table.opening,
        "seed": table.seed,
    }


@dataclass(frozen=True, slots=True)
class LiveGame:
    """A running game. moves: without those of the opening. started: Unix time. ended: whether the game has ended."""

    key: str
    run: str
    game: str
    names: tuple[str, ...]
    moves: int
    started: float
    ended: bool


def live_games(folder: Path) -> list[LiveGame]:
    """Return the running games, from their live files; unreadable files are skipped."""
    games = []
    for path in sorted(folder.glob("*.jsonl")):
        with suppress(*UNREADABLE, StopIteration):
            events = read_live(path)
            start = next(events)
            kinds = Counter(str(event["event"]) for event in events)
            names = tuple(str(name) for name in start["names"])
            run, game, at = str(start["run"]), str(start["game"]), float(start["at"])
            games.append(LiveGame(path.stem, run, game, names, kinds["moved"], at, kinds["ended"] > 0))
    return games


def read_live(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the events of a live file so far, without an unfinished last line. Raises OSError and ValueError."""
    with TextIOWrapper(open_regular(path), encoding="ascii") as file:
        for line in file.read(_MOST).splitlines(keepends=True):
            if line.endswith("\n"):
                try:
                    event = json.loads(line)
                except RecursionError as deep:
                    raise ValueError(f"{path} holds a line that is nested too deeply") from deep
                if not isinstance(event, dict):
                    raise ValueError(f"{path} holds a line that is no event")
                yield event


def clocks_of(start: dict[str, Any], seats: int) -> list[float | None]:
    """Return each clock's time at the start, None without a limit for the whole game. Raises one of `UNREADABLE`."""
    if not len(start["names"]) == len(start["controls"]) == seats:
        raise ValueError("each seat needs a name and a clock")
    return [_seconds(control["total"]) for control in start["controls"]]


def read_move_event(event: dict[str, Any], seats: int) -> tuple[Seat, str, float | None]:
    """Return the seat that moved or left, its move and its clock's time. Raises one of `UNREADABLE`."""
    seat = int(event["seat"])
    if not 1 <= seat <= seats:
        raise ValueError(f"there is no seat {seat}")
    return seat, str(event.get("move", RESIGN)), _seconds(event.get("clock_left"))


def _seconds(value: Any) -> float | None:
    seconds = None if value is None else float(value)
    if seconds is not None and not math.isfinite(seconds):
        raise ValueError("a clock shows a number")
    return seconds


def remove_live_files(folder: Path, keys: Iterable[str]) -> None:
    """Remove the live files of these games, then the folder if it is empty."""
    if not folder.is_dir():  # games that end at once have no live file
        return
    for key in keys:
        with suppress(OSError):
            (folder / f"{key}.jsonl").unlink()
    with suppress(OSError):
        folder.rmdir()


def remove_abandoned_live_files(folder: Path, run: str) -> int:
    """Remove the live files that a killed run left. Returns their number."""
    keys = [game.key for game in live_games(folder) if game.run == run]
    remove_live_files(folder, keys)
    return len(keys)
