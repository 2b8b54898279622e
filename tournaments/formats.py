"""The formats by name: the schedule, the number of games, the checks, and the places of each.

Knows the formats; no agents, rules or store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

from tournaments import knockout, ladder, swiss
from tournaments.schedules import RoundPairing, Schedule, ScheduleInput, ScheduleResult, gauntlet, round_robin


@dataclass(frozen=True, slots=True)
class RoundsReport:
    """The standings by the format's own rules: the rounds, and each player's place and points."""

    rounds: Sequence[Sequence[RoundPairing]] = ()
    places: Sequence[int] = ()
    points: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class TournamentFormat:
    """A format. games: the number of games, as far as the results tell; None for no end. grows: whether it may rise.

    check: raises UserError for an entry that cannot be played. report: None if only strength decides the places.
    """

    pairings: Schedule
    games: Callable[[ScheduleInput, Iterable[ScheduleResult]], int | None]
    check: Callable[[ScheduleInput], None] = lambda entry: None
    report: Callable[[ScheduleInput, Iterable[ScheduleResult]], RoundsReport] | None = None
    grows: bool = False


def _swiss_report(entry: ScheduleInput, results: Iterable[ScheduleResult]) -> RoundsReport:
    rounds = swiss.rounds(entry, results)
    return RoundsReport(rounds, swiss.places(entry, rounds), swiss.points(entry, rounds))


def _knockout_report(entry: ScheduleInput, results: Iterable[ScheduleResult]) -> RoundsReport:
    rounds = knockout.rounds(entry, results)
    return RoundsReport(rounds, knockout.places(entry, rounds))


FORMATS: dict[str, TournamentFormat] = {
    "round_robin": TournamentFormat(round_robin, lambda entry, _: comb(entry.players, entry.seats) * entry.games),
    "gauntlet": TournamentFormat(gauntlet, lambda entry, _: comb(entry.players - 1, entry.seats - 1) * entry.games),
    "swiss": TournamentFormat(swiss.swiss, swiss.games, swiss.check, _swiss_report),
    "knockout": TournamentFormat(knockout.knockout, knockout.games, knockout.check, _knockout_report, grows=True),
    "ladder": TournamentFormat(ladder.ladder, ladder.games, ladder.check),
}


def entry(asked: Mapping[str, Any], seats: int, *, ahead: int = 1) -> ScheduleInput:
    """Return the options of a schedule from the settings in the store."""
    return ScheduleInput(
        players=len(asked["players"]),
        seats=seats,
        games=asked["games_per_pair"],
        rounds=asked.get("rounds", 0),
        third_place=asked.get("third_place", False),
        most=asked.get("games"),
        seed=asked["seed"],
        ahead=ahead,
    )
