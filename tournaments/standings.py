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
from gomogo_core.records.store import Run, Status, Store
from tournaments.formats import FORMATS, schedule_input
from tournaments.lead import Lead, LeadByPoints, lead_by_points
from tournaments.pair_test import PairTest, pair_test
from tournaments.ratings import Meeting, MeetingGroup, Rating, Ratings, count_differences, rate
from tournaments.schedules import FormatStandings, RoundPairing, ScheduleResult

NO_RATINGS = rate(())  # before the first game
MANY_GAMES = 100_000
MIN_SEAT_GAMES = 10  # games without a fault; fewer say nothing about the first seat


@dataclass(frozen=True, slots=True)
class SeatRow:
    """A player's results in one seat."""

    games: int
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class StandingsRow:
    """One player's row in the standings.

    score: points per game; a win counts 1, a draw one half. forfeits: the number of games lost by each fault. by_seat:
    the results in each seat, the first seat first. moves_per_game: the mean length of the player's games, with the
    moves of all players and the opening. seconds_per_move: the mean time of the player's own moves. by_reason: the
    results by the reason for which the game ended; a game lost by a fault counts under that fault. doubtful: the number
    of losses on time that the machine may have caused. place, points: the player's place and points by the rules of the
    format; None if ratings decide the places.
    """

    name: str
    games: int
    wins: int
    draws: int
    losses: int
    score: float | None
    rating: Rating | None
    forfeits: dict[str, int]
    by_seat: tuple[SeatRow, ...]
    moves_per_game: float | None
    seconds_per_move: float | None
    by_reason: Mapping[str, ResultCounts] = field(default_factory=dict)
    doubtful: int = 0
    place: int | None = None
    points: float | None = None

    @property
    def win_loss_ratio(self) -> float | None:
        """Wins divided by losses; None if there is no loss."""
        return self.wins / self.losses if self.losses else None


class ResultCounts(NamedTuple):
    """The numbers of a player's wins, draws and losses against one opponent, or in games that ended for one reason."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def add_results(self, counts: Sequence[int], times: int) -> ResultCounts:
        """Return these counts with the given wins, draws and losses added `times` times."""
        return ResultCounts(*(own + times * count for own, count in zip(self, counts, strict=True)))


class CloseNeighbours(NamedTuple):
    """Two neighbours in the table without a significant difference. further_games: the approximate number of further
    games of each player that might show a difference; None if that number is too large.
    """

    higher: str
    lower: str
    further_games: int | None


class DirectResult(NamedTuple):
    """The result of two players against each other, without their other games: the significance test of their pairs of
    games, and their points.
    """

    test: PairTest
    points: LeadByPoints


@dataclass(frozen=True, slots=True)
class Standings:
    """The standings of a run, the strongest player first. planned: the number of all games; None for an endless run.

    unplayed: the number of games that were void at each attempt. names: each player's name in tables. head_to_head:
    each player's results against each opponent, by name. direct_results: the same results with their significance.
    lead: in a match between two players, the lead of the stronger player. close_neighbours: neighbours in the table
    without a significant difference. rounds: the pairings of each round, with players as indexes in `names`; empty for
    formats without rounds. first_seat_advantage: the first seat's advantage in the games that no player lost by a
    fault; None if it is unknown. forfeits: the number of games that a player lost by a fault.
    """

    run: str
    rows: tuple[StandingsRow, ...]
    games: int
    planned: int | None
    unplayed: int = 0
    ratings: Ratings = NO_RATINGS
    names: Mapping[str, str] = field(default_factory=dict)
    head_to_head: Mapping[tuple[str, str], ResultCounts] = field(default_factory=dict)
    direct_results: Mapping[tuple[str, str], DirectResult] = field(default_factory=dict)
    lead: Lead | None = None
    close_neighbours: tuple[CloseNeighbours, ...] = ()
    rounds: Sequence[Sequence[RoundPairing]] = ()
    format: str = "round_robin"
    first_seat_advantage: Rating | None = None
    forfeits: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether every planned game has been played."""
        return self.games == self.planned


