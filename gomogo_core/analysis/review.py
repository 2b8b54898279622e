"""Reviews a finished game: the mistakes, the missed wins and captures, and the turning point.

Uses records and search, but no request, no process. `search_positions` searches the positions, the last one first;
`review_of` reports the mistakes found so far.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gomogo_core.analysis import strongest
from gomogo_core.analysis.accuracy import move_accuracy, player_accuracy, weights
from gomogo_core.analysis.live import advantage, score_words
from gomogo_core.games.base import RESIGN, Move, Outcome, Position, Seat
from gomogo_core.printable import printable
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.search import SearchLimits
from gomogo_core.search.evaluation import node_of
from gomogo_core.search.node import CERTAIN, plies_to_end

_A_MOVE = 32  # the largest share of the time for one position
_MISTAKE, _GRAVE = 0.3, 0.8  # advantage that a move gave away, on a scale from -1 to 1
_VARIATION_MOVES = 12  # the most moves of a variation in a review
_MANY = 2  # a capture of at least two stones is reported even if the search prefers another move


@dataclass(frozen=True, slots=True)
class ReviewFinding:
    """One mistake: the number of the move, from 1, a sentence, and a better move if one was found.

    grave: whether the move gave up a won game, or lost one that was not lost.
    """

    number: int
    words: str
    better: str = ""
    grave: bool = False

    @property
    def mark(self) -> str:
        """The mark of the move in lists: `??` for a blunder, else `?`."""
        return "??" if self.grave else "?"


class PlayerSummary(NamedTuple):
    """The review of one player. accuracy: in percent, None while no move is judged and in games for more than two.

    blunders: the number of grave findings. mistakes: the number of the others.
    """

    seat: Seat
    accuracy: float | None
    mistakes: int
    blunders: int


@dataclass(frozen=True, slots=True)
class Review:
    """The findings in the order of the game, and a note on the method.

    looked: by the number of moves played before. players: a summary by seat.
    """

    findings: tuple[ReviewFinding, ...]
    note: str
    looked: Mapping[int, PositionResult]
    players: tuple[PlayerSummary, ...]


class PositionResult(NamedTuple):
    """The result of a search.

    value: for the player to move; `lead` is a clear lead in the same unit. line: the best moves, as the game writes
    them. does, why: the effect of the best move in words.
    """

    seat: Seat
    value: float
    lead: float
    depth: int
    line: tuple[str, ...]
    does: str = ""
    why: str = ""

    @property
    def name(self) -> str:
        """The best move, as the game writes it."""
        return self.line[0]

    @property
    def score(self) -> float:
        """The mover's advantage, from -1 to 1."""
        return advantage(self.value, self.lead)

    def score_of(self, seat: Seat) -> float:
        """Return the advantage of one of two players, from -1 to 1."""
        return self.score if seat == self.seat else -self.score

    @property
    def words(self) -> str:
        """The mover's standing in words."""
        return score_words(self.value, self.lead)


def positions_to_review(played: PlayedGame, positions: Sequence[Position]) -> list[int]:
    """Return the numbers of moves played before each position that a review looks at, the last first.

    A file of another program does not say which moves are its opening; then a review looks at all positions.
    """
    first = played.opening if played.opening < len(played.plies) else 0
    return [
        number
        for number in reversed(range(first, len(played.plies)))
        if played.plies[number].move != RESIGN and positions[number].outcome() is None
    ]


def search_positions(played: PlayedGame, seconds: float) -> Iterator[tuple[int, PositionResult]]:
    """Search the positions of a game in `seconds` altogether, and yield each with the number of moves played before.

    The last position comes first: the search is most reliable near the end, and the end matters most if time is short.
    """
    positions = played.positions()
    numbers = positions_to_review(played, positions)
    until = time.monotonic() + seconds
    for number in numbers:
        if (now := time.monotonic()) >= until:
            return
        yield number, search_position(positions[number], min(until, now + time_for_each(len(numbers), seconds)))


def time_for_each(count: int, seconds: float) -> float:
    """Return the seconds for one of `count` positions."""
    return min(seconds / _A_MOVE, seconds / max(1, count))


def search_position(position: Position, stop_at: float) -> PositionResult:
    """Search one position until `stop_at`, a time of the monotonic clock."""
    *_, found = strongest.stream_analyses(position, SearchLimits(stop_at=stop_at), 1)
    value, variation = found.lines[0]
    return position_result(position, value, found.lead, found.depth, variation)


