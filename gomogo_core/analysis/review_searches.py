"""The searches of a review: each position of a game briefly, and each position with a mistake again, for longer.

A short search often prefers a move that is no better than the played one, in Go most of all. So before a review names a
better move, longer searches of equal length compare the positions after both moves. `review_searches` requests the
searches, and its caller runs them: here `search_positions`, on the page an analysis process.
"""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Iterator, MutableMapping
from typing import NamedTuple

from gomogo_core.analysis import strongest
from gomogo_core.analysis.review import (
    MIN_MISSED_LOSS,
    MISTAKE_LOSS,
    PositionResult,
    Review,
    advantage_losses,
    build_review,
    is_next_first_solved,
    outcome_score,
    positions_to_review,
    review_agent,
    search_position,
    seconds_per_position,
)
from gomogo_core.games.base import Position, Seat
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.search.node import CERTAIN_THRESHOLD
from gomogo_core.search.result import ExpectedEnd

_SEARCHES_PER_CHECK = 3
_MAX_TIME_FACTOR = 3  # a search of a check takes at most this many times as long as the first search of the position
_MAX_TIME_SHARE = 1 / 8  # a check takes at most this share of the time left for checks, so that later ones get some
# if only the position after a move is solved, the search for a solution before it takes this share of the time left
_MAX_SOLVING_SHARE = 1 / 3
# a difference must exceed this number of standard deviations; the advantage after n playouts has the standard
# deviation 1 / sqrt(n)
_MIN_DEVIATIONS = 2


class SearchRequest(NamedTuple):
    """A search that a review needs. moves: all moves before the position. seconds: the search time.

    agent: the agent that searches, one of `live.METHODS`.
    """

    position: Position
    moves: tuple[str, ...]
    seconds: float
    agent: str


SearchSteps = Generator[SearchRequest, PositionResult | None, PositionResult | None]


def review_searches(
    played_game: PlayedGame, seconds: float, results: MutableMapping[int, PositionResult]
) -> Generator[SearchRequest, PositionResult | None, None]:
    """Yield the searches of a review, the last position first, and expect the result of each; None if it has none.

    seconds: the time for the positions; the checks of mistakes, and the searches for solutions, take at most as long
    again. results: gets the results, by the number of moves before the position.
    """
    positions, moves = played_game.positions(), tuple(ply.move for ply in played_game.plies)
    numbers = positions_to_review(played_game, positions)
    seconds_each, seconds_left = seconds_per_position(len(numbers), seconds), seconds
    for number in numbers:
        request = SearchRequest(positions[number], moves[:number], seconds_each, review_agent(positions[number]))
        if (result := (yield request)) is None:  # on a busy machine, the time may be too short for the first depth
            longer_seconds = min(_MAX_TIME_FACTOR * seconds_each, seconds_left)
            seconds_left -= longer_seconds
            if (result := (yield request._replace(seconds=longer_seconds))) is None:
                continue
        next_results = {n: results[n] for n in (number + 1, number + 2) if n in results}
        if is_next_first_solved({number: result, **next_results}, number) and result.best_move != moves[number]:
            longer_seconds = seconds_left * _MAX_SOLVING_SHARE
            seconds_left -= longer_seconds
            result = (yield request._replace(seconds=longer_seconds)) or result
        loss = advantage_losses(played_game, positions, {number: result, **next_results}).get(number, 0.0)
        longer_seconds = max(
            seconds_each, min(_MAX_TIME_FACTOR * seconds_each, _MAX_TIME_SHARE * seconds_left / _SEARCHES_PER_CHECK)
        )
        is_certain = result.is_solved or result.value > CERTAIN_THRESHOLD
        if loss >= MISTAKE_LOSS and not is_certain and seconds_left >= _SEARCHES_PER_CHECK * longer_seconds:
            seconds_left -= _SEARCHES_PER_CHECK * longer_seconds
            check_request = request._replace(seconds=longer_seconds, agent="strongest")
            result = (yield from _check_mistake(check_request, moves[number], loss)) or result
        if result.is_solved:
            both_ends = result.expected_end, known_end(positions[number + 1], results.get(number + 1))
            result = result._replace(points_lost=_points_lost(result.seat, *both_ends))
        results[number] = result


