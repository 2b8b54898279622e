"""Workers on which programs lose on time far more often than elsewhere are found; good workers hardly ever are."""

from __future__ import annotations

import random
import time
from concurrent.futures import Future
from dataclasses import replace
from itertools import count

import pytest
from scipy.stats import chi2_contingency

from gomogo_core.games.base import Outcome, Reason
from gomogo_core.records.aggregates import scores_with_pair_numbers
from gomogo_core.records.game_record import Machine, PlayedGame
from gomogo_core.records.store import GameStatus, Store
from tests.tournaments._resumed import resume_state
from tests.tournaments.conftest import PlanOf
from tournaments.playing import create_void_record
from tournaments.runner import Runner
from tournaments.slow_workers import (
    TimeLossCount,
    chi_squared_p_value,
    find_slow_workers,
    find_unreliable_workers,
    time_loss_p_value,
)
from tournaments.sprt import Sprt
from tournaments.sprt_match import SprtMatch
from tournaments.task import GameTask
from tournaments.thread_workers import ThreadWorkers


@pytest.mark.parametrize(
    ("first_count", "others"),
    [
        (TimeLossCount(30, 12), TimeLossCount(30, 0)),
        (TimeLossCount(100, 20), TimeLossCount(900, 30)),
        (TimeLossCount(57, 31), TimeLossCount(211, 30)),
        (TimeLossCount(40, 10), TimeLossCount(40, 9)),  # less apart than Yates' half game
    ],
)
def test_the_p_value_is_scipys(first_count: TimeLossCount, others: TimeLossCount) -> None:
    table = [
        [first_count.time_losses, first_count.game_count - first_count.time_losses],
        [others.time_losses, others.game_count - others.time_losses],
    ]
    assert chi_squared_p_value(first_count, others) == pytest.approx(
        chi2_contingency(table, correction=True).pvalue, rel=1e-9
    )


def test_a_worker_that_loses_on_time_is_set_aside() -> None:
    assert find_unreliable_workers(
        {"a": TimeLossCount(30, 0), "b": TimeLossCount(30, 15), "c": TimeLossCount(30, 1)}
    ) == ("b",)


def test_two_unreliable_workers_are_both_found() -> None:
    counts = {
        "a": TimeLossCount(60, 1),
        "b": TimeLossCount(60, 40),
        "c": TimeLossCount(60, 0),
        "d": TimeLossCount(60, 30),
    }
    assert find_unreliable_workers(counts) == ("b", "d")


@pytest.mark.parametrize(
    "counts",
    [
        {},
        {"a": TimeLossCount(50, 50)},  # no other worker to compare it with
        {"a": TimeLossCount(50, 25), "b": TimeLossCount(50, 24)},  # its players are late everywhere
        {"a": TimeLossCount(6, 4), "b": TimeLossCount(6, 0)},  # too few games
        {"a": TimeLossCount(5000, 400), "b": TimeLossCount(5000, 300)},  # more for certain, but not far more
        {"a": TimeLossCount(50, 0), "b": TimeLossCount(0, 0)},
    ],
)
def test_reliable_workers_are_not_set_aside(counts: dict[str, TimeLossCount]) -> None:
    assert find_unreliable_workers(counts) == ()


def test_few_games_or_a_small_difference_are_no_evidence() -> None:
    assert time_loss_p_value(TimeLossCount(6, 4), TimeLossCount(600, 0)) == 1.0
    assert time_loss_p_value(TimeLossCount(1000, 150), TimeLossCount(1000, 100)) == 1.0


def test_equal_workers_are_set_aside_less_often_than_the_level_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournaments.slow_workers.UNRELIABLE_WORKER_SIGNIFICANCE", 0.05)
    rng = random.Random(1)
    wronged = 0
    for _ in range(2000):
        counts = {name: TimeLossCount(200, sum(rng.random() < 0.1 for _ in range(200))) for name in "abcd"}
        wronged += bool(find_unreliable_workers(counts))
    assert 0 < wronged < 0.05 * 2000


def test_a_worker_slower_than_half_the_median_is_too_slow() -> None:
    assert find_slow_workers({"a": 100.0, "b": 110.0, "c": 52.0, "d": 37.0}) == ("d",)
    assert find_slow_workers({"a": 100.0, "b": 30.0}) == ("b",)
    assert find_slow_workers({"a": 7.0}) == find_slow_workers({}) == ()


class Two(ThreadWorkers):
    """Two workers that play in turn. On one of them, two of three games are lost on time, until it is dismissed."""

    def __init__(self) -> None:
        super().__init__(0)
        self.concurrent_games, self.dismissed, self._number = 1, list[str](), count()

    def dismiss_worker(self, worker: str) -> None:
        self.dismissed.append(worker)

    def submit(self, task: GameTask) -> Future[PlayedGame]:
        number = next(self._number)
        slow = number % 2 == 0 and not self.dismissed
        outcome = Outcome.won_by(1, Reason.OUT_OF_TIME if slow and number % 3 else Reason.RESIGNED)
        record = replace(create_void_record(task, "", time.time(), 0.1), outcome=outcome)
        future: Future[PlayedGame] = Future()
        future.set_result(replace(record, machine=Machine("here", "slow" if slow else "sound")))
        return future


def test_the_games_of_a_worker_that_is_set_aside_are_void_and_played_elsewhere(plan: PlanOf, store: Store) -> None:
    tournament_plan, workers = plan(agents=["a.py", "b.py"], games_per_pair=100), Two()
    run = resume_state(tournament_plan, store).stored_run
    tested = SprtMatch(Sprt.create(0, 10, 0.05, 0.05), "a.py")

    def enough(played: PlayedGame, task: GameTask) -> bool:
        tested.add_game(played, task)
        return False

    def recount() -> None:
        tested.reset(scores_with_pair_numbers(store, run, "a.py"))

    progress = Runner(
        resume_state(tournament_plan, store), workers, may_stop_early=enough, on_games_voided=recount
    ).play()
    assert workers.dismissed == ["slow"]
    assert progress.is_complete
    games = list(store.games_of(run))
    assert sorted(game.key for game in games) == sorted(
        tournament_plan.game_key(pairing) for pairing in tournament_plan.scheduled_games()
    )
    assert {game.machine and game.machine.worker for game in games} == {"sound"}
    assert not any(game.forfeits for game in games)
    void = store.count_games(run, GameStatus.SET_ASIDE)
    assert 10 < void < 60
    assert progress.messages == [
        f"Worker slow is no longer used: {void * 2 // 3 + (void * 2 % 3 > 1)} of its {void} games were lost on time, "
        "far more than elsewhere. All its games are played again."
    ]
    assert sum(tested.counts) == 50  # pairs, each counted once