def standings(store: Store, run: Run) -> Standings:
    """Return the standings of a run. They include players that have not played yet."""
    names = {one["player"]: one["name"] for one in run.settings["players"]}
    tallies: dict[str, list[SeatTally]] = {player: [] for player in names}
    for tally in seat_tallies(store, run):
        tallies[tally.player].append(tally)
    pairs = pair_tallies(store, run)
    ratings = rate(map(_meeting_group, pairs))
    seats = games.load(run.settings["game"], **run.settings["options"]).seats
    rows = [_row(names[player], tallies[player], ratings.players.get(player), seats) for player in names]
    report = _format_standings(store, run, seats)
    rows = [
        replace(row, place=place, points=points)
        for row, place, points in zip_longest(rows, report.places, report.points)
    ]
    rows.sort(key=_sort_key)
    direct = _direct_tests(pairs, names)
    forfeits = sum(tally.games for one in tallies.values() for tally in one if tally.forfeit is not None)
    return Standings(
        run=run.name,
        rows=tuple(rows),
        games=store.count_games(run),
        planned=run.planned_games,
        unplayed=store.count_games(run, Status.UNPLAYED),
        ratings=ratings,
        names=names,
        head_to_head=_head_to_heads(pairs, names),
        direct_results=direct,
        lead=_lead(rows, direct),
        close_neighbours=_close_neighbours(rows, ratings, names),
        rounds=report.rounds,
        format=run.settings["format"],
        first_seat_advantage=_first_seat_advantage(store, run) if forfeits else ratings.first_seat_advantage,
        forfeits=forfeits,
    )


def ratings_among(store: Store, run: Run, players: Collection[str]) -> dict[str, Rating]:
    """Return ratings by name, from the games among the named players only."""
    names = {one["player"]: one["name"] for one in run.settings["players"]}
    pairs = [pair for pair in pair_tallies(store, run) if {names[pair.player], names[pair.opponent]} <= {*players}]
    return {names[player]: rating for player, rating in rate(map(_meeting_group, pairs)).players.items()}


def _first_seat_advantage(store: Store, run: Run) -> Rating | None:
    """Return the first seat's advantage in the games without a fault. A fault says nothing about the seats."""
    pairs = pair_tallies(store, run, with_forfeits=False)
    games = sum(pair.pair_count * sum((*pair.as_first, *pair.as_second)) for pair in pairs)
    return rate(map(_meeting_group, pairs)).first_seat_advantage if games >= MIN_SEAT_GAMES else None


def _format_standings(store: Store, run: Run, seats: int) -> FormatStandings:
    """Return the standings by the rules of the run's format. A game that could not be played counts as a draw."""
    format_standings = FORMATS[run.settings["format"]].standings
    if format_standings is None:
        return FormatStandings()
    number = {one["player"]: i for i, one in enumerate(run.settings["players"])}
    results = [
        ScheduleResult(tuple(number[player] for player in game.players), game.ranks, game.pair)
        for game in ranked_games(store, run, (Status.PLAYED, Status.UNPLAYED))
        if all(player in number for player in game.players)
    ]
    return format_standings(schedule_input(run.settings, seats), results)


def _head_to_heads(pairs: Iterable[PairTally], names: Mapping[str, str]) -> dict[tuple[str, str], ResultCounts]:
    found: dict[tuple[str, str], ResultCounts] = {}
    for pair in pairs:
        one, other = names[pair.player], names[pair.opponent]
        for counts in (pair.as_first, pair.as_second):
            found[one, other] = found.get((one, other), ResultCounts()).add_results(counts, pair.pair_count)
            found[other, one] = found.get((other, one), ResultCounts()).add_results(counts[::-1], pair.pair_count)
    return dict(sorted(found.items()))


