"""Reviews a finished game: the mistakes, the missed wins and captures, and the turning point.

Start with `review`: `search_positions` searches the positions, the last position first, and `build_review` reports the
mistakes found so far. The module knows records and search, but no web request and no process.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from gomogo_core.analysis import strongest
from gomogo_core.analysis.accuracy import move_accuracy, move_weights, player_accuracy
from gomogo_core.analysis.live import margin_words, score_words, stream_analyses
from gomogo_core.analysis.move_explanations import explain_preference
from gomogo_core.games.base import RESIGN, Move, Outcome, Position, Seat
from gomogo_core.games.dots_and_boxes import DotsAndBoxes
from gomogo_core.printable import count_with_noun, printable
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.search import SearchLimits
from gomogo_core.search.evaluation import node_of
from gomogo_core.search.node import CERTAIN_THRESHOLD, advantage
from gomogo_core.search.result import ExpectedEnd

_MIN_TIME_PARTS = 32  # a position gets at most 1/32 of the time
# a position with at most this advantage is nearly lost already, so no move there is called the losing move
_NEARLY_LOST_ADVANTAGE = -0.5
# the least advantage that an inaccuracy, a mistake and a blunder give away; the advantage is from -1 to 1. A game is
# often lost in several small steps, so an inaccuracy is marked, too, but only if longer searches confirm its loss
INACCURACY_LOSS, MISTAKE_LOSS, _BLUNDER_LOSS = 0.15, 0.3, 0.8
# without any mark of the loser, the largest confirmed loss is named if it is at least this advantage
MIN_LARGEST_LOSS = 0.05
_VARIATION_MOVES = 12  # the most moves of a variation in a review
MORE_TIME_WORDS = "more time may find more"  # the page makes a link of them
_MIN_LARGE_CAPTURE = 2  # a capture of this many stones is reported even if the search prefers another move
# win chances in percent with which a game is still open, and with which it is almost lost
_FAIR_CHANCE, _POOR_CHANCE = 40, 20
_POINTS_PER_BOX = 2  # a box that changes hands counts twice in the lead
MIN_MISSED_LOSS = 0.1  # the least advantage that a missed win or a missed large capture must have given away


@dataclass(frozen=True, slots=True)
class ReviewFinding:
    """One mistake. number: the number of the move, counted from 1. sentence: a description of the mistake.

    better_move: a better move if the search found one, else empty. annotation: the annotation of the move in lists:
    `??` for a blunder, `?` for a mistake, `?!` for an inaccuracy.
    """

    number: int
    sentence: str
    better_move: str = ""
    annotation: str = "?"

    @property
    def is_blunder(self) -> bool:
        """Whether the move gave up a won game, or lost a game that was not lost before."""
        return self.annotation == "??"

    @property
    def noun(self) -> str:
        """The name of such a move: blunder, mistake or inaccuracy."""
        return {"??": "blunder", "?": "mistake", "?!": "inaccuracy"}[self.annotation]


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
    def counts(self) -> list[str]:
        """The numbers of findings in words, the gravest first, for example "2 blunders"; kinds without one are left
        out.
        """
        kinds = (
            (self.blunders, "blunder", "blunders"),
            (self.mistakes, "mistake", "mistakes"),
            (self.inaccuracies, "inaccuracy", "inaccuracies"),
        )
        return [count_with_noun(count, one, several) for count, one, several in kinds if count]


@dataclass(frozen=True, slots=True)
class Review:
    """The review of a game.

    findings: the mistakes in the order of the game. time_note: a sentence about the search time. results: the results
    of the searched positions, by the number of moves played before each. players: the summary of each player, by seat.
    advantages: the first player's advantage in these positions and at the end of the game, from -1 to 1. turning_point:
    the number of the move that lost the game, or else of the loser's finding with the largest loss; None without one.
    summary: sentences about the findings as a whole.
    """

    findings: tuple[ReviewFinding, ...]
    time_note: str
    results: Mapping[int, PositionResult]
    players: tuple[PlayerSummary, ...]
    advantages: Mapping[int, float]
    turning_point: int | None = None
    summary: str = ""

    @property
    def note(self) -> str:
        """The summary, and the sentence about the search time."""
        return f"{self.summary} {self.time_note}".lstrip()

    def advantage_of(self, seat: Seat, number: int) -> float:
        """Return the advantage of a player in a game for two, after this number of moves."""
        return _for_seat(self.advantages[number], seat)


class PositionResult(NamedTuple):
    """The result of the search of one position.

    seat: the player to move. value: the value for that player. clear_lead: the value of a clear lead. line: the
    principal variation in the game's notation. effect: the effect of the best move by the rules, for example "captures
    2 stones". idea: the evaluation's description of the best move, for example "makes an open four". `effect` and
    `idea` may be empty. nodes: the number of positions or playouts of the search. checked_loss: the advantage that the
    played move gave away according to longer searches; None if no longer searches ran. expected_end: as in
    PositionAnalysis. points_lost: the points that the played move lost according to longer searches; None if this is
    not known or not certain. is_solved: whether the search saw the whole rest of the game.
    """

    seat: Seat
    value: float
    clear_lead: float
    depth: int
    line: tuple[str, ...]
    effect: str = ""
    idea: str = ""
    nodes: float = math.inf
    checked_loss: float | None = None
    expected_end: ExpectedEnd | None = None
    points_lost: float | None = None
    is_solved: bool = False

    @property
    def best_move(self) -> str:
        """The best move, in the game's notation."""
        return self.line[0]

    @property
    def score(self) -> float:
        """The mover's advantage, from -1 to 1."""
        return advantage(self.value, self.clear_lead)

    def score_of(self, seat: Seat) -> float:
        """Return the advantage of a player in a game for two, from -1 to 1."""
        return self.score if seat == self.seat else -self.score

    @property
    def score_words(self) -> str:
        """The mover's score in words, for example "slightly better"."""
        return score_words(self.value, self.clear_lead)


