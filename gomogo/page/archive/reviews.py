"""Computes reviews of finished games for the page, in the background and one at a time, and caches them.

The module uses records and analysis processes, and does not depend on HTTP requests.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field, replace

from gomogo.page.analysis.engines import AnalysisEngines, AnalysisRequest
from gomogo.text.names import display_name
from gomogo_core.analysis.review import (
    PositionResult,
    Review,
    build_review,
    is_searched,
    position_result,
    positions_to_review,
    seconds_per_position,
)
from gomogo_core.analysis.strongest import has_engine
from gomogo_core.games.base import NotAMove, Position
from gomogo_core.records.game_record import PlayedGame

TIMES = {"quick": 8.0, "normal": 20.0, "thorough": 50.0}  # seconds for a review
_CACHE_SIZE = 100  # reviews


def _review_agent(position: Position) -> str:
    """Return the agent that reviews a game: if possible its compiled engine, which a review waits for."""
    return "champion" if has_engine(position) else "strongest"


@dataclass(eq=False)
class ReviewInProgress:
    """A review and its progress. seconds: the time for the whole review. count: the number of positions to search.
    results: the results so far, by the number of moves before each position.
    """

    played: PlayedGame
    seconds: float
    count: int
    results: dict[int, PositionResult] = field(default_factory=dict)
    ended: bool = False

    def review(self) -> Review:
        """Return the review of the positions searched so far."""
        # its sentences name the players
        played = replace(self.played, names=tuple(map(display_name, self.played.names)))
        return build_review(played, dict(self.results), self.seconds)


class Reviews:
    """The reviews of a page server. Thread-safe; the work runs in the server's event loop."""

    def __init__(self, engines: AnalysisEngines) -> None:
        self._engines = engines
        self._reviews_lock = threading.Lock()
        self._one_at_a_time = asyncio.Lock()
        self._reviews: OrderedDict[tuple[str, str], ReviewInProgress] = OrderedDict()

    def review_of(self, played: PlayedGame, time: str, loop: asyncio.AbstractEventLoop) -> ReviewInProgress:
        """Return the review of a game. If it is not cached, begin it. time: one of TIMES."""
        with self._reviews_lock:
            if (cached := self._reviews.get((played.key, time))) is not None:
                return cached
            started = ReviewInProgress(played, TIMES[time], len(positions_to_review(played, played.positions())))
            self._reviews[played.key, time] = started
            while len(self._reviews) > _CACHE_SIZE:
                self._reviews.popitem(last=False)
        asyncio.run_coroutine_threadsafe(self._review_positions(started), loop)
        return started

    async def _review_positions(self, review: ReviewInProgress) -> None:
        try:
            async with self._one_at_a_time:
                positions = await asyncio.to_thread(review.played.positions)
                for number in positions_to_review(review.played, positions):
                    await self._review_position(review, number, positions[number])
        finally:
            review.ended = True

    async def _review_position(self, review: ReviewInProgress, number: int, position: Position) -> None:
        played, game = review.played, position.game
        moves = [ply.move for ply in played.plies[:number]]
        seconds = seconds_per_position(review.count, review.seconds)
        request = AnalysisRequest(played.game, dict(game.options), moves, _review_agent(position), 1, seconds)
        last = None
        async for answer in self._engines.analyse(request):
            last = answer if answer.get("lines") else last
        if last is not None:
            best = last["lines"][0]
            if not is_searched(best["value"], last["depth"], last["nodes"]):
                return
            with suppress(NotAMove):
                line = [game.parse(move) for move in best["line"]]
                review.results[number] = position_result(position, best["value"], last["lead"], last["depth"], line)
