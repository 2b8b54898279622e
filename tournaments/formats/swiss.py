"""Swiss system: each round pairs players of similar score who have not met, by a matching of maximum weight.

Players are numbers. The module uses results, but no agents, rules or store.
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
    FormatOption,
    FormatStandings,
    PositiveCount,
    RoundPairing,
    ScheduledGame,
    ScheduleInput,
    ScheduleResult,
    TournamentFormat,
    check_two_seats,
)

# the random number of each possible pair is below this limit; it decides between equal matchings
_RANDOM_NUMBER_LIMIT = 1 << 16
_MAX_SEAT_SURPLUS = 2  # games that a player may have had more in one seat than in the other

Pairs: TypeAlias = tuple[tuple[int, int], ...]


def max_possible_rounds(player_count: int) -> int:
    """Return the number of rounds that are always possible without a repeated pairing.

    If the number of players is odd, count the bye as a player, so that the number N of players is even. Before round k
    each player has not met N - k players. If k is at most N / 2, these are at least half of all players. Then by
    Dirac's theorem (G. A. Dirac, Some Theorems on Abstract Graphs, 1952) there is a cycle through all players in which
    no two neighbours have met; every second pair of the cycle gives a complete round. A later round may be impossible:
    for example, if each of three players has met each of three others.
    """
    return (player_count + 1) // 2


def default_rounds(player_count: int) -> int:
    """Return the smallest number of rounds after which at most one player can have won all games."""
    return max(1, math.ceil(math.log2(player_count)))


def check_input(inputs: ScheduleInput) -> None:
    """Raise UserError for a tournament that cannot be played."""
    check_two_seats(inputs, "A Swiss tournament")
    if (rounds := inputs.options["rounds"]) > max_possible_rounds(inputs.player_count):
        raise UserError(
            f"{rounds} rounds of {inputs.player_count} players may not be possible without a repeated pairing.",
            f"Set rounds to {max_possible_rounds(inputs.player_count)} at most, or use round_robin, in which all meet.",
        )


def count_games(inputs: ScheduleInput, results: Iterable[ScheduleResult]) -> int:
    """Return the total number of games."""
    return int(inputs.options["rounds"]) * (inputs.player_count // 2) * inputs.games_per_meeting


def schedule_swiss(inputs: ScheduleInput, results: Iterable[ScheduleResult]) -> Iterator[ScheduledGame]:
    """Yield the games of every round that can be paired. A round is paired when all earlier results are known."""
    results = list(results)
    void_results = (result for result in _countable_results(inputs, results) if result.is_void)
    void_games = {ScheduledGame(result.player_indexes, result.opening_number) for result in void_results}
    for round_number, pairings in enumerate(create_rounds(inputs, results)):
        for pairing in pairings:
            yield from (game for game in _create_games(inputs, round_number, pairing) if game not in void_games)


def create_rounds(inputs: ScheduleInput, results: Iterable[ScheduleResult]) -> list[list[RoundPairing]]:
    """Return the rounds so far, each with its pairings. The first player of a pair begins. A bye is a pairing of one
    player.
    """
    pair_results = _PairResults(inputs, _countable_results(inputs, results))
    state, rounds_so_far = _RoundState(inputs), list[list[RoundPairing]]()
    for round_number in range(inputs.options["rounds"]):
        pairings = [pair_results.pairing(round_number, pair) for pair in state.pair_round(round_number)]
        rounds_so_far.append(pairings)
        if not all(pairing.is_over for pairing in pairings):
            break
        state.add_round(pairings)
    return rounds_so_far


def compute_points(inputs: ScheduleInput, pairings: Sequence[Sequence[RoundPairing]]) -> list[float]:
    """Return each player's points: 1 for a win, one half for a draw. A bye counts like a pairing in which the player
    won all games.
    """
    points_by_player = [0.0] * inputs.player_count
    for pairing in (pairing for round_pairings in pairings for pairing in round_pairings):
        for player, pairing_points in zip(pairing.player_indexes, pairing.scores, strict=True):
            assert player is not None
            points_by_player[player] += pairing_points
    return points_by_player


def compute_places(inputs: ScheduleInput, pairings: Sequence[Sequence[RoundPairing]]) -> list[int]:
    """Return each player's place: by points, then by the sum of the opponents' points (Buchholz). Equal players share a
    place.
    """
    own_points = compute_points(inputs, pairings)
    opponent_points = [0.0] * inputs.player_count
    for pairing in (pairing for round_pairings in pairings for pairing in round_pairings):
        if len(pairing.player_indexes) == 2:
            first, second = pairing.player_indexes
            assert first is not None
            assert second is not None
            opponent_points[first] += own_points[second]
            opponent_points[second] += own_points[first]
    sort_values = list(zip(own_points, opponent_points, strict=True))
    return [1 + sum(other_value > own_value for other_value in sort_values) for own_value in sort_values]


def _countable_results(inputs: ScheduleInput, results: Iterable[ScheduleResult]) -> list[ScheduleResult]:
    """Return the results that count. A void game counts only if a later round has been played."""
    results = list(results)
    latest_round = max((_find_round(inputs, result) for result in results if not result.is_void), default=0)
    return [result for result in results if not result.is_void or _find_round(inputs, result) < latest_round]


def _find_round(inputs: ScheduleInput, result: ScheduleResult) -> int:
    return result.opening_number % max_possible_rounds(inputs.player_count)


def _create_games(inputs: ScheduleInput, round_number: int, pairing: RoundPairing) -> Iterator[ScheduledGame]:
    """Yield the games of a pair in a round: each opening is played once in each seat order. A bye has no games.

    Each round has opening numbers of its own, which do not depend on the numbers of rounds and games. So a game keeps
    its key if the user adds rounds or games.
    """
    players = tuple(player for player in pairing.player_indexes if player is not None)
    for game_number in range(inputs.games_per_meeting if len(players) == 2 else 0):
        opening, swapped = divmod(game_number, 2)
        opening_number = round_number + opening * max_possible_rounds(inputs.player_count)
        yield ScheduledGame(players[::-1] if swapped else players, opening_number)


class _PairResults:
    """The results of a tournament by round and pair."""

    def __init__(self, inputs: ScheduleInput, results: Iterable[ScheduleResult]) -> None:
        self._games = inputs.games_per_meeting
        self._results: defaultdict[tuple[int, frozenset[int]], list[ScheduleResult]] = defaultdict(list)
        for result in results:
            self._results[_find_round(inputs, result), frozenset(result.player_indexes)].append(result)

    def pairing(self, round_number: int, pair: tuple[int, ...]) -> RoundPairing:
        """Return a pair of players in a round, with its results so far."""
        if len(pair) == 1:
            return RoundPairing(pair, (float(self._games),), is_over=True, winner_index=pair[0])
        results = self._results[round_number, frozenset(pair)]
        first_points = sum(result.points[result.player_indexes.index(pair[0])] for result in results)
        second_points = len(results) - first_points
        is_over = len(results) >= self._games
        winner = None if not is_over or first_points == second_points else pair[first_points < second_points]
        return RoundPairing(pair, (first_points, second_points), is_over=is_over, winner_index=winner)


@dataclass
class _RoundState:
    """The state before a round, by player. half_points: the points in halves, which are whole numbers. seat_surplus:
    the number of games in the first seat minus the number in the second. pairs_met: the pairs that have met.
    """

    inputs: ScheduleInput
    half_points: list[int] = field(init=False)
    seat_surplus: list[int] = field(init=False)
    pairs_met: set[tuple[int, int]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.half_points, self.seat_surplus = [0] * self.inputs.player_count, [0] * self.inputs.player_count

    def pair_round(self, round_number: int) -> list[tuple[int, ...]]:
        """Return the pairs of the next round. The first player of a pair has the first seat in the first game. A bye
        comes last.
        """
        seat_surplus = (
            tuple(self.seat_surplus) if self.inputs.games_per_meeting % 2 else (0,) * self.inputs.player_count
        )
        seed = f"{self.inputs.seed}:{round_number}"
        pairs = _match_players(tuple(self.half_points), seat_surplus, frozenset(self.pairs_met), seed)
        ordered_pairs = [self._choose_order(pair, round_number) for pair in pairs if pair[1] < self.inputs.player_count]
        return [*ordered_pairs, *((pair[0],) for pair in pairs if pair[1] == self.inputs.player_count)]

    def _choose_order(self, pair: tuple[int, int], round_number: int) -> tuple[int, ...]:
        """Return the pair in order: the player that has begun less often comes first. A random number decides between
        equal players.
        """
        swaps_players = random.Random(f"{self.inputs.seed}:{round_number}:{pair}").random() < 0.5
        return tuple(sorted(pair, key=lambda player: (self.seat_surplus[player], (player == pair[0]) == swaps_players)))

    def add_round(self, pairings: Iterable[RoundPairing]) -> None:
        """Add the points of a finished round, and count each player's games in the first seat."""
        for pairing in pairings:
            players = [player for player in pairing.player_indexes if player is not None]
            for player, points in zip(players, pairing.scores, strict=True):
                self.half_points[player] += round(2 * points)
            if len(players) == 2:
                self.seat_surplus[players[0]] += self.inputs.games_per_meeting % 2
                self.seat_surplus[players[1]] -= self.inputs.games_per_meeting % 2
            self.pairs_met.add(_sorted_pair(*players) if len(players) == 2 else (players[0], self.inputs.player_count))