def positions_to_review(played_game: PlayedGame, positions: Sequence[Position]) -> list[int]:
    """Return the numbers of moves played before the positions that a review searches, the last position first.

    Moves of the opening are not reviewed. If all moves are marked as opening, a review searches all positions.
    """
    first_index = played_game.opening if played_game.opening < len(played_game.plies) else 0
    return [
        number
        for number in reversed(range(first_index, len(played_game.plies)))
        if played_game.plies[number].move != RESIGN and positions[number].outcome() is None
    ]


def seconds_per_position(count: int, seconds: float) -> float:
    """Return the search time for each of `count` positions. seconds: the time for the whole review."""
    return seconds / max(_MIN_TIME_PARTS, count)


def search_position(position: Position, stop_at: float, agent: str) -> PositionResult | None:
    """Search one position until `stop_at`, a time of the monotonic clock. Return None if the time was too short.

    agent: one of `live.METHODS`.
    """
    *_, analysis = stream_analyses(position, SearchLimits(stop_at=stop_at), agent=agent, lines=1)
    value, variation = analysis.lines[0]
    if not has_usable_value(value, analysis.depth, analysis.nodes):
        return None
    end = analysis.expected_end
    return position_result(position, value, analysis.clear_lead, analysis.depth, variation, analysis.nodes, end)


def review_agent(position: Position) -> str:
    """Return the agent that reviews a game: if possible its compiled engine, which a review waits for."""
    return "champion" if strongest.has_engine(position) else "strongest"


def has_usable_value(value: float, depth: int, nodes: int) -> bool:
    """Return whether the value of a search means anything: it is certain, or comes from a complete depth or a playout.

    value, depth, nodes: the results of the search.
    """
    return abs(value) > CERTAIN_THRESHOLD or (depth > 0 and nodes > 0)


def position_result(
    position: Position,
    value: float,
    clear_lead: float,
    depth: int,
    line: Sequence[Move],
    nodes: int,
    end: ExpectedEnd | None = None,
) -> PositionResult:
    """Return the result of a search, with a description of its best move. line: the principal variation."""
    effect, idea = position.describe_effect(line[0]), node_of(position).describe_move(line[0]) or ""
    names = tuple(position.game.format(move) for move in line[:_VARIATION_MOVES])
    # in a game of territory, captures make room for new moves, so no depth reaches the end of each line
    is_solved = not position.game.scores_places and depth >= sum(1 for _ in position.moves())
    return PositionResult(
        position.to_move, value, clear_lead, depth, names, effect, idea, nodes, expected_end=end, is_solved=is_solved
    )


