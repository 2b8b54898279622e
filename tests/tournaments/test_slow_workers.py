"""A worker on which programs lose on time far more than elsewhere is found, and an innocent one hardly ever."""

from __future__ import annotations

import random
import time
from concurrent.futures import Future
from dataclasses import replace
from itertools import count

import pytest
from scipy.stats import chi2_contingency

from gomogo_core.games.base import Outcome, Reason
from gomogo_core.records.aggregates import pair_scores
from gomogo_core.records.game_record import Machine, PlayedGame
from gomogo_core.records.store import Status, Store
from tests.tournaments._resumed import resumed
from tests.tournaments.conftest import PlanOf
from tournaments.playing import void_record
from tournaments.runner import Runner
from tournaments.slow_workers import Count, chi_squared_p, late_by_chance, set_aside, too_slow
from tournaments.sprt import Sprt
from tournaments.sprt_match import SprtMatch
from tournaments.task import Task
from tournaments.thread_workers import ThreadWorkers


@pytest.mark.parametrize(
    ("one", "others"),
    [
        (Count(30, 12), Count(30, 0)),
        (Count(100, 20), Count(900, 30)),
        (Count(57, 31), Count(211, 30)),
        (Count(40, 10), Count(40, 9)),  # less apart than Yates' half game
    ],
)
def test_the_p_value_is_scipys(one: Count, others: Count) -> None:
    table = [[one.late, one.games - one.late], [others.late, others.games - others.late]]
    assert chi_squared_p(one, others) == pytest.approx(chi2_contingency(table, correction=True).pvalue, rel=1e-9)


def test_a_worker_that_loses_on_time_is_set_aside() -> None:
    assert set_aside({"a": Count(30, 0), "b": Count(30, 15), "c": Count(30, 1)}) == ("b",)


def test_two_bad_ones_do_not_hide_each_other() -> None:
    counts = {"a": Count(60, 1), "b": Count(60, 40), "c": Count(60, 0), "d": Count(60, 30)}
    assert set_aside(counts) == ("b", "d")


@pytest.mark.parametrize(
    "counts",
    [
        {},
        {"a": Count(50, 50)},  # no other worker to compare it with
        {"a": Count(50, 25), "b": Count(50, 24)},  # its players are late everywhere
        {"a": Count(6, 4), "b": Count(6, 0)},  # too few games
        {"a": Count(5000, 400), "b": Count(5000, 300)},  # more for certain, but not far more
        {"a": Count(50, 0), "b": Count(0, 0)},
    ],
)
def test_nobody_is_set_aside_without_good_reason(counts: dict[str, Count]) -> None:
    assert set_aside(counts) == ()


def test_few_games_or_a_small_difference_are_no_evidence() -> None:
    assert late_by_chance(Count(6, 4), Count(600, 0)) == 1.0
    assert late_by_chance(Count(1000, 150), Count(1000, 100)) == 1.0


def test_equal_workers_are_set_aside_less_often_than_the_level_allows() -> None:
    chance = random.Random(1)
    wronged = 0
    for _ in range(2000):
        counts = {name: Count(200, sum(chance.random() < 0.1 for _ in range(200))) for name in "abcd"}
        wronged += bool(set_aside(counts, level=0.05))
    assert 0 < wronged < 0.05 * 2000


def test_a_worker_slower_than_half_the_median_is_too_slow() -> None:
    assert too_slow({"a": 100.0, "b": 110.0, "c": 52.0, "d": 37.0}) == ("d",)
    assert too_slow({"a": 100.0, "b": 30.0}) == ("b",)
    assert too_slow({"a": 7.0}) == too_slow({}) == ()


class Two(ThreadWorkers):
    """Two workers that take turns: on one of them two games of three are lost on time, until it is dismissed."""

    def __init__(self) -> None:
        super().__init__(0)
        self.size, self.dismissed, self._number = 1, list[str](), count()

    def dismiss(self, worker: str) -> None:
        self.dismissed.append(worker)

    def submit(self, task: Task) -> Future[PlayedGame]:
        number = next(self._number)
        slow = number % 2 == 0 and not self.dismissed
        outcome = Outcome.won_by(1, Reason.OUT_OF_TIME if slow and number % 3 else Reason.RESIGNED)
        record = replace(void_record(task, "", time.time(), 0.1), outcome=outcome)
        future: Future[PlayedGame] = Future()
        future.set_result(replace(record, machine=Machine("here", "slow" if slow else "sound")))
        return future


def test_the_games_of_a_worker_that_is_set_aside_are_void_and_played_elsewhere(plan: PlanOf, store: Store) -> None:
    made, workers = plan(agents=["a.py", "b.py"], games_per_pair=100), Two()
    run = resumed(made, store).run
    tested = SprtMatch(Sprt.of(0, 10, 0.05, 0.05), "a.py")

    def enough(played: PlayedGame, task: Task) -> bool:
        tested(played, task)
        return False

    def recount() -> None:
        tested.recount(pair_scores(store, run, "a.py"))

    progress = Runner(resumed(made, store), workers, enough=enough, recount=recount).play()
    assert workers.dismissed == ["slow"]
    assert progress.complete
    games = list(store.games_of(run))
    assert sorted(game.key for game in games) == sorted(made.key(pairing) for pairing in made.pairings())
    assert {game.machine and game.machine.worker for game in games} == {"sound"}
    assert not any(game.forfeits for game in games)
    void = store.count(run, Status.SET_ASIDE)
    assert 10 < void < 60
    assert progress.news == [
        f"Worker slow is set aside: of its {void} games {void * 2 // 3 + (void * 2 % 3 > 1)} were lost on time, "
        "far more than elsewhere. They are void, and played again."
    ]
    assert sum(tested.counts) == 50  # pairs, each counted once
