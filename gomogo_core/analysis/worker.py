"""A process that analyses positions for the page: requests on standard input, results on standard output, JSON lines.

    python -m gomogo_core.analysis.worker

A request has `id`, `game`, `options`, `moves`, `agent`, `lines` and `seconds`; the results carry its `id`, and the last
one has `done`. {"stop": ID} ends a request early. With "puzzles" as the agent, the results are the puzzles that the
moves missed, as `puzzle`. Knows positions, live analysis and puzzles. It ends with its standard input.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from queue import SimpleQueue
from typing import Any

from gomogo_core import games
from gomogo_core.analysis import strongest
from gomogo_core.analysis.live import as_json, stream_analyses
from gomogo_core.puzzles.making import puzzles_of
from gomogo_core.search import SearchLimits
from gomogo_core.search.result import PositionAnalysis

PUZZLES = "puzzles"
_EACH = 0.05  # seconds between two results of one request, at least


class _Requests:
    """Reads the requests in a thread, so that a request to stop arrives while the main thread searches."""

    def __init__(self) -> None:
        self.waiting = SimpleQueue[tuple[dict[str, Any], SearchLimits]]()
        self._limits: dict[int, SearchLimits] = {}
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in sys.stdin:
            request = json.loads(line)
            if "stop" in request:
                if (limits := self._limits.pop(request["stop"], None)) is not None:
                    limits.stop()
            else:
                limits = self._limits[request["id"]] = SearchLimits(stop_at=time.monotonic() + request["seconds"])
                self.waiting.put((request, limits))
        os._exit(0)

    def done(self, number: int) -> None:
        """Forget a request that has been answered."""
        self._limits.pop(number, None)


def main() -> None:
    """Answer requests until standard input ends."""
    requests = _Requests()
    strongest.warm()
    while True:
        request, limits = requests.waiting.get()
        _answer(request, limits)
        requests.done(request["id"])


def _answer(request: dict[str, Any], limits: SearchLimits) -> None:
    number = request["id"]
    if request["agent"] == PUZZLES:
        _find_puzzles(request, limits)
        return
    position = games.load(request["game"], **request["options"]).replay(request["moves"])
    due, found = 0.0, None

    def send(one: PositionAnalysis | None, *, done: bool = False) -> None:
        plain = {} if one is None else as_json(one, position)
        print(json.dumps({"id": number, "done": done, **plain}), flush=True)

    if position.outcome() is None:
        for found in stream_analyses(position, limits, agent=request["agent"], lines=request["lines"]):
            if time.monotonic() >= due:
                send(found)
                due = time.monotonic() + _EACH
    send(found, done=True)


def _find_puzzles(request: dict[str, Any], limits: SearchLimits) -> None:
    number = request["id"]
    for _, found in puzzles_of(games.load(request["game"], **request["options"]), request["moves"]):
        print(json.dumps({"id": number, "done": False, "puzzle": found.as_dict()}), flush=True)
        if time.monotonic() >= limits.stop_at:
            break
    print(json.dumps({"id": number, "done": True}), flush=True)


if __name__ == "__main__":
    main()
