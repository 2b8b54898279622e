"""A ladder plays the most informative games, admits new agents while it runs, and ends on request."""

from __future__ import annotations

import math
import random
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gomogo_core.errors import UserError
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.store import Store
from tests.tournaments._resumed import resume_state
from tests.tournaments.conftest import BOT, PlanOf
from tests.tournaments.test_runner import ScriptedWorkers, runner, void
from tests.tournaments.test_swiss import broken_off, by_name
from tournaments.formats.ladder import check_input, count_games, schedule_ladder
from tournaments.plan import Plan
from tournaments.progress import RunProgress, StopRequest
from tournaments.schedules import ScheduledGame, ScheduleInput, ScheduleResult
from tournaments.spec import read_spec
from tournaments.standings import compute_standings
from tournaments.task import GameTask

bounded = settings(max_examples=40, deadline=None, derandomize=True, database=None)


def by_strengths(strengths: list[float], rng: random.Random) -> Callable[[ScheduledGame], ScheduleResult]:
    """Return results by the model of Bradley and Terry."""

    def play(pairing: ScheduledGame) -> ScheduleResult:
        first, second = (strengths[player] for player in pairing.player_indexes)
        first_wins = rng.random() < 1 / (1 + math.exp(second - first))
        return ScheduleResult(pairing.player_indexes, (1, 2) if first_wins else (2, 1), pairing.opening_number)

    return play


def play_on(
    setup: ScheduleInput,
    play: Callable[[ScheduledGame], ScheduleResult],
    max_games: int,
    results: dict[ScheduledGame, ScheduleResult] | None = None,
) -> dict[ScheduledGame, ScheduleResult]:
    """Play this number of further games."""
    results = dict(results or {})
    max_games += len(results)
    while len(results) < max_games:
        pairings_left = [pairing for pairing in schedule_ladder(setup, results.values()) if pairing not in results]
        assert pairings_left
        assert len(set(pairings_left)) == len(pairings_left)
        for pairing in pairings_left[: max_games - len(results)]:
            results[pairing] = play(pairing)
    return results


