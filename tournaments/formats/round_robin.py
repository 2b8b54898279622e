"""Round robin: all players meet, and each player plays in each seat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from math import comb

from tournaments.schedules import ScheduledGame, ScheduleInput, ScheduleResult, TournamentFormat, schedule_groups


def schedule_round_robin(inputs: ScheduleInput, results: Iterable[ScheduleResult]) -> Iterator[ScheduledGame]:
    """Yield the games of each group of players (a pair in games for two). All groups have the same openings."""
    return schedule_groups(inputs, list(combinations(range(inputs.player_count), inputs.seat_count)))


FORMAT = TournamentFormat(
    "Every agent meets every other.",
    schedule_round_robin,
    lambda inputs, _: comb(inputs.player_count, inputs.seat_count) * inputs.games_per_meeting,
)
