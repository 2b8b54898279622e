"""Reviews a finished game: the mistakes, the missed wins and captures, and the turning point.

Start with `review`: `search_positions` searches the positions, the last position first, and `build_review` reports the
mistakes found so far. The module uses records and search, but no web request and no process.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gomogo_core.analysis.review_losses import (
    INACCURACY_POINTS,
    MIN_MISSED_WIN_LOSS,
    MIN_ONLY_MISTAKE_LOSS,
    MISTAKE_LOSS,
    MISTAKE_POINTS,
    POINTS_PER_BOX,
    advantage_losses,
    confirmed_points_lost,
    find_box_losses,
    find_final_leads,
    first_player_advantages,
    loss_of_points,
    with_implied_results,
    within_graph,
    without_noise,
)
from gomogo_core.analysis.review_results import PositionResult, ReviewFinding, advantage_of_seat
from gomogo_core.analysis.review_sentences import (
    boxes_words,
    explain_better_move,
    find_missed_gains,
    find_missed_wins,
    find_mistakes,
    player_name,
)
from gomogo_core.analysis.review_summaries import (
    PlayerSummary,
    decline_sentence,
    perfect_play_sentences,
    player_summaries,
)
from gomogo_core.analysis.review_turning_point import TurningPoint, find_turning_point
from gomogo_core.games.base import RESIGN, Position, Seat
from gomogo_core.printable import count_with_noun
from gomogo_core.records.game_record import PlayedGame

_MIN_TIME_PARTS = 32  # a position gets at most 1/32 of the time
_NO_MISTAKES_SO_FAR = "No mistakes so far."
MORE_TIME_CLAUSE = "more time may find more"  # the page makes a link of them


@dataclass(frozen=True, slots=True)
class Review:
    """The review of a game.

    findings: the mistakes in the order of the game. time_note: a sentence about the search time. results: the results
    of the searched positions, by the number of moves played before each. players: the summary of each player, by seat.
    advantages: the first player's advantage in these positions and at the end of the game, from -1 to 1. turning_point:
    the number of the move that lost the game, or else of the loser's finding with the largest loss; None without one.
    summary: sentences about the findings as a whole. final_leads: the result of `find_final_leads`. missing: the
    numbers of moves before the positions that have no reliable result, or none yet.
    """

    findings: tuple[ReviewFinding, ...]
    time_note: str
    results: Mapping[int, PositionResult]
    players: tuple[PlayerSummary, ...]
    advantages: Mapping[int, float]
    turning_point: int | None = None
    summary: str = ""
    final_leads: Mapping[int, float] = field(default_factory=dict)
    missing: tuple[int, ...] = ()

    @property
    def note(self) -> str:
        """The summary, and the sentence about the search time."""
        return f"{self.summary} {self.time_note}".lstrip()

    def with_final_summary(self) -> Review:
        """Return the review after its last search: its summary says which positions have no reliable result."""
        if not self.missing:
            return self
        many = len(self.missing) > 1
        numbers = ", ".join(map(str, self.missing))
        words = (
            f"This review is incomplete: {count_with_noun(len(self.missing), 'position')} "
            f"{'were' if many else 'was'} not analysed (move{'s' * many} played before: {numbers}), "
            "so mistakes there have no mark."
        )
        others = "" if self.findings else "No mistakes in the other positions."
        return replace(self, summary=" ".join(filter(None, (words, self.summary.replace(_NO_MISTAKES_SO_FAR, others)))))

    def advantage_of(self, seat: Seat, number: int) -> float:
        """Return the advantage of a player in a game for two, after this number of moves."""
        return advantage_of_seat(self.advantages[number], seat)


def positions_to_review(played_game: PlayedGame, positions: Sequence[Position]) -> list[int]:
    """Return the numbers of moves played before the positions that a review searches, the last position first.

    Moves of the opening are not reviewed. If all moves are marked as opening, a review searches all positions.
    """
    first_index = played_game.opening_length if played_game.opening_length < len(played_game.plies) else 0
    return [
        number
        for number in reversed(range(first_index, len(played_game.plies)))
        if played_game.plies[number].move != RESIGN and positions[number].outcome() is None
    ]


def seconds_per_position(count: int, seconds: float) -> float:
    """Return the search time for each of `count` positions. seconds: the time for the whole review."""
    return seconds / max(_MIN_TIME_PARTS, count)


def build_review(played_game: PlayedGame, results: Mapping[int, PositionResult], seconds: float) -> Review:
    """Report the mistakes in the positions searched so far.

    results: the results, by the number of moves played before the position. seconds: the time for the whole review.
    """
    positions = played_game.positions()
    if not (numbers := positions_to_review(played_game, positions)):
        return Review((), "No move was played.", {}, player_summaries(played_game, {}, {}, ()), {})
    has_searched_all = len(results) >= len(numbers)
    results = with_implied_results(played_game, results)
    missing = tuple(number for number in reversed(numbers) if number not in results)
    losses = without_noise(positions, results, advantage_losses(played_game, positions, results))
    advantages = first_player_advantages(positions, results, losses)
    turning_point = find_turning_point(played_game, positions, results, losses, advantages)
    if turning_point is not None and turning_point.is_certain_loss:
        losses[turning_point.moves_before] = results[turning_point.moves_before].score + 1
    missed_wins = find_missed_wins(played_game, positions, results, losses)
    advantages = first_player_advantages(positions, results, losses)
    losses = within_graph(positions, results, losses, advantages)
    mistakes = find_mistakes(played_game, positions, results, losses, advantages)
    box_losses = find_box_losses(positions, results)
    sentences = find_missed_gains(played_game, positions, results, losses)
    sentences |= {number: sentence for number, (sentence, _) in mistakes.items()}
    for number in box_losses.keys() - sentences.keys():
        player, move = player_name(played_game, results[number].seat), played_game.plies[number].move
        words = boxes_words(positions[number], results[number])
        better_move_text = explain_better_move(played_game, positions, results, number, "was better")
        sentences[number] = f"{player} played {move}, which {words}.{better_move_text}"
    sentences |= missed_wins
    blunders = {number for number, (_, is_blunder) in mistakes.items() if is_blunder}
    blunders |= {number for number in missed_wins if losses.get(number, math.inf) >= MISTAKE_LOSS}
    turning_number = None if turning_point is None else turning_point.moves_before
    if turning_point is not None:
        number = turning_point.moves_before
        if turning_point.is_certain_loss:
            blunders.add(number)
        if turning_point.is_certain_loss or losses.get(number, 0.0) >= MISTAKE_LOSS:
            missed_win = "" if turning_point.names_better_move else missed_wins.get(number, "")
            sentences[number] = f"{turning_point.sentence} {missed_win}".rstrip()
    losses |= {number: max(loss, losses.get(number, 0.0)) for number, loss in box_losses.items()}
    repeats = set[int]()
    for first_number, repeated_numbers in _repeated_passes(played_game, sentences).items():  # they count once
        later_numbers = [number for number in repeated_numbers if number != turning_number]
        losses |= dict.fromkeys(later_numbers, 0.0)
        repeats.update(later_numbers)
        sentences = {number: sentence for number, sentence in sentences.items() if number not in later_numbers}
        if later_numbers:
            move_numbers = ", ".join(str(number + 1) for number in later_numbers)
            plural = "s" * (len(later_numbers) > 1)
            sentences[first_number] += f" The same mistake again: move{plural} {move_numbers}."
    inaccuracies = [
        number
        for number in mistakes.keys() - box_losses.keys()
        if losses[number] < MISTAKE_LOSS and confirmed_points_lost(positions[number], results[number]) < MISTAKE_POINTS
    ]
    # a single box that does not change the winner is a small loss, and early in the game nobody sees it
    inaccuracies += [
        number
        for number in box_losses.keys() - mistakes.keys() - missed_wins.keys()
        if (results[number].points_lost or 0.0) <= POINTS_PER_BOX
    ]
    annotations = dict.fromkeys(sentences, "?") | dict.fromkeys(inaccuracies, "?!") | dict.fromkeys(blunders, "??")
    findings = [
        ReviewFinding(
            number + 1,
            sentence,
            _preferred_move(played_game, positions[number], results, losses, number),
            annotations[number],
            _loses_points(positions[number], results, number) and losses.get(number, 0.0) < MIN_ONLY_MISTAKE_LOSS,
        )
        for number, sentence in sorted(sentences.items())
    ]
    each = f"{seconds_per_position(len(numbers), seconds):.2g} s per position"
    time_note = f"The analysis took {each}, and longer for doubtful moves; {MORE_TIME_CLAUSE}."
    summary = decline_sentence(played_game, advantages, findings) if not missing else ""
    if results and not findings and not summary:
        summary = _NO_MISTAKES_SO_FAR if missing else "The analysis found no mistakes."
    if has_searched_all:
        summary = f"{summary} {perfect_play_sentences(positions[0].game, results)}".strip()
    losses_with_points = dict(losses)
    for number in losses.keys() - repeats:
        points_lost = confirmed_points_lost(positions[number], results[number])
        losses_with_points[number] = max(losses[number], loss_of_points(points_lost))
    return Review(
        tuple(findings),
        time_note,
        results,
        player_summaries(played_game, losses_with_points, advantages, findings),
        advantages,
        _turning_point_number(played_game, turning_point, losses, findings),
        summary,
        find_final_leads(positions, results),
        missing,
    )


def _turning_point_number(
    played_game: PlayedGame, turn: TurningPoint | None, losses: Mapping[int, float], findings: Sequence[ReviewFinding]
) -> int | None:
    """Return the number of the move at the turning point, or else of the loser's finding with the largest loss."""
    winner = played_game.outcome.winner
    if winner is None or len(played_game.names) != 2:
        return None
    numbers = [finding.number for finding in findings if played_game.plies[finding.number - 1].seat != winner]
    if turn is not None and turn.moves_before + 1 in numbers:
        return turn.moves_before + 1
    return max(numbers, key=lambda number: losses.get(number - 1, 0.0), default=None)