@pytest.mark.slow
@bounded
@given(st.integers(2, 7), st.integers(1, 4), st.integers(1, 9), st.integers(0, 60), st.randoms(use_true_random=False))
def test_a_ladder_continues_and_plays_both_seats_of_each_opening(
    players: int, games: int, games_ahead: int, further_games: int, rng: random.Random
) -> None:
    setup = ScheduleInput(players, 2, games, games_ahead=games_ahead)
    results = play_on(setup, by_strengths([rng.uniform(-3, 3) for _ in range(players)], rng), further_games)
    asked = list(schedule_ladder(setup, results.values()))
    new_pairings = [pairing for pairing in asked if pairing not in results]
    assert len(new_pairings) >= games_ahead
    assert set(results) <= set(asked)
    turns = Counter[tuple[int, ...]]()
    for pairing in asked:
        turns[tuple(sorted(pairing.player_indexes))] += 1
    for (first_player, other), count in turns.items():
        assert count % games == 0
        played_openings = {
            (p.player_indexes, p.opening_number) for p in asked if set(p.player_indexes) == {first_player, other}
        }
        assert played_openings == {
            ((first_player, other) if turn % 2 == 0 else (other, first_player), turn // 2) for turn in range(count)
        }


@pytest.mark.slow
@bounded
@given(st.integers(2, 6), st.randoms(use_true_random=False))
def test_the_same_results_in_any_order_give_the_same_games(players: int, rng: random.Random) -> None:
    setup = ScheduleInput(players, 2, 2, games_ahead=3)
    strengths = [rng.uniform(-3, 3) for _ in range(players)]
    results = list(play_on(setup, by_strengths(strengths, rng), 30).values())
    shuffled = rng.sample(results, len(results))
    assert set(schedule_ladder(setup, results)) == set(schedule_ladder(setup, shuffled))


def test_every_player_of_a_ladder_plays_first_games() -> None:
    setup = ScheduleInput(8, 2, 2, games_ahead=1)
    rng = random.Random(2)
    results = play_on(setup, by_strengths([0.0] * 8, rng), 8)
    assert {player for pairing in results for player in pairing.player_indexes} == set(range(8))


def test_a_ladder_prefers_uncertain_pairings() -> None:
    strengths = [0.0, 0.3, 4.0, 4.3, 9.0, 9.3]  # three twins, far from one another
    setup = ScheduleInput(6, 2, 2, games_ahead=2)
    results = play_on(setup, by_strengths(strengths, random.Random(4)), 300)
    meeting_counts = Counter(tuple(sorted(pairing.player_indexes)) for pairing in results)
    twins = [meeting_counts[0, 1], meeting_counts[2, 3], meeting_counts[4, 5]]
    assert min(twins) > max(count for pair, count in meeting_counts.items() if pair not in {(0, 1), (2, 3), (4, 5)})
    assert sum(twins) > 300 / 2  # of 15 pairs
    assert meeting_counts[0, 5] <= 4


def test_a_later_plan_counts_the_games_planned_before() -> None:
    setup = ScheduleInput(6, 2, 2, games_ahead=24)
    results = play_on(setup, by_strengths([0.1 * i for i in range(6)], random.Random(4)), 61)
    planned = Counter(frozenset(p.player_indexes) for p in schedule_ladder(setup, results.values()) if p not in results)
    assert max(planned.values()) <= 6


def test_a_new_agent_plays_until_its_rating_is_known() -> None:
    rng = random.Random(5)
    strengths = [0.0, 0.5, 1.0, 1.5, 0.75]
    old = play_on(ScheduleInput(4, 2, 2), by_strengths(strengths, rng), 120)
    new_pairings = play_on(ScheduleInput(5, 2, 2), by_strengths(strengths, rng), 30, old)
    played = Counter(player for pairing in new_pairings.keys() - old.keys() for player in pairing.player_indexes)
    assert played[4] == 30
    later = play_on(ScheduleInput(5, 2, 2), by_strengths(strengths, rng), 150, new_pairings)
    played = Counter(player for pairing in later for player in pairing.player_indexes)
    assert max(played.values()) < 2 * min(played.values())


@pytest.mark.slow
def test_no_player_of_a_ladder_is_neglected() -> None:
    strengths = [0.8 * i for i in range(8)]
    for seed in range(5):
        results = play_on(ScheduleInput(8, 2, 2, games_ahead=2), by_strengths(strengths, random.Random(seed)), 200)
        game_counts = Counter(player for pairing in results for player in pairing.player_indexes)
        assert max(game_counts.values()) < 4 * min(game_counts.values())


def test_the_limit_of_a_ladder_is_its_number_of_games() -> None:
    assert count_games(ScheduleInput(3, 2, 2), []) is None
    assert count_games(ScheduleInput(3, 2, 2, options={"games": 10}), []) == 10
    with pytest.raises(UserError, match="for games of two players, and this game has 3"):
        check_input(ScheduleInput(5, 3, 3))


LADDER = {"format": "ladder", "agents": ["a.py", "b.py", "c.py"], "games_per_pair": 2}


@pytest.mark.parametrize("workers", [1, 4])
def test_a_ladder_ends_at_its_limit_and_can_be_extended(plan: PlanOf, store: Store, workers: int) -> None:
    tournament_plan = plan(**LADDER, games=9)
    tournament_plan.check()
    progress = runner(tournament_plan, store, ScriptedWorkers(by_name, workers)).play()
    assert (progress.is_complete, progress.played_games, progress.planned_games) == (True, 9, 9)
    assert compute_standings(store, store.run("spring")).is_complete
    assert runner(tournament_plan, store, ScriptedWorkers(by_name)).play().games_by_this_runner == 0
    later_workers = ScriptedWorkers(by_name, workers)
    assert runner(plan(**LADDER, games=14), store, later_workers).play().is_complete  # needs no --extend
    assert (len(later_workers.asked), store.run("spring").planned_games) == (5, 14)


def stopping_after(number: int) -> Callable[[RunProgress], None]:
    def watch(progress: RunProgress) -> None:
        if progress.games_by_this_runner >= number:
            progress.stop_request = StopRequest.FINISH_RUNNING_GAMES

    return watch


def test_a_ladder_without_a_limit_continues_until_stopped(plan: PlanOf, store: Store) -> None:
    for round_ in (1, 2):
        progress = runner(plan(**LADDER), store, ScriptedWorkers(by_name), on_progress=stopping_after(20)).play()
        assert (progress.planned_games, progress.is_complete, progress.seconds_left) == (None, False, None)
        assert progress.games_by_this_runner >= 20
        assert progress.played_games == store.count_games(store.run("spring")) >= 20 * round_
    assert store.run("spring").planned_games is None
    assert not compute_standings(store, store.run("spring")).is_complete


def test_an_interrupted_ladder_completes_its_last_pairing(plan: PlanOf, store: Store) -> None:
    asked = broken_off(plan(**LADDER), store, by_name, 5)
    going_on = ScriptedWorkers(by_name)
    runner(plan(**LADDER, games=6), store, going_on).play()
    (key,) = going_on.asked
    last_pairing = asked[-1]
    (other,) = (g for g in store.games_of(store.run("spring")) if g.key == key)
    assert other.names == last_pairing.display_names[::-1]
    game_counts = Counter(frozenset(game.names) for game in store.games_of(store.run("spring")))
    assert all(count % 2 == 0 for count in game_counts.values())


def test_a_ladder_without_playable_games_ends_with_a_message(plan: PlanOf, store: Store) -> None:
    with pytest.raises(UserError, match="10 games in a row could not be played: no room in memory"):
        runner(plan(**LADDER), store, ScriptedWorkers(void)).play()


@pytest.fixture
def bots(folder: Path) -> Path:
    """Return a folder with the bots e.py and f.py."""
    place = folder / "bots"
    place.mkdir()
    for name in "ef":
        (place / f"{name}.py").write_text(BOT)
    return place


FOLDER = {"format": "ladder", "agents": [], "agents_folder": "bots", "games_per_pair": 2}


def test_a_new_agent_plays_and_a_removed_one_stays_in_the_table(plan: PlanOf, store: Store, bots: Path) -> None:
    messages: list[str] = []

    def come_and_go(progress: RunProgress) -> None:
        if progress.games_by_this_runner == 10:
            (bots / "_helper.py").write_text("")
            (bots / "half.py").write_text("def choo")
            (bots / "d.py").write_text(BOT)
            (bots / "g").mkdir(exist_ok=True)
            (bots / "g" / "agent.toml").write_text('command = "./g"')
            (bots / "g" / "g").write_text("#!/bin/sh\n")
            (bots / "g" / "g").chmod(0o755)
        if progress.games_by_this_runner == 60:
            (bots / "e.py").unlink(missing_ok=True)
        if progress.games_by_this_runner >= 120:
            progress.stop_request = StopRequest.FINISH_RUNNING_GAMES
        messages.extend(progress.messages[len(messages) :])

    def play(task: GameTask) -> PlayedGame:
        for agent in task.absolute_specs:
            if not Path(agent).exists():
                raise UserError(f"There is no agent at {agent}.", "Give the path of a .py file.")
        return by_name(task)

    runner(plan(**FOLDER), store, ScriptedWorkers(play, 3), on_progress=come_and_go).play()
    assert set(messages[:3]) == {
        "d has joined.",
        "g has joined.",
        next(message for message in messages if message.startswith("half.py")),
    }
    assert messages[3:] == ["e has left."]
    table = compute_standings(store, store.run("spring"))
    assert {row.name for row in table.rows} == {"d", "e", "f", "g"}
    counts = {row.name: row.games for row in table.rows}
    assert min(counts.values()) >= 10
    assert sum(counts.values()) == 2 * table.finished_games
    last_games = [game.names for game in store.games_of(store.run("spring"))][-20:]
    assert not any("e" in names for names in last_games)
    (bots / "e.py").write_text(BOT)  # it comes again, and its games count
    later_plan = plan(**FOLDER)
    resume_state(later_plan, store)
    assert compute_standings(store, store.run("spring")).finished_games == table.finished_games


def test_an_agent_removed_during_a_game_does_not_lose_by_that(plan: PlanOf, store: Store, bots: Path) -> None:
    for name in "hi":
        (bots / f"{name}.py").write_text(BOT)

    def play(task: GameTask) -> PlayedGame:
        record = by_name(task)
        if "bots/e.py" in task.stored_names and store.count_games(store.run("spring")) >= 6:
            (bots / "e.py").unlink(missing_ok=True)
            loss = Outcome.won_by(2 - task.stored_names.index("bots/e.py"), Reason.CRASHED, "exited with code 2")
            record = replace(record, outcome=loss)
        return record

    runner(plan(**FOLDER), store, ScriptedWorkers(play), on_progress=stopping_after(30)).play()
    assert not any(game.forfeits for game in store.games_of(store.run("spring")))
    assert not (bots / "e.py").exists()


def test_a_ladder_of_a_folder_continues_with_changed_agents(plan: PlanOf, store: Store, bots: Path) -> None:
    runner(plan(**FOLDER), store, ScriptedWorkers(by_name), on_progress=stopping_after(12)).play()
    (bots / "h.py").write_text(BOT)
    (bots / "f.py").unlink()
    runner(plan(**FOLDER), store, ScriptedWorkers(by_name), on_progress=stopping_after(12)).play()
    table = compute_standings(store, store.run("spring"))
    assert {row.name for row in table.rows} == {"e", "f", "h"}
    shutil.rmtree(bots)
    with pytest.raises(UserError, match="agents_folder: there is no folder"):
        resume_state(plan(**FOLDER), store)


def test_a_missing_listed_agent_ends_the_run_with_a_message(plan: PlanOf, store: Store) -> None:
    def play(task: GameTask) -> PlayedGame:
        raise UserError("There is no agent at a.py.", "Give the path of a .py file.")

    with pytest.raises(UserError, match="There is no agent"):
        runner(plan(**LADDER), store, ScriptedWorkers(play)).play()


def test_other_changes_of_a_ladder_are_refused(plan: PlanOf, store: Store) -> None:
    runner(plan(**LADDER), store, ScriptedWorkers(by_name), on_progress=stopping_after(6)).play()
    with pytest.raises(UserError, match="seed was 0, now it is 1"):
        resume_state(plan(**LADDER, seed=1), store)
    before = store.game_keys(store.run("spring"))
    run = resume_state(plan(**{**LADDER, "games_per_pair": 4}), store, allows_changes=True).stored_run
    assert store.game_keys(run) == before


def test_listed_agents_and_agents_of_the_folder_meet(folder: Path, bots: Path) -> None:
    (folder / "spring.toml").write_text(
        'format = "ladder"\nagents = ["a.py", "bots/e.py"]\nagents_folder = "bots"\n[odds."bots/f.py"]\nper_move = 1\n'
    )
    tournament_plan = Plan(read_spec(folder / "spring.toml"), folder)
    tournament_plan.check()
    assert tournament_plan.stored_names == ("a.py", "bots/e.py", "bots/f.py")
    assert [control.per_move for control in tournament_plan.time_controls] == [10.0, 10.0, 1.0]
    (folder / "spring.toml").write_text('format = "ladder"\nagents_folder = "bots"\n')
    assert Plan(read_spec(folder / "spring.toml"), folder).stored_names == ("bots/e.py", "bots/f.py")


def test_options_of_a_ladder_are_refused_elsewhere(plan: PlanOf) -> None:
    for key, value in (("games", 10), ("agents_folder", "bots")):
        with pytest.raises(UserError, match=f"{key} is for the format ladder, and the format here is round_robin"):
            plan(**{key: value})
