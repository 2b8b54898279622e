"""Judges a move that a user tries in place of a mistake in a reviewed game.

The module uses the results of a review, but runs no search.
"""

from __future__ import annotations

from gomogo_core.analysis.review_losses import INACCURACY_LOSS, INACCURACY_POINTS
from gomogo_core.analysis.review_results import win_chance_percent
from gomogo_core.analysis.review_sentences import box_result_words
from gomogo_core.printable import count_with_noun

# an accepted move gives away less than an inaccuracy, or at most this share of the loss of the mistake
_MAX_ACCEPTED_SHARE = 1 / 3


def judge_retry(
    advantage: float,
    played_advantage: float,
    best_move: str,
    move: str,
    score: float,
    best_score: float,
    reason: str = "",
    lead: float | None = None,
    best_lead: float | None = None,
    played_lead: float | None = None,
) -> tuple[bool, str]:
    """Return whether a move is accepted in place of a mistake, and a sentence about the move.

    advantage, played_advantage: the mover's advantages before and after the mistake, from -1 to 1, as the review shows
    them. best_move: the move that the review prefers. score, best_score: the advantages after `move` and after
    `best_move`. Searches of the same length give both, because the value of a position and the values after its moves
    differ systematically. The sentence has the win chance that the review shows, and subtracts the difference of these
    two searches from it. reason: the effect of the best move, such as "makes an open four"; empty if there is none.
    lead, best_lead, played_lead: the mover's proved leads at the end of a game of Dots and Boxes after `move`, after
    `best_move` and after the mistake, which replace the win chances; None if unknown.

    A move in place of a proved win must be a proved win. In Dots and Boxes, a move must have the best proved lead, or
    turn the mistake's loss into a draw or a win, or its draw into a win.
    """
    best_chance = win_chance_percent(advantage)
    if move == best_move:
        why = f" It {reason}." if reason else ""
        value = f", with a win chance of {best_chance} %"
        if best_lead is not None:
            value = f": it {box_result_words(best_lead)} if both play perfectly"
        return True, f"Right: the review also prefers {move}{value}.{why}"
    if lead is not None and best_lead is not None:
        result, best_result = box_result_words(lead), box_result_words(best_lead)
        if round(lead) < round(best_lead):
            if played_lead is not None and _result_class(lead) > _result_class(played_lead):
                return True, _better_result_sentence(move, lead, best_move, best_lead)
            return False, f"{move} {result}; the best edge {best_result}, if both play perfectly. Try again."
        return True, f"Good: {move} is as good as the review's move, {best_move}: it {result}."
    is_certain = abs(score) == 1
    win_chance = win_chance_percent(score if is_certain else max(-1.0, advantage - max(0.0, best_score - score)))
    is_win_proved = 1 in (advantage, best_score)
    if is_win_proved and not is_certain and win_chance == best_chance:
        return False, f"{move} is probably also good ({win_chance} %), but {best_move} is a proved win. Try again."
    if win_chance == best_chance:
        return True, f"Good: {move} is as good as the review's move, {best_move}: the win chance is {win_chance} %."
    if win_chance > best_chance:
        return True, f"Good: after {move} the win chance is {win_chance} %, and the review's move has {best_chance} %."
    # the limits are compared in percent, so that a reader of the sentence can check them
    loss, lost_by_mistake = best_chance - win_chance, best_chance - win_chance_percent(played_advantage)
    is_small = loss < INACCURACY_LOSS * 50
    if is_win_proved or loss >= lost_by_mistake or not (is_small or loss <= lost_by_mistake * _MAX_ACCEPTED_SHARE):
        return False, f"After {move} the win chance is {win_chance} % instead of {best_chance} %. Try again."
    comparison = "slightly better" if is_small else "better"
    return True, f"Good: {move} keeps {win_chance} %. {best_move} keeps {best_chance} %, so it is {comparison}."


def _result_class(lead: float) -> int:
    """Return 1 for a win, 0 for a draw and -1 for a loss."""
    boxes = round(lead)
    return (boxes > 0) - (boxes < 0)


def _better_result_sentence(move: str, lead: float, best_move: str, best_lead: float) -> str:
    """Return a sentence about an edge that changes the result for the better, and about the best edge, which gains
    more.
    """
    # leads differ by two for each box that one player takes in place of the other
    boxes = count_with_noun((round(best_lead) - round(lead)) // 2, "box", "boxes")
    comparison = f"wins by more ({boxes})" if round(lead) > 0 else box_result_words(best_lead)
    return f"Good: {move} {box_result_words(lead)}, if both play perfectly. {best_move} {comparison}."


def judge_retry_by_points(
    best_move: str, move: str, lead: float, best_lead: float, points_lost: float
) -> tuple[bool, str]:
    """Return whether a move of Go is accepted in place of a mistake that lost hardly more than points, and a sentence.

    lead, best_lead: the mover's expected leads after `move` and after another move, `best_move`, by searches of the
    same length. points_lost: the points that the mistake lost. An accepted move loses fewer points than an inaccuracy
    and than the mistake, or at most a third of the points of the mistake.
    """
    lost = best_lead - lead
    if (count := round(lost)) < 1:
        return True, f"Good: {move} is as good as the review's move, {best_move}."
    points = f"about {count_with_noun(count, 'point')}"
    if lost < min(INACCURACY_POINTS, points_lost) or lost <= points_lost * _MAX_ACCEPTED_SHARE:
        return True, f"Good: {move} is only {points} worse than the review's move, {best_move}."
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
