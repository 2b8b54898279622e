"""Compute the standings of a run: each player's wins, draws and losses, its rating, and the reasons for its losses.

The store counts the results, ratings.py computes the ratings, and other modules display the standings.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, zip_longest
from math import ceil
from typing import NamedTuple

from gomogo_core import games
from gomogo_core.games.base import Reason
from gomogo_core.records.aggregates import PairTally, SeatTally, pair_tallies, ranked_games, seat_tallies
from gomogo_core.records.store import GameStatus, Run, Store
from tournaments.formats import FORMATS, schedule_input
from tournaments.lead import Lead, LeadByPoints, lead_by_points
from tournaments.pair_test import PairTestResult, pair_test
from tournaments.ratings import (
    Meeting,
    MeetingGroup,
    Rating,
    RatingBound,
    RatingTable,
    compute_ratings,
    count_differences,
)
from tournaments.schedules import FormatStandings, RoundPairing, ScheduleResult

EMPTY_RATINGS = compute_ratings(())  # before the first game
MAX_FURTHER_GAMES = 100_000  # the notes below the table name no larger number of further games
# with fewer games that no player lost by a fault, the advantage of the first seat is not estimated
MIN_GAMES_FOR_SEAT_ADVANTAGE = 10


@dataclass(frozen=True, slots=True)
class SeatResults:
    """A player's results in one seat."""

    games: int
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class StandingsRow:
    """One player's row in the standings.

    score: points per game; a win counts 1, a draw one half. forfeits_by_reason: the number of games lost by each fault.
    results_by_seat: the results in each seat, the first seat first. moves_per_game: the mean length of the player's
    games, with the moves of all players and the opening. seconds_per_move: the mean time of the player's own moves.
    results_by_reason: the results by the reason for which the game ended; a game lost by a fault counts under that
    fault. doubtful_losses: the number of losses on time that the machine may have caused. place, points: the player's
    place and points by the rules of the format; None if ratings decide the places. rating_bound: the bound of a player
    who won every game, or lost every game; otherwise None.
    """

    name: str
    games: int
    wins: int
    draws: int
    losses: int
    score: float | None
    rating: Rating | None
    forfeits_by_reason: dict[str, int]
    results_by_seat: tuple[SeatResults, ...]
    moves_per_game: float | None
    seconds_per_move: float | None
    results_by_reason: Mapping[str, ResultCounts] = field(default_factory=dict)
    doubtful_losses: int = 0
    place: int | None = None
    points: float | None = None
    rating_bound: RatingBound | None = None

    @property
    def total_points(self) -> float:
        """The points by the rules of the format; otherwise 1 for a win and 0.5 for a draw."""
        return self.wins + self.draws / 2 if self.points is None else self.points

    @property
    def win_loss_ratio(self) -> float | None:
        """Wins divided by losses; None if there is no loss."""
        return self.wins / self.losses if self.losses else None


