"""Sums up a review: the accuracy and the mistakes of each player, and the decline of a loser without a mistake.

The module uses the findings of a review, but no search.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gomogo_core.analysis.accuracy import move_accuracy, move_weights, player_accuracy
from gomogo_core.analysis.review_results import PositionResult, ReviewFinding, advantage_of_seat, win_chance_percent
from gomogo_core.analysis.review_sentences import player_name
from gomogo_core.games.base import Game, Seat
from gomogo_core.printable import count_with_noun
from gomogo_core.records.game_record import PlayedGame

# win chances in percent with which a game is still open, and with which it is almost lost
_FAIR_CHANCE, _POOR_CHANCE = 40, 20


class PlayerSummary(NamedTuple):
    """The review of one player.

    accuracy: the player's accuracy in percent; None before the first judged move, and in games for more than two
    players. mistakes, blunders, inaccuracies: the numbers of findings of each kind.
    """

    seat: Seat
    accuracy: float | None
    mistakes: int
    blunders: int
    inaccuracies: int = 0

    @property
    def finding_counts(self) -> list[str]:
        """The numbers of findings in words, the gravest first, for example "2 blunders"; kinds without one are left
        out.
        """
        kinds = (
            (self.blunders, "blunder", "blunders"),
            (self.mistakes, "mistake", "mistakes"),
            (self.inaccuracies, "inaccuracy", "inaccuracies"),
        )
        return [count_with_noun(count, one, several) for count, one, several in kinds if count]


def player_summaries(
    played_game: PlayedGame,
    losses: Mapping[int, float],
    advantages: Mapping[int, float],
    findings: Sequence[ReviewFinding],
) -> tuple[PlayerSummary, ...]:
    """Return the summary of each player.

    losses: the advantage that each move gave away; in Go, lost points count as a loss, too.
    """
    win_chances = [50 + 50 * share for share in advantages.values()]
    weights = dict(zip(advantages, move_weights(win_chances), strict=False))  # the last position has no weight
    summaries = []
    for seat in range(1, len(played_game.names) + 1):
        own_numbers = [number for number in losses if played_game.plies[number].seat == seat and number in weights]
        # an advantage of 1 is worth 50 percentage points of win chance
        accuracies = [move_accuracy(50 * losses[number]) for number in own_numbers]
        accuracy = player_accuracy(accuracies, [weights[number] for number in own_numbers]) if own_numbers else None
        marks = [finding.annotation for finding in findings if played_game.plies[finding.number - 1].seat == seat]
        summaries.append(PlayerSummary(seat, accuracy, *(marks.count(mark) for mark in ("?", "??", "?!"))))
    return tuple(summaries)


def decline_sentence(
    played_game: PlayedGame, advantages: Mapping[int, float], findings: Sequence[ReviewFinding]
) -> str:
    """Return a sentence about the decline of a loser without a finding; empty if the search saw no decline.

    It names the loser's last turn with a fair chance, and the first position after which the chance was small.
    """
    winner = played_game.outcome.winner
    if winner is None or len(played_game.names) != 2:
        return ""
    loser = 3 - winner
    if any(played_game.plies[finding.number - 1].seat == loser for finding in findings):
        return ""
    chances = {number: win_chance_percent(advantage_of_seat(one, loser)) for number, one in sorted(advantages.items())}
    fair = [number for number, chance in chances.items() if chance >= _FAIR_CHANCE]
    poor = next((number for number in chances if fair and number > fair[-1] and chances[number] <= _POOR_CHANCE), None)
    if poor is None or chances[max(chances)] > _POOR_CHANCE:
        return ""
    name = player_name(played_game, loser)
    fair_words = f"{name} had a win chance of {chances[fair[-1]]} % after move {fair[-1]}"
    return f"No single move lost the game: {fair_words}, and of {chances[poor]} % after move {poor}."


def perfect_play_sentences(game: Game, results: Mapping[int, PositionResult]) -> str:
    """Return sentences about the positions that are too early for perfect play, with the rule of thumb for them.

    The text is empty in games without such a rule, and if perfect play is known in all positions.
    """
    unsolved = [number for number, result in results.items() if not result.is_solved]
    if not unsolved or not (rule := game.opening_advice):
        return ""
    return f"Perfect play is known after move {max(unsolved) + 1}; before, the search can only estimate. {rule}"
