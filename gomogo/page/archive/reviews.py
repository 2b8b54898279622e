"""Computes reviews of finished games for the page, in the background and one at a time, and caches them.

The module uses records and analysis processes, and does not depend on HTTP requests.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple
from urllib.parse import urlencode

from gomogo.page.analysis.pool import AnalysisPool, AnalysisRequest
from gomogo.text.names import display_name
from gomogo_core.analysis.review import Review, build_review, positions_to_review
from gomogo_core.analysis.review_losses import lead_deviation
from gomogo_core.analysis.review_results import (
    PositionResult,
    ReviewFinding,
    has_usable_value,
    outcome_score,
    position_result,
    review_agent,
)
from gomogo_core.analysis.review_searches import known_end, review_searches
from gomogo_core.games.base import NotAMove, Position, Seat
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.search.result import ExpectedEnd, playout_deviation

# The seconds of a review's first searches. The checks of mistakes, and the second pass, each take at most as long.
REVIEW_SECONDS = {"quick": 8.0, "normal": 14.0, "thorough": 20.0}
_DEFAULT_TIME = "quick"
_RETRY_SECONDS = 1.0  # search time for the position after a retried move
_BOXES_TIME_SHARE = 1 / 4  # share of the time of the review for such a position in Dots and Boxes; a proof ends it
_CACHE_SIZE = 100  # the maximum number of reviews in the cache
# on a busy machine some positions get no reliable result; they are searched again when the review is opened later
_CONTINUATION_PAUSE = 20.0  # seconds between the end of the searches and a continuation
_MAX_CONTINUATIONS = 3  # some positions are too hard for the time of a review on any machine
_WILL_CONTINUE = "Open the review again a little later: it then analyses them."


def requested_time_word(query: Mapping[str, str]) -> str:
    """Return the time of a review that the query of a URL requests, such as "quick"."""
    time_text = query.get("time", "")
    return time_text if time_text in REVIEW_SECONDS else _DEFAULT_TIME


def time_query(time: str) -> str:
    """Return the end of a URL that requests this time of a review; empty for the default time."""
    return f"&time={time}" if time != _DEFAULT_TIME else ""


def review_query(query: Mapping[str, str]) -> str:
    """Return the end of a URL that keeps the settings of the review in the query of another URL."""
    both = "&both=1" if query.get("both") == "1" else ""
    return f"&review=1{both}{time_query(requested_time_word(query))}"


def review_origin(played_game: PlayedGame, review: Review, move_number: int, query: Mapping[str, str]) -> str:
    """Return the end of an analysis board's URL: the review that leads there, and its mistakes.

    move_number: the number of moves on the board of the review. query: the query of the review's URL.
    """
    marks = {"mistakes": " ".join(f"{finding.number}{finding.annotation}" for finding in review.findings)}
    where = {"reviewed": played_game.key, "reviewed-move": str(move_number)}
    return f"&{urlencode(where | marks)}{review_query(query)}"


def only_human(played_game: PlayedGame) -> Seat | None:
    """Return the seat of the human in a game of one human against agents; None in other games."""
    humans = [seat for seat, spec in enumerate(played_game.specs, 1) if spec == "human"]
    return humans[0] if len(humans) == 1 else None


def findings_to_show(played_game: PlayedGame, review: Review, *, for_both_players: bool) -> list[ReviewFinding]:
    """Return the mistakes of the human in a game of one human against agents; in other games, all mistakes.

    for_both_players: whether to return all mistakes in every game.
    """
    person = None if for_both_players else only_human(played_game)
    return [
        finding for finding in review.findings if person is None or played_game.plies[finding.number - 1].seat == person
    ]


class RetryScore(NamedTuple):
    """The mover's advantage after a move, from -1 to 1, and the lead of `lead_after_move`.

    answer: the opponent's best answer to the move; empty at the end of the game. error, lead_error: the standard
    deviations of the advantage and the lead between searches of Go; 0 in other games.
    """

    advantage: float
    lead: float | None
    answer: str = ""
    error: float = 0.0
    lead_error: float = 0.0


@dataclass(eq=False)
class ReviewInProgress:
    """A review and its progress. seconds: the time for the whole review. position_count: the number of positions to
    search. results: the results so far, by the number of moves before each position. retry_scores: the scores after
    each retried move, by the number of moves before it and the move. missing: the positions without a reliable result
    when the last searches ended; at first all positions. continues_at: the time in the event loop from which these
    positions are searched again. continuation_count: the number of these repetitions so far.
    """

    played_game: PlayedGame
    seconds: float
    position_count: int
    results: dict[int, PositionResult] = field(default_factory=dict)
    retry_scores: dict[tuple[int, str], RetryScore] = field(default_factory=dict)
    has_ended: bool = False
    missing: tuple[int, ...] = ()
    continues_at: float = 0.0
    continuation_count: int = 0

    @property
    def can_continue(self) -> bool:
        """Whether some positions will be searched again when the review is opened later."""
        return self.has_ended and bool(self.missing) and self.continuation_count < _MAX_CONTINUATIONS

    def review(self, reader_seat: Seat | None = None) -> Review:
        """Return the review of the positions searched so far.

        reader_seat: the seat of the reader of the page, whom the sentences call "you"; None if the reader did not play.
        """
        # the sentences of the review name the players
        names = [
            "you" if seat == reader_seat else display_name(name) for seat, name in enumerate(self.played_game.names, 1)
        ]
        new_review = build_review(replace(self.played_game, names=tuple(names)), dict(self.results), self.seconds)
        if self.has_ended:
            new_review = new_review.with_final_summary()
        if self.can_continue:
            new_review = replace(new_review, summary=f"{new_review.summary} {_WILL_CONTINUE}")
        if reader_seat is None:
            return new_review
        capitalised = [
            replace(finding, sentence=re.sub("^you ", "You ", finding.sentence)) for finding in new_review.findings
        ]
        return replace(new_review, findings=tuple(capitalised))


class Reviews:
    """The reviews of a page server. Several threads may use it; the searches run in the server's event loop."""

    def __init__(self, pool: AnalysisPool) -> None:
        self._pool = pool
        self._reviews_lock = threading.Lock()
        self._one_at_a_time = asyncio.Lock()
        self._reviews: OrderedDict[tuple[str, str], ReviewInProgress] = OrderedDict()

    def review_of(self, played_game: PlayedGame, time: str, loop: asyncio.AbstractEventLoop) -> ReviewInProgress:
        """Return the review of a game. If it is not cached, begin it; if it is incomplete, continue it.

        time: a key of REVIEW_SECONDS.
        """
        with self._reviews_lock:
            if (started := self._reviews.get((played_game.key, time))) is not None:
                if not started.can_continue or loop.time() < started.continues_at:
                    return started
                started.has_ended = False
                started.continuation_count += 1
            else:
                numbers = positions_to_review(played_game, played_game.positions())
                started = ReviewInProgress(played_game, REVIEW_SECONDS[time], len(numbers), missing=tuple(numbers))
                self._reviews[played_game.key, time] = started
            while len(self._reviews) > _CACHE_SIZE:
                self._reviews.popitem(last=False)
        asyncio.run_coroutine_threadsafe(self._review_positions(started), loop)
        return started

    async def _review_positions(self, review: ReviewInProgress) -> None:
        try:
            async with self._one_at_a_time:
                for number in review.missing:
                    review.results.pop(number, None)
                searches = review_searches(review.played_game, review.seconds, review.results)
                request = await asyncio.to_thread(next, searches, None)
                with suppress(StopIteration):
                    while request is not None:
                        request = searches.send(await self._search(*request))
                review.missing = (await asyncio.to_thread(review.review)).missing
        finally:
            review.continues_at = asyncio.get_running_loop().time() + _CONTINUATION_PAUSE
            review.has_ended = True

    async def score_after(
        self, review: ReviewInProgress, number: int, position: Position, move: str
    ) -> RetryScore | None:
        """Return the mover's score after another move than the played one.

        number: the number of moves before it. position: the position after these moves. move: a legal move, in the
        game's notation. Returns None if the computer was too busy to search.
        """
        if (known_score := review.retry_scores.get((number, move))) is not None:
            return known_score
        next_position = position.play(position.game.parse(move))
        mover = position.to_move
        if (outcome := next_position.outcome()) is not None:
            return RetryScore(outcome_score(outcome, mover), lead_after_move(next_position, None, mover))
        moves = [*(ply.move for ply in review.played_game.plies[:number]), move]
        # until the engine is loaded, another search replaces "strongest", and it does not find the number of boxes
        agent = review_agent(next_position)
        seconds = _BOXES_TIME_SHARE * review.seconds if position.game.box_count else _RETRY_SECONDS
        if (search_result := await self._search(next_position, moves, seconds, agent)) is None:
            return None
        lead = lead_after_move(next_position, search_result, mover)
        score = RetryScore(search_result.score_of(mover), lead, search_result.best_move)
        if position.game.scores_places and (end := search_result.expected_end) is not None:
            error = playout_deviation(search_result.nodes, search_result.score, search_result.clear_lead)
            score = score._replace(error=error, lead_error=lead_deviation(end))
        return review.retry_scores.setdefault((number, move), score)

    async def _search(
        self, position: Position, moves: Sequence[str], seconds: float, agent: str
    ) -> PositionResult | None:
        """Search the position after some moves. Return None if the time was too short."""
        game = position.game
        request = AnalysisRequest(game.name, dict(game.options), list(moves), agent, 1, seconds)
        last_analysis = None
        async for answer in self._pool.analyse(request):
            last_analysis = answer if answer.get("lines") else last_analysis
        if last_analysis is None:
            return None
        best_line = last_analysis["lines"][0]
        end = last_analysis["expected_end"]
        owners = {} if end is None else {game.parse(place): owner for place, owner in end["owners"].items()}
        expected = None if end is None else ExpectedEnd(end["lead"], end["error"], owners)
        depth, nodes = last_analysis["depth"], last_analysis["nodes"]
        if not has_usable_value(position, best_line["value"], depth, nodes, expected):
            return None
        with suppress(NotAMove):
            line = [game.parse(move) for move in best_line["line"]]
            return position_result(
                position,
                best_line["value"],
                last_analysis["lead"],
                depth,
                line,
                nodes,
                expected,
            )
        return None


def lead_after_move(position: Position, result: PositionResult | None, seat: Seat) -> float | None:
    """Return a player's lead at the end of a game: the proved lead in Dots and Boxes, and the expected lead in Go.

    It is None in other games, and if it is unknown. result: the result of the search of the position; None at the end
    of the game.
    """
    end = known_end(position, result) if position.game.box_count or position.game.scores_places else None
    if end is None and position.game.scores_places and result is not None:
        end = result.expected_end
    return None if end is None else end.lead if seat == 1 else -end.lead
