"""The searches of a review: each position of a game briefly, and each position with a mistake again, for longer.

A short search often prefers a move that is no better than the played one, in Go most of all. So before a review names a
better move, longer searches of equal length compare the positions after both moves. `review_searches` requests the
searches, and its caller runs them: here `search_positions`, on the page an analysis process.
"""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Iterator, Mapping, MutableMapping
from typing import NamedTuple

from gomogo_core.analysis import strongest_search
from gomogo_core.analysis.explainers import explainer_of
from gomogo_core.analysis.review import Review, build_review, positions_to_review, seconds_per_position
from gomogo_core.analysis.review_losses import (
    BLUNDER_POINTS,
    INACCURACY_LOSS,
    INACCURACY_POINTS,
    MIN_DEVIATIONS,
    MIN_ONLY_MISTAKE_LOSS,
    MISTAKE_LOSS,
    MISTAKE_POINTS,
    advantage_losses,
    is_solved_only_after,
    lead_deviation,
    loss_of_points,
    points_between,
    points_fall,
    suspected_points_lost,
    with_implied_results,
)
from gomogo_core.analysis.review_results import (
    PositionResult,
    advantage_of_seat,
    outcome_score,
    review_agent,
    search_position,
)
from gomogo_core.games.base import Position
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.search.node import CERTAIN_THRESHOLD, WIN_VALUE
from gomogo_core.search.result import ExpectedEnd, playout_deviation

_SEARCHES_PER_CHECK = 3
_CHECK_TIME_FACTOR = 3  # a search of a check takes at least this many times as long as the first search of the position
# a loss that is small for its error needs more playouts: such a check takes up to this share of the time of the review
_MAX_CHECK_SHARE = 1 / 10
# Two weak players may leave the same point open for many moves: the checks of other mistakes come first
_REPEAT_WEIGHT = 0.15
_MAX_TIME_SHARE = 1 / 8  # a check takes at most this share of the time left for checks, so that later ones get some
# if only the position after a move is solved, the search for a solution before it takes this share of the time left
_MAX_SOLVING_SHARE = 1 / 3
_MAX_UNSOLVED = 3  # the second pass stops solving after this number of failures: earlier positions are harder
_MAX_WINNING_LINE = 40  # moves of a winning line that is continued to the end of the game


class SearchRequest(NamedTuple):
    """A search that a review needs. moves: all moves before the position. seconds: the search time.

    agent: the agent that searches, one of `live_analysis.METHODS`.
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
    again, and so does the second pass. results: gets the results, by the number of moves before the position; the
    second pass replaces some of them. The first pass leaves out positions that have a result of an earlier review.
    """
    positions, moves = played_game.positions(), tuple(ply.move for ply in played_game.plies)
    numbers = [number for number in positions_to_review(played_game, positions) if number not in results]
    seconds_each, seconds_left = seconds_per_position(len(numbers), seconds), seconds
    for number in numbers:
        request = SearchRequest(positions[number], moves[:number], seconds_each, review_agent(positions[number]))
        if (result := (yield request)) is None:  # on a busy machine, the time may be too short for the first depth
            longer_seconds = min(_CHECK_TIME_FACTOR * seconds_each, seconds_left)
            seconds_left -= longer_seconds
            if (result := (yield request._replace(seconds=longer_seconds))) is None:
                continue
        next_results = {n: results[n] for n in (number + 1, number + 2) if n in results}
        if is_solved_only_after({number: result, **next_results}, number) and result.best_move != moves[number]:
            longer_seconds = seconds_left * _MAX_SOLVING_SHARE
            seconds_left -= longer_seconds
            result = (yield request._replace(seconds=longer_seconds)) or result
        results[number] = result
        _compare_ends(positions, results, number)
    if len(played_game.names) == 2:
        yield from _second_pass(played_game, positions, seconds, seconds_left + seconds, results)
    for number, one in results.items():  # the owners of all points are needed no more, and take much memory
        if one.expected_end is not None:
            results[number] = one._replace(expected_end=one.expected_end._replace(owners={}))


