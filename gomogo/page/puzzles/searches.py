"""Searches for puzzles in the stored games of tournaments, in the background and one at a time, and caches them.

The module uses the store and analysis processes, and does not depend on HTTP requests.
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

MAX_GAMES = 100  # number of a tournament's latest games that are searched
_SECONDS_PER_GAME = 20.0  # search time per game
_CACHE_SIZE = 20  # tournaments


@dataclass(eq=False)
class PuzzleSearch:
    """A search in the games of a run. stored: the number of stored games of the run. searched: the number of games
    searched so far.
    """

    run: Run
    stored: int
    searched: int = 0
    found: dict[str, Puzzle] = field(default_factory=dict)
    ended: bool = False

    @property
    def words(self) -> str:
        """A sentence on the progress of the search."""
        count = min(self.stored, MAX_GAMES)
        latest = f"latest {count} games" if self.stored > MAX_GAMES else f"{count} game{'s' * (count != 1)}"
        if not self.ended:
            return f"Search in progress: {self.searched} of the {latest}."
        return f"Puzzles in the {latest}: {len(self.found) or 'none'}."


class PuzzleSearches:
    """The searches of a page server. Thread-safe; the work runs in the server's event loop and in processes."""

    def __init__(self, store: Store, engines: AnalysisEngines) -> None:
        self._store, self._engines = store, engines
        self._searches_lock = threading.Lock()
        self._one_at_a_time = asyncio.Lock()
        self._searches: OrderedDict[str, PuzzleSearch] = OrderedDict()

    def search_of(self, run: Run, loop: asyncio.AbstractEventLoop) -> PuzzleSearch:
        """Return the search in the games of a run. A new search begins if there is none, or if there are more games."""
        count = self._store.count_games(run)
        with self._searches_lock:
            held = self._searches.get(run.name)
            if held is not None and (not held.ended or held.stored == count):
                return held
            made = self._searches[run.name] = PuzzleSearch(run, count)
            while len(self._searches) > _CACHE_SIZE:
                self._searches.popitem(last=False)
        asyncio.run_coroutine_threadsafe(self._search(made), loop)
        return made

    async def _search(self, search: PuzzleSearch) -> None:
        try:
            async with self._one_at_a_time:
                games = await asyncio.to_thread(lambda: deque(self._store.games_of(search.run), MAX_GAMES))
                for played in games:
                    moves = [ply.move for ply in played.plies]
                    if RESIGN in moves:
                        moves = moves[: moves.index(RESIGN)]
                    options = dict(played.rules().options)
                    asked = AnalysisRequest(played.game, options, moves, PUZZLES, seconds=_SECONDS_PER_GAME)
                    async for answer in self._engines.analyse(asked):
                        if "puzzle" in answer:
                            puzzle = puzzle_from_json(answer["puzzle"])
                            search.found[puzzle.key] = puzzle
                    search.searched += 1
        finally:
            search.ended = True
