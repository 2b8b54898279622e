"""Judges a move that a user tries in place of a mistake in a reviewed game.

The module uses the results of a review, but runs no search.
"""

from __future__ import annotations

from gomogo_core.analysis.review_results import win_chance_percent
from gomogo_core.printable import count_with_noun

# an accepted move gives away at most this advantage, which is 5 percentage points of win chance; a mistake gives away
# at least three times as much
MAX_ACCEPTED_LOSS = 0.1


def judge_retry(
    advantage: float,
    best_move: str,
    move: str,
    score: float,
    best_score: float,
    boxes_lost: int = 0,
    reason: str = "",
    box_result: str = "",
) -> tuple[bool, str]:
    """Return whether a move is accepted in place of a mistake, and a sentence about the move.

    advantage: the mover's advantage before the mistake, from -1 to 1, as the review shows it. best_move: the move that
    the review prefers. score, best_score: the advantages after `move` and after `best_move`. Searches of the same
    length give both, because the value of a position and the values after its moves differ systematically. The sentence
    has the win chance that the review shows, and subtracts the difference of these two searches from it. boxes_lost:
    the boxes that `move` is proved to give away in comparison with `best_move`, even if the win chances are equal.
    reason: the effect of the best move, such as "makes an open four"; empty if there is none. box_result: the proved
    result after `move` in Dots and Boxes, such as "wins by 3 boxes", which replaces the win chance; empty if unknown.
    """
    best_chance = win_chance_percent(advantage)
    if move == best_move:
        why = f" It {reason}." if reason else ""
        value = f": it {box_result} if both play perfectly" if box_result else f", with a win chance of {best_chance} %"
        return True, f"Right: the review also prefers {move}{value}.{why}"
    is_certain = abs(score) == 1
    win_chance = win_chance_percent(score if is_certain else max(-1.0, advantage - max(0.0, best_score - score)))
    if box_result and boxes_lost > 0:
        costs = f"costs {count_with_noun(boxes_lost, 'box', 'boxes')}"
        return False, f"{move} {costs}: it {box_result} if both play perfectly. Try again."
    if box_result and boxes_lost == 0:
        return True, f"Good: {move} is as good as the review's move, {best_move}: it {box_result}."
    if score < best_score - MAX_ACCEPTED_LOSS:
        return False, f"After {move} the win chance is {win_chance} % instead of {best_chance} %. Try again."
    if boxes_lost > 0:
        return False, f"{move} gives away {count_with_noun(boxes_lost, 'box', 'boxes')}. Try again."
    if win_chance == best_chance:
        return True, f"Good: {move} is as good as the review's move, {best_move}: the win chance is {win_chance} %."
    comparison = f"The review prefers {best_move}, with {best_chance} %."
    return True, f"Good: {move} has a win chance of {win_chance} %. {comparison}"


def judge_played_move(move: str, advantage: float, box_result: str = "") -> tuple[bool, str]:
    """Return False, because the move played in the game is not accepted as a better one, and a sentence that says so.

    advantage: the mover's advantage after this move. box_result: its proved result in Dots and Boxes, compared with
    that of the best move, as a predicate; empty if unknown.
    """
    if box_result:
        return False, f"{move} is the move of the game, which {box_result}. Try another one."
    win_chance = win_chance_percent(advantage)
    return False, f"{move} is the move of the game: after it the win chance is {win_chance} %. Try another one."


def retry_task(move: str, player_name: str, noun: str) -> str:
    """Return the task of a retry in two sentences. move: the mistake. noun: its kind, such as "blunder"."""
    article = "an" if noun[0] in "aeiou" else "a"
    return f"{player_name} played {move}, {article} {noun}. Find a better move."
