"""The formats by name: each with its schedule, how many games it comes to, what it refuses, and where everybody stands.

Knows the formats; no agents, rules or store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

from tournaments import knockout, ladder, swiss
from tournaments.schedules import Entry, Result, Schedule, Tie, gauntlet, round_robin


@dataclass(frozen=True, slots=True)
class Report:
    """Where everybody stands by the format's own rules: the rounds, and each player's place and points."""

    rounds: Sequence[Sequence[Tie]] = ()
    places: Sequence[int] = ()
    points: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class Format:
    """A format. games: how many there are, as far as the results tell; None for no end. grows: they may become more.

    check: raises UserError for an entry that cannot be played. report: None where only strength says who stands where.
    """

    pairings: Schedule
    games: Callable[[Entry, Iterable[Result]], int | None]
    check: Callable[[Entry], None] = lambda entry: None
    report: Callable[[Entry, Iterable[Result]], Report] | None = None
    grows: bool = False


def _swiss_report(entry: Entry, results: Iterable[Result]) -> Report:
    rounds = swiss.rounds(entry, results)
    return Report(rounds, swiss.places(entry, rounds), swiss.points(entry, rounds))


def _knockout_report(entry: Entry, results: Iterable[Result]) -> Report:
    rounds = knockout.rounds(entry, results)
    return Report(rounds, knockout.places(entry, rounds))


FORMATS: dict[str, Format] = {
    "round_robin": Format(round_robin, lambda entry, _: comb(entry.players, entry.seats) * entry.games),
    "gauntlet": Format(gauntlet, lambda entry, _: comb(entry.players - 1, entry.seats - 1) * entry.games),
    "swiss": Format(swiss.swiss, swiss.games, swiss.check, _swiss_report),
    "knockout": Format(knockout.knockout, knockout.games, knockout.check, _knockout_report, grows=True),
    "ladder": Format(ladder.ladder, ladder.games, ladder.check),
}


def entry(asked: Mapping[str, Any], seats: int, *, ahead: int = 1) -> Entry:
    """What a tournament asks of its schedule. asked: as it stands in the store."""
    return Entry(
        players=len(asked["players"]),
        seats=seats,
        games=asked["games_per_pair"],
        rounds=asked.get("rounds", 0),
        third_place=asked.get("third_place", False),
        most=asked.get("games"),
        seed=asked["seed"],
        ahead=ahead,
    )
