"""Describes the mistakes of a game: lost win chances, missed wins, and missed captures.

The module uses the results and losses of a review, but not the review as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from gomogo_core.analysis.explainers import explainer_of
from gomogo_core.analysis.live_analysis import about_lead_words, margin_suffix
from gomogo_core.analysis.review_losses import (
    BLUNDER_LOSS,
    BLUNDER_POINTS,
    INACCURACY_LOSS,
    INACCURACY_POINTS,
    MIN_MISSED_WIN_LOSS,
    MIN_ONLY_MISTAKE_LOSS,
    MISTAKE_LOSS,
    confirmed_points_lost,
    probable_points_lost,
)
from gomogo_core.analysis.review_results import PositionResult, advantage_of_seat, win_chance_percent
from gomogo_core.drawing.colours import side_name
from gomogo_core.games.base import Position, Seat
from gomogo_core.printable import count_with_noun, printable
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.search import plies_to_end
from gomogo_core.search.node import CERTAIN_THRESHOLD

_MIN_WINNING_LINE = 3  # a shorter line is the answer that the sentence names anyway
_MIN_LARGE_CAPTURE = 2  # a capture of this many stones is reported even if the search prefers another move


def find_mistakes(
    played_game: PlayedGame,
    positions: Sequence[Position],
    results: Mapping[int, PositionResult],
    losses: Mapping[int, float],
    advantages: Mapping[int, float],
) -> dict[int, tuple[str, bool]]:
    """Find the moves that gave away much of the mover's advantage, and inaccuracies. Return, for each, a sentence and
    whether it is a blunder.

    In Go, confirmed points that a move lost count too, because the win chance hardly falls in a game that is nearly
    decided. If the loser has no other such move, the largest confirmed loss counts, although it is small.
    """
    mistakes = dict[int, tuple[str, bool]]()
    least_losses = {
        number: INACCURACY_LOSS if results[number].checked_loss is not None else MISTAKE_LOSS for number in losses
    }
    winner = played_game.outcome.winner
    own_losses = {number: loss for number, loss in losses.items() if winner and results[number].seat != winner}
    if own_losses and all(loss < least_losses[number] for number, loss in own_losses.items()):
        largest = max(own_losses, key=own_losses.__getitem__)
        if results[largest].checked_loss is not None:
            least_losses[largest] = MIN_ONLY_MISTAKE_LOSS
    for number, loss in losses.items():
        result = results[number]
        points_lost = confirmed_points_lost(positions[number], result)
        if number + 1 in results and (loss >= least_losses[number] or points_lost >= INACCURACY_POINTS):
            chance_before, chance_after = (
                win_chance_percent(advantage_of_seat(advantages[n], result.seat)) for n in (number, number + 1)
            )
            points = lost_points_words(positions[number], result)
            fall = (
                f": the win chance fell from {chance_before} to {chance_after} %{points and f', and the move {points}'}"
            )
            if points and chance_after >= chance_before:
                fall = f": the move {points}"
            if box_words := boxes_words(positions[number], result):  # proved results say more than chances
                fall = f", which {box_words}"
            words = (
                f"{player_name(played_game, result.seat)} {played_move_words(played_game.plies[number].move)}{fall}."
                f"{explain_better_move(played_game, positions, results, number)}"
            )
            mistakes[number] = words, loss >= BLUNDER_LOSS or points_lost >= BLUNDER_POINTS
    return mistakes


def find_missed_wins(
    played_game: PlayedGame,
    positions: list[Position],
    results: Mapping[int, PositionResult],
    losses: Mapping[int, float],
) -> dict[int, str]:
    """Find moves that gave up a certain win. A move after which the game is still nearly won does not count."""
    missed_wins = {}
    for number, result in results.items():
        if result.value <= CERTAIN_THRESHOLD or played_game.plies[number].move == result.best_move:
            continue
        if losses.get(number, math.inf) < MIN_MISSED_WIN_LOSS:
            continue
        if _still_wins(positions, number, result.seat, results):
            continue
        better = explain_better_move(played_game, positions, results, number)
        box_words = boxes_words(positions[number], result, with_earlier=False)
        played_result = box_words and f" {played_game.plies[number].move} {box_words}."
        missed_wins[number] = f"{player_name(played_game, result.seat)} missed a win:{played_result}{better}"
    return missed_wins


def _still_wins(positions: list[Position], number: int, seat: Seat, results: Mapping[int, PositionResult]) -> bool:
    """Return whether the played move also wins, according to the search."""
    next_position = positions[number + 1]
    if (outcome := next_position.outcome()) is not None:
        return outcome.winner == seat
    if (next_result := results.get(number + 1)) is None:
        return True  # the next position was not searched, so no missed win is reported
    return next_result.value > CERTAIN_THRESHOLD if next_result.seat == seat else next_result.value < -CERTAIN_THRESHOLD


def find_missed_gains(
    played_game: PlayedGame,
    positions: list[Position],
    results: Mapping[int, PositionResult],
    losses: Mapping[int, float],
) -> dict[int, str]:
    """Find moves that took nothing although another move takes stones or boxes.

    In games for two, the function reports a capture that the search prefers only if the played move gave away much,
    because another move is often as good. It reports a large capture only if the played move gave away something and
    the capture is no longer possible afterwards. So a move with a mark always lowers the accuracy.
    """
    missed_gains = {}
    game = played_game.rules()
    for number, result in results.items():
        move, position = played_game.plies[number].move, positions[number]
        if position.describe_effect(game.parse(move)):
            continue
        loss = losses.get(number, 0.0) if len(played_game.names) == 2 else math.inf
        if loss < MIN_MISSED_WIN_LOSS:
            continue
        costly = loss >= MISTAKE_LOSS
        name, effect = (result.best_move, result.effect) if result.effect and costly else _greatest_capture(position)
        if not costly and effect and _has_effect_after(positions, number + 2, name):
            continue
        if effect and name != move:
            player = player_name(played_game, result.seat)
            missed_gains[number] = f"{player} {played_move_words(move)}, but {name} {effect}."
    return missed_gains


def _has_effect_after(positions: Sequence[Position], move_count: int, move_text: str) -> bool:
    """Return whether a move can be played with an effect after `move_count` moves; False at the end of the game."""
    if move_count >= len(positions) - 1:
        return False
    move = positions[move_count].game.parse(move_text)
    return positions[move_count].why_illegal(move) is None and bool(positions[move_count].describe_effect(move))


def _greatest_capture(position: Position) -> tuple[str, str]:
    """Return the move that captures most stones, and its effect in words; both empty without a large capture.

    In Go the search sees few moves ahead, so it may prefer another move to a large capture.
    """
    facts = position.facts()
    if "captures" not in facts:
        return "", ""
    captures_before = facts["captures"][position.to_move - 1]
    most_captures = _MIN_LARGE_CAPTURE - 1
    greatest_capture = ("", "")
    for move in position.moves():
        if effects := position.describe_effect(move):
            gain = position.play(move).facts()["captures"][position.to_move - 1] - captures_before
            if gain > most_captures:
                most_captures, greatest_capture = gain, (position.game.format(move), effects)
    return greatest_capture


def explain_better_move(
    played_game: PlayedGame,
    positions: Sequence[Position],
    results: Mapping[int, PositionResult],
    number: int,
    verdict: str = "",
) -> str:
    """Return a space and sentences about the better move; empty if the search preferred no other move.

    verdict: the effect of the better move; by default its result.
    """
    result, move, next_result = results[number], played_game.plies[number].move, results.get(number + 1)
    answers = next_result.line if next_result is not None and next_result.seat != result.seat else ()
    verdict = verdict or (
        _certain_verdict(positions[number], result) if result.value > CERTAIN_THRESHOLD else "was better"
    )
    if result.best_move == move:
        return ""
    is_proved = result.is_solved and next_result is not None and next_result.is_solved
    before = results.get(number - 1)
    if verdict == "was better" and before is not None and before.best_move == result.best_move and before.checked_loss:
        verdict = "was still better"
    position, explainer = positions[number], explainer_of(positions[number].game)
    preference = explainer.explain_preference(
        position,
        move,
        result.line,
        answers,
        verdict,
        is_proved=is_proved,
        decided_stones=result.decided_stones,
        gained_area=result.gained_area,
    )
    line_words = _winning_line_words(result, next_result) if explainer.names_winning_line else ""
    return f" {preference}{line_words}"


def _winning_line_words(result: PositionResult, next_result: PositionResult | None) -> str:
    """Return a space and a sentence with the moves by which the opponent wins against the played move.

    It is empty if no win of the opponent is proved.
    """
    if next_result is None or next_result.seat == result.seat:
        return ""
    line = next_result.line
    if next_result.value <= CERTAIN_THRESHOLD or len(line) < _MIN_WINNING_LINE:
        return ""
    is_whole = len(line) >= (plies_to_end(next_result.value) or 0)
    return f" The line that wins against it: {' '.join(line)}{'' if is_whole else ' …'}."


def _certain_verdict(position: Position, result: PositionResult) -> str:
    """Return the certain result of the best move in words, with the margin if it is known: "wins by 3 boxes"."""
    end = result.expected_end if result.is_solved else None
    return result.score_words + margin_suffix(position, end and end.lead)


def lost_points_words(position: Position, result: PositionResult) -> str:
    """Say how many points the played move lost, for example "lost about 6 points"; "" if this is not certain.

    It is empty in Dots and Boxes, where `boxes_words` names the results.
    """
    if result.points_lost is None or position.game.box_count:
        return ""
    return f"lost {_about_points(position, round(result.points_lost))}"


def move_result_words(
    played_game: PlayedGame,
    positions: Sequence[Position],
    results: Mapping[int, PositionResult],
    advantages: Mapping[int, float],
    number: int,
) -> str:
    """Return a sentence on the result of a move, such as "Black leads by about 6 points; the move lost about 2 points
    (the search prefers f5)."

    In other games than Go, it has the win chance of the mover, or says that the game was already lost. It is empty
    before the searches around the move, after the end of the game, for another certain result, in games of more than
    two players, and in Dots and Boxes. number: the
    number of moves before the move.
    """
    result, after, position = results.get(number), results.get(number + 1), positions[number]
    if result is None or after is None or len(played_game.names) != 2 or position.game.box_count:
        return ""
    other = "" if result.best_move == played_game.plies[number].move else f" (the search prefers {result.best_move})"
    if (end := after.expected_end) is not None and position.game.scores_places:
        lead_is_known = abs(end.lead) >= end.error and end.lead * after.score_of(1) > 0
        words = about_lead_words(position, end.lead if lead_is_known else 0.0)
        points = round(probable_points_lost(played_game, positions, results, number))
        lost = f"; the move lost {_about_points(position, points)}" if points else ""
        return f"{words}{lost}{other}."
    if abs(result.value) > CERTAIN_THRESHOLD:
        return "The game was already lost." if result.value < 0 else ""
    if abs(after.value) > CERTAIN_THRESHOLD or number + 1 not in advantages:
        return ""
    chance = win_chance_percent(advantage_of_seat(advantages[number + 1], result.seat))
    return f"{side_name(position, result.seat)}'s win chance is {chance} %{other}."


def _about_points(position: Position, points: int) -> str:
    return f"about {points} {position.game.score_unit[points != 1]}"


def boxes_words(position: Position, result: PositionResult, *, with_earlier: bool = True) -> str:
    """Return the result of the played edge as a predicate, such as "wins by 1 box instead of 3 if both play perfectly".

    It is empty in other games, and if the edge costs nothing, or nothing that is proved. with_earlier: whether to name
    the result of the best edge, too.
    """
    end = result.expected_end
    if not position.game.box_count or not result.points_lost or end is None:
        return ""
    before = round(end.lead if result.seat == 1 else -end.lead)
    after = before - round(result.points_lost)
    return compared_boxes_words(after, before) if with_earlier else f"{box_result_words(after)} if both play perfectly"


def compared_boxes_words(lead: float, best_lead: float) -> str:
    """Return the result of an edge as a predicate, compared with the result of the best edge. Both give the mover's
    lead at the end.

    >>> compared_boxes_words(-7, -3)
    'loses by 7 boxes instead of 3 if both play perfectly'
    """
    after, before = round(lead), round(best_lead)
    earlier = "drawing" if not before else f"winning {_by_boxes(before)}" if after <= 0 < before else f"{abs(before)}"
    return f"{box_result_words(after)} instead of {earlier} if both play perfectly"


def box_result_words(lead: float) -> str:
    """Return the end of a game of Dots and Boxes as a predicate, such as "wins by 3 boxes". lead: the mover's lead."""
    boxes = round(lead)
    return "draws" if not boxes else f"{'wins' if boxes > 0 else 'loses'} {_by_boxes(boxes)}"


def _by_boxes(lead: int) -> str:
    return f"by {count_with_noun(abs(lead), 'box', 'boxes')}"


def played_move_words(move: str) -> str:
    """Return the predicate of a sentence about a played move."""
    return "passed" if move == "pass" else f"played {move}"


def player_name(played_game: PlayedGame, seat: Seat) -> str:
    """Return the name of a player without control characters."""
    return printable(played_game.names[seat - 1])