def _second_pass(
    played_game: PlayedGame,
    positions: list[Position],
    seconds: float,
    left: float,
    results: MutableMapping[int, PositionResult],
) -> Generator[SearchRequest, PositionResult | None, None]:
    """Yield longer searches where they may change the review, the most important first.

    These are: in Dots and Boxes, positions that are not solved; positions without a result; won positions whose winning
    move is unknown, if the player then may have missed the win; moves with a loss that no longer search has checked,
    and in a lost game without marks the largest losses; and the winning lines of missed wins, which are continued to
    the end. Each search is counted by the time that it took, because most end early.
    """
    numbers, moves = positions_to_review(played_game, positions), tuple(ply.move for ply in played_game.plies)
    each, winner = seconds_per_position(len(numbers), seconds), played_game.outcome.winner

    def run(number: int, share: float, line: tuple[str, ...] = ()) -> SearchSteps:
        nonlocal left
        position = positions[number]
        for text in line:
            position = position.play(position.game.parse(text))
        began, limit = time.monotonic(), share * left
        answer = yield SearchRequest(position, (*moves[:number], *line), limit, review_agent(position))
        left -= min(limit, time.monotonic() - began)
        return answer

    if positions[0].game.box_count:
        failures = 0
        for number in numbers:
            if number in results and results[number].is_solved:
                continue
            found = yield from run(number, _MAX_SOLVING_SHARE / 2)
            if found is not None and (found.is_solved or number not in results):
                results[number] = found
                for compared_number in {number, number - 1} & results.keys():  # the time may end before the last search
                    _compare_ends(positions, results, compared_number)
            if found is not None and found.is_solved:
                continue
            if (failures := failures + 1) == _MAX_UNSOLVED:
                break
    for number in numbers:
        if number not in results and (found := (yield from run(number, _MAX_TIME_SHARE))) is not None:
            results[number] = found
    for number, one in with_implied_results(played_game, results).items():
        after = results.get(number + 1)
        is_unknown_win = one.value > CERTAIN_THRESHOLD >= results[number].value
        if is_unknown_win and after is not None and abs(after.score) < 1:
            found = yield from run(number, _MAX_TIME_SHARE)
            if found is not None and found.value > CERTAIN_THRESHOLD:
                results[number] = found
    tried = {number for number, one in results.items() if one.checked_loss is not None}
    known = dict[tuple[tuple[str, ...], float], PositionResult]()
    while True:
        review_so_far = build_review(played_game, results, 1.0)
        marked_seats = {played_game.plies[finding.number - 1].seat for finding in review_so_far.findings}
        marked_seats |= {1, 2} if winner is None else {winner}
        suspected = _suspected_losses(played_game, positions, results, review_so_far.advantages)
        losses = {
            number: loss
            for number, loss in suspected.items()
            if number not in tried and not results[number].is_solved and results[number].value <= CERTAIN_THRESHOLD
            if loss >= (INACCURACY_LOSS if results[number].seat in marked_seats else MIN_ONLY_MISTAKE_LOSS)
        }
        if not losses:
            break
        repeats = {number: _confirmed_repeat(positions[number], moves[number], results, number) for number in losses}
        if confirmed := {number: one for number, one in repeats.items() if one is not None}:
            results.update(confirmed)
            tried |= confirmed.keys()
            continue
        priorities = {
            number: loss * (_REPEAT_WEIGHT if _is_repeat(results, number) else 1) for number, loss in losses.items()
        }
        number = max(priorities, key=priorities.__getitem__)
        longest = min(max(_CHECK_TIME_FACTOR * each, _MAX_CHECK_SHARE * seconds), _MAX_TIME_SHARE * left)
        longer = max(each, min(each * _needed_time_factor(results[number], losses[number]), longest))
        if left < _SEARCHES_PER_CHECK * longer:
            break
        tried.add(number)
        began = time.monotonic()
        request = SearchRequest(positions[number], moves[:number], longer, "strongest")
        checked = yield from _check_mistake(request, moves[number], known)
        left -= min(_SEARCHES_PER_CHECK * longer, time.monotonic() - began)
        results[number] = checked or results[number]
        after = known.get((moves[: number + 1], longer))
        is_next_proved = number + 1 in results and abs(results[number + 1].value) > CERTAIN_THRESHOLD
        if after is not None and number + 1 not in tried and not is_next_proved:  # a longer search judges it better
            results[number + 1] = after
    # a winning line of boxes would fill the board, and the words name its margin
    is_short = not positions[0].game.box_count
    for finding in build_review(played_game, results, seconds).findings if is_short else ():
        number = finding.number - 1
        if number not in results or not finding.better_move or results[number].value <= CERTAIN_THRESHOLD:
            continue
        plies = min(WIN_VALUE - results[number].value, _MAX_WINNING_LINE)  # the end of the game
        while len(line := results[number].line) < plies:
            position = positions[number]
            for text in line:
                position = position.play(position.game.parse(text))
            if position.outcome() is not None:
                break
            answer = yield from run(number, _MAX_TIME_SHARE, line)
            if answer is None or abs(answer.value) <= CERTAIN_THRESHOLD:
                break
            results[number] = results[number]._replace(line=(*line, *answer.line))


