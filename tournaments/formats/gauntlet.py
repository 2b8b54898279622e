"""Gauntlet: the first player meets all others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from math import comb

from tournaments.schedules import ScheduledGame, ScheduleInput, ScheduleResult, TournamentFormat, schedule_groups


def schedule_gauntlet(setup: ScheduleInput, results: Iterable[ScheduleResult]) -> Iterator[ScheduledGame]:
    """Yield the games of the first player against every other player. In games of three or more players, the first
    player meets every group of other players.
    """
    others = range(1, setup.player_count)
    return schedule_groups(setup, [(0, *other_players) for other_players in combinations(others, setup.seat_count - 1)])


FORMAT = TournamentFormat(
    "The first agent meets every other.",
    schedule_gauntlet,
    lambda setup, _: comb(setup.player_count - 1, setup.seat_count - 1) * setup.games_per_meeting,
)