class ResultCounts(NamedTuple):
    """The numbers of a player's wins, draws and losses against one opponent, or in games that ended for one reason."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def add_results(self, counts: Sequence[int], multiplier: int) -> ResultCounts:
        """Return these counts with the given wins, draws and losses added `multiplier` times."""
        return ResultCounts(*(own_count + multiplier * count for own_count, count in zip(self, counts, strict=True)))


class CloseNeighbours(NamedTuple):
    """Two neighbours in the table without a significant difference. further_games: about how many further games of each
    player might show a difference; None if that number is too large.
    """

    higher_player: str
    lower_player: str
    further_games: int | None


class DirectResult(NamedTuple):
    """The result of two players against each other, without their other games: the significance test of their pairs of
    games, and their points.
    """

    test: PairTestResult
    points: LeadByPoints


@dataclass(frozen=True, slots=True)
class Standings:
    """The standings of a run, the strongest player first. planned_games: the number of all games; None for an endless
    run.

    names: each player's name in tables. head_to_head:
    each player's results against each opponent, by name. direct_results: the same results with their significance.
    lead: in a match between two players, the lead of the stronger player. close_neighbours: neighbours in the table
    without a significant difference. rounds: the pairings of each round, with players as indexes in `names`; empty for
    formats without rounds. first_seat_advantage: the first seat's advantage in the games that no player lost by a
    fault; None if it is unknown. forfeit_count: the number of games that a player lost by a fault. seed: the seed of
    random openings and random agents.
    """

    run: str
    rows: tuple[StandingsRow, ...]
    finished_games: int
    planned_games: int | None
    ratings: RatingTable = EMPTY_RATINGS
    names: Mapping[str, str] = field(default_factory=dict)
    head_to_head: Mapping[tuple[str, str], ResultCounts] = field(default_factory=dict)
    direct_results: Mapping[tuple[str, str], DirectResult] = field(default_factory=dict)
    lead: Lead | None = None
    close_neighbours: tuple[CloseNeighbours, ...] = ()
    rounds: Sequence[Sequence[RoundPairing]] = ()
    format: str = "round_robin"
    first_seat_advantage: Rating | None = None
    forfeit_count: int = 0
    seed: int | None = None

    @property
    def is_complete(self) -> bool:
        """Whether every planned game has been played."""
        return self.finished_games == self.planned_games


def compute_standings(store: Store, run: Run) -> Standings:
    """Return the standings of a run. They include players that have not played yet."""
    names = {player["player"]: player["name"] for player in run.settings["players"]}
    tallies_by_player: dict[str, list[SeatTally]] = {player: [] for player in names}
    for tally in seat_tallies(store, run):
        tallies_by_player[tally.player].append(tally)
    tallies_of_pairs = pair_tallies(store, run)
    ratings = compute_ratings(map(_create_meeting_group, tallies_of_pairs))
    seat_count = games.load(run.settings["game"], **run.settings["options"]).seats
    format_standings = _compute_format_standings(store, run, seat_count)
    places_and_points = zip_longest(names, format_standings.places_by_player, format_standings.points_by_player)
    rows = []
    for player, place, points in places_and_points:
        rating, bound = ratings.ratings_by_player.get(player), ratings.bounds_by_player.get(player)
        row = _create_row(names[player], tallies_by_player[player], rating, seat_count)
        rows.append(replace(row, place=place, points=points, rating_bound=bound))
    rows.sort(key=_sort_key)
    direct_results = _test_direct_results(tallies_of_pairs, names)
    forfeits = sum(sum(row.forfeits_by_reason.values()) for row in rows)
    return Standings(
        run=run.name,
        rows=tuple(rows),
        finished_games=store.count_games(run),
        planned_games=run.planned_games,
        ratings=ratings,
        names=names,
        head_to_head=_count_head_to_head(tallies_of_pairs, names),
        direct_results=direct_results,
        lead=_find_lead(rows, direct_results),
        close_neighbours=_find_close_neighbours(rows, ratings, names),
        rounds=format_standings.rounds,
        format=run.settings["format"],
        first_seat_advantage=_rate_first_seat(store, run) if forfeits else ratings.first_seat_advantage,
        forfeit_count=forfeits,
        seed=run.settings.get("seed"),
    )


def compute_ratings_among(
    store: Store, run: Run, players: Collection[str]
) -> dict[str, tuple[Rating, RatingBound | None]]:
    """Return ratings by name, from the games among the named players only. A player who won or lost all of these games
    also has a bound.
    """
    names = {player["player"]: player["name"] for player in run.settings["players"]}
    all_tallies = pair_tallies(store, run)
    tallies = [tally for tally in all_tallies if {names[tally.player], names[tally.opponent]} <= {*players}]
    ratings = compute_ratings(map(_create_meeting_group, tallies))
    return {
        names[player]: (rating, ratings.bounds_by_player.get(player))
        for player, rating in ratings.ratings_by_player.items()
    }


def _rate_first_seat(store: Store, run: Run) -> Rating | None:
    """Return the first seat's advantage in the games without a fault. A fault says nothing about the seats."""
    tallies_of_pairs = pair_tallies(store, run, with_forfeits=False)
    games = sum(tally.pair_count * sum((*tally.as_first, *tally.as_second)) for tally in tallies_of_pairs)
    if games < MIN_GAMES_FOR_SEAT_ADVANTAGE:
        return None
    return compute_ratings(map(_create_meeting_group, tallies_of_pairs)).first_seat_advantage


def _compute_format_standings(store: Store, run: Run, seat_count: int) -> FormatStandings:
    """Return the standings by the rules of the run's format. A game that could not be played counts as a draw."""
    format_standings = FORMATS[run.settings["format"]].compute_standings
    if format_standings is None:
        return FormatStandings()
    index_by_player = {player["player"]: index for index, player in enumerate(run.settings["players"])}
    results = [
        ScheduleResult(tuple(index_by_player[player] for player in game.players), game.ranks, game.pair)
        for game in ranked_games(store, run, (GameStatus.PLAYED, GameStatus.UNPLAYED))
        if all(player in index_by_player for player in game.players)
    ]
    return format_standings(schedule_input(run.settings, seat_count), results)


def _count_head_to_head(tallies: Iterable[PairTally], names: Mapping[str, str]) -> dict[tuple[str, str], ResultCounts]:
    counts_by_pair: defaultdict[tuple[str, str], ResultCounts] = defaultdict(ResultCounts)
    for tally in tallies:
        pair = names[tally.player], names[tally.opponent]
        for counts in (tally.as_first, tally.as_second):
            counts_by_pair[pair] = counts_by_pair[pair].add_results(counts, tally.pair_count)
            counts_by_pair[pair[::-1]] = counts_by_pair[pair[::-1]].add_results(counts[::-1], tally.pair_count)
    return dict(sorted(counts_by_pair.items()))


