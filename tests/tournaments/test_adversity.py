"""No game is lost if the machine is at fault: a stopped runner, a full disk, a shared store, a clock set back."""

from __future__ import annotations

import json
import os
import resource
import signal
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gomogo_core.agent import _program
from gomogo_core.errors import UserError
from gomogo_core.records.store import Store
from tests.tournaments._deaths import (
    BOT,
    check_nothing_left,
    check_round_robin,
    start_runner,
    wait_for_games,
    write_tournament,
)
from tests.tournaments._resumed import resume_state
from tests.tournaments.conftest import PlanOf, RandomArena
from tournaments.runner import Runner
from tournaments.thread_workers import ThreadWorkers

pytestmark = pytest.mark.slow


def test_agents_do_not_forfeit_while_their_runner_is_stopped(tmp_path: Path) -> None:
    """The runner is stopped by Ctrl-Z, or together with its container. The agents continue, and the runner reads their
    moves long after they were made.

    """
    path = write_tournament(tmp_path, 2, players="ab", settings="[time]\nper_move = 1.0\n")
    for name in "ab":
        slow = "    import time; time.sleep(0.1)\n    return"
        (tmp_path / f"{name}.py").write_text(BOT.replace("    return", slow))
    runner = start_runner(path)
    wait_for_games(path, runner, 2)
    os.killpg(runner.pid, signal.SIGSTOP)  # with its workers, but not their agents: these have sessions of their own
    time.sleep(2.5)
    os.killpg(runner.pid, signal.SIGCONT)
    out, err = runner.communicate()
    assert "is played again: the referee was suspended for " in err
    check_round_robin(path, json.loads(out))
    check_nothing_left(path)


def test_a_full_disk_ends_the_run_with_a_message_and_loses_no_game(tmp_path: Path) -> None:
    path = write_tournament(tmp_path, 40)
    runner = start_runner(path)
    wait_for_games(path, runner)
    resource.prlimit(runner.pid, resource.RLIMIT_FSIZE, (150_000, resource.RLIM_INFINITY))
    out, err = runner.communicate()
    assert (runner.returncode, out) == (1, "")
    assert "gomogo.db cannot be used: the disk " in err
    assert "Run the same command to continue." in err
    with Store.open(tmp_path / "gomogo.db") as store:
        games = list(store.games_of(store.run("killed")))
    assert all(game.positions()[-1].outcome() == game.outcome for game in games)
    out, err = start_runner(path).communicate()
    check_round_robin(path, json.loads(out))
    check_nothing_left(path)


def test_two_runs_share_one_store(tmp_path: Path) -> None:
    paths = [write_tournament(tmp_path, 20, name=name) for name in ("first", "second")]
    runners = [start_runner(path) for path in paths]
    for path, runner in zip(paths, runners, strict=True):
        out, err = runner.communicate()
        assert runner.returncode == 0, err
        check_round_robin(path, json.loads(out))
        assert "Took away" not in err
    check_nothing_left(paths[0])


def test_only_one_of_two_simultaneous_runners_plays_a_run(tmp_path: Path) -> None:
    path = write_tournament(tmp_path, 30)
    runners = [start_runner(path) for _ in range(2)]
    outputs = [runner.communicate() for runner in runners]
    codes = [runner.returncode for runner in runners]
    assert sorted(codes) == [0, 1], outputs
    assert "is being played by another process." in outputs[codes.index(1)][1]
    check_round_robin(path, json.loads(outputs[codes.index(0)][0]))
    check_nothing_left(path)


@pytest.fixture
def wall_clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the seconds by which the system's clock has been changed; append a number to change it."""
    steps, real_time = [0.0], time.time
    monkeypatch.setattr(time, "time", lambda: real_time() + sum(steps))
    return steps


@pytest.mark.parametrize("step", [-7200.0, 7200.0])
def test_a_clock_change_during_a_run_changes_no_result(
    plan: PlanOf, store: Store, wall_clock: list[float], step: float
) -> None:
    for stopped_after in (4, 12):
        tournament_plan = plan()
        runner = Runner(resume_state(tournament_plan, store), ThreadWorkers(2, create_arena=RandomArena))

        def stop_at(progress: object, max_games: int = stopped_after, runner: Runner = runner) -> None:
            wall_clock.append(step / 4)
            if runner.progress.played_games >= max_games:
                store.request_stop(store.run("spring"))

        runner._on_progress = stop_at
        runner.play()
    run = store.run("spring")
    assert runner.progress.is_complete
    assert store.game_keys(run) == {tournament_plan.game_key(pairing) for pairing in tournament_plan.scheduled_games()}
    assert all(0 <= game.duration < 60 for game in store.games_of(run))


@pytest.mark.parametrize(("step", "min_shift"), [(-7200.0, 0.0), (7200.0, 1.0), (0.0, 0.0)])
def test_a_clock_change_shifts_a_move_time_by_a_second_at_most(
    wall_clock: list[float], step: float, min_shift: float
) -> None:
    before, written = time.monotonic(), time.time_ns()
    wall_clock.append(step)
    moment = _program._monotonic_time(written)
    assert before - 0.01 < moment + min_shift < time.monotonic() + 0.01


@pytest.fixture
def closed() -> Iterator[Path]:
    """Return a folder that can be read but not written."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        Store.open(path / "gomogo.db").close()
        (path / "gomogo.db").chmod(0o444)
        path.chmod(0o555)
        yield path
        path.chmod(0o755)


def as_somebody_else(deed: Callable[[], object]) -> str:
    """Call a function as an ordinary user in a separate process. Return the message of its UserError."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # ignore the warning about threads: the child needs none of them
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setuid(65534)
            deed()
            os.write(writer, b"nothing is wrong")
        except UserError as error:
            os.write(writer, str(error).encode())
        except BaseException as error:
            os.write(writer, repr(error).encode())
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader) as pipe_file:
        return pipe_file.read()


def test_a_run_in_a_read_only_store_is_refused_before_any_game(closed: Path) -> None:
    def play() -> None:
        with Store.open(closed / "gomogo.db") as store, store.lock_run("spring"):
            pass

    assert "gomogo.db cannot be used: it is read-only.\nMake the file and its folder " in as_somebody_else(play)
    assert os.listdir(closed) == ["gomogo.db"]
