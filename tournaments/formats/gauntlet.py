"""Gauntlet: the first player meets all others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from math import comb

from tournaments.schedules import ScheduledGame, ScheduleInput, ScheduleResult, TournamentFormat, schedule_groups


def schedule_gauntlet(inputs: ScheduleInput, results: Iterable[ScheduleResult]) -> Iterator[ScheduledGame]:
    """Yield the games of the first player against every other player. In games of three or more players, the first
    player meets every group of other players.
    """
    others = range(1, inputs.player_count)
    return schedule_groups(
        inputs, [(0, *other_players) for other_players in combinations(others, inputs.seat_count - 1)]
    )


FORMAT = TournamentFormat(
    "The first agent meets every other.",
    schedule_gauntlet,
    lambda inputs, _: comb(inputs.player_count - 1, inputs.seat_count - 1) * inputs.games_per_meeting,
)
