"""Searches for puzzles in the stored games of tournaments, in the background and one at a time, and caches them.

The module uses the store and analysis processes, and does not depend on HTTP requests.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict, deque
from dataclasses import dataclass, field

from gomogo.page.analysis.pool import AnalysisPool, AnalysisRequest
from gomogo_core.engine_servers.analysis_worker import PUZZLES
from gomogo_core.games.base import RESIGN
from gomogo_core.puzzles.puzzle import Puzzle, puzzle_from_json
from gomogo_core.records.store import Run, Store

MAX_GAMES = 100  # only this many of a tournament's latest games are searched
_SECONDS_PER_GAME = 20.0  # search time per game
_CACHE_SIZE = 20  # the maximum number of searches in the cache, one per tournament


@dataclass(eq=False)
class PuzzleSearch:
    """A search in the games of a run. stored_games: their number. searched_games: the number of games searched so far.

    puzzles_by_key: the puzzles, by key.
    """

    run: Run
    stored_games: int
    searched_games: int = 0
    puzzles_by_key: dict[str, Puzzle] = field(default_factory=dict)
    has_ended: bool = False

    @property
    def progress_text(self) -> str:
        """A sentence on the progress of the search."""
        count = min(self.stored_games, MAX_GAMES)
        latest = f"latest {count} games" if self.stored_games > MAX_GAMES else f"{count} game{'s' * (count != 1)}"
        if not self.has_ended:
            return f"Search in progress: {self.searched_games} of the {latest}."
        return f"Puzzles in the {latest}: {len(self.puzzles_by_key) or 'none'}."


class PuzzleSearches:
    """The searches of a page server. Several threads may use it; the searches run in the pool of processes."""

    def __init__(self, store: Store, pool: AnalysisPool) -> None:
        self._store, self._pool = store, pool
        self._searches_lock = threading.Lock()
        self._one_at_a_time = asyncio.Lock()
        self._searches: OrderedDict[str, PuzzleSearch] = OrderedDict()

    def search_of(self, run: Run, loop: asyncio.AbstractEventLoop) -> PuzzleSearch:
        """Return the search in the games of a run. A new search begins if there is none, or if there are more games."""
        count = self._store.count_games(run)
        with self._searches_lock:
            cached = self._searches.get(run.name)
            if cached is not None and (not cached.has_ended or cached.stored_games == count):
                return cached
            new_search = self._searches[run.name] = PuzzleSearch(run, count)
            while len(self._searches) > _CACHE_SIZE:
                self._searches.popitem(last=False)
        asyncio.run_coroutine_threadsafe(self._search(new_search), loop)
        return new_search

    async def _search(self, search: PuzzleSearch) -> None:
        try:
            async with self._one_at_a_time:
                games = await asyncio.to_thread(lambda: deque(self._store.games_of(search.run), MAX_GAMES))
                for played_game in games:
                    moves = [ply.move for ply in played_game.plies]
                    if RESIGN in moves:
                        moves = moves[: moves.index(RESIGN)]
                    options = dict(played_game.rules().options)
                    request = AnalysisRequest(played_game.game, options, moves, PUZZLES, seconds=_SECONDS_PER_GAME)
                    async for answer in self._pool.analyse(request):
                        if "puzzle" in answer:
                            puzzle = puzzle_from_json(answer["puzzle"])
                            search.puzzles_by_key[puzzle.key] = puzzle
                    search.searched_games += 1
        finally:
            search.has_ended = True
