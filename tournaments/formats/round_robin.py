"""Round robin: all players meet, and each plays each seat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from math import comb

from tournaments.schedules import ScheduledGame, ScheduleInput, ScheduleResult, TournamentFormat, meetings


def round_robin(entry: ScheduleInput, results: Iterable[ScheduleResult]) -> Iterator[ScheduledGame]:
    """Yield the games of each group of players (two, or one per seat), each in each seat, from the same openings."""
    return meetings(entry, list(combinations(range(entry.players), entry.seats)))


FORMAT = TournamentFormat(
    "Every agent meets every other.", round_robin, lambda entry, _: comb(entry.players, entry.seats) * entry.games
)