def build_review(played_game: PlayedGame, results: Mapping[int, PositionResult], seconds: float) -> Review:
    """Report the mistakes in the positions searched so far.

    results: the results, by the number of moves played before the position. seconds: the time for the whole review.
    """
    positions = played_game.positions()
    if not (count := len(positions_to_review(played_game, positions))):
        return Review((), "No move was played.", {}, _summaries(played_game, {}, {}, ()), {})
    is_complete = len(results) >= count
    results = _known_results(played_game, results)
    losses = advantage_losses(played_game, positions, results)
    turning_point = _turning_point(played_game, positions, results, losses)
    if turning_point is not None and turning_point.is_certain_loss:
        losses[turning_point.moves_before] = results[turning_point.moves_before].score + 1
    missed_wins = _missed_wins(played_game, positions, results, losses)
    advantages = _advantages(positions, results, losses)
    mistakes = _mistakes(played_game, positions, results, losses, advantages)
    box_losses = _box_losses(positions, results)
    sentences = _missed_gains(played_game, positions, results, losses)
    sentences |= {number: sentence for number, (sentence, _) in mistakes.items()}
    for number in box_losses.keys() - sentences.keys():
        player, move = _player_name(played_game, results[number].seat), played_game.plies[number].move
        points = _points_words(positions[number], results[number])
        better_move_text = _explain_better_move(played_game, positions, results, number, "was better")
        sentences[number] = f"{player} played {move}, and the move {points}.{better_move_text}"
    sentences |= missed_wins
    blunders = {number for number, (_, is_blunder) in mistakes.items() if is_blunder}
    blunders |= {number for number in missed_wins if losses.get(number, math.inf) >= MISTAKE_LOSS}
    turning_number = None if turning_point is None else turning_point.moves_before
    if turning_point is not None:
        number = turning_point.moves_before
        if turning_point.is_certain_loss or losses.get(number, 0.0) >= MISTAKE_LOSS:
            blunders.add(number)
            missed_win = "" if turning_point.names_better_move else missed_wins.get(number, "")
            sentences[number] = f"{turning_point.sentence} {missed_win}".rstrip()
    losses |= {number: max(loss, losses.get(number, 0.0)) for number, loss in box_losses.items()}
    for first_number, repeated_numbers in _repeated_passes(played_game, sentences).items():  # they count once
        later_numbers = [number for number in repeated_numbers if number != turning_number]
        losses |= dict.fromkeys(later_numbers, 0.0)
        sentences = {number: sentence for number, sentence in sentences.items() if number not in later_numbers}
        if later_numbers:
            move_numbers = ", ".join(str(number + 1) for number in later_numbers)
            plural = "s" * (len(later_numbers) > 1)
            sentences[first_number] += f" The same mistake again: move{plural} {move_numbers}."
    inaccuracies = [number for number in mistakes if number not in box_losses and losses[number] < MISTAKE_LOSS]
    # a single box that does not change the winner is a small loss, and early in the game nobody sees it
    inaccuracies += [
        number
        for number in box_losses.keys() - mistakes.keys() - missed_wins.keys()
        if (results[number].points_lost or 0.0) <= _POINTS_PER_BOX
    ]
    annotations = dict.fromkeys(sentences, "?") | dict.fromkeys(inaccuracies, "?!") | dict.fromkeys(blunders, "??")
    findings = [
        ReviewFinding(number + 1, sentence, _preferred_move(played_game, results, losses, number), annotations[number])
        for number, sentence in sorted(sentences.items())
    ]
    each = f"{seconds_per_position(count, seconds):.2g} s per position"
    time_note = f"The analysis took {each}, and longer for doubtful moves; {MORE_TIME_WORDS}."
    summary = _decline_words(played_game, advantages, findings) if is_complete else ""
    if results and not findings and not summary:
        summary = "The analysis found no mistakes." if is_complete else "No mistakes so far."
    return Review(
        tuple(findings),
        time_note,
        results,
        _summaries(played_game, losses, advantages, findings),
        advantages,
        _turning_number(played_game, turning_point, losses, findings),
        summary,
    )


def _turning_number(
    played_game: PlayedGame, turn: _TurningPoint | None, losses: Mapping[int, float], findings: Sequence[ReviewFinding]
) -> int | None:
    """Return the number of the move at the turning point, or else of the loser's finding with the largest loss."""
    winner = played_game.outcome.winner
    if winner is None or len(played_game.names) != 2:
        return None
    numbers = [finding.number for finding in findings if played_game.plies[finding.number - 1].seat != winner]
    if turn is not None and turn.moves_before + 1 in numbers:
        return turn.moves_before + 1
    return max(numbers, key=lambda number: losses.get(number - 1, 0.0), default=None)