def position_result(position: Position, value: float, lead: float, depth: int, line: Sequence[Move]) -> PositionResult:
    """Return the result of a search, with a description of its best move."""
    does, why = position.describe_effect(line[0]), node_of(position).describe_move(line[0]) or ""
    names = tuple(position.game.format(move) for move in line[:_VARIATION_MOVES])
    return PositionResult(position.to_move, value, lead, depth, names, does, why)


def review(played: PlayedGame, seconds: float) -> Review:
    """Search each position of a game briefly, and report the mistakes."""
    return review_of(played, dict(search_positions(played, seconds)), seconds)


def review_of(played: PlayedGame, looked: Mapping[int, PositionResult], seconds: float) -> Review:
    """Report the mistakes, as far as positions have been looked at. seconds: those of the whole review."""
    positions = played.positions()
    if not (count := len(positions_to_review(played, positions))):
        return Review((), "No move was played.", {}, _summaries(played, {}, {}, ()))
    won = _missed_wins(played, positions, looked)
    losses = _losses(played, positions, looked)
    lost = _mistakes(played, looked, losses)
    chances = {**_missed_gains(played, positions, looked), **won}
    found = {number: words for number, (words, _) in lost.items()} | chances
    grave = {number for number, (_, grave) in lost.items() if grave} | set(won)
    if (turn := _turning_point(played, looked)) is not None:
        number, words = turn
        grave.add(number)
        found[number] = f"{words} {chances.get(number, '')}".rstrip()
    findings = [
        ReviewFinding(number + 1, words, _better(played, looked, number), number in grave)
        for number, words in sorted(found.items())
    ]
    note = f"The analysis took {time_for_each(count, seconds):.2g} s per position; more time may find more."
    if not findings:
        note = f"The analysis found no mistakes. {note}"
    return Review(tuple(findings), note, looked, _summaries(played, losses, _chances(positions, looked), findings))


def _losses(played: PlayedGame, positions: list[Position], looked: Mapping[int, PositionResult]) -> dict[int, float]:
    """Return the advantage that each judged move gave away, by the number of moves before it. Only in games for two.

    The search's own move gives away nothing. For another one the better of the positions after the next two moves
    counts: a single search errs too often.
    """
    found = dict[int, float]()
    for number, one in looked.items() if len(played.names) == 2 else ():
        after, later = looked.get(number + 1), looked.get(number + 2)
        if one.name == played.plies[number].move:
            found[number] = 0.0
        elif (outcome := positions[number + 1].outcome()) is not None:
            found[number] = one.score - _result(outcome, one.seat)
        elif after is not None:
            scores = [after.score_of(one.seat)]
            if later is not None and abs(after.value) <= CERTAIN:
                scores.append(later.score_of(one.seat))
            found[number] = max(0.0, one.score - max(scores))
    return found


def _result(outcome: Outcome, seat: Seat) -> float:
    """Return a result as a score of this seat: 1, 0 or -1."""
    return 0.0 if outcome.winner is None else 1.0 if outcome.winner == seat else -1.0


def _chances(positions: list[Position], looked: Mapping[int, PositionResult]) -> dict[int, float]:
    """Return the first player's win chances in percent, by the number of moves played before."""
    scores = {number: one.score_of(1) for number, one in looked.items()}
    if (outcome := positions[-1].outcome()) is not None:
        scores[len(positions) - 1] = _result(outcome, 1)
    return {number: 50 + 50 * scores[number] for number in sorted(scores)}


def _summaries(
    played: PlayedGame, losses: Mapping[int, float], chances: Mapping[int, float], findings: Sequence[ReviewFinding]
) -> tuple[PlayerSummary, ...]:
    """Return the summary of each player."""
    weight = dict(zip(chances, weights(list(chances.values())), strict=False))  # none for the last position
    found = []
    for seat in range(1, len(played.names) + 1):
        own = [number for number in losses if played.plies[number].seat == seat and number in weight]
        # 1 of advantage is worth 50 percent points of win chance
        accuracies = [move_accuracy(50 * losses[number]) for number in own]
        accuracy = player_accuracy(accuracies, [weight[number] for number in own]) if own else None
        marks = [one.mark for one in findings if played.plies[one.number - 1].seat == seat]
        found.append(PlayerSummary(seat, accuracy, marks.count("?"), marks.count("??")))
    return tuple(found)


def _mistakes(
    played: PlayedGame, looked: Mapping[int, PositionResult], losses: Mapping[int, float]
) -> dict[int, tuple[str, bool]]:
    """Find moves that gave away much of the mover's advantage, each with a sentence, and whether it was most of it."""
    found = dict[int, tuple[str, bool]]()
    for number, loss in losses.items():
        one, after = looked[number], looked.get(number + 1)
        if after is not None and loss >= _MISTAKE:
            now = score_words(after.value if after.seat == one.seat else -after.value, after.lead)
            words = (
                f"{_name(played, one.seat)} played {played.plies[number].move} ({now}). "
                f"The better move was {one.name} ({one.words})."
            )
            found[number] = words, loss >= _GRAVE
    return found