def _preferred_move(
    played_game: PlayedGame,
    position: Position,
    results: Mapping[int, PositionResult],
    losses: Mapping[int, float],
    number: int,
) -> str:
    """Return the move that the search preferred to the played move; empty if it preferred no other move by a margin."""
    is_checked = number in results and results[number].checked_loss is not None
    has_lost_points = _loses_points(position, results, number)
    if not has_lost_points and losses.get(number, math.inf) < (
        MIN_ONLY_MISTAKE_LOSS if is_checked else MIN_MISSED_WIN_LOSS
    ):
        return ""
    name = results[number].best_move if number in results else ""
    return "" if name == played_game.plies[number].move else name


def _loses_points(position: Position, results: Mapping[int, PositionResult], number: int) -> bool:
    """Return whether a move of Go lost enough points for a mark. position: the position after `number` moves."""
    return number in results and confirmed_points_lost(position, results[number]) >= INACCURACY_POINTS


def _repeated_passes(played_game: PlayedGame, numbers: Iterable[int]) -> dict[int, list[int]]:
    """Return the mistaken passes of a player that follow a mistaken pass on the player's turn before, by the first one.

    numbers: the numbers of moves before the mistakes.
    """
    firsts, found = dict[int, int](), dict[int, list[int]]()
    for number in sorted(numbers):
        if played_game.plies[number].move != "pass":
            continue
        firsts[number] = firsts.get(number - len(played_game.names), number)
        if firsts[number] != number:
            found.setdefault(firsts[number], []).append(number)
    return found
