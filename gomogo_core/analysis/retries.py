"""Judges a move that a user tries in place of a mistake in a reviewed game.

The module uses the results of a review, but runs no search.
"""

from __future__ import annotations

from gomogo_core.analysis.review_losses import INACCURACY_LOSS, INACCURACY_POINTS, box_loss
from gomogo_core.analysis.review_results import win_chance_percent
from gomogo_core.analysis.review_sentences import box_result_words, compared_boxes_words
from gomogo_core.printable import count_with_noun

# a move is called "not bad" if it loses at most this share of the mistake's loss, even if a review would mark it
_MAX_FAIR_SHARE = 1 / 3
_TRY_BETTER = "There is a better move. Try again."


def best_within_error(best: float, tried: float, error: float) -> float:
    """Return the result of the best move, lowered by the error of its comparison with a tried move.

    best, tried: the results of both moves, by searches. error: the standard deviation of their difference. If the
    difference is less, the moves count as equally good.

    >>> best_within_error(0.5, 0.45, 0.1), best_within_error(0.5, 0.3, 0.1), best_within_error(0.5, 0.6, 0.1)
    (0.45, 0.4, 0.5)
    """
    return min(best, max(tried, best - error))


def judge_retry(
    advantage: float,
    played_advantage: float,
    best_move: str,
    move: str,
    score: float,
    best_score: float,
    reason: str = "",
) -> tuple[bool, str]:
    """Return whether a move is accepted in place of a mistake, and a sentence about the move.

    advantage, played_advantage: the mover's advantages before and after the mistake, from -1 to 1, as the review shows
    them. best_move: the move that the review prefers. score, best_score: the advantages after `move` and after
    `best_move`. Searches of the same length give both, because the value of a position and the values after its moves
    differ systematically. The sentence takes the win chance that the review shows, and subtracts the difference of
    these two searches. If they prove that `best_move` wins, its win chance is 100 %. reason: the effect of the best
    move, such as "makes an open four"; empty if there is none.

    An accepted move gives away less than an inaccuracy, and less than the mistake. A move in place of a proved win must
    be a proved win. The sentence about a move that is not accepted does not name the best move.
    """
    if best_score == 1 > advantage:  # the review had too little time for this proof
        advantage = 1.0
        if move == best_move:
            return True, _right_sentence(move, ", and a longer search proves that it wins", reason)
    best_chance = win_chance_percent(advantage)
    if move == best_move:
        return True, _right_sentence(move, f", with a win chance of {best_chance} %", reason)
    is_certain = abs(score) == 1
    win_chance = win_chance_percent(score if is_certain else max(-1.0, advantage - max(0.0, best_score - score)))
    is_win_proved = advantage == 1
    if is_win_proved and not is_certain and win_chance == best_chance:
        return False, f"{move} is probably also good ({win_chance} %), but another move is a proved win. Try again."
    if win_chance == best_chance:
        return True, f"Good: {move} is as good as the review's move, {best_move}: the win chance is {win_chance} %."
    if win_chance > best_chance:
        return True, f"Good: after {move} the win chance is {win_chance} %, and the review's move has {best_chance} %."
    # the limits are compared in percent, so that a reader of the sentence can check them
    loss, lost_by_mistake = best_chance - win_chance, best_chance - win_chance_percent(played_advantage)
    if is_win_proved or loss >= lost_by_mistake:
        return False, f"After {move} the win chance is {win_chance} % instead of {best_chance} %. Try again."
    if loss < INACCURACY_LOSS * 50:
        return True, f"Good: {move} keeps {win_chance} %. {best_move} keeps {best_chance} %, so it is slightly better."
    if loss <= lost_by_mistake * _MAX_FAIR_SHARE:
        return False, f"Not bad: {move} keeps {win_chance} %. {_TRY_BETTER}"
    return False, f"After {move} the win chance is {win_chance} % instead of {best_chance} %. Try again."