def _better(played: PlayedGame, looked: Mapping[int, PositionResult], number: int) -> str:
    """Return the move that the search preferred to the one that was played, if it did."""
    name = looked[number].name if number in looked else ""
    return "" if name == played.plies[number].move else name


def _missed_wins(played: PlayedGame, positions: list[Position], looked: Mapping[int, PositionResult]) -> dict[int, str]:
    """Find moves that gave up a certain win."""
    found = {}
    for number, one in looked.items():
        if one.value <= CERTAIN or played.plies[number].move == one.name:
            continue
        if _still_wins(positions, number, one.seat, looked):
            continue
        plies = plies_to_end(one.value) or 1
        how = f", which {one.does or one.why}" if one.does or one.why else ""
        wins = "wins at once" if plies <= 1 else f"wins in {plies} moves"
        found[number] = f"{_name(played, one.seat)} missed a win: {one.name} {wins}{how}."
    return found


def _still_wins(positions: list[Position], number: int, seat: Seat, looked: Mapping[int, PositionResult]) -> bool:
    """Return whether the move played also wins, as far as the search sees."""
    after = positions[number + 1]
    if (outcome := after.outcome()) is not None:
        return outcome.winner == seat
    if (seen := looked.get(number + 1)) is None:
        return True  # that position was not searched: report nothing
    return seen.value > CERTAIN if seen.seat == seat else seen.value < -CERTAIN


def _missed_gains(
    played: PlayedGame, positions: list[Position], looked: Mapping[int, PositionResult]
) -> dict[int, str]:
    """Find moves that took nothing although another move takes stones or boxes."""
    found = {}
    game = played.rules()
    for number, one in looked.items():
        move, position = played.plies[number].move, positions[number]
        if position.describe_effect(game.parse(move)):
            continue
        name, does = (one.name, one.does) if one.does else _greatest_capture(position)
        if does and name != move:
            found[number] = f"{_name(played, one.seat)} played {move}; {name} {does}."
    return found


def _greatest_capture(position: Position) -> tuple[str, str]:
    """Return the move that captures most stones, if it captures many, and its effect.

    In Go the search sees few moves ahead.
    """
    facts = position.facts()
    if "captures" not in facts:
        return "", ""
    before, most, found = facts["captures"][position.to_move - 1], _MANY - 1, ("", "")
    for move in position.moves():
        if effects := position.describe_effect(move):
            gain = position.play(move).facts()["captures"][position.to_move - 1] - before
            if gain > most:
                most, found = gain, (position.game.format(move), effects)
    return found


def _turning_point(played: PlayedGame, looked: Mapping[int, PositionResult]) -> tuple[int, str] | None:
    """Return the move that lost, or after which the loser never recovered; only in games for two with a winner."""
    winner = played.outcome.winner
    if winner is None or len(played.names) != 2 or not looked:
        return None
    loser = 3 - winner
    values = {n: one.value if one.seat == loser else -one.value for n, one in looked.items()}
    numbers = sorted(values)
    if (lost := _losing_move(values, [n for n in numbers if looked[n].seat == loser])) is not None:
        one, move = looked[lost], played.plies[lost].move
        better = f" {one.name} was better." if one.name != move else ""
        return lost, f"The turning point: {_name(played, loser)} played {move}, after which the game was lost.{better}"
    good = [number for number in numbers if values[number] >= 0]
    if not good:
        return None
    last_good = good[-1]
    own = [n for n in numbers if n >= last_good and looked[n].seat == loser]
    if not own:
        return None
    number = own[0]
    one, move = looked[number], played.plies[number].move
    better = f" {one.name} was better." if one.name != move and values[number] >= 0 else ""
    return number, f"The turning point: {_name(played, loser)} played {move}, and never recovered.{better}"


def _losing_move(values: Mapping[int, float], own: Sequence[int]) -> int | None:
    """Return the loser's last move before a certain loss, as far as the search sees.

    values: for the loser, by the number of moves played. own: the numbers at which the loser was to move. Returns None
    if no loss was certain before the end, for example after a resignation.
    """
    numbers = sorted(values)
    if values[numbers[-1]] >= -CERTAIN:
        return None
    return next((number for number in reversed(own) if values[number] >= -CERTAIN), None)


def _name(played: PlayedGame, seat: Seat) -> str:
    return printable(played.names[seat - 1])
