"""Swiss: each round pairs players of like score who have not met, by a matching of greatest weight.

Uses players as numbers, and results, but no agents, rules or store.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from gomogo_core.errors import UserError
from tournaments.schedules import (
    Count,
    FormatOption,
    FormatStandings,
    RoundPairing,
    ScheduledGame,
    ScheduleInput,
    ScheduleResult,
    TournamentFormat,
    check_two_seats,
)

_LOTS = 1 << 16  # each possible pair draws one of these numbers, which break ties
_UNEVEN = 2  # surplus of games in one seat: no player should reach 3

Pairs: TypeAlias = tuple[tuple[int, int], ...]


def most_rounds(players: int) -> int:
    """Return the number of rounds that are always possible without a repeated pairing.

    A bye is one more opponent, so that there are always N players with N even. Before round k each has N - k opponents
    left. With k at most N / 2 these are at least half of all, so that by Dirac's theorem (G. A. Dirac, Some Theorems on
    Abstract Graphs, 1952) a cycle leads through all players over pairs that have not met; every second pair of the
    cycle is a complete round. Later there may be no round: for example, if each of three players has met each of three
    others.
    """
    return (players + 1) // 2


def usual_rounds(players: int) -> int:
    """Return the number of rounds that leave one player with all games won."""
    return max(1, math.ceil(math.log2(players)))


def check(entry: ScheduleInput) -> None:
    """Raise UserError for a tournament that cannot be played."""
    check_two_seats(entry, "A Swiss tournament")
    if (rounds := entry.options["rounds"]) > most_rounds(entry.players):
        raise UserError(
            f"rounds = {rounds} of {entry.players} players may not be possible without a second meeting.",
            f"Ask for {most_rounds(entry.players)} at most, or take round_robin, in which all players meet.",
        )


def games(entry: ScheduleInput, results: Iterable[ScheduleResult]) -> int:
    """Return how many games are played in all."""
    return int(entry.options["rounds"]) * (entry.players // 2) * entry.games


def swiss(entry: ScheduleInput, results: Iterable[ScheduleResult]) -> Iterator[ScheduledGame]:
    """Yield the games of every round that can be paired: all results of the previous round must be known."""
    results = list(results)
    void = {
        ScheduledGame(result.players, result.opening) for result in _countable_results(entry, results) if result.void
    }
    for round_number, pairings in enumerate(rounds(entry, results)):
        yield from (game for pairing in pairings for game in _games(entry, round_number, pairing) if game not in void)


def rounds(entry: ScheduleInput, results: Iterable[ScheduleResult]) -> list[list[RoundPairing]]:
    """Return the rounds so far, each with its pairings. The first player of a pair begins. A bye has one player."""
    pair_results = _PairResults(entry, _countable_results(entry, results))
    standing, found = _Standing(entry), list[list[RoundPairing]]()
    for round_number in range(entry.options["rounds"]):
        pairings = [pair_results.pairing(round_number, pair) for pair in standing.pair_round(round_number)]
        found.append(pairings)
        if not all(pairing.over for pairing in pairings):
            break
        standing.add_round(pairings)
    return found


def points(entry: ScheduleInput, pairings: Sequence[Sequence[RoundPairing]]) -> list[float]:
    """Return each player's points: 1 for a game won, half for one drawn; a bye counts as if all its games were won."""
    own = [0.0] * entry.players
    for pairing in (pairing for of_round in pairings for pairing in of_round):
        for player, scored in zip(pairing.players, pairing.points, strict=True):
            assert player is not None
            own[player] += scored
    return own


def places(entry: ScheduleInput, pairings: Sequence[Sequence[RoundPairing]]) -> list[int]:
    """Return each player's place: by points, then by the opponents' points (Buchholz). Equals share a place."""
    own = points(entry, pairings)
    theirs = [0.0] * entry.players
    for pairing in (pairing for of_round in pairings for pairing in of_round):
        if len(pairing.players) == 2:
            one, other = pairing.players
            assert one is not None
            assert other is not None
            theirs[one] += own[other]
            theirs[other] += own[one]
    worth = list(zip(own, theirs, strict=True))
    return [1 + sum(other > mine for other in worth) for mine in worth]


def _countable_results(entry: ScheduleInput, results: Iterable[ScheduleResult]) -> list[ScheduleResult]:
    """Return the results that count. Void games count only in rounds that another round has followed."""
    results = list(results)
    latest = max((_round(entry, result) for result in results if not result.void), default=0)
    return [result for result in results if not result.void or _round(entry, result) < latest]


def _round(entry: ScheduleInput, result: ScheduleResult) -> int:
    return result.opening % most_rounds(entry.players)


def _games(entry: ScheduleInput, round_number: int, pairing: RoundPairing) -> Iterator[ScheduledGame]:
    """Yield the games of a pair in a round: each opening is played once in each seat order. A bye has no games.

    The number of the opening identifies the round, for any number of rounds and games. So a game keeps its key if the
    user adds rounds or games.
    """
    players = tuple(player for player in pairing.players if player is not None)
    for game in range(entry.games if len(players) == 2 else 0):
        opening, swapped = divmod(game, 2)
        yield ScheduledGame(players[::-1] if swapped else players, round_number + opening * most_rounds(entry.players))


