"""Judges a move that a user tries in place of a mistake in a reviewed game.

The module knows the results of a review, but runs no search.
"""

from __future__ import annotations

from gomogo_core.analysis.review import PositionResult, win_chance_percent

# an accepted move gives away at most this advantage, which is 5 percentage points of win chance; a mistake gives away
# at least three times as much
MARGIN = 0.1


def judge_retry(result: PositionResult, played: str, move: str, score: float, best_score: float) -> tuple[bool, str]:
    """Return whether a move is accepted in place of a mistake, and a sentence about the move.

    result: the result of the position before the mistake. played: the mistake. score, best_score: the mover's
    advantages, from -1 to 1, after `move` and after the move that the review prefers. Searches of the same length give
    both, because the value of a position and the values after its moves differ systematically.
    """
    chance, best_chance = win_chance_percent(score), win_chance_percent(best_score)
    if move == result.best_move:
        return True, f"Right: the review also prefers {move}, with a win chance of {best_chance} %."
    if move == played:
        return False, f"{move} is the move of the game. Try another one."
    if score >= best_score - MARGIN:
        return True, (
            f"Good: {move} has a win chance of {chance} %. The review prefers {result.best_move}, with {best_chance} %."
        )
    return False, f"After {move} the win chance is {chance} % instead of {best_chance} %. Try again."


def retry_task(move: str, player_name: str, *, is_blunder: bool) -> str:
    """Return the task of a retry in two sentences. move: the mistake."""
    return f"{player_name} played {move}, a {'blunder' if is_blunder else 'mistake'}. Find a better move."
