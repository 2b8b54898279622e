"""The runner plays every planned game once, even after faults and interrupts, and stops on request."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from gomogo_core.cancellation import GameCancelled, check_cancelled
from gomogo_core.errors import UserError
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.play.events import Event, Moved
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.live_format import LiveFile, live_games
from gomogo_core.records.live_writer import live_files_in
from gomogo_core.records.store import GameStatus, Store
from tests.tournaments._resumed import resume_state
from tests.tournaments.conftest import PlanOf, RandomArena
from tournaments.plan import Plan
from tournaments.playing import create_void_record
from tournaments.progress import RunProgress, StopRequest
from tournaments.runner import Runner
from tournaments.task import GameTask
from tournaments.thread_workers import ThreadWorkers


class ScriptedWorkers(ThreadWorkers):
    """Workers without threads: the function `answer` returns the record of each game at once."""

    def __init__(self, answer: Callable[[GameTask], PlayedGame], size: int = 1) -> None:
        super().__init__(0)
        self.concurrent_games, self.answer = size, answer
        self.asked: list[str] = []

    def submit(self, task: GameTask) -> Future[PlayedGame]:
        future: Future[PlayedGame] = Future()
        self.asked.append(task.key)
        try:
            future.set_result(self.answer(task))
        except BaseException as error:
            future.set_exception(error)
        return future


def won(task: GameTask) -> PlayedGame:
    record = create_void_record(task, "", time.time(), 0.1)
    object.__setattr__(record, "outcome", Outcome.won_by(1, Reason.RESIGNED))
    return record


def void(task: GameTask) -> PlayedGame:
    return create_void_record(task, "no room in memory", time.time(), 0.1)


def runner(plan: Plan, store: Store, workers: ThreadWorkers, **overrides: Any) -> Runner:
    return Runner(resume_state(plan, store), workers, **overrides)


def planned(plan: Plan) -> set[str]:
    return {plan.game_key(pairing) for pairing in plan.scheduled_games()}


def test_every_planned_game_is_played_and_stored(plan: PlanOf, store: Store) -> None:
    progress_events: list[tuple[int, float | None]] = []
    progress = runner(
        plan(),
        store,
        ThreadWorkers(2, create_arena=RandomArena),
        on_progress=lambda p: progress_events.append((p.played_games, p.seconds_left)),
    ).play()
    assert progress.is_complete
    run = store.run("spring")
    assert store.game_keys(run) == planned(plan())
    games = list(store.games_of(run))
    assert Counter(game.names for game in games) == {(a, b): 2 for a in "abc" for b in "abc" if a != b}
    assert all(game.specs == tuple(f"{name}.py" for name in game.names) for game in games)
    assert all(game.positions()[-1].outcome() == game.outcome for game in games)
    assert [played_count for played_count, _ in progress_events] == sorted(
        played_count for played_count, _ in progress_events
    )
    assert progress_events[-1] == (12, 0)


def test_the_same_tournament_gives_the_same_games(plan: PlanOf, tmp_path: Path) -> None:
    records = []
    for number in range(2):
        with Store.open(tmp_path / f"{number}.db") as store:
            runner(plan(openings="random:2"), store, ThreadWorkers(2, create_arena=RandomArena)).play()
            records.append({game.key: game.plies for game in store.games_of(store.run("spring"))})
    assert records[0] == records[1]


def test_both_games_of_an_opening_start_with_it(plan: PlanOf, store: Store) -> None:
    runner(plan(openings="random:2", agents=["a.py", "b.py"]), store, ThreadWorkers(1, create_arena=RandomArena)).play()
    games = list(store.games_of(store.run("spring")))
    openings: dict[tuple[str, ...], set[str]] = {}
    for game in games:
        assert game.opening_length == 2
        openings.setdefault(tuple(ply.move for ply in game.plies[:2]), set()).add(game.names[0])
    assert list(openings.values()) == [{"a", "b"}] * 2


def test_a_stopped_run_continues(plan: PlanOf, store: Store) -> None:
    stopping = ScriptedWorkers(won)
    first = runner(plan(), store, stopping)

    def stop_after_five(progress: RunProgress) -> None:
        if progress.played_games == 5:
            store.request_stop(store.run("spring"))
            time.sleep(1.1)

    first._on_progress = stop_after_five
    assert not first.play().is_complete
    going_on = ScriptedWorkers(won)
    assert runner(plan(), store, going_on).play().is_complete
    assert not set(stopping.asked) & set(going_on.asked)
    assert set(stopping.asked) | set(going_on.asked) == planned(plan())


def test_an_extended_run_plays_only_the_new_games(plan: PlanOf, store: Store) -> None:
    runner(plan(), store, ScriptedWorkers(won)).play()
    longer_plan = plan(games_per_pair=6)
    resume_state(longer_plan, store, allows_changes=True)
    workers = ScriptedWorkers(won)
    assert runner(longer_plan, store, workers).play().is_complete
    assert set(workers.asked) == planned(longer_plan) - planned(plan())


def test_a_void_game_is_played_again(plan: PlanOf, store: Store) -> None:
    tries: Counter[str] = Counter()

    def void_once(task: GameTask) -> PlayedGame:
        tries[task.key] += 1
        return void(task) if tries[task.key] == 1 else won(task)

    progress = runner(plan(), store, ScriptedWorkers(void_once)).play()
    assert progress.is_complete
    assert set(tries.values()) == {2}


def test_a_game_void_three_times_is_recorded_as_unplayed(plan: PlanOf, store: Store) -> None:
    bad = plan().game_key(next(iter(plan().scheduled_games())))
    workers = ScriptedWorkers(lambda task: void(task) if task.key == bad else won(task))
    progress = runner(plan(), store, workers).play()
    assert not progress.is_complete
    assert (progress.played_games, progress.void_games) == (11, 1)
    assert Counter(workers.asked)[bad] == 3
    assert store.game_keys(store.run("spring"), GameStatus.UNPLAYED) == {bad}
    assert runner(plan(), store, ScriptedWorkers(won)).play().is_complete  # the same command tries again
    assert store.game_keys(store.run("spring"), GameStatus.UNPLAYED) == set()


def test_an_internal_fault_voids_the_game_with_its_message(plan: PlanOf, store: Store) -> None:
    class CrashingArena(RandomArena):
        def play(self, *_: object, **__: object) -> PlayedGame:
            raise RuntimeError("a bug")

    progress = runner(plan(), store, ThreadWorkers(2, create_arena=CrashingArena)).play()
    assert progress.void_games == 12
    assert progress.latest_record is not None
    assert progress.latest_record.outcome.detail == "RuntimeError: a bug"


def test_an_agent_that_cannot_start_ends_the_run_with_a_message(plan: PlanOf, store: Store, folder: Path) -> None:
    tournament_plan = plan()
    tournament_plan.check()
    before = set(threading.enumerate())  # other tests of this process may have left a thread that reads for ever
    run = Runner(resume_state(tournament_plan, store), ThreadWorkers(2, create_arena=RandomArena))
    (folder / "c.py").unlink()
    with pytest.raises(UserError, match=r"There is no agent at .*c\.py"):
        run.play()
    assert set(threading.enumerate()) <= before


def test_a_full_disk_ends_the_run_and_keeps_stored_games(plan: PlanOf, store: Store) -> None:
    def fill_the_disk(progress: RunProgress) -> None:
        if progress.played_games == 5:
            with store.read_transaction() as connection:
                connection.execute("PRAGMA max_page_count = 1")

    before = set(threading.enumerate())
    with pytest.raises(UserError, match="the disk is full"):
        runner(plan(), store, ThreadWorkers(2, create_arena=RandomArena), on_progress=fill_the_disk).play()
    assert set(threading.enumerate()) <= before
    games = list(store.games_of(store.run("spring")))
    assert 5 <= len(games) < 12  # a page may have had room for one more
    assert all(game.outcome.winner or game.outcome.ranks == (1, 1) for game in games)


class Patient(RandomArena):
    """An arena whose games last until the test releases them."""

    gate = threading.Event()
    began = threading.Semaphore(0)

    def play(self, *arguments: Any, **options: Any) -> PlayedGame:
        Patient.began.release()
        while not Patient.gate.wait(0.01):
            check_cancelled()  # like every wait in an arena
        return super().play(*arguments, **options)


def during_the_first_games(deed: Callable[[], object]) -> threading.Thread:
    """Call `deed` in another thread once two games have begun."""
    Patient.gate.clear()
    Patient.began = threading.Semaphore(0)

    def wait_and_do() -> None:
        for _ in range(2):
            Patient.began.acquire()
        deed()

    thread = threading.Thread(target=wait_and_do)
    thread.start()
    return thread


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def wait_for_wish(running: Runner, wish: StopRequest) -> None:
    until = time.monotonic() + 120
    while running.progress.stop_request is not wish and time.monotonic() < until:
        time.sleep(0.001)


def test_one_interrupt_finishes_the_running_games(plan: PlanOf, store: Store) -> None:
    def interrupt_and_go_on() -> None:
        interrupt()
        wait_for_wish(running_runner, StopRequest.FINISH_RUNNING_GAMES)
        Patient.gate.set()

    thread = during_the_first_games(interrupt_and_go_on)
    running_runner = runner(plan(), store, ThreadWorkers(2, create_arena=Patient))
    progress = running_runner.play()
    thread.join()
    assert (progress.stop_request, progress.played_games) == (StopRequest.FINISH_RUNNING_GAMES, 2)
    assert store.count_games(store.run("spring")) == 2


def test_two_interrupts_drop_the_running_games(plan: PlanOf, store: Store) -> None:
    def interrupt_twice() -> None:
        interrupt()
        wait_for_wish(
            running_runner, StopRequest.FINISH_RUNNING_GAMES
        )  # two signals that arrive before the first is handled count as one
        interrupt()

    thread = during_the_first_games(interrupt_twice)
    running_runner = runner(plan(), store, ThreadWorkers(2, create_arena=Patient))
    progress = running_runner.play()  # no test code lets the games continue
    thread.join()
    assert (progress.stop_request, progress.played_games) == (StopRequest.INTERRUPT_RUNNING_GAMES, 0)
    assert store.count_games(store.run("spring")) == store.count_games(store.run("spring"), GameStatus.UNPLAYED) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_terminated_runner_drops_its_games_and_ends(plan: PlanOf, store: Store, number: signal.Signals) -> None:
    before = signal.signal(number, signal.default_int_handler)  # under nohup SIGHUP is ignored
    try:
        thread = during_the_first_games(lambda: os.kill(os.getpid(), number))
        assert (
            runner(plan(), store, ThreadWorkers(2, create_arena=Patient)).play().stop_request
            is StopRequest.INTERRUPT_RUNNING_GAMES
        )
        thread.join()
        assert signal.getsignal(number) is signal.default_int_handler
    finally:
        signal.signal(number, before)


def test_a_stop_requested_before_the_run_is_ignored(plan: PlanOf, store: Store) -> None:
    store.request_stop(resume_state(plan(), store).stored_run)
    assert runner(plan(), store, ScriptedWorkers(won)).play().is_complete


def test_a_cancelled_game_leaves_no_record(plan: PlanOf, store: Store) -> None:
    def leave(task: GameTask) -> PlayedGame:
        raise GameCancelled

    progress = runner(plan(), store, ScriptedWorkers(leave)).play()
    assert (progress.played_games, progress.void_games) == (0, 0)


@pytest.mark.slow
def test_live_files_exist_only_while_games_run(plan: PlanOf, store: Store, tmp_path: Path) -> None:
    live, names = tmp_path / "live", list[str]()

    def look(event: Event) -> None:
        until = time.monotonic() + 20
        # live files are written by another thread
        while isinstance(event, Moved) and not live_games(live) and time.monotonic() < until:
            time.sleep(0.01)
        names.extend(game.run for game in live_games(live))

    class WatchedArena(RandomArena):
        def play(self, *arguments: Any, listeners: Any = (), **options: Any) -> PlayedGame:
            return super().play(*arguments, listeners=[*listeners, look], **options)

    left_behind = LiveFile(live, "of a runner that was killed", "spring")
    progress = runner(
        plan(), store, ThreadWorkers(1, live_files=live_files_in(live), create_arena=WatchedArena), live_folder=live
    ).play()
    assert progress.is_complete
    assert set(names) == {"spring"}
    assert not left_behind.path.exists()
    assert not live.exists()


def test_no_more_games_run_than_there_are_workers(plan: PlanOf, store: Store) -> None:
    on_now, max_running, guard = 0, 0, threading.Lock()

    class CountedArena(RandomArena):
        def play(self, *arguments: Any, **options: Any) -> PlayedGame:
            nonlocal on_now, max_running
            with guard:
                on_now += 1
                max_running = max(max_running, on_now)
            time.sleep(0.02)
            with guard:
                on_now -= 1
            return super().play(*arguments, **options)

    runner(plan(), store, ThreadWorkers(3, create_arena=CountedArena)).play()
    assert max_running == 3


def test_a_void_game_does_not_count_as_progress(plan: PlanOf, store: Store) -> None:
    progress = runner(plan(), store, ScriptedWorkers(void)).play()
    assert (progress.played_games, progress.games_by_this_runner, progress.void_games) == (0, 0, 12)
    assert progress.seconds_left is None
