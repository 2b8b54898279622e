"""In a Swiss tournament no pair meets twice, players with equal scores meet, and byes and seats are balanced."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gomogo.text.rounds import rounds_text as below
from gomogo.text.standings_json import standings_json
from gomogo.text.standings_table import standings_text as table_of
from gomogo_core.errors import UserError
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.store import GameStatus, Store
from tests.tournaments._resumed import resume_state
from tests.tournaments.conftest import PlanOf
from tests.tournaments.test_runner import ScriptedWorkers, runner, void, won
from tournaments.formats.swiss import (
    check_input,
    compute_places,
    compute_points,
    count_games,
    create_rounds,
    default_rounds,
    max_possible_rounds,
    schedule_swiss,
)
from tournaments.plan import Plan
from tournaments.schedules import RoundPairing, ScheduledGame, ScheduleInput, ScheduleResult
from tournaments.standings import compute_standings
from tournaments.task import GameTask

bounded = settings(max_examples=60, deadline=None, derandomize=True, database=None)
entries = st.integers(2, 11).flatmap(
    lambda players: st.builds(
        ScheduleInput,
        player_count=st.just(players),
        seat_count=st.just(2),
        games_per_meeting=st.integers(1, 4),
        options=st.fixed_dictionaries({"rounds": st.integers(1, max_possible_rounds(players))}),
        seed=st.integers(0, 99),
    )
)

Play = Callable[[ScheduledGame], ScheduleResult]


def by_strength(rng: random.Random, scale: float = 1.0) -> Play:
    """The stronger wins, the likelier the more it is ahead; the players are as strong as their numbers."""

    def play(pairing: ScheduledGame) -> ScheduleResult:
        first, second = pairing.player_indexes
        if rng.random() < 0.1:
            return ScheduleResult(pairing.player_indexes, (1, 1), pairing.opening_number)
        first_wins = rng.random() < 1 / (1 + math.exp(scale * (second - first)))
        return ScheduleResult(pairing.player_indexes, (1, 2) if first_wins else (2, 1), pairing.opening_number)

    return play


def stronger_wins(pairing: ScheduledGame) -> ScheduleResult:
    first, second = pairing.player_indexes
    return ScheduleResult(pairing.player_indexes, (1, 2) if first > second else (2, 1), pairing.opening_number)


def play_out(setup: ScheduleInput, play: Play, rng: random.Random) -> list[ScheduleResult]:
    """Return all results of a tournament whose possible games are played in any order."""
    results: dict[ScheduledGame, ScheduleResult] = {}
    while pairings_left := [pairing for pairing in schedule_swiss(setup, results.values()) if pairing not in results]:
        assert len(set(pairings_left)) == len(pairings_left)
        for pairing in rng.sample(pairings_left, rng.randint(1, len(pairings_left))):
            results[pairing] = play(pairing)
    return list(results.values())


def pairs_of(ties: Iterable[RoundPairing]) -> list[frozenset[int | None]]:
    return [frozenset(tie.player_indexes) for tie in ties]


@pytest.mark.slow
@bounded
@given(entries, st.randoms(use_true_random=False))
def test_a_swiss_tournament_is_fair_for_any_results(setup: ScheduleInput, rng: random.Random) -> None:
    results = play_out(setup, by_strength(rng), rng)
    rounds = create_rounds(setup, results)
    assert len(results) == count_games(setup, [])
    assert len(rounds) == setup.options["rounds"]
    meeting_counts = Counter(chain.from_iterable(map(pairs_of, rounds)))
    assert set(meeting_counts.values()) == {1}  # no second meeting, and no second bye
    for ties in rounds:
        assert sorted(player for tie in ties for player in tie.player_indexes if player is not None) == list(
            range(setup.player_count)
        )
    first = Counter(result.player_indexes[0] for result in results)
    second = Counter(result.player_indexes[1] for result in results)
    uneven = max(abs(first[player] - second[player]) for player in range(setup.player_count))
    assert uneven <= (2 if setup.games_per_meeting % 2 else 0)
    assert sum(compute_points(setup, rounds)) == len(results) + setup.games_per_meeting * setup.options["rounds"] * (
        setup.player_count % 2
    )


@pytest.mark.slow
@bounded
@given(entries, st.randoms(use_true_random=False))
def test_the_same_results_in_any_order_give_the_same_games(setup: ScheduleInput, rng: random.Random) -> None:
    results = play_out(setup, by_strength(rng), rng)
    some = rng.sample(results, rng.randint(0, len(results)))
    assert list(schedule_swiss(setup, some)) == list(
        schedule_swiss(setup, sorted(some, key=lambda result: result.player_indexes))
    )


def test_a_round_waits_for_all_games_of_the_previous_round() -> None:
    setup = ScheduleInput(6, 2, 2, options={"rounds": 3})
    first = list(schedule_swiss(setup, []))
    assert len(first) == 6
    results = [ScheduleResult(pairing.player_indexes, (1, 2), pairing.opening_number) for pairing in first]
    assert list(schedule_swiss(setup, results[:-1])) == first
    assert len(list(schedule_swiss(setup, results))) == 12


def test_each_round_plays_both_seats_of_its_own_opening() -> None:
    rng = random.Random(1)
    setup = ScheduleInput(6, 2, 4, options={"rounds": 3})
    results = play_out(setup, by_strength(rng), rng)
    for number, ties in enumerate(create_rounds(setup, results)):
        for tie in ties:
            played = {
                (r.player_indexes, r.opening_number)
                for r in results
                if set(r.player_indexes) == set(tie.player_indexes)
            }
            first_player, other = tie.player_indexes
            openings = (number, number + max_possible_rounds(6))
            assert played == {
                (seating, opening) for seating in ((first_player, other), (other, first_player)) for opening in openings
            }
    two_game_pairings, many = (
        set(schedule_swiss(ScheduleInput(6, 2, games, options={"rounds": 3}), [])) for games in (2, 6)
    )
    assert two_game_pairings < many  # more games leave the openings of the others


@pytest.mark.slow
def test_first_seats_even_out_with_one_game_per_pair() -> None:
    def uneven(rounds: int) -> Counter[int]:
        rng, seat_counts = random.Random(5), Counter[int]()
        for seed in range(12):
            results = play_out(ScheduleInput(14, 2, 1, options={"rounds": rounds}, seed=seed), by_strength(rng), rng)
            first = Counter(result.player_indexes[0] for result in results)
            seat_counts.update(abs(2 * first[player] - rounds) for player in range(14))
        return seat_counts

    assert set(uneven(7)) == {1}
    assert uneven(6)[0] > 3 / 4 * 12 * 14


def test_winners_meet_winners() -> None:
    setup = ScheduleInput(8, 2, 2, options={"rounds": 3})
    rng = random.Random(3)
    rounds = create_rounds(setup, play_out(setup, stronger_wins, rng))
    for number in (1, 2):
        before = compute_points(setup, rounds[:number])
        assert all(before[tie.player_indexes[0] or 0] == before[tie.player_indexes[1] or 0] for tie in rounds[number])
    assert compute_places(setup, rounds)[7] == 1


def test_byes_go_to_the_lowest_players_and_count_as_a_won_round() -> None:
    setup = ScheduleInput(5, 2, 2, options={"rounds": 3})
    rng = random.Random(3)
    rounds = create_rounds(setup, play_out(setup, stronger_wins, rng))
    had = set[int | None]()
    for number, ties in enumerate(rounds):
        before = compute_points(setup, rounds[:number])
        (bye,) = (tie for tie in ties if len(tie.player_indexes) == 1)
        assert bye.scores == (2,)
        bye_player = bye.player_indexes[0]
        assert bye_player is not None
        assert before[bye_player] == min(before[player] for player in range(5) if player not in had)
        had.add(bye_player)


@pytest.mark.slow
def test_the_strongest_usually_wins() -> None:
    rng, setup, won_by = random.Random(7), ScheduleInput(16, 2, 2, options={"rounds": 5}), Counter[int]()
    for seed in range(60):
        setup = ScheduleInput(16, 2, 2, options={"rounds": 5}, seed=seed)
        rounds = create_rounds(setup, play_out(setup, by_strength(rng, scale=0.7), rng))
        won_by[compute_places(setup, rounds).index(1)] += 1
    assert won_by.most_common(1)[0][0] == 15
    assert won_by[15] + won_by[14] + won_by[13] > 50


def test_the_seed_decides_the_first_round() -> None:
    firsts = {tuple(schedule_swiss(ScheduleInput(8, 2, 1, options={"rounds": 1}, seed=seed), [])) for seed in range(20)}
    assert len(firsts) > 15


def test_strength_of_opponents_breaks_equal_points() -> None:
    setup = ScheduleInput(4, 2, 2, options={"rounds": 2})
    ties = [
        [RoundPairing((0, 1), (2, 0), True, 0), RoundPairing((2, 3), (2, 0), True, 2)],
        [RoundPairing((0, 2), (2, 0), True, 0), RoundPairing((1, 3), (1, 1), True)],
    ]
    assert compute_points(setup, ties) == [4, 1, 2, 1]
    assert compute_places(setup, ties) == [1, 3, 2, 4]  # 1 met 0 and 3 with 5 points; 3 met 2 and 1 with 3


@pytest.mark.parametrize(("players", "usual", "round_limit"), [(2, 1, 1), (3, 2, 2), (5, 3, 3), (6, 3, 3), (16, 4, 8)])
def test_the_number_of_rounds_suffices_for_one_winner(players: int, usual: int, round_limit: int) -> None:
    assert (default_rounds(players), max_possible_rounds(players)) == (usual, round_limit)


def test_an_impossible_schedule_is_refused() -> None:
    with pytest.raises(UserError, match="for games of two players, and this game has 3") as error_info:
        check_input(ScheduleInput(5, 3, 3, options={"rounds": 2}))
    assert "round_robin" in error_info.value.remedy
    with pytest.raises(UserError, match="4 rounds of 6 players may not be possible") as error_info:
        check_input(ScheduleInput(6, 2, 2, options={"rounds": 4}))
    assert "Set rounds to 3 at most" in error_info.value.remedy


LINE = {"format": "swiss", "agents": ["a.py", "b.py", "c.py", "d.py", "a.py"], "games_per_pair": 2, "rounds": 3}


def by_name(task: GameTask) -> PlayedGame:
    """The first player by alphabet wins."""
    record = won(task)
    if task.stored_names[0] > task.stored_names[1]:
        object.__setattr__(record, "outcome", Outcome.won_by(2, Reason.RESIGNED))
    return record


def broken_off(plan: Plan, store: Store, play: Callable[[GameTask], PlayedGame], after: int) -> list[GameTask]:
    """Play the first games of a run that dies in the next game. Return the played games."""

    class KilledError(Exception):
        pass

    played: list[GameTask] = []

    def until_killed(task: GameTask) -> PlayedGame:
        if len(played) == after:
            raise KilledError
        played.append(task)
        return play(task)

    with pytest.raises(KilledError):
        runner(plan, store, ScriptedWorkers(until_killed)).play()
    return played


def test_a_complete_swiss_tournament_is_ordered_by_points(plan: PlanOf, store: Store) -> None:
    tournament_plan = plan(**LINE)
    tournament_plan.check()
    progress = runner(tournament_plan, store, ScriptedWorkers(by_name)).play()
    assert (progress.is_complete, progress.played_games, progress.planned_games) == (True, 12, 12)
    table = compute_standings(store, store.run("spring"))
    assert table.is_complete
    assert [row.name for row in table.rows][:2] == ["a", "a-2"]
    assert table.rows[0].points == 6
    assert sum(row.points or 0 for row in table.rows) == 12 + 3 * 2
    assert [row.place for row in table.rows] == sorted(row.place or 0 for row in table.rows)
    plain = standings_json(table)["rounds"]
    assert [sum(len(tie["players"]) for tie in ties) for ties in plain] == [5, 5, 5]
    assert {tie["winner"] for ties in plain for tie in ties} <= {"a", "a-2", "b", "c", "d"}


@pytest.mark.parametrize("stop_after", range(1, 12))
def test_an_interrupted_run_plays_exactly_the_missing_games(plan: PlanOf, store: Store, stop_after: int) -> None:
    asked = [task.key for task in broken_off(plan(**LINE), store, by_name, stop_after)]
    going_on = ScriptedWorkers(by_name)
    assert runner(plan(**LINE), store, going_on).play().is_complete
    assert not set(asked) & set(going_on.asked)
    assert len(asked) + len(going_on.asked) == 12
    with Store.open(store.folder / "whole.db") as other:
        runner(plan(**LINE), other, ScriptedWorkers(by_name)).play()
        assert other.game_keys(other.run("spring")) == store.game_keys(store.run("spring"))


def test_unplayable_games_do_not_block_the_schedule(plan: PlanOf, store: Store) -> None:
    bad = {plan(**LINE).game_key(game) for game in list(plan(**LINE).scheduled_games())[:2]}
    progress = runner(
        plan(**LINE), store, ScriptedWorkers(lambda task: void(task) if task.key in bad else by_name(task))
    ).play()
    assert (progress.played_games, progress.void_games, progress.is_complete) == (10, 2, False)
    assert standings_json(compute_standings(store, store.run("spring")))["rounds"][0][0]["points"] == [1, 1]
    later_workers = ScriptedWorkers(won)  # their round is over: they stay as they are
    progress = runner(plan(**LINE), store, later_workers).play()
    assert (later_workers.asked, progress.played_games, progress.void_games) == ([], 10, 2)
    assert store.game_keys(store.run("spring"), GameStatus.UNPLAYED) == bad


def test_unplayed_games_of_the_last_round_are_retried(plan: PlanOf, store: Store) -> None:
    one_round = {**LINE, "rounds": 1}
    assert runner(plan(**one_round), store, ScriptedWorkers(void)).play().void_games == 4
    assert runner(plan(**one_round), store, ScriptedWorkers(won)).play().is_complete


def test_a_lost_result_pairs_all_later_rounds_again(plan: PlanOf, store: Store) -> None:
    runner(plan(**LINE), store, ScriptedWorkers(by_name)).play()
    run = store.run("spring")
    first = next(game for game in store.games_of(run))
    with store.read_transaction() as connection:
        for table in ("records", "seats", "games"):
            connection.execute(f"DELETE FROM {table} WHERE key = :key", key=first.key)
        connection.commit()
    as_before = ScriptedWorkers(by_name)
    assert runner(plan(**LINE), store, as_before).play().is_complete
    assert as_before.asked == [first.key]  # the others were set aside, and came back
    assert store.count_games(run) == 12
    with store.read_transaction() as connection:
        update_statement = (
            "UPDATE seats SET rank = 1 WHERE key IN (SELECT key FROM games WHERE pair = 0)"  # the first round
        )
        connection.execute(update_statement)
        connection.commit()
    later_workers = ScriptedWorkers(by_name)
    progress = runner(plan(**LINE), store, later_workers).play()
    assert (progress.is_complete, progress.played_games) == (True, 12)
    assert later_workers.asked
    assert compute_standings(store, run).is_complete


def test_more_rounds_keep_all_games(plan: PlanOf, store: Store) -> None:
    two = {**LINE, "rounds": 2}
    runner(plan(**two), store, ScriptedWorkers(by_name)).play()
    before = store.game_keys(store.run("spring"))
    with pytest.raises(UserError, match="rounds was 2, now it is 3"):
        resume_state(plan(**LINE), store)
    resume_state(plan(**LINE), store, allows_changes=True)
    later_workers = ScriptedWorkers(by_name)
    assert runner(plan(**LINE), store, later_workers).play().is_complete
    assert len(later_workers.asked) == 4
    assert before < store.game_keys(store.run("spring"))
    run = resume_state(plan(**two), store, allows_changes=True).stored_run
    assert (store.game_keys(run), run.planned_games) == (before, 8)
    run = resume_state(plan(**LINE), store, allows_changes=True).stored_run  # those set aside come back
    assert (store.count_games(run), run.planned_games) == (12, 12)


def test_omitted_rounds_get_the_default_number(plan: PlanOf) -> None:
    tournament_plan = plan(format="swiss", agents=["a.py", "b.py", "c.py", "d.py", "a.py"])
    assert tournament_plan.settings["rounds"] == 3
    with pytest.raises(UserError, match="rounds is for the format swiss, and the format here is round_robin"):
        plan(rounds=2)
    with pytest.raises(UserError, match="4 rounds of 5 players"):
        plan(**{**LINE, "rounds": 4}).check()


def test_the_rounds_are_printed_below_the_table(plan: PlanOf, store: Store) -> None:
    runner(plan(**LINE), store, ScriptedWorkers(by_name)).play()
    table = compute_standings(store, store.run("spring"))
    round_lines = below(table).splitlines()
    assert [line.split(":")[0] for line in round_lines] == ["Round 1", "Round 2", "Round 3"]
    assert all(line.count(" has a bye") == 1 and line.count(" – ") == 2 for line in round_lines)
    assert table_of(table).splitlines()[0].split()[:3] == ["player", "points", "games"]