class _PairResults:
    """The results by round and pair."""

    def __init__(self, entry: ScheduleInput, results: Iterable[ScheduleResult]) -> None:
        self._games = entry.games
        self._results: defaultdict[tuple[int, frozenset[int]], list[ScheduleResult]] = defaultdict(list)
        for result in results:
            self._results[_round(entry, result), frozenset(result.players)].append(result)

    def pairing(self, round_number: int, pair: tuple[int, ...]) -> RoundPairing:
        """Return a pair of players in a round, with its results so far."""
        if len(pair) == 1:
            return RoundPairing(pair, (float(self._games),), over=True, winner=pair[0])
        results = self._results[round_number, frozenset(pair)]
        own = sum(result.points[result.players.index(pair[0])] for result in results)
        other = len(results) - own
        over = len(results) >= self._games
        winner = None if not over or own == other else pair[own < other]
        return RoundPairing(pair, (own, other), over=over, winner=winner)


@dataclass
class _Standing:
    """The standings before a round. points: doubled. seats: games in the first seat minus games in the second."""

    entry: ScheduleInput
    points: list[int] = field(init=False)
    seats: list[int] = field(init=False)
    met: set[tuple[int, int]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.points, self.seats = [0] * self.entry.players, [0] * self.entry.players

    def pair_round(self, round_number: int) -> list[tuple[int, ...]]:
        """Return the pairs of the next round. The first player of a pair begins more of its games. A bye comes last."""
        uneven = tuple(self.seats) if self.entry.games % 2 else (0,) * self.entry.players
        pairs = _match_players(tuple(self.points), uneven, frozenset(self.met), f"{self.entry.seed}:{round_number}")
        seated = [self._order_pair(pair, round_number) for pair in pairs if pair[1] < self.entry.players]
        return [*seated, *((pair[0],) for pair in pairs if pair[1] == self.entry.players)]

    def _order_pair(self, pair: tuple[int, int], round_number: int) -> tuple[int, ...]:
        """Return the pair; the player that has begun less often comes first; a random number decides between equals."""
        lot = random.Random(f"{self.entry.seed}:{round_number}:{pair}").random() < 0.5
        return tuple(sorted(pair, key=lambda player: (self.seats[player], (player == pair[0]) == lot)))

    def add_round(self, pairings: Iterable[RoundPairing]) -> None:
        """Add the points and seats of a round that is over."""
        for pairing in pairings:
            players = [player for player in pairing.players if player is not None]
            for player, scored in zip(players, pairing.points, strict=True):
                self.points[player] += round(2 * scored)
            if len(players) == 2:
                self.seats[players[0]] += self.entry.games % 2
                self.seats[players[1]] -= self.entry.games % 2
            self.met.add(_pair(*players) if len(players) == 2 else (players[0], self.entry.players))


def _pair(one: int, other: int) -> tuple[int, int]:
    return min(one, other), max(one, other)


@lru_cache(maxsize=64)
def _match_players(points: tuple[int, ...], seats: tuple[int, ...], met: frozenset[tuple[int, int]], lot: str) -> Pairs:
    """Pair each player with one not met yet; the number after the last player's stands for a bye.

    Each aim outweighs all later ones together. The aims, in order: no player has three games more in one seat than in
    the other; the bye goes to the player with fewest points; scores are similar (their squared differences); seats even
    out. Random numbers come last: they leave one best matching with near certainty, so that the same results always
    give the same pairs (K. Mulmuley, U. V. Vazirani, V. V. Vazirani, Matching Is as Easy as Matrix Inversion,
    Combinatorica 7, 1987). The matching is by Z. Galil, Efficient Algorithms for Finding Maximum Matching in Graphs,
    ACM Computing Surveys 18, 1986.
    """
    import networkx as nx

    players, bye = len(points), len(points)
    lots, lowest = random.Random(lot), min(points)
    nodes = range(players + players % 2)
    costs: dict[tuple[int, int], tuple[int, ...]] = {}
    for other in nodes:
        for one in range(other):
            drawn = lots.randrange(_LOTS)
            if (one, other) in met:
                continue
            if other == bye:
                costs[one, other] = (0, points[one] - lowest, 0, 0, drawn)
                continue
            product = seats[one] * seats[other]
            too_uneven = product > 0 and min(abs(seats[one]), abs(seats[other])) >= _UNEVEN
            costs[one, other] = (too_uneven, 0, (points[one] - points[other]) ** 2, max(0, product), drawn)
    scale = [1 + len(nodes) * max((cost[i] for cost in costs.values()), default=0) for i in range(5)]
    graph = nx.Graph()
    for pair, cost in costs.items():
        weight = 0
        for part, most in zip(cost, scale, strict=True):
            weight = weight * most + part
        graph.add_edge(*pair, weight=-weight)
    return tuple(sorted(_pair(*edge) for edge in nx.max_weight_matching(graph, maxcardinality=True)))


def _report(entry: ScheduleInput, results: Iterable[ScheduleResult]) -> FormatStandings:
    found = rounds(entry, results)
    return FormatStandings(found, places(entry, found), points(entry, found))


FORMAT = TournamentFormat(
    "Each round pairs agents of similar scores that have not met.",
    swiss,
    games,
    check,
    options=(FormatOption("rounds", Count | None),),
    shape=lambda options, players: {"rounds": options["rounds"] or usual_rounds(players)},
    report=_report,
    balances_seats=True,
)
