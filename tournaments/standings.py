"""The table: what every player has won, drawn and lost, how strong that makes it, and how it lost.

Counts come from the store, ratings from ratings.py; how the table is shown is the faces' affair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, zip_longest
from math import ceil, inf
from statistics import NormalDist
from typing import Any, NamedTuple

from gomogo_core import games
from gomogo_core.games.base import Reason
from gomogo_core.records.store import Run, Status, Store
from gomogo_core.records.tallies import PairTally, SeatTally, pair_tallies, ranks, seat_tallies
from tournaments.formats import FORMATS, Report, entry
from tournaments.ratings import Meeting, Rating, Ratings, Unit, rate
from tournaments.schedules import Result, Tie

SCHEMA = 1  # of the JSON form
NONE = rate(())  # ratings before the first game
SHOWN = 0.975  # the likelihood from which on one player counts as shown to be better
MANY = 100_000  # games


@dataclass(frozen=True, slots=True)
class SeatRow:
    """Results in one seat."""

    games: int
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class Row:
    """One player's line. score: points a game, a win 1, a draw one half. forfeits: games lost by each reason.

    by_seat: the first seat first. moves_per_game: everybody's, the opening's too. seconds_per_move: of its own.
    reasons: how its games ended, by reason; where it lost by its own fault, by that. doubtful: how many of those lost
    on time may be the machine's fault. place, points: by the rules of the format, where it has some of its own.
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
    reasons: Mapping[str, Against] = field(default_factory=dict)
    doubtful: int = 0
    place: int | None = None
    points: float | None = None

    @property
    def win_loss_ratio(self) -> float | None:
        """Wins to one loss; None without a loss (with a win, that is infinite)."""
        return self.wins / self.losses if self.losses else None

    def as_json(self) -> dict[str, Any]:
        """The line as plain values."""
        elo, low, high = self.rating or (None, None, None)
        return {
            "name": self.name,
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "win_loss_ratio": self.win_loss_ratio,
            "score": self.score,
            "elo": elo,
            "elo_low": low,
            "elo_high": high,
            "forfeits": self.forfeits,
            "by_seat": [
                {"games": seat.games, "wins": seat.wins, "draws": seat.draws, "losses": seat.losses}
                for seat in self.by_seat
            ],
            "moves_per_game": self.moves_per_game,
            "seconds_per_move": self.seconds_per_move,
            "reasons": {reason: counts._asdict() for reason, counts in self.reasons.items()},
            "doubtful": self.doubtful,
            "place": self.place,
            "points": self.points,
        }


class Against(NamedTuple):
    """What one player did against another, or in games that ended by one reason."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def plus(self, counts: Sequence[int], times: int) -> Against:
        """With so many times these wins, draws and losses more."""
        return Against(*(own + times * count for own, count in zip(self, counts, strict=True)))


class Close(NamedTuple):
    """Two neighbours in the table, and about how many more games of each might separate them; None for very many."""

    higher: str
    lower: str
    more: int | None


class Lead(NamedTuple):
    """By how much one of two players is the stronger, with the ends of its 95 % interval; p: two-sided, of no lead."""

    higher: str
    lower: str
    elo: float
    low: float
    high: float
    p: float


@dataclass(frozen=True, slots=True)
class Standings:
    """The table of a run, the strongest first. unplayed: games that were void each time they were tried.

    ratings: by player. names: what each of them is called. cross: what each did against each whom it met, by name.
    rounds: of a format that has some, with the players as numbers in `names`.
    """

    run: str
    rows: tuple[Row, ...]
    games: int
    planned: int | None
    unplayed: int = 0
    ratings: Ratings = NONE
    names: Mapping[str, str] = field(default_factory=dict)
    cross: Mapping[tuple[str, str], Against] = field(default_factory=dict)
    rounds: Sequence[Sequence[Tie]] = ()
    format: str = "round_robin"

    @property
    def complete(self) -> bool:
        """Whether every planned game has been played."""
        return self.games == self.planned

    def close(self) -> list[Close]:
        """Those neighbours in the table of whom it is not shown which is better, and how many games might show it.

        As the error falls with the root of the number of games, so many more are wanted as would make the lead that
        there is now 1.96 times its error.
        """
        found = []
        better = {(self.names[one], self.names[other]): share for (one, other), share in self.ratings.better.items()}
        for higher, lower in pairwise(self.rows):
            likelihood = better.get((higher.name, lower.name), 1.0)
            if likelihood < SHOWN:
                ahead = NormalDist().inv_cdf(max(likelihood, 0.5)) / NormalDist().inv_cdf(SHOWN)
                games = (higher.games + lower.games) / 2
                more = games * (1 / ahead**2 - 1) if ahead else inf
                found.append(Close(higher.name, lower.name, ceil(more) if more < MANY else None))
        return found

    def lead(self) -> Lead | None:
        """Of a match between two: their ratings are one the other's negative, so that the lead is twice the first's."""
        if len(self.rows) != 2 or (rating := self.rows[0].rating) is None or self.rows[1].rating is None:
            return None
        higher, lower = (row.name for row in self.rows)
        better = {(self.names[one], self.names[other]): share for (one, other), share in self.ratings.better.items()}
        p = 2 * min(1 - better[higher, lower], better[higher, lower])
        return Lead(higher, lower, 2 * rating.elo, 2 * rating.low, 2 * rating.high, p)

    def as_json(self) -> dict[str, Any]:
        """The table as plain values."""
        lead = self.lead()
        return {
            "schema": SCHEMA,
            "players": [row.as_json() for row in self.rows],
            "games": self.games,
            "complete": self.complete,
            "first_seat": self.ratings.first_seat and self.ratings.first_seat._asdict(),
            "better": [
                {"player": self.names[one], "than": self.names[other], "likelihood": likelihood}
                for (one, other), likelihood in self.ratings.better.items()
            ],
            "lead": lead and lead._asdict(),
            "crosstable": [
                {"player": one, "against": other, **counts._asdict()} for (one, other), counts in self.cross.items()
            ],
            "rounds": [[self._tie_as_json(tie) for tie in ties] for ties in self.rounds],
        }

    def _tie_as_json(self, tie: Tie) -> dict[str, Any]:
        names = [None, *self.names.values()]
        players = [names[0 if player is None else player + 1] for player in tie.players]
        winner = None if tie.winner is None else names[tie.winner + 1]
        return {"players": players, "points": list(tie.points), "over": tie.over, "winner": winner}


def standings(store: Store, run: Run) -> Standings:
    """Count a run's games. Players that have not played yet stand in the table too."""
    names = {one["player"]: one["name"] for one in run.asked["players"]}
    tallies: dict[str, list[SeatTally]] = {player: [] for player in names}
    for tally in seat_tallies(store, run):
        tallies[tally.player].append(tally)
    pairs = pair_tallies(store, run)
    ratings = rate(map(_unit, pairs))
    seats = games.load(run.asked["game"], **run.asked["options"]).seats
    rows = [_row(names[player], tallies[player], ratings.players.get(player), seats) for player in names]
    report = _report(store, run, seats)
    rows = [
        replace(row, place=place, points=points)
        for row, place, points in zip_longest(rows, report.places, report.points)
    ]
    return Standings(
        run=run.name,
        rows=tuple(sorted(rows, key=_strongest_first)),
        games=store.count(run),
        planned=run.planned,
        unplayed=store.count(run, Status.UNPLAYED),
        ratings=ratings,
        names=names,
        cross=_cross(pairs, names),
        rounds=report.rounds,
        format=run.asked["format"],
    )


