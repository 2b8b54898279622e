"""Knockout: the loser of a pairing is out. The bracket keeps strong players apart until the end, if seeds are right.

Uses players as numbers, which are their seeds, and results, but no agents, rules or store.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gomogo_core.errors import UserError, there_are
from tournaments.schedules import (
    FormatOption,
    FormatStandings,
    RoundPairing,
    ScheduledGame,
    ScheduleInput,
    ScheduleResult,
    TournamentFormat,
    check_two_seats,
)

MOST_EXTRA = 3  # additional pairs of games if a pairing is drawn; after them the higher seed advances


def check(entry: ScheduleInput) -> None:
    """Raise UserError for a tournament that cannot be played."""
    check_two_seats(entry, "A knockout")
    if _has_third_place(entry) and entry.players < 4:
        raise UserError(
            f"A game for the third place needs four players, and {there_are(entry.players)}.", "Leave third_place out."
        )


def _has_third_place(entry: ScheduleInput) -> bool:
    return bool(entry.options.get("third_place"))


def games(entry: ScheduleInput, results: Iterable[ScheduleResult]) -> int:
    """Return the number of games as far as it is known: more if ties are drawn."""
    extra = sum(settled.extra for of_round in _all_rounds(entry, results) for settled in of_round)
    return entry.games * (entry.players - 1 + _has_third_place(entry)) + extra


def knockout(entry: ScheduleInput, results: Iterable[ScheduleResult]) -> Iterator[ScheduledGame]:
    """Yield the games of every pairing whose players are known, and further games if a pairing is drawn."""
    for of_round in _all_rounds(entry, results):
        for settled in of_round:
            yield from settled.asked


def rounds(entry: ScheduleInput, results: Iterable[ScheduleResult]) -> list[list[RoundPairing]]:
    """Return all rounds in the order of the bracket.

    The winners of the first two pairings meet in the next round, and so on. A player that is not known yet is None. A
    player without an opponent in the first round is alone in its pairing. The last round has the final first, then the
    pairing for the third place, if there is one.
    """
    return [[settled.pairing for settled in of_round] for of_round in _all_rounds(entry, results)]


def places(entry: ScheduleInput, pairings: Sequence[Sequence[RoundPairing]]) -> list[int]:
    """Return the place of each player: the later the round of its defeat, the better. Equals share a place."""
    worth = [0.0] * entry.players
    for number, of_round in enumerate(pairings):
        for which, pairing in enumerate(of_round):
            for player in pairing.players:
                if player is None or not pairing.over:
                    continue
                if number == len(pairings) - 1 and which == 1:  # the pairing for the third place
                    worth[player] += 0.5 * (player == pairing.winner)
                else:
                    worth[player] += 1 if player == pairing.winner else -0.25
    return [1 + sum(other > mine for other in worth) for mine in worth]


def first_round(players: int) -> list[tuple[int, ...]]:
    """Return the first round: the first seed meets the last, the first two seeds can meet only in the final, and so on.

    If the number of players is not a power of two, the highest seeds have no opponent.
    """
    size = 1 << (players - 1).bit_length()
    slots = [0]
    while len(slots) < size:
        slots = [seed for one in slots for seed in (one, 2 * len(slots) - 1 - one)]
    return [tuple(s for s in pair if s < players) for pair in zip(slots[::2], slots[1::2], strict=True)]


@dataclass(frozen=True, slots=True)
class _Settled:
    """A pairing with its planned and played games; extra: how many were added because it was drawn."""

    pairing: RoundPairing
    asked: tuple[ScheduledGame, ...] = ()
    extra: int = 0


def _all_rounds(entry: ScheduleInput, results: Iterable[ScheduleResult]) -> list[list[_Settled]]:
    """Return all rounds; the players of each round are the winners of the previous one."""
    known = _KnownBracket(entry, results)
    found = [[known.settle(0, pairing) for pairing in first_round(entry.players)]]
    while len(found[-1]) > 1:
        before = [settled.pairing for settled in found[-1]]
        pairs = [(one.winner, other.winner) for one, other in zip(before[::2], before[1::2], strict=True)]
        if len(before) == 2 and _has_third_place(entry):
            pairs.append((_loser(before[0]), _loser(before[1])))
        found.append([known.settle(len(found), pair) for pair in pairs])
        if len(before) == 2:
            break
    return found


def _loser(pairing: RoundPairing) -> int | None:
    return next((player for player in pairing.players if player != pairing.winner), None) if pairing.over else None


class _KnownBracket:
    """The results by game. The number of an opening identifies the round."""

    def __init__(self, entry: ScheduleInput, results: Iterable[ScheduleResult]) -> None:
        self._games, self._rounds = entry.games, max(1, (entry.players - 1).bit_length())
        results = list(results)
        latest: dict[int, tuple[int, int]] = {}  # the latest round and part of each player
        for result in results:
            for player in result.players if not result.void else ():
                latest[player] = max(latest.get(player, (0, 0)), self._round_and_part(result.opening))
        self._results = {
            ScheduledGame(result.players, result.opening): result
            for result in results
            if not result.void
            or self._round_and_part(result.opening) < max(latest.get(player, (0, 0)) for player in result.players)
        }

    def _round_and_part(self, opening: int) -> tuple[int, int]:
        """Return the round and the part of a pairing to which an opening belongs."""
        turn, number = divmod(opening, self._rounds)
        return number, max(0, turn + 1 - (self._games + 1) // 2)

    def settle(self, number: int, players: tuple[int | None, ...]) -> _Settled:
        """Return the state of a pairing of round `number`."""
        if len(players) == 1:
            return _Settled(RoundPairing(players, (0.0,), over=True, winner=players[0]))
        pair = tuple(player for player in players if player is not None)
        if len(pair) < 2:
            return _Settled(RoundPairing(players, (0.0, 0.0)))
        scores, asked = [0.0, 0.0], list[ScheduledGame]()
        for part in range(1 + MOST_EXTRA):
            games = self._part(number, pair, part)
            played = [self._results[game] for game in games if game in self._results]
            asked += [game for game in games if game not in self._results or not self._results[game].void]
            for result in played:
                for i in (0, 1):
                    scores[i] += result.points[result.players.index(pair[i])]
            if len(played) < len(games):
                return _Settled(RoundPairing(pair, tuple(scores)), tuple(asked), 2 * part)
            if scores[0] != scores[1]:
                break
        winner = min(pair) if scores[0] == scores[1] else pair[scores[0] < scores[1]]
        return _Settled(RoundPairing(pair, tuple(scores), True, winner), tuple(asked), 2 * part)

    def _part(self, number: int, pair: tuple[int, ...], part: int) -> list[ScheduledGame]:
        """Return the first games of a pairing, or those of its additional pair `part`; the higher seed begins."""
        used = (self._games + 1) // 2
        turns = range(self._games) if part == 0 else range(2 * (used + part - 1), 2 * (used + part))
        return [
            ScheduledGame(tuple(sorted(pair, reverse=bool(turn % 2))), number + turn // 2 * self._rounds)
            for turn in turns
        ]


def _report(entry: ScheduleInput, results: Iterable[ScheduleResult]) -> FormatStandings:
    found = rounds(entry, results)
    return FormatStandings(found, places(entry, found))


FORMAT = TournamentFormat(
    "The loser of each pairing is out.",
    knockout,
    games,
    check,
    options=(FormatOption("third_place", bool, False),),
    report=_report,
    grows=True,
    is_bracket=True,
)