def judge_retry_by_boxes(
    best_move: str,
    move: str,
    lead: float,
    best_lead: float,
    played_lead: float | None,
    box_count: int,
    reason: str = "",
    harm: str = "",
) -> tuple[bool, str]:
    """Return whether an edge of Dots and Boxes is accepted in place of a mistake, and a sentence about the edge.

    lead, best_lead, played_lead: the mover's proved leads at the end of the game after `move`, after `best_move` and
    after the mistake; the last one is None if it is unknown. box_count: the number of boxes. reason: as in
    `judge_retry`. harm: the effect of `move`, such as "opens a chain of 3 boxes", for the sentence on an edge that is
    not accepted; empty if there is none.

    An accepted edge has the result of the best edge, a win, a draw or a loss. It costs fewer boxes than the mistake,
    and so few that a review would not mark it.
    """
    if move == best_move:
        return True, _right_sentence(move, f": it {box_result_words(best_lead)} if both play perfectly", reason)
    lead_lost, words = round(best_lead) - round(lead), compared_boxes_words(lead, best_lead)
    if lead_lost <= 0:
        return True, f"Good: {move} is as good as the review's move, {best_move}: it {box_result_words(lead)}."
    is_better = played_lead is not None and round(lead) > round(played_lead)
    if is_better and _result_class(lead) == _result_class(best_lead) and not box_loss(lead_lost, box_count):
        return True, f"Good: {move} {words}. {best_move} is slightly better."
    words = f"{words}{f': it {harm}' * bool(harm)}"
    if played_lead is not None and _result_class(lead) > _result_class(played_lead):
        return False, f"Not bad: {move} {words}. {_TRY_BETTER}"
    return False, f"{move} {words}. Try again."


def _right_sentence(move: str, value: str, reason: str) -> str:
    """Return sentences about the move that the review prefers. value: its result, with the sign before it."""
    return f"Right: the review also prefers {move}{value}.{f' It {reason}.' * bool(reason)}"


def _result_class(lead: float) -> int:
    """Return 1 for a win, 0 for a draw and -1 for a loss."""
    boxes = round(lead)
    return (boxes > 0) - (boxes < 0)


def judge_retry_by_points(
    best_move: str, move: str, lead: float, best_lead: float, points_lost: float
) -> tuple[bool, str]:
    """Return whether a move of Go is accepted in place of a mistake that lost points but hardly any win chance, and a
    sentence about the move.

    lead, best_lead: the mover's expected leads after `move` and after another move, `best_move`, by searches of the
    same length. points_lost: the points that the mistake lost. An accepted move loses fewer points than an inaccuracy
    and than the mistake.
    """
    lost = best_lead - lead
    if (count := round(lost)) < 1:
        return True, f"Good: {move} is as good as the review's move, {best_move}."
    points = f"about {count_with_noun(count, 'point')}"
    if lost < min(INACCURACY_POINTS, points_lost):
        return True, f"Good: {move} is only {points} worse than the review's move, {best_move}."
    if lost <= points_lost * _MAX_FAIR_SHARE:
        return False, f"Not bad: {move} loses only {points}. {_TRY_BETTER}"
    return False, f"{move} loses {points}, compared with the best move. Try again."


def judge_played_move(move: str, advantage: float, box_result: str = "", points_lost: float = 0.0) -> tuple[bool, str]:
    """Return False, because the move played in the game is not accepted as a better one, and a sentence that says so.

    advantage: the mover's advantage after this move. box_result: its proved result in Dots and Boxes, compared with
    that of the best move, as a predicate; empty if unknown. points_lost: the points that it lost, if it lost hardly any
    win chance; else 0.
    """
    if box_result:
        return False, f"{move} is the move of the game, which {box_result}. Try another one."
    if points_lost:
        points = count_with_noun(round(points_lost), "point")
        return False, f"{move} is the move of the game: it loses about {points}. Try another one."
    win_chance = win_chance_percent(advantage)
    return False, f"{move} is the move of the game: after it the win chance is {win_chance} %. Try another one."


def retry_task(move: str, player_name: str, noun: str) -> str:
    """Return the task of a retry in two sentences. move: the mistake. noun: its kind, such as "blunder"."""
    article = "an" if noun[0] in "aeiou" else "a"
    return f"{player_name} played {move}, {article} {noun}. Find a better move."
