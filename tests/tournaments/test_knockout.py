"""In a knockout, the loser of a pairing is out, drawn pairings continue, and the first seeds meet late."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gomogo.text.rounds import rounds_text as below
from gomogo.text.standings_json import standings_json
from gomogo_core.errors import UserError
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.store import GameStatus, Store
from tests.tournaments._resumed import resume_state
from tests.tournaments.conftest import PlanOf
from tests.tournaments.test_runner import ScriptedWorkers, runner, void, won
from tests.tournaments.test_swiss import Play, broken_off, by_name, by_strength, stronger_wins
from tournaments.formats.knockout import (
    MAX_EXTRA_PAIRS,
    check_input,
    compute_places,
    count_games,
    create_rounds,
    pair_first_round,
    schedule_knockout,
)
from tournaments.schedules import ScheduledGame, ScheduleInput, ScheduleResult
from tournaments.standings import compute_standings
from tournaments.task import GameTask

bounded = settings(max_examples=60, deadline=None, derandomize=True, database=None)
entries = st.builds(
    ScheduleInput,
    player_count=st.integers(4, 19),
    seat_count=st.just(2),
    games_per_meeting=st.integers(1, 4),
    options=st.fixed_dictionaries({"third_place": st.booleans()}),
)


def play_out(setup: ScheduleInput, play: Play, rng: random.Random) -> list[ScheduleResult]:
    """Return all results of a tournament whose possible games are played in any order."""
    results: dict[ScheduledGame, ScheduleResult] = {}
    while pairings_left := [
        pairing for pairing in schedule_knockout(setup, results.values()) if pairing not in results
    ]:
        assert len(set(pairings_left)) == len(pairings_left)
        for pairing in rng.sample(pairings_left, rng.randint(1, len(pairings_left))):
            results[pairing] = play(pairing)
        assert len(results) <= count_games(setup, results.values())
    return list(results.values())


def drawn(pairing: ScheduledGame) -> ScheduleResult:
    return ScheduleResult(pairing.player_indexes, (1, 1), pairing.opening_number)


@pytest.mark.slow
@bounded
@given(entries, st.randoms(use_true_random=False))
def test_a_knockout_leaves_one_player(setup: ScheduleInput, rng: random.Random) -> None:
    results = play_out(setup, by_strength(rng, scale=0.2), rng)
    assert len(results) == count_games(setup, results)
    rounds = create_rounds(setup, results)
    assert all(tie.is_over for ties in rounds for tie in ties)
    loss_counts = Counter(
        player for ties in rounds for tie in ties for player in tie.player_indexes if player != tie.winner_index
    )
    champion = rounds[-1][0].winner_index
    assert champion is not None
    assert loss_counts[champion] == 0
    semifinal_losers = {p for tie in rounds[-2] for p in tie.player_indexes if p != tie.winner_index}
    assert set(loss_counts) == set(range(setup.player_count)) - {champion}
    assert {player for player, times in loss_counts.items() if times > 1} <= semifinal_losers
    for ties in rounds:
        for tie in ties:
            tie_results = [r for r in results if set(r.player_indexes) == set(tie.player_indexes)]
            start_counts = Counter(r.player_indexes[0] for r in tie_results).values()
            assert not tie_results or max(start_counts) - min(start_counts) <= (
                setup.games_per_meeting % 2 if len(start_counts) == 2 else setup.games_per_meeting
            )
    ranked = compute_places(setup, rounds)
    assert ranked[champion] == 1
    assert sorted(ranked)[:2] == [1, 2]
    assert sorted(ranked)[2:4] == ([3, 4] if setup.options.get("third_place") else [3, 3])


@pytest.mark.slow
@bounded
@given(entries, st.randoms(use_true_random=False))
def test_the_same_results_in_any_order_give_the_same_games(setup: ScheduleInput, rng: random.Random) -> None:
    results = play_out(setup, by_strength(rng, scale=0.2), rng)
    some = rng.sample(results, rng.randint(0, len(results)))
    assert list(schedule_knockout(setup, some)) == list(
        schedule_knockout(setup, sorted(some, key=lambda result: result.player_indexes))
    )


def test_the_first_seeds_meet_last() -> None:
    assert pair_first_round(2) == [(0, 1)]
    assert pair_first_round(8) == [(0, 7), (3, 4), (1, 6), (2, 5)]
    assert pair_first_round(6) == [(0,), (3, 4), (1,), (2, 5)]
    for players in range(2, 40):
        ties = pair_first_round(players)
        assert sorted(seed for tie in ties for seed in tie) == list(range(players))
        byes = sorted(tie[0] for tie in ties if len(tie) == 1)
        assert byes == list(range(2 * len(ties) - players))  # the first ones


def test_higher_seeds_that_always_win_end_in_seed_order() -> None:
    setup, rng = ScheduleInput(16, 2, 2), random.Random(1)

    def higher_wins(pairing: ScheduledGame) -> ScheduleResult:
        first, second = pairing.player_indexes
        return ScheduleResult(pairing.player_indexes, (1, 2) if first < second else (2, 1), pairing.opening_number)

    rounds = create_rounds(setup, play_out(setup, higher_wins, rng))
    assert compute_places(setup, rounds) == [1, 2, 3, 3, *[5] * 4, *[9] * 8]
    assert set(rounds[-1][0].player_indexes) == {0, 1}
    upset = create_rounds(setup, play_out(setup, stronger_wins, rng))
    assert compute_places(setup, upset)[15] == 1


@pytest.mark.parametrize("asked", [1, 2, 3])
def test_a_drawn_tie_continues_with_pairs_of_games(asked: int) -> None:
    setup = ScheduleInput(2, 2, asked)
    results = [drawn(pairing) for pairing in schedule_knockout(setup, [])]
    for extra in range(1, 1 + MAX_EXTRA_PAIRS):
        (tie,) = create_rounds(setup, results)[0]
        assert not tie.is_over
        further_games = [p for p in schedule_knockout(setup, results) if drawn(p) not in results]
        assert [p.player_indexes for p in further_games] == [(0, 1), (1, 0)]
        assert len({p.opening_number for p in further_games}) == 1
        assert further_games[0].opening_number not in {r.opening_number for r in results}
        assert count_games(setup, results) == asked + 2 * extra
        decided = [
            *results,
            drawn(further_games[0]),
            ScheduleResult(further_games[1].player_indexes, (1, 2), further_games[1].opening_number),
        ]
        assert create_rounds(setup, decided)[0][0].winner_index == 1
        results += map(drawn, further_games)
    assert create_rounds(setup, results)[0][0].winner_index == 0  # the higher seed
    assert len(list(schedule_knockout(setup, results))) == len(results)


def test_a_tie_starts_once_its_players_are_known() -> None:
    setup = ScheduleInput(8, 2, 2)
    first = list(schedule_knockout(setup, []))
    assert len(first) == 8
    early = [stronger_wins(pairing) for pairing in first if set(pairing.player_indexes) in ({0, 7}, {3, 4})]
    assert {p.player_indexes for p in schedule_knockout(setup, early)} - {p.player_indexes for p in first} == {
        (4, 7),
        (7, 4),
    }
    assert len({p.opening_number for p in schedule_knockout(setup, early)}) == 2  # each round has its own


def test_an_impossible_schedule_is_refused() -> None:
    with pytest.raises(UserError, match="for games of two players, and this game has 3"):
        check_input(ScheduleInput(5, 3, 3))
    with pytest.raises(UserError, match="needs four players, and there are 3"):
        check_input(ScheduleInput(3, 2, 2, options={"third_place": True}))


LINE = {"format": "knockout", "agents": ["a.py", "b.py", "c.py", "d.py", "a.py"], "games_per_pair": 2}


def draw_at_first(task: GameTask) -> PlayedGame:
    """The pairing of c.py and b.py is drawn until its third pair; in the others, the first player by alphabet wins."""
    record = by_name(task)
    if set(task.stored_names) == {"b.py", "c.py"} and task.opening_number < 6:
        object.__setattr__(record, "outcome", Outcome.draw(Reason.BOARD_FULL))
    return record


def test_a_complete_knockout_is_ordered_by_place(plan: PlanOf, store: Store) -> None:
    tournament_plan = plan(**LINE, third_place=True)
    tournament_plan.check()
    progress = runner(tournament_plan, store, ScriptedWorkers(draw_at_first)).play()
    run = store.run("spring")
    assert (progress.is_complete, progress.played_games, progress.planned_games, run.planned_games) == (
        True,
        14,
        14,
        14,
    )
    table = compute_standings(store, run)
    assert [(row.place, row.name) for row in table.rows] == [(1, "a"), (2, "b"), (3, "a-2"), (4, "c"), (5, "d")]
    assert below(table).splitlines() == [
        "a ─────┐",
        "       ├─ a 2 ───┐",
        "– ─────┘         │",
        "                 ├─ a 2 ─┐",
        "d 0 ───┐         │       │",
        "       ├─ a-2 0 ─┘       │",
        "a-2 2 ─┘                 │",
        "                         ├─ a",
        "b ─────┐                 │",
        "       ├─ b 4 ───┐       │",
        "– ─────┘         │       │",
        "                 ├─ b 0 ─┘",
        "c ─────┐         │",
        "       ├─ c 2 ───┘",
        "– ─────┘",
        "Third place: a-2 – c 2 : 0",
    ]
    assert standings_json(table)["rounds"][2][0] == {
        "players": ["a", "b"],
        "points": [2, 0],
        "over": True,
        "winner": "a",
    }


@pytest.mark.parametrize("stop_after", range(1, 14))
def test_an_interrupted_run_plays_exactly_the_missing_games(plan: PlanOf, store: Store, stop_after: int) -> None:
    tournament_plan = plan(**LINE, third_place=True)
    asked = [task.key for task in broken_off(tournament_plan, store, draw_at_first, stop_after)]
    table = compute_standings(store, store.run("spring"))
    assert not table.is_complete
    assert {row.place for row in table.rows} >= {1}
    assert ("?" in below(table)) == (stop_after < 12)  # then the last two ties are being played
    going_on = ScriptedWorkers(draw_at_first)
    assert runner(tournament_plan, store, going_on).play().is_complete
    assert not set(asked) & set(going_on.asked)
    assert len(asked) + len(going_on.asked) == 14


def test_unplayable_games_do_not_block_the_schedule(plan: PlanOf, store: Store) -> None:
    bad = {"d.py", "a.py #2"}
    workers = ScriptedWorkers(lambda task: void(task) if set(task.stored_names) == bad else by_name(task))
    progress = runner(plan(**LINE), store, workers).play()
    assert (progress.played_games, progress.void_games, progress.is_complete) == (6, 2 + 2 * MAX_EXTRA_PAIRS, False)
    table = compute_standings(store, store.run("spring"))
    assert standings_json(table)["rounds"][1][0]["players"] == ["a", "d"]  # the higher seed advanced
    later_workers = ScriptedWorkers(won)
    progress = runner(plan(**LINE), store, later_workers).play()
    assert (later_workers.asked, progress.played_games, progress.void_games) == ([], 6, 8)
    assert store.count_games(store.run("spring"), GameStatus.UNPLAYED) == 8


def test_unplayed_games_of_the_last_tie_are_retried(plan: PlanOf, store: Store) -> None:
    two = {**LINE, "agents": ["a.py", "b.py"]}
    progress = runner(plan(**two), store, ScriptedWorkers(void)).play()
    assert (progress.played_games, progress.void_games) == (0, 2 + 2 * MAX_EXTRA_PAIRS)
    later_workers = ScriptedWorkers(by_name)
    assert runner(plan(**two), store, later_workers).play().is_complete
    assert len(later_workers.asked) == 2


def test_more_games_per_pair_keep_the_played_ones(plan: PlanOf, store: Store) -> None:
    runner(plan(**LINE), store, ScriptedWorkers(by_name)).play()
    before = store.game_keys(store.run("spring"))
    longer_plan = plan(**{**LINE, "games_per_pair": 4})
    with pytest.raises(UserError, match="games_per_pair was 2, now it is 4"):
        resume_state(longer_plan, store)
    resume_state(longer_plan, store, allows_changes=True)
    workers = ScriptedWorkers(by_name)
    assert runner(longer_plan, store, workers).play().is_complete
    assert len(workers.asked) == 8
    assert before < store.game_keys(store.run("spring"))


def test_options_of_a_knockout_are_refused_elsewhere(plan: PlanOf) -> None:
    with pytest.raises(UserError, match="third_place is for the format knockout, and the format here is round_robin"):
        plan(third_place=True)