def _suspected_losses(
    played_game: PlayedGame,
    positions: list[Position],
    results: Mapping[int, PositionResult],
    advantages: Mapping[int, float],
) -> dict[int, float]:
    """Return the advantage that each move may have given away, by the number of moves before it.

    Searches of later positions may contradict the score right after a move. Then their loss may belong to this move. In
    Go, points that a move may have lost count as in `loss_of_points`. advantages: those of the review so far.
    """
    losses = advantage_losses(played_game, positions, results, judges_preferred=True)
    for number, loss in losses.items():
        after = results.get(number + 1)
        if after is not None and not after.is_solved and number + 1 in advantages:  # the review leaves out some results
            later_score = advantage_of_seat(advantages[number + 1], results[number].seat)
            losses[number] = max(loss, results[number].score - later_score)
        points = suspected_points_lost(played_game, positions, results, number)
        losses[number] = max(losses[number], loss_of_points(min(points, BLUNDER_POINTS)))
    return losses


def _is_repeat(results: Mapping[int, PositionResult], number: int) -> bool:
    """Return whether a move near this one is a confirmed mistake, and the same other move was better there."""
    near = [results[n] for n in (number - 2, number - 1, number + 1, number + 2) if n in results]
    confirmed = (one.best_move for one in near if one.checked_loss or one.points_lost)
    return results[number].best_move in confirmed


def _confirmed_repeat(
    position: Position, move: str, results: Mapping[int, PositionResult], number: int
) -> PositionResult | None:
    """Return the result with a confirmed loss if a check has confirmed a mistake near the move, the same other move was
    better there, and the loss of this move exceeds its error; else None. number: the number of moves before the move.
    """
    one, after = results[number], results.get(number + 1)
    if after is None or one.best_move == move or not _is_repeat(results, number):
        return None
    loss, ends = one.score - after.score_of(one.seat), (one.expected_end, after.expected_end)
    deviations = (playout_deviation(max(1, each.nodes), each.score, each.clear_lead) for each in (one, after))
    error = MIN_DEVIATIONS * math.hypot(*deviations)
    is_costly = position.game.scores_places and (points_between(one.seat, *ends) or 0.0) >= MISTAKE_POINTS
    if loss < (-error if is_costly else max(MISTAKE_LOSS, error)):
        return None
    return _with_loss(position, one, move, loss, ends)


def _with_loss(
    position: Position, result: PositionResult, move: str, loss: float, ends: tuple[ExpectedEnd | None, ...]
) -> PositionResult:
    """Return the result with a confirmed loss, and with the reasons that the expected ends give.

    move: the played move. ends: the expected ends after the better move and after the played one.
    """
    known_ends, explainer = [end for end in ends if end is not None] if all(ends) else [], explainer_of(position.game)
    return result._replace(
        checked_loss=max(0.0, loss),
        points_lost=points_between(result.seat, *ends),
        decided_stones=explainer.decided_stones(position, move, known_ends),
        gained_area=explainer.gained_area(position, known_ends),
    )


def _needed_time_factor(result: PositionResult, loss: float) -> float:
    """Return how many times as long as the search of a position a search of its check must be, to confirm a loss.

    loss: the loss of advantage, or that of points as in `loss_of_points`. There are few different factors, so that the
    checks of successive moves use the same searches.
    """
    deviations = [playout_deviation(max(1, result.nodes), result.score, result.clear_lead)]
    if result.expected_end is not None:
        deviations.append(loss_of_points(lead_deviation(result.expected_end)))
    # each of the two compared searches has an error; with the half of the loss as a margin for its own error
    needed = 2 * (2 * MIN_DEVIATIONS * min(deviations) / loss) ** 2
    factor = float(_CHECK_TIME_FACTOR)
    while factor < needed:
        factor *= 2
    return factor


def _compare_ends(positions: list[Position], results: MutableMapping[int, PositionResult], number: int) -> None:
    """Compute the points that a move lost if the positions before it and after it are solved."""
    if results[number].is_solved:
        ends = results[number].expected_end, known_end(positions[number + 1], results.get(number + 1))
        results[number] = results[number]._replace(points_lost=points_between(results[number].seat, *ends))


