"""Finds and describes the turning point of a game: the move that lost it, or after which the loser never recovered.

The module uses the results and losses of a review, but not the review as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gomogo_core.analysis.review_losses import MISTAKE_LOSS, is_solved_only_after
from gomogo_core.analysis.review_results import PositionResult, advantage_of_seat, win_chance_percent
from gomogo_core.analysis.review_sentences import (
    boxes_words,
    explain_better_move,
    lost_points_words,
    played_move_words,
    player_name,
)
from gomogo_core.games.base import Position
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.search.node import CERTAIN_THRESHOLD

# a position with at most this advantage is nearly lost already, so no move there is called the losing move
_NEARLY_LOST_ADVANTAGE = -0.5


class TurningPoint(NamedTuple):
    """The turning point of a game. moves_before: the number of moves before it. sentence: a description for the user.

    is_certain_loss: whether the search saw a certain loss after the move. names_better_move: whether the description
    names a better move.
    """

    moves_before: int
    sentence: str
    is_certain_loss: bool
    names_better_move: bool


def find_turning_point(
    played_game: PlayedGame,
    positions: Sequence[Position],
    results: Mapping[int, PositionResult],
    losses: Mapping[int, float],
    advantages: Mapping[int, float],
) -> TurningPoint | None:
    """Return the move that lost the game, or after which the loser never recovered.

    Returns None in draws, and in games for more than two players. advantages: the first player's advantages that the
    review shows; the loser recovered if they give the loser a win chance of 50 %.
    """
    winner = played_game.outcome.winner
    if winner is None or len(played_game.names) != 2 or not results:
        return None
    loser = 3 - winner
    values = {n: result.value if result.seat == loser else -result.value for n, result in results.items()}
    numbers = sorted(values)
    own_numbers = [number for number in numbers if results[number].seat == loser]
    loser_name = player_name(played_game, loser)
    if (losing_number := _losing_move(played_game, results, values, own_numbers)) is not None:
        move = played_game.plies[losing_number].move
        box_words = boxes_words(positions[losing_number], results[losing_number])
        verdict = "was better" if box_words else ""
        better_move_text = explain_better_move(played_game, positions, results, losing_number, verdict)
        missed = " and missed a win" if better_move_text and values[losing_number] > CERTAIN_THRESHOLD else ""
        loss = f", which {box_words}" if box_words else f"{missed}, after which the game was lost"
        words = f"The turning point: {loser_name} {played_move_words(move)}{loss}."
        return TurningPoint(
            losing_number, f"{words}{better_move_text}", is_certain_loss=True, names_better_move=bool(better_move_text)
        )
    good_numbers = [
        number
        for number in numbers
        if win_chance_percent(advantage_of_seat(advantages[number], loser)) >= 50
        and not is_solved_only_after(results, number)
    ]
    if not good_numbers:
        return None
    last_good = good_numbers[-1]
    if (number := next((number for number in own_numbers if number >= last_good), None)) is None:
        return None
    move = played_game.plies[number].move
    is_better_known = number == last_good and losses.get(number, math.inf) >= MISTAKE_LOSS
    better_move_text = explain_better_move(played_game, positions, results, number) if is_better_known else ""
    points = lost_points_words(positions[number], results[number])
    points_clause = points and f" {points},"
    words = f"The turning point: {loser_name} {played_move_words(move)},{points_clause} and never recovered."
    sentence = f"{words}{better_move_text}"
    return TurningPoint(number, sentence, is_certain_loss=False, names_better_move=bool(better_move_text))


def _losing_move(
    played_game: PlayedGame,
    results: Mapping[int, PositionResult],
    values: Mapping[int, float],
    loser_turns: Sequence[int],
) -> int | None:
    """Return the number of moves before the move that lost the game; None if there is no such move.

    It is the loser's last move before the search saw a certain loss. The search may see no loss, for example if the
    player resigned earlier. values: the loser's values, by the number of moves played. loser_turns: the numbers of
    moves played before each turn of the loser.

    Sometimes the search sees the loss, misses it on the loser's next turn, and prefers the played move there. Such a
    move did not lose the game. Nor did a move in a position that was nearly lost, unless its loss is confirmed, or that
    was not solved although a later one is; then the result is None.
    """
    if values[max(values)] >= -CERTAIN_THRESHOLD:
        return None
    for number in reversed(loser_turns):
        was_lost_before = values.get(number - 1, 0.0) < -CERTAIN_THRESHOLD
        if values[number] >= -CERTAIN_THRESHOLD and not (
            was_lost_before and results[number].best_move == played_game.plies[number].move
        ):
            # the positions between this one and the first certain loss may have no result, or an uncertain one
            first_loss = min(other for other in values if other > number and values[other] < -CERTAIN_THRESHOLD)
            # after a proved value, a move in a gap without results may have lost the game as well
            has_gap = results[number].is_solved and any(other not in values for other in range(number, first_loss))
            is_comparable = not has_gap and (results[number].is_solved or not results[first_loss].is_solved)
            was_open = results[number].score > _NEARLY_LOST_ADVANTAGE
            # longer searches may confirm that even a nearly lost position still had much to lose
            was_open |= (results[number].checked_loss or 0.0) >= MISTAKE_LOSS
            return number if is_comparable and was_open else None
    return None
