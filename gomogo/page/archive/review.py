"""Reviews a finished game: its turning point, and the wins and captures that were missed.

Knows records and search; no request. A review is computed on request, within a few seconds, and cached.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gomogo_core.analysis import search
from gomogo_core.drawing.text import printable
from gomogo_core.errors import UserError
from gomogo_core.games.base import RESIGN, Move, Position, Seat
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.search.evaluation import node_of
from gomogo_core.search.node import CERTAIN, plies_to_end

_ALTOGETHER = 8.0  # seconds for a review
_A_MOVE = 0.25  # seconds at most
_PATIENCE = 10.0  # seconds to wait while others are reviewed
_REMEMBERED = 100
_MOST_FINDINGS = 12
_MANY = 2  # stones whose capture is worth a word, whatever the search holds to be best


@dataclass(frozen=True, slots=True)
class ReviewFinding:
    """One mistake: the number of the move, from 1, a sentence, and a better move if one was found.

    grave: whether the move gave up a won game, or lost one that was not lost.
    """

    number: int
    words: str
    better: str = ""
    grave: bool = False


@dataclass(frozen=True, slots=True)
class Review:
    """The findings in the order of the game, and a note on the method."""

    findings: tuple[ReviewFinding, ...]
    note: str


@dataclass(frozen=True, slots=True)
class _Looked:
    """The result of a search. value: for the player to move. takes: the effect of the best move in words."""

    seat: Seat
    best: Move
    name: str
    value: float
    does: str
    why: str


class ReviewCache:
    """Computes reviews one at a time, and caches them."""

    def __init__(self) -> None:
        self._one = threading.Lock()
        self._reviews: OrderedDict[str, Review] = OrderedDict()

    def of(self, played: PlayedGame) -> Review:
        """Return the review of a game. Raises UserError while the server computes others."""
        if (held := self._reviews.get(played.key)) is not None:
            return held
        if not self._one.acquire(timeout=_PATIENCE):
            raise UserError("The server is busy with other reviews.", "Try again in a few seconds.")
        try:
            made = review(played)
        finally:
            self._one.release()
        self._reviews[played.key] = made
        while len(self._reviews) > _REMEMBERED:
            self._reviews.popitem(last=False)
        return made


def review(played: PlayedGame, seconds: float = _ALTOGETHER) -> Review:
    """Search each position of a game briefly, and report the mistakes."""
    positions = played.positions()
    moments = [
        number
        for number, ply in enumerate(played.plies)
        if number >= played.opening and ply.move != RESIGN and positions[number].outcome() is None
    ]
    if not moments:
        return Review((), "No move was played.")
    each = min(_A_MOVE, seconds / len(moments))
    until = time.monotonic() + seconds
    looked: dict[int, _Looked] = {}
    for number in reversed(moments):  # the end is read most surely; and decides, if time is short
        if time.monotonic() >= until:
            break
        looked[number] = _look(positions[number], each)
    won = _missed_wins(played, positions, looked)
    found, grave = {**_missed_gains(played, positions, looked), **won}, set(won)
    if (turn := _turning_point(played, looked)) is not None:
        number, words = turn
        grave.add(number)
        found[number] = f"{words} {found[number]}" if number in found else words
    findings = [
        ReviewFinding(number + 1, words, _better(played, looked, number), number in grave)
        for number, words in sorted(found.items())
    ]
    if len(findings) > _MOST_FINDINGS:
        findings = findings[-_MOST_FINDINGS:]
    note = f"The analysis took {each:.2g} s per position; more time may find more."
    if not findings:
        note = f"The analysis found no mistakes. {note}"
    return Review(tuple(findings), note)


def _better(played: PlayedGame, looked: Mapping[int, _Looked], number: int) -> str:
    """Return the move that the search preferred to the one that was played, if it did."""
    name = looked[number].name if number in looked else ""
    return "" if name == played.plies[number].move else name


def _look(position: Position, seconds: float) -> _Looked:
    game = position.game
    result = search(position, seconds)
    does, why = position.describe_effect(result.move), node_of(position).why(result.move) or ""
    return _Looked(position.to_move, result.move, game.format(result.move), result.value, does, why)


def _missed_wins(played: PlayedGame, positions: list[Position], looked: dict[int, _Looked]) -> dict[int, str]:
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


def _still_wins(positions: list[Position], number: int, seat: Seat, looked: dict[int, _Looked]) -> bool:
    """Return whether the move played also wins, as far as the search sees."""
    after = positions[number + 1]
    if (outcome := after.outcome()) is not None:
        return outcome.winner == seat
    if (seen := looked.get(number + 1)) is None:
        return True  # not looked at: say nothing
    return seen.value > CERTAIN if seen.seat == seat else seen.value < -CERTAIN


def _missed_gains(played: PlayedGame, positions: list[Position], looked: dict[int, _Looked]) -> dict[int, str]:
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
    """Return the move that captures most stones, if they are many, and its effect; in Go the search sees few moves
    ahead.
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


def _turning_point(played: PlayedGame, looked: dict[int, _Looked]) -> tuple[int, str] | None:
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

    values: for the loser, by the number of moves played. own: the numbers at which the loser was to move. None if the
    end was not certain, as after counting or a resignation.
    """
    numbers = sorted(values)
    if values[numbers[-1]] >= -CERTAIN:
        return None
    return next((number for number in reversed(own) if values[number] >= -CERTAIN), None)


def _name(played: PlayedGame, seat: Seat) -> str:
    return printable(played.names[seat - 1])
