"""Schedules are fair: the planned pairs meet, with the same openings, in each seat equally often."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import pytest

from tournaments.formats import FORMATS
from tournaments.formats.gauntlet import schedule_gauntlet
from tournaments.formats.round_robin import schedule_round_robin
from tournaments.schedules import ScheduledGame, ScheduleInput


@pytest.mark.parametrize("players", [2, 3, 6])
@pytest.mark.parametrize("games", [2, 4, 10])
def test_every_pair_of_a_round_robin_meets_equally_often_in_each_seat(players: int, games: int) -> None:
    meeting_counts = Counter(
        pairing.player_indexes for pairing in schedule_round_robin(ScheduleInput(players, 2, games), [])
    )
    assert meeting_counts == {(a, b): games // 2 for a in range(players) for b in range(players) if a != b}


def test_an_opening_is_played_with_seats_swapped() -> None:
    pairings = list(schedule_round_robin(ScheduleInput(4, 2, 6), []))
    for a, b in combinations(range(4), 2):
        seats = {
            opening: {
                p.player_indexes for p in pairings if set(p.player_indexes) == {a, b} and p.opening_number == opening
            }
            for opening in range(3)
        }
        assert list(seats.values()) == [{(a, b), (b, a)}] * 3


def test_only_the_first_player_of_a_gauntlet_meets_the_others() -> None:
    pairings = list(schedule_gauntlet(ScheduleInput(5, 2, 4), []))
    assert Counter(frozenset(p.player_indexes) for p in pairings) == {frozenset((0, other)): 4 for other in range(1, 5)}
    assert Counter(p.player_indexes[0] == 0 for p in pairings) == {True: 8, False: 8}


def test_seats_of_three_players_are_rotated() -> None:
    pairings = list(schedule_round_robin(ScheduleInput(3, 3, 6), []))
    assert [p.player_indexes for p in pairings[:3]] == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    assert [p.opening_number for p in pairings] == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(("seats", "players"), [(3, 3), (3, 5), (4, 4)])
def test_every_player_follows_every_other_equally_often(seats: int, players: int) -> None:
    games = seats * math.factorial(seats - 1)
    pairings = list(schedule_round_robin(ScheduleInput(players, seats, games), []))
    assert len({p.player_indexes for p in pairings}) == len(pairings)  # every order of every group
    follows = Counter((p.player_indexes[i - 1], p.player_indexes[i]) for p in pairings for i in range(seats))
    assert len(follows) == players * (players - 1)
    assert len(set(follows.values())) == 1
    seated = Counter((player, seat) for p in pairings for seat, player in enumerate(p.player_indexes))
    assert len(set(seated.values())) == 1


def test_four_players_meet_in_every_group_of_three() -> None:
    groups = Counter(frozenset(p.player_indexes) for p in schedule_round_robin(ScheduleInput(4, 3, 3), []))
    assert groups == {frozenset(group): 3 for group in combinations(range(4), 3)}


@pytest.mark.parametrize("players", [4, 5, 8])
def test_an_odd_game_alternates_the_seats(players: int) -> None:
    first = Counter(p.player_indexes[0] for p in schedule_round_robin(ScheduleInput(players, 2, 1), []))
    counts = [first[player] for player in range(players)]
    assert max(counts) - min(counts) <= 1


def test_a_round_robin_plays_all_pairs_evenly() -> None:
    pairings = list(schedule_round_robin(ScheduleInput(4, 2, 10), []))
    for game_count in range(0, len(pairings), 6):
        played = Counter(frozenset(p.player_indexes) for p in pairings[:game_count])
        assert max(played.values(), default=0) - min(played.values(), default=0) <= 1


@pytest.mark.parametrize("name", ["round_robin", "gauntlet"])
def test_no_game_is_planned_twice(name: str) -> None:
    pairings = list(FORMATS[name].schedule(ScheduleInput(5, 2, 7), []))
    for setup in (ScheduleInput(5, 2, 7), ScheduleInput(5, 3, 4), ScheduleInput(2, 2, 1)):
        assert FORMATS[name].count_games(setup, []) == len(list(FORMATS[name].schedule(setup, [])))
    assert len(set(pairings)) == len(pairings)
    assert ScheduledGame((0, 1), 0) in pairings
