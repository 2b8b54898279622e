"""Judges the moves of a game: the advantage that each move gave away, according to the searches.

The module depends on the results of searches, not on sentences.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from gomogo_core.analysis.review_results import PositionResult, advantage_of_seat, outcome_score
from gomogo_core.games.base import Position, Seat
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.search.node import CERTAIN_THRESHOLD
from gomogo_core.search.result import ExpectedEnd

# the least advantage that an inaccuracy, a mistake and a blunder give away; the advantage is from -1 to 1. A game is
# often lost in several small steps, so an inaccuracy is marked, too, but only if longer searches confirm its loss
INACCURACY_LOSS, MISTAKE_LOSS, BLUNDER_LOSS = 0.15, 0.3, 0.8
# without any mark of the loser, the largest confirmed loss is named if it is at least this advantage
MIN_ONLY_MISTAKE_LOSS = 0.05
MIN_MISSED_WIN_LOSS = 0.1  # the least advantage that a missed win or a missed large capture must have given away
# the least points that an inaccuracy, a mistake and a blunder lose in Go, if longer searches confirm them
INACCURACY_POINTS, MISTAKE_POINTS, BLUNDER_POINTS = 2.0, 5.0, 10.0
# searches of Go with different seeds differ more than their playouts explain, also in the lead: docs/why/searching.md
_LEAD_ERROR_FACTOR = 2.0
MIN_DEVIATIONS = 2  # a difference between searches must exceed this number of standard deviations
_MAX_ESTIMATE = 0.98  # a win chance of 99 %: only a proof makes a win certain
POINTS_PER_BOX = 2  # a box that changes hands counts twice in the lead


def with_implied_results(played_game: PlayedGame, results: Mapping[int, PositionResult]) -> dict[int, PositionResult]:
    """Return the results, with certain results in place of the estimates that neighbouring positions contradict.

    A player who certainly loses before a move also loses after it, and a player who certainly wins before the move of
    the proof also wins after it. A player who certainly wins after a move also won before it. An estimate between two
    solved positions with the same result is left out: it is no evidence of two errors, but it does not exclude them. On
    a busy machine a search may end before it solves a position, although a shorter search solved an earlier one.
    """
    found = dict(results)
    if len(played_game.names) != 2:
        return found

    def copy_result(number: int, source: PositionResult, line: tuple[str, ...] = ()) -> None:
        one = results[number]
        value = source.value if source.seat == one.seat else -source.value
        found[number] = one._replace(
            value=value,
            line=line or (played_game.plies[number].move,),
            effect="",
            idea="",
            checked_loss=None,
            points_lost=None,
            is_solved=source.is_solved,
        )

    def is_certain(number: int) -> bool:
        return number in found and abs(found[number].value) > CERTAIN_THRESHOLD

    for number in sorted(results, reverse=True):
        after = found.get(number + 1)
        if after is not None and not is_certain(number) and after.score_of(results[number].seat) == 1:
            copy_result(number, after)
    for number in sorted(results):
        before = found.get(number - 1)
        if before is None or is_certain(number) or abs(before.score) < 1:
            continue
        follows_line = before.best_move == played_game.plies[number - 1].move
        if before.score == -1 or follows_line:
            copy_result(number, before, before.line[1:] if follows_line else ())
    solved = [number for number in sorted(found) if found[number].is_solved]
    for first, last in pairwise(solved):
        if abs(found[first].score_of(1) - found[last].score_of(1)) < MIN_MISSED_WIN_LOSS:
            for number in range(first + 1, last):
                found.pop(number, None)
    return found


def advantage_losses(
    played_game: PlayedGame,
    positions: list[Position],
    results: Mapping[int, PositionResult],
    *,
    judges_preferred: bool = False,
) -> dict[int, float]:
    """Return the advantage that each judged move gave away, by the number of moves before it.

    The result is empty for a game of more than two players. The move that the search prefers gives away nothing. Longer
    searches or the result of the next position judge any other move. If the opponent's answer is the move that the
    search prefers there, the better of the next two results judges the move, because a single search errs too often.
    If the next position is solved but this one is not, the move gave away nothing that is known: the game may have been
    decided before. A move after which the loss is proved is judged even if the search preferred it.

    judges_preferred: whether to judge the moves that the search prefers like the others. If the advantage falls after
    such a move, the search was wrong before it or after it, so a longer search may find a better move.
    """
    losses = dict[int, float]()
    for number, result in results.items() if len(played_game.names) == 2 else ():
        next_result, later = results.get(number + 1), results.get(number + 2)
        is_preferred = not judges_preferred and result.best_move == played_game.plies[number].move
        if is_solved_only_after(results, number) or (is_preferred and not is_proved_blunder(results, number)):
            losses[number] = 0.0
        elif result.checked_loss is not None:
            losses[number] = result.checked_loss
        elif (outcome := positions[number + 1].outcome()) is not None:
            losses[number] = result.score - outcome_score(outcome, result.seat)
        elif next_result is not None:
            scores = [next_result.score_of(result.seat)]
            answered_well = next_result.best_move == played_game.plies[number + 1].move
            if later is not None and answered_well and abs(next_result.value) <= CERTAIN_THRESHOLD:
                scores.append(later.score_of(result.seat))
            losses[number] = max(0.0, result.score - max(scores))
    return losses


def without_noise(
    positions: Sequence[Position], results: Mapping[int, PositionResult], losses: Mapping[int, float]
) -> dict[int, float]:
    """Return the losses, with those limited that may be mere differences between searches.

    In the quiet opening of a game, a loss counts only if it is proved, or confirmed as large: many moves are equally
    good there. In Go, a loss that is neither proved nor confirmed is less than that of an inaccuracy, since short
    searches differ by more.
    """

    def limit_of(number: int) -> float:
        known, checked_loss = (results[number], results.get(number + 1)), results[number].checked_loss
        if any(result is not None and abs(result.value) > CERTAIN_THRESHOLD for result in known):
            return math.inf
        if number < positions[0].game.quiet_opening_length and (checked_loss or 0.0) < MISTAKE_LOSS:
            return 0.0
        is_doubtful = checked_loss is None and positions[0].game.scores_places
        return MIN_MISSED_WIN_LOSS if is_doubtful else math.inf

    return {number: min(loss, limit_of(number)) for number, loss in losses.items()}


def is_solved_only_after(results: Mapping[int, PositionResult], number: int) -> bool:
    """Return whether the position after `number` moves is not solved, although the next one is."""
    after = results.get(number + 1)
    return after is not None and after.is_solved and not results[number].is_solved


def is_proved_blunder(results: Mapping[int, PositionResult], number: int) -> bool:
    """Return whether the loss of the mover is proved after the next move, but in no position before it.

    A short search may overlook such a loss and prefer the move.
    """
    one, after, before = results[number], results.get(number + 1), results.get(number - 1)
    is_lost_after = after is not None and abs(after.value) > CERTAIN_THRESHOLD and after.score_of(one.seat) < 0
    was_lost = before is not None and abs(before.value) > CERTAIN_THRESHOLD and before.score_of(one.seat) < 0
    return is_lost_after and one.value >= -CERTAIN_THRESHOLD and not was_lost


def first_player_advantages(
    positions: list[Position], results: Mapping[int, PositionResult], losses: Mapping[int, float]
) -> dict[int, float]:
    """Return the first player's advantage, by the number of moves played before.

    The later of two searches knows more of the game, so the estimates are backed up from the end of the game to its
    beginning. Before a mistake, the advantage is the one after it plus the loss of the mistake. A move without a mark
    changes the advantage by at most `INACCURACY_LOSS`: a larger change shows that the search before the move was wrong.
    Results that are certain or solved stay as they are. An estimate before a solved position also stays: the game may
    have been decided by the move.
    """
    outcome = positions[-1].outcome()
    advantages = dict[int, float]() if outcome is None else {len(positions) - 1: outcome_score(outcome, 1)}
    for number, result in sorted(results.items(), reverse=True):
        after, score = results.get(number + 1), result.score
        is_estimate = not result.is_solved and abs(result.value) <= CERTAIN_THRESHOLD
        if is_estimate and after is not None and not after.is_solved:
            later_score, loss = advantage_of_seat(advantages[number + 1], result.seat), losses.get(number, 0.0)
            if loss >= (MISTAKE_LOSS if result.checked_loss is None else MIN_ONLY_MISTAKE_LOSS):
                score = later_score + loss
            else:
                score = max(later_score - INACCURACY_LOSS, min(score, later_score + INACCURACY_LOSS))
        limit = _MAX_ESTIMATE if is_estimate else 1.0
        advantages[number] = advantage_of_seat(max(-limit, min(score, limit)), result.seat)
    return dict(sorted(advantages.items()))


def within_graph(
    positions: Sequence[Position],
    results: Mapping[int, PositionResult],
    losses: Mapping[int, float],
    advantages: Mapping[int, float],
) -> dict[int, float]:
    """Return the losses; in Go, those of estimates are at most the falls of the win chance that the graph shows.

    A check may find a larger loss than the graph has room for, if searches of later positions contradict it.
    advantages: the result of `first_player_advantages`.
    """
    found = dict(losses)
    for number in losses.keys() & advantages.keys() if positions[0].game.scores_places else ():
        one = results[number]
        if abs(one.value) <= CERTAIN_THRESHOLD and number + 1 in advantages:
            before, after = (advantage_of_seat(advantages[n], one.seat) for n in (number, number + 1))
            found[number] = min(losses[number], max(0.0, before - after))
    return found


def find_final_leads(positions: Sequence[Position], results: Mapping[int, PositionResult]) -> dict[int, float]:
    """Return the first player's lead in boxes at the end if both play perfectly, by the number of moves before.

    It is empty in games other than Dots and Boxes for two, and if most positions are not solved.
    """
    if not positions[0].game.box_count or positions[0].game.seats != 2:
        return {}
    solved = {number: result.expected_end for number, result in sorted(results.items()) if result.is_solved}
    leads = {number: end.lead for number, end in solved.items() if end is not None}
    if not leads or 2 * len(leads) < len(results):
        return {}
    if (outcome := positions[-1].outcome()) is not None and outcome.scores:
        leads[len(positions) - 1] = outcome.scores[0] - outcome.scores[1]
    return leads


def confirmed_points_lost(position: Position, result: PositionResult) -> float:
    """Return the points that a move lost in a game of territory according to longer searches; 0 if that is unknown."""
    return (result.points_lost or 0.0) if position.game.scores_places else 0.0


def loss_of_points(points: float) -> float:
    """Return lost points of Go as a loss of advantage: the limits of a mistake are equal."""
    return MISTAKE_LOSS / MISTAKE_POINTS * points


def probable_points_lost(
    played_game: PlayedGame, positions: Sequence[Position], results: Mapping[int, PositionResult], number: int
) -> float:
    """Return the points that a move of Go lost: confirmed by longer searches, or else by the searches around the move.

    It is 0 in other games, if the search prefers the move, and if the difference may be chance. number: the number of
    moves before the move. As in `advantage_losses`, the better of the next two results counts after a good answer.
    """
    result = results[number]
    if confirmed := confirmed_points_lost(positions[number], result):
        return confirmed
    if not positions[number].game.scores_places or result.best_move == played_game.plies[number].move:
        return 0.0
    ends = _ends_after(played_game, results, number)
    return min((points_between(result.seat, result.expected_end, end) or 0.0 for end in ends), default=0.0)


def suspected_points_lost(
    played_game: PlayedGame, positions: Sequence[Position], results: Mapping[int, PositionResult], number: int
) -> float:
    """Return the points that a move of Go lost by the searches around the move, although the difference may be chance.

    The parameters are those of `probable_points_lost`. It is 0 in other games.
    """
    if not positions[number].game.scores_places:
        return 0.0
    before, seat = results[number].expected_end, results[number].seat
    falls = (points_fall(seat, before, end) for end in _ends_after(played_game, results, number))
    return max(0.0, min(falls, default=0.0))


def _ends_after(
    played_game: PlayedGame, results: Mapping[int, PositionResult], number: int
) -> Iterator[ExpectedEnd | None]:
    """Yield the expected ends after a move, and after a good answer to it."""
    if (after := results.get(number + 1)) is not None:
        yield after.expected_end
        later = results.get(number + 2)
        if later is not None and after.best_move == played_game.plies[number + 1].move:
            yield later.expected_end


def points_between(seat: Seat, better_end: ExpectedEnd | None, played_end: ExpectedEnd | None) -> float | None:
    """Return the points that a player lost by the played move; None if the difference is unknown or may be chance.

    better_end, played_end: the expected ends after the better move and after the played one.
    """
    if better_end is None or played_end is None:
        return None
    points = points_fall(seat, better_end, played_end)
    error = math.hypot(lead_deviation(better_end), lead_deviation(played_end))
    return points if points >= max(1.0, MIN_DEVIATIONS * error) else None


def points_fall(seat: Seat, better_end: ExpectedEnd | None, played_end: ExpectedEnd | None) -> float:
    """Return by how many points the expected lead of a player is lower at `played_end`; 0 if an end is unknown."""
    if better_end is None or played_end is None:
        return 0.0
    return (better_end.lead - played_end.lead) * (1 if seat == 1 else -1)


def lead_deviation(end: ExpectedEnd) -> float:
    """Return the standard deviation of an expected lead between searches of Go with different seeds."""
    return _LEAD_ERROR_FACTOR * end.error


def find_box_losses(positions: Sequence[Position], results: Mapping[int, PositionResult]) -> dict[int, float]:
    """Return the moves in Dots and Boxes that cost boxes, even if the game was decided, with their losses."""
    losses = dict[int, float]()
    for number, result in results.items():
        box_count = positions[number].game.box_count
        if box_count and result.points_lost is not None and (loss := box_loss(result.points_lost, box_count)):
            losses[number] = loss
    return losses


def box_loss(lead_lost: float, box_count: int) -> float:
    """Return a lost lead as a share of all boxes; 0 if it is too small for a mark. box_count: the number of boxes."""
    share = min(lead_lost / box_count, 1.0)
    return share if share >= MIN_MISSED_WIN_LOSS else 0.0
