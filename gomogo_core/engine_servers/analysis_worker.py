"""A process that analyses positions for the page: requests on standard input, results on standard output, JSON lines.

    python -m gomogo_core.engine_servers.analysis_worker SANDBOX

A request has the fields `id`, `game`, `options`, `moves`, `agent`, `lines` and `seconds`. {"stop": ID} ends a request
early. {"prepare": GAME, "options": {…}} loads the compiled engine for a game before the first request. `agent` is one
of Gomogo's search methods, or the spec of an agent or engine, whose program is confined at the level SANDBOX. Each
result has the `id` of its request, and `done`, which is true in the last result. `preparing` tells whether a slower
search gave the result, because the compiled engine is still being loaded. If the agent failed, the last result
has `refused` and `remedy`. If `agent` is "puzzles", each result has a `puzzle` from the moves of the request: one whose
goal the player missed. The process exits when its standard input ends.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from queue import SimpleQueue
from typing import Any

from gomogo_core import games
from gomogo_core.analysis import strongest_search
from gomogo_core.analysis.live_analysis import METHODS, as_json, stream_analyses
from gomogo_core.arena.agent_analysis import AgentAnalyser
from gomogo_core.catalogue import agent
from gomogo_core.errors import UserError
from gomogo_core.processes.limits import SANDBOX_LEVELS
from gomogo_core.puzzles.making import find_puzzles
from gomogo_core.search import SearchLimits

PUZZLES = "puzzles"
_AGENT_WITH_FALLBACK = "strongest"  # the search method that a slower search replaces while its engine is being loaded
_RESULT_INTERVAL = 0.05  # the least number of seconds between two results of one request


class _RequestReader:
    """Reads the requests in a thread, so that a request to stop arrives while the main thread searches."""

    def __init__(self) -> None:
        self.request_queue = SimpleQueue[tuple[dict[str, Any], SearchLimits]]()
        self._limits_by_request: dict[int, SearchLimits] = {}
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in sys.stdin:
            request = json.loads(line)
            if "stop" in request:
                if (limits := self._limits_by_request.pop(request["stop"], None)) is not None:
                    limits.stop()
            elif "prepare" in request:
                strongest_search.begin_loading(games.load(request["prepare"], **request["options"]))
            else:
                limits = SearchLimits(stop_at=time.monotonic() + request["seconds"])
                self._limits_by_request[request["id"]] = limits
                self.request_queue.put((request, limits))
        os._exit(0)

    def forget(self, request_id: int) -> None:
        """Remove a request that has been answered. request_id: the id of the request."""
        self._limits_by_request.pop(request_id, None)


def main() -> None:
    """Answer requests until standard input ends."""
    requests = _RequestReader()
    analyser = AgentAnalyser(next(level for level in SANDBOX_LEVELS if level == sys.argv[1]))
    while True:
        request, limits = requests.request_queue.get()
        _answer(request, limits, analyser)
        requests.forget(request["id"])


def _answer(request: dict[str, Any], limits: SearchLimits, analyser: AgentAnalyser) -> None:
    if request["agent"] == PUZZLES:
        _find_puzzles(request, limits)
        return
    next_result_at, latest, failure = 0.0, dict[str, Any](), dict[str, str]()
    try:
        for latest in _run_analysis(request, limits, analyser):
            if time.monotonic() >= next_result_at:
                print(json.dumps({"id": request["id"], "done": False, **latest}), flush=True)
                next_result_at = time.monotonic() + _RESULT_INTERVAL
    except UserError as error:
        failure = {"refused": error.problem, "remedy": error.remedy}
    print(json.dumps({"id": request["id"], "done": True, **latest, **failure}), flush=True)


def _run_analysis(request: dict[str, Any], limits: SearchLimits, analyser: AgentAnalyser) -> Iterator[dict[str, Any]]:
    game = games.load(request["game"], **request["options"])
    position = game.replay(request["moves"])
    if position.outcome() is not None:
        return
    if request["agent"] not in METHODS:
        yield from analyser.stream_analyses(agent(request["agent"]), game, request["moves"], limits, request["lines"])
        return
    # compiles the engine if necessary: the search in Python has a thirtieth of its playouts in Go
    strongest_search.begin_loading(game)
    for analysis in stream_analyses(position, limits, agent=request["agent"], lines=request["lines"]):
        is_slow = request["agent"] == _AGENT_WITH_FALLBACK and strongest_search.is_loading(game)
        yield {**as_json(analysis, position), "preparing": is_slow}


def _find_puzzles(request: dict[str, Any], limits: SearchLimits) -> None:
    request_id = request["id"]
    for _, puzzle in find_puzzles(games.load(request["game"], **request["options"]), request["moves"]):
        print(json.dumps({"id": request_id, "done": False, "puzzle": puzzle.as_dict()}), flush=True)
        if time.monotonic() >= limits.stop_at:
            break
    print(json.dumps({"id": request_id, "done": True}), flush=True)


if __name__ == "__main__":
    main()
