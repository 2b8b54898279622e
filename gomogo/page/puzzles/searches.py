"""Puzzles in the stored games of tournaments: searched in the background, one tournament at a time, and cached.

Uses the store and analysis processes, but no request.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict, deque
from dataclasses import dataclass, field

from gomogo.page.analysis.engines import AnalysisEngines, AnalysisRequest
from gomogo_core.engine_servers.analysis_worker import PUZZLES
from gomogo_core.games.base import RESIGN
from gomogo_core.puzzles.puzzle import Puzzle, puzzle_from_json
from gomogo_core.records.store import Run, Store

MOST_GAMES = 100  # the latest games of a tournament
_SECONDS = 20.0  # search time per game
_REMEMBERED = 20


@dataclass(eq=False)
class PuzzleSearch:
    """A search in the games of a run. stored: games of the run. looked: games so far. ended: whether it is over."""

    run: Run
    stored: int
    looked: int = 0
    found: dict[str, Puzzle] = field(default_factory=dict)
    ended: bool = False

    @property
    def words(self) -> str:
        """Return the progress of the search as a sentence; it says so if only the latest games are searched."""
        count = min(self.stored, MOST_GAMES)
        latest = f"latest {count} games" if self.stored > MOST_GAMES else f"{count} game{'s' * (count != 1)}"
        if not self.ended:
            return f"The search goes on: {self.looked} of the {latest}."
        return f"Puzzles in the {latest}: {len(self.found) or 'none'}."


class PuzzleSearches:
    """The searches of one page server. Thread-safe; the work runs on the server's event loop and in processes."""

    def __init__(self, store: Store, engines: AnalysisEngines) -> None:
        self._store, self._engines = store, engines
        self._guard = threading.Lock()
        self._one = asyncio.Lock()
        self._searches: OrderedDict[str, PuzzleSearch] = OrderedDict()

    def of(self, run: Run, loop: asyncio.AbstractEventLoop) -> PuzzleSearch:
        """Return the search in a run. It begins with the first request, and begins again after further games."""
        count = self._store.count(run)
        with self._guard:
            held = self._searches.get(run.name)
            if held is not None and (not held.ended or held.stored == count):
                return held
            made = self._searches[run.name] = PuzzleSearch(run, count)
            while len(self._searches) > _REMEMBERED:
                self._searches.popitem(last=False)
        asyncio.run_coroutine_threadsafe(self._search(made), loop)
        return made

    async def _search(self, search: PuzzleSearch) -> None:
        try:
            async with self._one:
                games = await asyncio.to_thread(lambda: deque(self._store.games_of(search.run), MOST_GAMES))
                for played in games:
                    moves = [ply.move for ply in played.plies]
                    if RESIGN in moves:
                        moves = moves[: moves.index(RESIGN)]
                    options = dict(played.rules().options)
                    asked = AnalysisRequest(played.game, options, moves, PUZZLES, seconds=_SECONDS)
                    async for answer in self._engines.analyse(asked):
                        if "puzzle" in answer:
                            puzzle = puzzle_from_json(answer["puzzle"])
                            search.found[puzzle.key] = puzzle
                    search.looked += 1
        finally:
            search.ended = True