def _direct_tests(pairs: Iterable[PairTally], names: Mapping[str, str]) -> dict[tuple[str, str], DirectResult]:
    """Return the direct results of all players who met, once from the point of view of each of the two players."""
    met: defaultdict[tuple[str, str], list[PairTally]] = defaultdict(list)
    for pair in pairs:
        met[pair.player, pair.opponent].append(pair)
    found = {}
    for (one, other), tallies in met.items():
        test = pair_test(count_differences(one, map(_meeting_group, tallies)))
        counts = Counter[tuple[int, int, int]]()
        for pair in tallies:
            won, drawn, lost = map(sum, zip(pair.as_first, pair.as_second, strict=True))
            counts[won, drawn, lost] += pair.pair_count
        found[names[one], names[other]] = DirectResult(test, lead_by_points(counts))
        turned = {(lost, drawn, won): times for (won, drawn, lost), times in counts.items()}
        found[names[other], names[one]] = DirectResult(PairTest(test.p, 1 - test.superiority), lead_by_points(turned))
    return found


def _lead(rows: Sequence[StandingsRow], direct: Mapping[tuple[str, str], DirectResult]) -> Lead | None:
    """Return the lead of the first row's player in a match between two; None in other tournaments."""
    if len(rows) != 2 or (rating := rows[0].rating) is None or rows[1].rating is None:
        return None
    higher, lower = (row.name for row in rows)
    return Lead.from_rating(higher, lower, rating, *direct[higher, lower])


def _close_neighbours(
    rows: Sequence[StandingsRow], ratings: Ratings, names: Mapping[str, str]
) -> tuple[CloseNeighbours, ...]:
    """Return the neighbours in the table without a significant difference."""
    found = []
    tests = {(names[one], names[other]): test for (one, other), test in ratings.pair_tests.items()}
    for higher, lower in pairwise(rows):
        test = tests.get((higher.name, lower.name))
        if test is not None and not test.is_significant:
            more = test.further_games_needed((higher.games + lower.games) / 2)
            found.append(CloseNeighbours(higher.name, lower.name, ceil(more) if more < MANY_GAMES else None))
    return tuple(found)


def _meeting_group(pair: PairTally) -> MeetingGroup:
    """Return the results of a pair of games, in which the players swapped seats, as input for `rate`."""
    won, drawn, lost = pair.as_second
    return MeetingGroup(
        (Meeting(pair.player, pair.opponent, *pair.as_first), Meeting(pair.opponent, pair.player, lost, drawn, won)),
        pair.pair_count,
    )


def _row(name: str, tallies: Sequence[SeatTally], rating: Rating | None, seats: int) -> StandingsRow:
    all_seats, moves = _seat_row(tallies), _total(t.moves for t in tallies)
    games = all_seats.games
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
        score=sum(t.points for t in tallies) / games if games else None,
        rating=rating,
        forfeits=dict(sorted(forfeits.items())),
        by_seat=tuple(_seat_row([t for t in tallies if t.seat == seat]) for seat in range(1, seats + 1)),
        moves_per_game=_total(t.plies for t in tallies) / games if games else None,
        seconds_per_move=sum(t.seconds for t in tallies) / moves if moves else None,
        by_reason=dict(sorted(by_reason.items())),
        doubtful=_total(t.doubtful for t in tallies if t.forfeit == Reason.OUT_OF_TIME.value),
    )


def _seat_row(tallies: Sequence[SeatTally]) -> SeatRow:
    return SeatRow(
        _total(t.games for t in tallies),
        _total(t.wins for t in tallies),
        _total(t.draws for t in tallies),
        _total(t.losses for t in tallies),
    )


def _total(numbers: Iterable[int]) -> int:
    return sum(int(number) for number in numbers)  # PostgreSQL sums whole numbers into decimals


def _sort_key(row: StandingsRow) -> tuple[int, float, float, str]:
    """Return the sort key: the place, if the format has places, then the rating. Players without a rating come last, in
    the order of their scores.
    """
    elo = row.rating.elo if row.rating else float("-inf")
    return row.place or 0, -elo, -(row.score or 0.0), row.name