def known_end(position: Position, result: PositionResult | None) -> ExpectedEnd | None:
    """Return the end of a game that is over or whose position is solved; None if it is not known."""
    if (outcome := position.outcome()) is not None:
        first, second = outcome.scores or (0.0, 0.0)
        return ExpectedEnd(first - second, 0.0, {})
    return result.expected_end if result is not None and result.is_solved else None


def _check_mistake(
    request: SearchRequest, move: str, known: dict[tuple[tuple[str, ...], float], PositionResult]
) -> SearchSteps:
    """Search the position of a mistake again, and the positions after the mistake and after the better move.

    Without a compiled engine, these searches of Go use playouts, so that two different methods must agree. known: the
    results of earlier checks, by the moves before the position and the search time; the searches are added.

    Return a result that prefers the played move, or that has the loss of the mistake; None if a search had no result.
    """

    def search(request: SearchRequest) -> SearchSteps:
        if (request.moves, request.seconds) not in known and (answer := (yield request)) is not None:
            known[request.moves, request.seconds] = answer
        return known.get((request.moves, request.seconds))

    if (result := (yield from search(request))) is None:
        return None
    rejected = result._replace(line=(move,), checked_loss=0.0, effect="", idea="")
    if result.best_move == move:
        return result._replace(checked_loss=0.0)
    position, scores, variance = request.position, dict[str, float](), 0.0
    ends, are_solved = dict[str, ExpectedEnd | None](), dict[str, bool]()
    for compared_move in (move, result.best_move):
        next_position = position.play(position.game.parse(compared_move))
        if (outcome := next_position.outcome()) is not None:
            scores[compared_move] = outcome_score(outcome, result.seat)
            are_solved[compared_move] = True
            ends[compared_move] = known_end(next_position, None) if position.game.scores_places else None
        else:
            answer = yield from search(request._replace(position=next_position, moves=(*request.moves, compared_move)))
            if answer is None:
                return None
            scores[compared_move] = answer.score_of(result.seat)
            ends[compared_move] = answer.expected_end
            are_solved[compared_move] = answer.is_solved
            if not answer.is_solved and abs(answer.value) <= CERTAIN_THRESHOLD:
                variance += playout_deviation(answer.nodes, answer.score, answer.clear_lead) ** 2
        # the last search is not needed if the others already see no loss
        if (
            position.game.scores_places
            and result.score - scores[move] < MIN_ONLY_MISTAKE_LOSS
            and points_fall(result.seat, result.expected_end, ends[move]) < INACCURACY_POINTS
        ):
            return rejected
    best_score = 1.0 if result.value > CERTAIN_THRESHOLD else min(scores[result.best_move], result.score)
    loss = best_score - scores[move]
    # a solution is not compared with an estimate
    is_comparable = are_solved[result.best_move] or result.is_solved or not are_solved[move]
    error = MIN_DEVIATIONS * math.sqrt(variance)
    compared = ends[result.best_move], ends[move]
    points_lost = points_between(result.seat, *compared)
    # in a decided game of Go the win chance hardly falls, but it must not rise
    is_costly = position.game.scores_places and (points_lost or 0.0) >= INACCURACY_POINTS
    if is_comparable and (loss >= max(MIN_ONLY_MISTAKE_LOSS, error) or (is_costly and loss >= -error)):
        return _with_loss(position, result, move, loss, compared)
    return rejected


def search_positions(played_game: PlayedGame, seconds: float) -> Iterator[tuple[int, PositionResult]]:
    """Search the positions of a game. Yield the number of moves played before each position, and the result.

    A later result of the same position replaces the earlier one. The last position comes first: the search is most
    reliable near the end, and the end matters most if time is short. The function searches for `seconds`, not counting
    the time for loading the engine, for checking mistakes and for the second pass.
    """
    strongest_search.wait_for_engine(played_game.rules().start())
    results, reported = dict[int, PositionResult](), dict[int, PositionResult]()
    deadline = time.monotonic() + 3 * seconds
    searches = review_searches(played_game, seconds, results)
    request = next(searches, None)
    while request is not None and (now := time.monotonic()) < deadline:
        result = search_position(request.position, min(deadline, now + request.seconds), request.agent)
        try:
            request = searches.send(result)
        except StopIteration:
            request = None
        changed = {number: one for number, one in results.items() if reported.get(number) is not one}
        reported |= changed
        yield from changed.items()


def review(played_game: PlayedGame, seconds: float) -> Review:
    """Search each position of a game briefly, and report the mistakes. seconds: as for `search_positions`."""
    return build_review(played_game, dict(search_positions(played_game, seconds)), seconds).with_final_summary()
