"""The live file of a running game: its events as lines of JSON, for viewers. A viewer never delays a referee.

The file is `live/<key>.jsonl`. It is removed when the game is stored. The module needs only the standard library.
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
from pathlib import Path
from typing import Any, NamedTuple

from gomogo_core.errors import UserError
from gomogo_core.games.base import RESIGN, Seat
from gomogo_core.play.events import Ended, Event, GameSetup, Moved, PlayerLeft, Started, Warned
from gomogo_core.regular_files import read_regular

_MAX_OPEN_ATTEMPTS = 3  # the end of another game may remove the empty folder before the new file is opened
_MAX_READ_BYTES = 64_000_000  # bytes of a live file that are read: a game of 10,000 moves has about 1 MB
# the errors that wrong content of a live file can cause; at the sandbox level `limits`, an agent can overwrite the file
_CONTENT_ERRORS = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
UNREADABLE_FILE_ERRORS = (OSError, *_CONTENT_ERRORS, UserError)


class LiveFile:
    """A listener that appends each event to the live file of one game. `LiveFiles` does the same in a thread.

    If the disk fails, the game continues, but nobody can watch it.
    """

    def __init__(self, folder: Path, key: str, run: str = "") -> None:
        self.path = folder / f"{key}.jsonl"
        self._run = run

    def __call__(self, event: Event) -> None:
        """Append one event."""
        self.append([(event, time.time())])

    def append(self, events: Sequence[tuple[Event, float]]) -> None:
        """Append events, each with its time. If Started is one of them, empty the file first."""
        self.write(live_file_update(events, self._run, os.getpid()))

    def write(self, update: LiveFileUpdate) -> None:
        """Write the result of `live_file_update`."""
        if not update.replace_content:
            with suppress(OSError), self.path.open("a", encoding="ascii") as file:
                file.write(update.text)
            return
        for _ in range(_MAX_OPEN_ATTEMPTS):
            with suppress(OSError):
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with self.path.open("w", encoding="ascii") as file:
                    file.write(update.text)
                return


class LiveFileUpdate(NamedTuple):
    """Lines for a live file. replace_content: whether they replace the file's content; True when the game begins."""

    text: str
    replace_content: bool


def live_file_update(events: Sequence[tuple[Event, float]], run: str, process_id: int) -> LiveFileUpdate:
    """Convert events, each with its time, to lines.

    process_id: the id of the referee's process, by which viewers notice that the game has ended.
    """
    text = "".join(
        json.dumps({**_event_json(event, run, process_id), "at": time_of_event}) + "\n"
        for event, time_of_event in events
    )
    return LiveFileUpdate(text, any(isinstance(event, Started) for event, _ in events))


def _event_json(event: Event, run: str, process_id: int) -> dict[str, Any]:
    if isinstance(event, Started):
        return {"event": "started", "run": run, "process": process_id, **_setup_json(event.setup)}
    if isinstance(event, Moved):
        move_fields = {"seat": event.seat, "move": event.move, "seconds": event.seconds_taken}
        analysis = {"thoughts": event.thoughts, "score": event.score, "line": event.line}
        return {"event": "moved", **move_fields, "clock_left": event.clock_left, **analysis}
    if isinstance(event, PlayerLeft):
        return {"event": "left", "seat": event.seat, "reason": event.reason.value, "detail": event.detail}
    if isinstance(event, Warned):
        return {"event": "warned", "seat": event.seat, "what": event.warning}
    assert isinstance(event, Ended)
    return {"event": "ended", **event.outcome._asdict(), "reason": event.outcome.reason.value}


def _setup_json(setup: GameSetup) -> dict[str, Any]:
    return {
        "game": setup.game.name,
        "options": setup.game.options,
        "names": setup.names,
        "controls": [asdict(control) for control in setup.controls],
        "opening": setup.opening,
        "seed": setup.seed,
    }


@dataclass(frozen=True, slots=True)
class LiveGame:
    """A running game.

    move_count: the number of moves, without the opening. started: the Unix time of the start. has_ended: whether the
    game has ended.
    """

    key: str
    run: str
    game: str
    names: tuple[str, ...]
    move_count: int
    started: float
    has_ended: bool


def live_games(folder: Path) -> list[LiveGame]:
    """Return the running games, from their live files; unreadable files are skipped."""
    games = []
    for path in sorted(folder.glob("*.jsonl")):
        with suppress(*UNREADABLE_FILE_ERRORS, StopIteration):
            events = read_live_events(path)
            start_event = next(events)
            event_counts = Counter(str(event["event"]) for event in events)
            names = tuple(str(name) for name in start_event["names"])
            run, game, started_at = str(start_event["run"]), str(start_event["game"]), float(start_event["at"])
            move_count, has_ended = event_counts["moved"], event_counts["ended"] > 0
            games.append(LiveGame(path.stem, run, game, names, move_count, started_at, has_ended))
    return games


def read_live_events(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the events of a live file so far, without an unfinished last line. Raises OSError and ValueError."""
    for line in read_regular(path, _MAX_READ_BYTES).decode("ascii").splitlines(keepends=True):
        if line.endswith("\n"):
            try:
                event = json.loads(line)
            except RecursionError as error:
                raise ValueError(f"{path} contains a line that is nested too deeply") from error
            if not isinstance(event, dict):
                raise ValueError(f"{path} contains a line that is not an event")
            yield event


def clocks_at_start(start: dict[str, Any], seats: int) -> list[float | None]:
    """Return the seconds on each clock at the start; None if the whole game has no limit.

    start: the event `started`. seats: the number of seats. Raises one of `UNREADABLE_FILE_ERRORS`.
    """
    if not len(start["names"]) == len(start["controls"]) == seats:
        raise ValueError("each seat needs a name and a clock")
    return [_parse_seconds(control["total"]) for control in start["controls"]]


def read_move_event(event: dict[str, Any], seats: int) -> tuple[Seat, str, float | None]:
    """Return the seat that moved or left, its move, and the seconds on its clock.

    event: `moved` or `left`. seats: the number of seats. Raises one of `UNREADABLE_FILE_ERRORS`.
    """
    seat = int(event["seat"])
    if not 1 <= seat <= seats:
        raise ValueError(f"there is no seat {seat}")
    return seat, str(event.get("move", RESIGN)), _parse_seconds(event.get("clock_left"))


def _parse_seconds(value: Any) -> float | None:
    seconds = None if value is None else float(value)
    if seconds is not None and not math.isfinite(seconds):
        raise ValueError("a clock shows no finite number")
    return seconds


def remove_live_files(folder: Path, keys: Iterable[str]) -> None:
    """Remove the live files of these games. Then remove the folder if it is empty."""
    if not folder.is_dir():  # games that end at once have no live file
        return
    for key in keys:
        with suppress(OSError):
            (folder / f"{key}.jsonl").unlink()
    with suppress(OSError):
        folder.rmdir()


def remove_abandoned_live_files(folder: Path, run: str) -> int:
    """Remove the live files of a run that was killed. Return their number."""
    keys = [game.key for game in live_games(folder) if game.run == run]
    remove_live_files(folder, keys)
    return len(keys)
