"""Gauntlet: the first player meets all others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from math import comb

from tournaments.schedules import ScheduledGame, ScheduleInput, ScheduleResult, TournamentFormat, meetings


def gauntlet(entry: ScheduleInput, results: Iterable[ScheduleResult]) -> Iterator[ScheduledGame]:
    """Yield the games of the first player against all others; in games of three or more, the others fill the table."""
    others = range(1, entry.players)
    return meetings(entry, [(0, *rest) for rest in combinations(others, entry.seats - 1)])


FORMAT = TournamentFormat(
    "The first agent meets every other.",
    gauntlet,
    lambda entry, _: comb(entry.players - 1, entry.seats - 1) * entry.games,
)