def _report(store: Store, run: Run, seats: int) -> Report:
    """Where everybody stands by the rules of the run's format; a game that could not be played counts as drawn."""
    report = FORMATS[run.asked["format"]].report
    if report is None:
        return Report()
    number = {one["player"]: i for i, one in enumerate(run.asked["players"])}
    results = [
        Result(tuple(number[player] for player in game.players), game.ranks, game.pair)
        for game in ranks(store, run, (Status.PLAYED, Status.UNPLAYED))
        if all(player in number for player in game.players)
    ]
    return report(entry(run.asked, seats), results)


def _cross(pairs: Iterable[PairTally], names: Mapping[str, str]) -> dict[tuple[str, str], Against]:
    found: dict[tuple[str, str], Against] = {}
    for pair in pairs:
        one, other = names[pair.one], names[pair.other]
        for counts in (pair.seated, pair.unseated):
            found[one, other] = found.get((one, other), Against()).plus(counts, pair.times)
            found[other, one] = found.get((other, one), Against()).plus(counts[::-1], pair.times)
    return dict(sorted(found.items()))


def _unit(pair: PairTally) -> Unit:
    """What came of a pair, whose seats the games swapped."""
    won, drawn, lost = pair.unseated
    return Unit(
        (Meeting(pair.one, pair.other, *pair.seated), Meeting(pair.other, pair.one, lost, drawn, won)), pair.times
    )


def _row(name: str, tallies: Sequence[SeatTally], rating: Rating | None, seats: int) -> Row:
    all_seats, moves = _seat_row(tallies), _sum(t.moves for t in tallies)
    games = all_seats.games
    forfeits: Counter[str] = Counter()
    reasons: dict[str, Against] = {}
    for tally in tallies:
        if tally.forfeit is not None:
            forfeits[tally.forfeit] += tally.games
        counts = (int(tally.wins), int(tally.draws), int(tally.losses))
        reasons[tally.reason] = reasons.get(tally.reason, Against()).plus(counts, 1)
    return Row(
        name=name,
        games=games,
        wins=all_seats.wins,
        draws=all_seats.draws,
        losses=all_seats.losses,
        score=sum(t.points for t in tallies) / games if games else None,
        rating=rating,
        forfeits=dict(sorted(forfeits.items())),
        by_seat=tuple(_seat_row([t for t in tallies if t.seat == seat]) for seat in range(1, seats + 1)),
        moves_per_game=_sum(t.plies for t in tallies) / games if games else None,
        seconds_per_move=sum(t.seconds for t in tallies) / moves if moves else None,
        reasons=dict(sorted(reasons.items())),
        doubtful=_sum(t.doubtful for t in tallies if t.forfeit == Reason.OUT_OF_TIME.value),
    )


def _seat_row(tallies: Sequence[SeatTally]) -> SeatRow:
    return SeatRow(
        _sum(t.games for t in tallies),
        _sum(t.wins for t in tallies),
        _sum(t.draws for t in tallies),
        _sum(t.losses for t in tallies),
    )


def _sum(numbers: Iterable[int]) -> int:
    return sum(int(number) for number in numbers)  # PostgreSQL sums whole numbers into decimals


def _strongest_first(row: Row) -> tuple[int, float, float, str]:
    """By place, if there are places; by rating; who has none comes after, by score."""
    elo = row.rating.elo if row.rating else float("-inf")
    return row.place or 0, -elo, -(row.score or 0.0), row.name