def _known_results(played_game: PlayedGame, results: Mapping[int, PositionResult]) -> dict[int, PositionResult]:
    """Return the results, with certain ones in place of estimates where the neighbouring positions imply them.

    A player who certainly loses before a move also loses after it. A player who certainly wins after a move also won
    before it. And an estimate between two solved positions with the same result is no evidence of two errors: on a
    busy machine a search may end before it solves a position, although a shorter search solved an earlier one.
    """
    found = dict(results)
    if len(played_game.names) != 2:
        return found

    def copy_result(number: int, source: PositionResult) -> None:
        one = results[number]
        value = source.value if source.seat == one.seat else -source.value
        found[number] = one._replace(
            value=value,
            line=(played_game.plies[number].move,),
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
        if before is not None and not is_certain(number) and before.score == -1:
            copy_result(number, before)
    solved = [number for number in sorted(found) if found[number].is_solved]
    for first, last in pairwise(solved):
        if abs(found[first].score_of(1) - found[last].score_of(1)) < MIN_MISSED_LOSS:
            for number in range(first + 1, last):
                if number in found:
                    copy_result(number, found[last])
    return found


def _decline_words(played_game: PlayedGame, advantages: Mapping[int, float], findings: Sequence[ReviewFinding]) -> str:
    """Return a sentence about the decline of a loser without a finding; empty if the search saw no decline.

    It names the loser's last turn with a fair chance, and the first position after which the chance was small.
    """
    winner = played_game.outcome.winner
    if winner is None or len(played_game.names) != 2:
        return ""
    loser = 3 - winner
    if any(played_game.plies[finding.number - 1].seat == loser for finding in findings):
        return ""
    chances = {number: win_chance_percent(_for_seat(one, loser)) for number, one in sorted(advantages.items())}
    fair = [number for number, chance in chances.items() if chance >= _FAIR_CHANCE]
    poor = next((number for number in chances if fair and number > fair[-1] and chances[number] <= _POOR_CHANCE), None)
    if poor is None or chances[max(chances)] > _POOR_CHANCE:
        return ""
    name = _player_name(played_game, loser)
    fair_words = f"{name} had a win chance of {chances[fair[-1]]} % after move {fair[-1]}"
    return f"No single move lost the game: {fair_words}, and of {chances[poor]} % after move {poor}."


def advantage_losses(
    played_game: PlayedGame,
    positions: list[Position],
    results: Mapping[int, PositionResult],
    *,
    of_preferred_moves: bool = False,
) -> dict[int, float]:
    """Return the advantage that each judged move gave away, by the number of moves before it.

    The result is empty for a game of more than two players. The move that the search prefers gives away nothing. Longer
    searches or the result of the next position judge any other move. If the opponent's answer is the move that the
    search prefers there, the better of the next two results judges the move, because a single search errs too often.
    If the next position is solved but this one is not, the move gave away nothing that is known: the game may have been
    decided before. A move after which the loss is proved is judged even if the search preferred it.

    of_preferred_moves: whether to judge the moves that the search prefers like the others. If the advantage falls after
    such a move, the search was wrong before it or after it, so a longer search may find a better move.
    """
    losses = dict[int, float]()
    for number, result in results.items() if len(played_game.names) == 2 else ():
        next_result, later = results.get(number + 1), results.get(number + 2)
        is_preferred = not of_preferred_moves and result.best_move == played_game.plies[number].move
        if is_next_first_solved(results, number) or (is_preferred and not is_proved_blunder(results, number)):
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


def is_next_first_solved(results: Mapping[int, PositionResult], number: int) -> bool:
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


def outcome_score(outcome: Outcome, seat: Seat) -> float:
    """Return the score of a seat: 1 for a win, 0 for a draw, -1 for a loss."""
    return 0.0 if outcome.winner is None else 1.0 if outcome.winner == seat else -1.0


def _for_seat(first_advantage: float, seat: Seat) -> float:
    """Convert the first player's advantage to that of a player in a game for two."""
    return first_advantage if seat == 1 else -first_advantage


def _advantages(
    positions: list[Position], results: Mapping[int, PositionResult], losses: Mapping[int, float]
) -> dict[int, float]:
    """Return the first player's advantage, by the number of moves played before.

    After a mistake, it is the advantage before the mistake less the loss of the mistake. So a sentence about a mistake
    and the graph have one figure for one position, although the search of the next position has another value.
    """
    advantages = dict[int, float]()
    for number, result in sorted(results.items()):
        loss = losses.get(number - 1, 0.0)
        advantages[number] = result.score_of(1)
        is_checked = number - 1 in results and results[number - 1].checked_loss is not None
        is_marked = loss >= (MIN_LARGEST_LOSS if is_checked else MISTAKE_LOSS)
        if number - 1 in advantages and is_marked and abs(result.value) <= CERTAIN_THRESHOLD:
            seat = results[number - 1].seat
            advantages[number] = _for_seat(max(-1.0, _for_seat(advantages[number - 1], seat) - loss), seat)
    if (outcome := positions[-1].outcome()) is not None:
        advantages[len(positions) - 1] = outcome_score(outcome, 1)
    return advantages


def _summaries(
    played_game: PlayedGame,
    losses: Mapping[int, float],
    advantages: Mapping[int, float],
    findings: Sequence[ReviewFinding],
) -> tuple[PlayerSummary, ...]:
    """Return the summary of each player."""
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


def _mistakes(
    played_game: PlayedGame,
    positions: Sequence[Position],
    results: Mapping[int, PositionResult],
    losses: Mapping[int, float],
    advantages: Mapping[int, float],
) -> dict[int, tuple[str, bool]]:
    """Find the moves that gave away much of the mover's advantage, and inaccuracies. Return, for each, a sentence and
    whether it is a blunder.

    If the loser has no other such move, the largest confirmed loss counts, although it is small.
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
            least_losses[largest] = MIN_LARGEST_LOSS
    for number, loss in losses.items():
        result = results[number]
        if number + 1 in results and loss >= least_losses[number]:
            chance_before, chance_after = (
                win_chance_percent(_for_seat(advantages[n], result.seat)) for n in (number, number + 1)
            )
            points = _points_words(positions[number], result)
            words = (
                f"{_player_name(played_game, result.seat)} {_played_words(played_game.plies[number].move)}: "
                f"the win chance fell from {chance_before} to {chance_after} %{points and f', and the move {points}'}."
                f"{_explain_better_move(played_game, positions, results, number)}"
            )
            mistakes[number] = words, loss >= _BLUNDER_LOSS
    return mistakes


def _points_words(position: Position, result: PositionResult) -> str:
    """Say how many points the played move lost, for example "lost about 6 points"; "" if this is not certain."""
    if result.points_lost is None:
        return ""
    if isinstance(position.game, DotsAndBoxes):
        box_count = round(result.points_lost / _POINTS_PER_BOX)
        return f"costs {count_with_noun(box_count, 'box', 'boxes')} if both play perfectly from here on"
    points = round(result.points_lost)
    return f"lost about {points} {position.game.score_unit[points != 1]}"


def _box_losses(positions: Sequence[Position], results: Mapping[int, PositionResult]) -> dict[int, float]:
    """Return the moves in Dots and Boxes that cost boxes, even if the game was decided, with their losses.

    The loss of a move is the lost lead as a share of all boxes. The share is not too small for a mark.
    """
    losses = dict[int, float]()
    for number, result in results.items():
        game = positions[number].game
        if isinstance(game, DotsAndBoxes) and result.points_lost is not None:
            share = min(result.points_lost / len(game.boxes), 1.0)
            if share >= MIN_MISSED_LOSS:
                losses[number] = share
    return losses


def win_chance_percent(advantage: float) -> int:
    """Return the win chance of a player with this advantage, in percent."""
    return round(50 + 50 * advantage)


def _explain_better_move(
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
    answer = next_result.best_move if next_result is not None and next_result.seat != result.seat else ""
    verdict = verdict or (
        _certain_verdict(positions[number], result) if result.value > CERTAIN_THRESHOLD else "was better"
    )
    if result.best_move == move:
        return ""
    return f" {explain_preference(positions[number], move, result.line, answer, verdict)}"


def _certain_verdict(position: Position, result: PositionResult) -> str:
    """Return the certain result of the best move in words, with the margin if it is known: "wins by 3 boxes"."""
    end = result.expected_end if result.is_solved else None
    return result.score_words + margin_words(position, end and end.lead)


def _preferred_move(
    played_game: PlayedGame, results: Mapping[int, PositionResult], losses: Mapping[int, float], number: int
) -> str:
    """Return the move that the search preferred to the played move; empty if it preferred no other move by a margin."""
    is_checked = number in results and results[number].checked_loss is not None
    if losses.get(number, math.inf) < (MIN_LARGEST_LOSS if is_checked else MIN_MISSED_LOSS):
        return ""
    name = results[number].best_move if number in results else ""
    return "" if name == played_game.plies[number].move else name


def _missed_wins(
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
        if losses.get(number, math.inf) < MIN_MISSED_LOSS:
            continue
        if _still_wins(positions, number, result.seat, results):
            continue
        better = _explain_better_move(played_game, positions, results, number)
        missed_wins[number] = f"{_player_name(played_game, result.seat)} missed a win:{better}"
    return missed_wins


def _still_wins(positions: list[Position], number: int, seat: Seat, results: Mapping[int, PositionResult]) -> bool:
    """Return whether the played move also wins, according to the search."""
    next_position = positions[number + 1]
    if (outcome := next_position.outcome()) is not None:
        return outcome.winner == seat
    if (next_result := results.get(number + 1)) is None:
        return True  # the next position was not searched, so no missed win is reported
    return next_result.value > CERTAIN_THRESHOLD if next_result.seat == seat else next_result.value < -CERTAIN_THRESHOLD


def _missed_gains(
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
        if loss < MIN_MISSED_LOSS:
            continue
        costly = loss >= MISTAKE_LOSS
        name, effect = (result.best_move, result.effect) if result.effect and costly else _greatest_capture(position)
        if not costly and effect and _still_has_effect(positions, number + 2, name):
            continue
        if effect and name != move:
            player = _player_name(played_game, result.seat)
            missed_gains[number] = f"{player} {_played_words(move)}, but {name} {effect}."
    return missed_gains


def _still_has_effect(positions: Sequence[Position], move_count: int, move_text: str) -> bool:
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


class _TurningPoint(NamedTuple):
    """The turning point of a game. moves_before: the number of moves before it. sentence: a description for the user.

    is_certain_loss: whether the search saw a certain loss after the move. names_better_move: whether the description
    names a better move.
    """

    moves_before: int
    sentence: str
    is_certain_loss: bool
    names_better_move: bool


def _turning_point(
    played_game: PlayedGame,
    positions: Sequence[Position],
    results: Mapping[int, PositionResult],
    losses: Mapping[int, float],
) -> _TurningPoint | None:
    """Return the move that lost the game, or after which the loser never recovered.

    Returns None in draws, and in games for more than two players.
    """
    winner = played_game.outcome.winner
    if winner is None or len(played_game.names) != 2 or not results:
        return None
    loser = 3 - winner
    values = {n: result.value if result.seat == loser else -result.value for n, result in results.items()}
    numbers = sorted(values)
    own_numbers = [number for number in numbers if results[number].seat == loser]
    loser_name = _player_name(played_game, loser)
    if (losing_number := _losing_move(played_game, results, values, own_numbers)) is not None:
        move = played_game.plies[losing_number].move
        better_move_text = _explain_better_move(played_game, positions, results, losing_number)
        missed = " and missed a win" if better_move_text and values[losing_number] > CERTAIN_THRESHOLD else ""
        words = f"The turning point: {loser_name} {_played_words(move)}{missed}, after which the game was lost."
        return _TurningPoint(
            losing_number, f"{words}{better_move_text}", is_certain_loss=True, names_better_move=bool(better_move_text)
        )
    good_numbers = [number for number in numbers if values[number] >= 0 and not is_next_first_solved(results, number)]
    if not good_numbers:
        return None
    last_good = good_numbers[-1]
    if (number := next((number for number in own_numbers if number >= last_good), None)) is None:
        return None
    move = played_game.plies[number].move
    is_better_known = values[number] >= 0 and losses.get(number, math.inf) >= MISTAKE_LOSS
    better_move_text = _explain_better_move(played_game, positions, results, number) if is_better_known else ""
    points = _points_words(positions[number], results[number])
    points_clause = points and f" {points},"
    words = f"The turning point: {loser_name} {_played_words(move)},{points_clause} and never recovered."
    sentence = f"{words}{better_move_text}"
    return _TurningPoint(number, sentence, is_certain_loss=False, names_better_move=bool(better_move_text))


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
            is_comparable = results[number].is_solved or not results[first_loss].is_solved
            was_open = results[number].score > _NEARLY_LOST_ADVANTAGE
            # longer searches may confirm that even a nearly lost position still had much to lose
            was_open |= (results[number].checked_loss or 0.0) >= MISTAKE_LOSS
            return number if is_comparable and was_open else None
    return None


def _played_words(move: str) -> str:
    """Return the predicate of a sentence about a played move."""
    return "passed" if move == "pass" else f"played {move}"


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


def _player_name(played_game: PlayedGame, seat: Seat) -> str:
    return printable(played_game.names[seat - 1])