def _test_direct_results(
    tallies_of_pairs: Iterable[PairTally], names: Mapping[str, str]
) -> dict[tuple[str, str], DirectResult]:
    """Return the direct results of all players who met, once from the point of view of each of the two players."""
    tallies_by_pair: defaultdict[tuple[str, str], list[PairTally]] = defaultdict(list)
    for tally in tallies_of_pairs:
        tallies_by_pair[tally.player, tally.opponent].append(tally)
    results = {}
    for (first, second), tallies in tallies_by_pair.items():
        test = pair_test(count_differences(first, map(_create_meeting_group, tallies)))
        counts = Counter[tuple[int, int, int]]()
        for tally in tallies:
            wins, draws, losses = map(sum, zip(tally.as_first, tally.as_second, strict=True))
            counts[wins, draws, losses] += tally.pair_count
        results[names[first], names[second]] = DirectResult(test, lead_by_points(counts))
        reversed_counts = {result[::-1]: number for result, number in counts.items()}
        reversed_test = PairTestResult(test.p_value, 1 - test.superiority_probability)
        results[names[second], names[first]] = DirectResult(reversed_test, lead_by_points(reversed_counts))
    return results


def _find_lead(rows: Sequence[StandingsRow], direct_results: Mapping[tuple[str, str], DirectResult]) -> Lead | None:
    """Return the lead of the first row's player in a match between two; None in other tournaments."""
    if len(rows) != 2 or (rating := rows[0].rating) is None or rows[1].rating is None:
        return None
    higher, lower = (row.name for row in rows)
    test, points = direct_results[higher, lower]
    # the lead is twice the rating, since the ratings of the two players have the sum 0
    return Lead(higher, lower, 2 * rating.elo, 2 * rating.low, 2 * rating.high, *test, points)


def _find_close_neighbours(
    rows: Sequence[StandingsRow], ratings: RatingTable, names: Mapping[str, str]
) -> tuple[CloseNeighbours, ...]:
    """Return the neighbours in the table without a significant difference."""
    neighbours = []
    tests = {(names[first], names[second]): test for (first, second), test in ratings.pair_tests.items()}
    for higher, lower in pairwise(rows):
        test = tests.get((higher.name, lower.name))
        if test is not None and not test.is_significant:
            games_needed = test.further_games_needed((higher.games + lower.games) / 2)
            further_games = ceil(games_needed) if games_needed < MAX_FURTHER_GAMES else None
            neighbours.append(CloseNeighbours(higher.name, lower.name, further_games))
    return tuple(neighbours)


def _create_meeting_group(tally: PairTally) -> MeetingGroup:
    """Return the results of a pair of games, in which the players swapped seats, as input for `compute_ratings`."""
    first_meeting = Meeting(tally.player, tally.opponent, *tally.as_first)
    second_meeting = Meeting(tally.opponent, tally.player, *tally.as_second[::-1])
    return MeetingGroup((first_meeting, second_meeting), tally.pair_count)


def _create_row(name: str, tallies: Sequence[SeatTally], rating: Rating | None, seat_count: int) -> StandingsRow:
    all_seats, moves = _create_seat_row(tallies), _sum_integers(tally.own_moves for tally in tallies)
    games = all_seats.games
    tallies_by_seat = ([tally for tally in tallies if tally.seat == seat] for seat in range(1, seat_count + 1))
    forfeits: Counter[str] = Counter()
    by_reason: dict[str, ResultCounts] = {}
    for tally in tallies:
        if tally.forfeit is not None:
            forfeits[tally.forfeit] += tally.games
        counts = (int(tally.wins), int(tally.draws), int(tally.losses))
        by_reason[tally.reason] = by_reason.get(tally.reason, ResultCounts()).add_results(counts, 1)
    return StandingsRow(
        name=name,
        games=games,
        wins=all_seats.wins,
        draws=all_seats.draws,
        losses=all_seats.losses,
        score=sum(tally.points for tally in tallies) / games if games else None,
        rating=rating,
        forfeits_by_reason=dict(sorted(forfeits.items())),
        results_by_seat=tuple(map(_create_seat_row, tallies_by_seat)),
        moves_per_game=_sum_integers(tally.plies for tally in tallies) / games if games else None,
        seconds_per_move=sum(tally.own_seconds for tally in tallies) / moves if moves else None,
        results_by_reason=dict(sorted(by_reason.items())),
        doubtful_losses=_sum_integers(tally.doubtful for tally in tallies if tally.forfeit == Reason.OUT_OF_TIME.value),
    )


def _create_seat_row(tallies: Sequence[SeatTally]) -> SeatResults:
    counts = ((tally.games, tally.wins, tally.draws, tally.losses) for tally in tallies)
    return SeatResults(*map(_sum_integers, zip(*counts, strict=True))) if tallies else SeatResults(0, 0, 0, 0)


def _sum_integers(numbers: Iterable[int]) -> int:
    return sum(int(number) for number in numbers)  # PostgreSQL sums whole numbers into decimals


def _sort_key(row: StandingsRow) -> tuple[int, float, float, str]:
    """Return the sort key: the place, if the format has places, then the rating. Players without a rating come last, in
    the order of their scores.
    """
    elo = row.rating.elo if row.rating else float("-inf")
    return row.place or 0, -elo, -(row.score or 0.0), row.name