def _sorted_pair(first: int, second: int) -> tuple[int, int]:
    return min(first, second), max(first, second)


@lru_cache(maxsize=64)
def _match_players(
    half_points: tuple[int, ...], seat_surplus: tuple[int, ...], met_players: frozenset[tuple[int, int]], seed: str
) -> Pairs:
    """Pair each player with a player that it has not met. The number of players stands for the bye.

    The costs of a pair, each of which outweighs all costs below it:
    1. A player would have three games more in one seat than in the other.
    2. The points of a player with the bye.
    3. The squared difference of the points.
    4. The seats of both players stay uneven.
    5. A random number. With random numbers there is almost certainly a single best matching, so that the same results
       always give the same pairs (K. Mulmuley, U. V. Vazirani, V. V. Vazirani, Matching Is as Easy as Matrix Inversion,
       Combinatorica 7, 1987).

    The matching is computed as in Z. Galil, Efficient Algorithms for Finding Maximum Matching in Graphs, ACM Computing
    Surveys 18, 1986.
    """
    import networkx as nx

    players, bye = len(half_points), len(half_points)
    generator, min_half_points = random.Random(seed), min(half_points)
    nodes = range(players + players % 2)
    costs: dict[tuple[int, int], tuple[int, ...]] = {}
    for second in nodes:
        for first in range(second):
            random_number = generator.randrange(_RANDOM_NUMBER_LIMIT)
            if (first, second) in met_players:
                continue
            if second == bye:
                costs[first, second] = (0, half_points[first] - min_half_points, 0, 0, random_number)
                continue
            surpluses, product = (seat_surplus[first], seat_surplus[second]), seat_surplus[first] * seat_surplus[second]
            is_too_uneven = product > 0 and min(map(abs, surpluses)) >= _MAX_SEAT_SURPLUS
            point_cost = (half_points[first] - half_points[second]) ** 2
            costs[first, second] = (is_too_uneven, 0, point_cost, max(0, product), random_number)
    scale = [1 + len(nodes) * max((cost[index] for cost in costs.values()), default=0) for index in range(5)]
    graph = nx.Graph()
    for pair, cost in costs.items():
        weight = 0
        for cost_part, scale_part in zip(cost, scale, strict=True):
            weight = weight * scale_part + cost_part
        graph.add_edge(*pair, weight=-weight)
    return tuple(sorted(_sorted_pair(*edge) for edge in nx.max_weight_matching(graph, maxcardinality=True)))


def _compute_standings(inputs: ScheduleInput, results: Iterable[ScheduleResult]) -> FormatStandings:
    all_rounds = create_rounds(inputs, results)
    return FormatStandings(all_rounds, compute_places(inputs, all_rounds), compute_points(inputs, all_rounds))


FORMAT = TournamentFormat(
    "Each round pairs agents of similar scores that have not met.",
    schedule_swiss,
    count_games,
    check_input,
    options=(FormatOption("rounds", PositiveCount | None),),
    stored_options=lambda options, players: {"rounds": options["rounds"] or default_rounds(players)},
    compute_standings=_compute_standings,
    balances_seats=True,
)