def known_end(position: Position, result: PositionResult | None) -> ExpectedEnd | None:
    """Return the end of a game that is over or whose position is solved; None if it is not known."""
    if (outcome := position.outcome()) is not None:
        first, second = outcome.scores or (0.0, 0.0)
        return ExpectedEnd(first - second, 0.0, {})
    return result.expected_end if result is not None and result.is_solved else None


def _check_mistake(request: SearchRequest, move: str, loss: float) -> SearchSteps:
    """Search the position of a mistake again, and the positions after the mistake and after the better move.

    Without a compiled engine, these searches of Go use playouts, so that two different methods must agree. loss: the
    advantage that the move gave away according to the first searches.

    Return a result that prefers the played move, or that has the loss of the mistake; None if a search had no result.
    """
    if (result := (yield request)) is None or result.best_move == move:
        return result
    scores, variance = list[float](), 0.0
    ends, are_solved = list[ExpectedEnd | None](), list[bool]()
    for compared_move in (result.best_move, move):
        next_position = request.position.play(request.position.game.parse(compared_move))
        if (outcome := next_position.outcome()) is not None:
            scores.append(outcome_score(outcome, result.seat))
            are_solved.append(True)
            ends.append(known_end(next_position, None) if request.position.game.scores_places else None)
            continue
        answer = yield request._replace(position=next_position, moves=(*request.moves, compared_move))
        if answer is None:
            return None
        scores.append(answer.score_of(result.seat))
        ends.append(answer.expected_end)
        are_solved.append(answer.is_solved)
        if abs(answer.value) <= CERTAIN_THRESHOLD:
            variance += 1 / answer.nodes
    best_score = 1.0 if result.value > CERTAIN_THRESHOLD else min(scores[0], result.score)
    loss_in_checks = min(loss, best_score - scores[1])
    # a solution is not compared with an estimate
    is_comparable = are_solved[0] or result.is_solved or not are_solved[1]
    if is_comparable and loss_in_checks >= max(MIN_MISSED_LOSS, _MIN_DEVIATIONS * math.sqrt(variance)):
        return result._replace(checked_loss=loss_in_checks, points_lost=_points_lost(result.seat, *ends))
    return result._replace(line=(move,), effect="", idea="")


def _points_lost(seat: Seat, better_end: ExpectedEnd | None, played_end: ExpectedEnd | None) -> float | None:
    """Return the points that a player lost by the played move; None if the difference is unknown or may be chance.

    better_end, played_end: the expected ends after the better move and after the played one.
    """
    if better_end is None or played_end is None:
        return None
    points = (better_end.lead - played_end.lead) * (1 if seat == 1 else -1)
    return points if points >= max(1.0, _MIN_DEVIATIONS * math.hypot(better_end.error, played_end.error)) else None


def search_positions(played_game: PlayedGame, seconds: float) -> Iterator[tuple[int, PositionResult]]:
    """Search the positions of a game. Yield the number of moves played before each position, and the result.

    The last position comes first: the search is most reliable near the end, and the end matters most if time is short.
    The function searches for `seconds`, not counting the time for loading the engine and for checking mistakes.
    """
    strongest.wait_for_engine(played_game.rules().start())
    results, deadline = dict[int, PositionResult](), time.monotonic() + 2 * seconds
    searches = review_searches(played_game, seconds, results)
    request = next(searches, None)
    while request is not None and (now := time.monotonic()) < deadline:
        count = len(results)
        result = search_position(request.position, min(deadline, now + request.seconds), request.agent)
        try:
            request = searches.send(result)
        except StopIteration:
            request = None
        yield from list(results.items())[count:]


def review(played_game: PlayedGame, seconds: float) -> Review:
    """Search each position of a game briefly, and report the mistakes. seconds: as for `search_positions`."""
    return build_review(played_game, dict(search_positions(played_game, seconds)), seconds)
