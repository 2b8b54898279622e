"""A record has the load of the machine, a running game has cores of its own, and a loss on a busy core is doubtful."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

from gomogo.cli import gomogo
from gomogo_core import procfs
from gomogo_core.arena import Arena, conditions, overtime
from gomogo_core.arena.conditions import ConditionsMeter, reason_for_doubt
from gomogo_core.arena.overtime import computes_past_limit
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.play.events import Ended, Event, Ply, Started
from gomogo_core.processes import cores, cpu_times
from gomogo_core.records.game_record import Machine, PlayedGame
from gomogo_core.records.store import GameStatus, Store
from tests.tournaments._resumed import resume_state
from tests.tournaments.conftest import BOT, PlanOf, RandomArena
from tournaments.playing import create_void_record
from tournaments.runner import Runner
from tournaments.standings import compute_standings
from tournaments.thread_workers import ThreadWorkers

LATE = Outcome.won_by(1, Reason.OUT_OF_TIME, "10.05 s taken, 10 s allowed")


@pytest.fixture(autouse=True)
def no_other_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reserve cores in a folder of this test, so that tests that run at the same time do not interfere."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))


SEEN: list[set[str]] = []


class Noting(Arena):
    """An arena that records the cores of its agents."""

    def play(self, *arguments: Any, listeners: Any = (), **options: Any) -> PlayedGame:
        def note(event: Event) -> None:
            if isinstance(event, Started):
                status = [Path(f"/proc/{pid}/status").read_text() for pid in self.process_ids().values()]
                SEEN.append({re.findall(r"Cpus_allowed_list:\s*(.*)", text)[0] for text in status})

        return super().play(*arguments, listeners=(*listeners, note), **options)


def play(plan: PlanOf, store: Store, arena: Callable[[], Any], workers: int, game_cores: int) -> list[PlayedGame]:
    tournament_plan = plan(agents=["a.py", "b.py"])
    places = ThreadWorkers(workers, create_arena=arena, cores_per_game=game_cores)
    assert Runner(resume_state(tournament_plan, store), places).play().is_complete
    return list(store.games_of(store.run("spring")))


@pytest.mark.slow
def test_a_running_game_has_its_own_core(plan: PlanOf, store: Store) -> None:
    SEEN.clear()
    allowed = cores.allowed_cores()
    games = play(plan, store, Noting, 1, game_cores=1)
    assert [game.machine and game.machine.cores for game in games] == [(allowed[0],)] * len(games)
    assert [{str(allowed[0])}] * len(games) == SEEN
    assert cores.allowed_cores() == allowed  # only the worker was tied


@pytest.mark.slow
def test_the_record_has_the_cpu_and_waiting_time_of_each_program(plan: PlanOf, store: Store) -> None:
    for game in play(plan, store, Arena, 1, game_cores=1):
        assert game.machine
        assert game.machine.host
        assert len(game.cpu) == len(game.waited) == 2
        assert all(seconds is not None and 0 <= seconds < 60 for seconds in (*game.cpu, *game.waited))


class Programs:
    """Programs that exist only as process ids. before: the CPU time that each used before its last turn."""

    def __init__(self, numbers: dict[int, int], before: float | None = None) -> None:
        self.numbers, self.before = numbers, before

    def process_ids(self) -> dict[int, int]:
        return self.numbers

    def cpu_before_turn(self, seat: int) -> float | None:
        return self.before


def test_an_immediate_next_game_reuses_the_last_cpu_reading(plan: PlanOf, monkeypatch: pytest.MonkeyPatch) -> None:
    looked, current_time, record = list[int](), 10.0, late(plan, waited=0.0)
    unread: Any = None

    def of_tree(root: int, _: object) -> cpu_times.CpuTimes:
        looked.append(root)
        return cpu_times.CpuTimes(0.25 * len(looked), 0.0)

    def cpu_of_a_game(processes: dict[int, int]) -> tuple[float | None, ...]:
        meter = ConditionsMeter(Programs(processes), (0,))
        meter(Started(unread, unread))
        meter(Ended(LATE, unread))
        return meter.add_conditions(record).cpu

    monkeypatch.setattr(cpu_times, "process_tree_times", of_tree)
    monkeypatch.setattr(conditions, "time", SimpleNamespace(monotonic=lambda: current_time))
    assert cpu_of_a_game({1: 70, 2: 71}) == (0.5, 0.5)
    current_time += 0.005
    assert cpu_of_a_game({1: 71, 2: 70}) == (0.25, 0.75)  # each process by its number, whatever its seat
    assert looked == [70, 71] * 2 + [71, 70]
    current_time += 1
    assert cpu_of_a_game({1: 71, 2: 70}) == (0.5, 0.5)
    assert cpu_of_a_game({1: 71, 2: 72}) == (0.5, 0.5)  # another player
    assert len(looked) == 14


def test_games_are_not_pinned_with_fewer_cores_than_games(plan: PlanOf, store: Store) -> None:
    allowed = cores.allowed_cores()
    games = play(plan, store, RandomArena, 1, game_cores=len(allowed) + 1)
    assert {game.machine.cores for game in games if game.machine} == {allowed}


def test_two_games_do_not_have_the_same_core() -> None:
    allowed = cores.allowed_cores()
    with cores.pin_to_cores(len(allowed)) as mine:
        assert mine == allowed
        other = "from gomogo_core.processes import cores\nwith cores.pin_to_cores(1) as mine: print(mine)"
        for _ in range(2):
            result = subprocess.run([sys.executable, "-c", other], capture_output=True, text=True, check=True)
            assert result.stdout == "None\n"
    assert set(os.sched_getaffinity(0)) == set(allowed)


@pytest.mark.slow
def test_cpu_time_of_a_process_includes_its_children() -> None:
    burn = "import time\nwhile time.process_time() < 0.3: pass\n"
    script_text = (
        f"import subprocess, sys, time\nsubprocess.run([sys.executable, '-c', {burn!r}])\n{burn}print(flush=True)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", f"{script_text}input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    process.stdout.readline()
    spent = cpu_times.process_tree_times(process.pid)
    process.communicate("\n")
    assert spent.cpu is not None
    assert spent.cpu >= 0.5
    assert cpu_times.process_tree_times(process.pid) == cpu_times.UNKNOWN_TIMES


def test_a_kept_file_shows_the_present_and_never_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(procfs, "_MAX_OPEN_FILES", 1)
    files = procfs.OpenFileCache()
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    name = f"{process.pid}/stat"
    assert files.read(name).startswith(b"%d " % process.pid)
    assert files.read("self/stat").startswith(b"%d " % os.getpid())  # closes the other file, since it keeps only one
    before = files.read("thread-self/schedstat")
    time.sleep(0.01)  # the system updates the times when a thread waits
    assert files.read("thread-self/schedstat") != before
    assert files.read(name)
    process.communicate(b"\n")
    assert files.read(name) == files.read(name) == b""
    files.close()


def late(plan: PlanOf, *, waited: float | None, **machine: Any) -> PlayedGame:
    """Return a game that its second player lost on time after ten seconds."""
    tournament_plan = plan(agents=["a.py", "b.py"])
    record = create_void_record(tournament_plan.task(next(iter(tournament_plan.scheduled_games()))), "", 0.0, 10.0)
    machine_conditions = Machine(**{"host": "here", "cores": (0,), "load": 0.5, "waited": 0.0, **machine})
    return replace(record, outcome=LATE, machine=machine_conditions, waited=(0.0, waited), cpu=(0.0, 5.0))


def test_a_loss_on_time_of_a_program_that_waited_for_its_core_is_doubtful(plan: PlanOf) -> None:
    assert reason_for_doubt(late(plan, waited=4.0)) == "it waited 4.00 s of 10.00 s for a core that other programs used"
    of_threads = "its threads together waited 97.00 s for cores that other programs used, in 10.00 s of its turns"
    assert reason_for_doubt(late(plan, waited=97.0)) == of_threads
    assert reason_for_doubt(late(plan, waited=0.2)) == ""


def test_waiting_of_the_referee_makes_a_loss_doubtful(plan: PlanOf) -> None:
    game = late(plan, waited=0.2)
    assert game.machine
    assert reason_for_doubt(replace(game, machine=game.machine._replace(waited=2.0))).startswith("it waited 2.20 s")


def test_waiting_for_own_threads_is_not_doubtful(plan: PlanOf) -> None:
    assert reason_for_doubt(late(plan, waited=30.0, load=0.01)) == ""


def test_waiting_for_the_opponents_program_is_doubtful(plan: PlanOf) -> None:
    game = replace(late(plan, waited=4.0, load=0.01), cpu_out_of_turn=(6.0, 0.0))
    assert (
        reason_for_doubt(game)
        == "it waited 4.00 s of 10.00 s for a core that other programs used, its opponents for 6.00 s out of turn"
    )
    assert reason_for_doubt(replace(game, cpu_out_of_turn=(0.1, 6.0))) == ""


def test_the_core_load_decides_without_waiting_times(plan: PlanOf) -> None:
    assert reason_for_doubt(late(plan, waited=None, load=0.5)) == "other programs took 50% of its core"
    assert reason_for_doubt(late(plan, waited=None, load=0.1)) == ""
    assert reason_for_doubt(late(plan, waited=None, load=0.5, cores=(0, 1))) == ""  # a whole core was left
    assert reason_for_doubt(late(plan, waited=None, load=0.9, cores=(0, 1))) == "other programs took 90% of its 2 cores"
    assert reason_for_doubt(late(plan, waited=None, load=None)) == ""


def test_only_losses_on_time_are_doubtful(plan: PlanOf) -> None:
    game = late(plan, waited=9.0)
    assert reason_for_doubt(game)
    assert reason_for_doubt(replace(game, outcome=Outcome.won_by(1, Reason.ILLEGAL_MOVE, "taken"))) == ""
    assert reason_for_doubt(replace(game, machine=None)) == ""


LOOPS = {
    "python": "def choose(position, clock):\n    while True:\n        pass\n",
    "threads": """import threading
def loop():
    while True:
        pass
def choose(position, clock):
    for _ in range(2):
        threading.Thread(target=loop, daemon=True).start()
    loop()
""",
    "child": """import subprocess, sys
def choose(position, clock):
    subprocess.run([sys.executable, "-c", "while True: pass"])
""",
}


@pytest.mark.slow
@pytest.mark.parametrize("code", LOOPS.values(), ids=LOOPS)
def test_an_infinite_loop_on_a_shared_core_is_not_doubtful(plan: PlanOf, store: Store, folder: Path, code: str) -> None:
    (folder / "a.py").write_text(code)
    (folder / "b.py").write_text(code)
    game = game_on_a_shared_core(plan, store, per_move=0.1)
    assert game.outcome.reason is Reason.OUT_OF_TIME
    assert reason_for_doubt(game)  # what the waiting time alone says
    assert not game.doubtful


def test_a_late_program_that_computes_for_longer_than_its_limit_is_not_doubtful(
    plan: PlanOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = replace(late(plan, waited=4.0), sandbox="limits", cpu_out_of_turn=(0.0, 0.2))
    unread: Any = None
    asked = list[tuple[int, float, int]]()

    def computes_past_limit(root: int, seconds: float, cores: int) -> bool:
        asked.append((root, round(seconds, 3), cores))
        return root == 71

    monkeypatch.setattr(conditions, "computes_past_limit", computes_past_limit)
    monkeypatch.setattr(
        cpu_times, "process_tree_times", lambda root, _: cpu_times.CpuTimes(0.5, 4.0 * (len(asked) + root % 2))
    )

    def doubt(second: int, played: PlayedGame, before: float | None = None) -> str:
        meter = ConditionsMeter(Programs({1: 70, 2: second}, before), (0,))
        meter(Started(unread, unread))
        meter(Ended(LATE, unread))
        real_measure = meter._measured_conditions
        assert real_measure is not None
        assert played.machine is not None
        meter._measured_conditions = (played.machine, {1: real_measure[1][1], 2: cpu_times.CpuTimes(0.0, 4.0)})
        return meter.add_conditions(played).doubtful

    assert doubt(71, game) == ""
    assert doubt(73, game).startswith("it waited")
    per_move = game.controls[1].per_move or 0.0
    assert asked == [(71, 0.5 + 0.2 + 0.05 + per_move, 1), (73, 0.5 + 0.2 + 0.05 + per_move, 1)]
    assert doubt(71, replace(game, sandbox="none")), "nobody measures the CPU time out of turn"
    assert len(asked) == 2
    moved = replace(game, plies=(Ply(2, "a1"),), seconds=(3.0,))
    for measured, before in ((2.0, 2.0), (None, 0.5 + 0.2 + 2 * 0.05 + 3.0)):
        assert doubt(71, moved, measured) == ""
        assert asked[-1] == (71, before + per_move, 1), "what it had used, if that is known, instead of its seconds"


@pytest.mark.parametrize(
    ("shares", "state", "write_at", "cores", "computes_on"),
    [
        ((0.5,), b"R", 9.0, 1, True),
        ((0.5,), b"R", 9.0, 2, True),
        ((0.2,), b"R", 9.0, 1, False),  # starved to the end
        ((0.5,), b"R", 1.0, 1, False),  # its move came late
        ((0.5,), b"S", 9.0, 1, False),
        ((0.1,) * 4, b"R", 9.0, 1, True),
        ((0.1,) * 4, b"R", 9.0, 2, False),
        ((), b"R", 9.0, 1, False),
    ],
)
def test_a_late_program_is_watched_until_it_has_used_its_time(
    shares: tuple[float, ...],
    state: bytes,
    write_at: float,
    cores: int,
    computes_on: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A program has used 0.2 s of its limit of 1 s of CPU time, and its threads now get these shares of a core."""
    times = [0.0]

    def sleep(seconds: float) -> None:
        times[0] += seconds

    def threads(pid: int) -> list[int]:
        return list(range(3, 3 + len(shares))) if pid == 3 else [pid]

    def cpu_of(task: str) -> tuple[int, int]:
        return (int((0.2 / len(shares) + times[0] * shares[int(task.rpartition("/")[2]) - 3]) * 1e9), 0)

    procfs = SimpleNamespace(
        thread_ids=threads,
        child_ids=lambda pid, thread: [pid + 1] if pid == thread and pid < 2 + bool(shares) else [],
        stat_fields=lambda task: [state],
        schedule_times=cpu_of,
        open_io_counters=lambda pid: os.open("/dev/null", os.O_RDONLY),
        write_counts=lambda descriptor: (int(times[0] >= write_at), 0),
    )
    monkeypatch.setattr(overtime, "procfs", procfs)
    monkeypatch.setattr(overtime, "time", SimpleNamespace(monotonic=lambda: times[0], sleep=sleep))
    assert computes_past_limit(1, 1.0, cores) == computes_on


THINKER = """import time
def choose(position, clock):
    until = time.thread_time() + 0.9  # less than its limit, but it gets a third of a core
    while time.thread_time() < until: pass
"""


@pytest.mark.slow
def test_a_loss_on_time_on_a_shared_core_is_doubtful(plan: PlanOf, store: Store, folder: Path) -> None:
    (folder / "a.py").write_text(THINKER)
    (folder / "b.py").write_text(THINKER)
    game = game_on_a_shared_core(plan, store, per_move=1.0)
    assert game.outcome.reason is Reason.OUT_OF_TIME
    assert game.doubtful
    run = store.run("spring")
    assert store.game_keys(run, only_doubtful=True) == {game.key}
    [loser] = [row for row in compute_standings(store, run).rows if row.losses]
    assert (loser.forfeits_by_reason, loser.doubtful_losses) == ({"out_of_time": 1}, 1)


def game_on_a_shared_core(plan: PlanOf, store: Store, per_move: float) -> PlayedGame:
    """Play one game on a core that two other programs also use."""
    core = cores.allowed_cores()[0]
    burn = f"import os, time\nos.sched_setaffinity(0, [{core}])\nwhile time.monotonic() < {time.monotonic() + 30}: pass"
    burning = [subprocess.Popen([sys.executable, "-c", burn]) for _ in range(2)]
    try:
        tournament_plan = plan(agents=["a.py", "b.py"], games_per_pair=1, time={"per_move": per_move})
        run = resume_state(tournament_plan, store).stored_run
        assert Runner(resume_state(tournament_plan, store), ThreadWorkers(1, cores_per_game=1)).play().is_complete
    finally:
        for process in burning:
            process.kill()
            process.wait()
    [game] = store.games_of(run)
    return game


@pytest.mark.slow
def test_doubtful_losses_are_shown_and_played_again(folder: Path) -> None:
    for name in "ab":
        (folder / f"{name}.py").write_text(BOT)
    path, database = folder / "spring.toml", folder / "gomogo.db"
    path.write_text('agents = ["a.py", "b.py"]\ngames_per_pair = 4\noptions = { size = 5, line = 3 }\n')

    def run(*words: str) -> Result:
        result = CliRunner().invoke(gomogo, ["tournament", *words])
        assert result.exit_code == 0, result.output
        return result

    run("run", str(path))
    with Store.open(database) as store:
        key = min(store.game_keys(store.run("spring")))
    with sqlite3.connect(database) as rows:  # as if it had been lost on time on a busy machine
        rows.execute("UPDATE games SET doubtful = 1, reason = 'out_of_time' WHERE key = ?", [key])
        rows.execute("UPDATE seats SET forfeit = 'out_of_time' WHERE key = ? AND result = 'loss'", [key])
    rows.close()
    assert "lost by its own fault: 1 out of time (1 doubtful: the machine was busy)" in run("show", str(path)).stdout
    assert "1 out of time" in run("run", str(path)).stdout  # played again only when that is asked for
    second_result = run("run", str(path), "--replay-doubtful")
    assert "1 game was lost on time while the machine was busy and is played again." in second_result.stderr
    assert "out of time" not in second_result.stdout
    assert "No game was lost on time while the machine was busy." in run("run", str(path), "--replay-doubtful").stderr
    with Store.open(database) as store:
        stored_run = store.run("spring")
        assert (store.count_games(stored_run), store.game_keys(stored_run, GameStatus.SET_ASIDE)) == (4, {f"1-{key}"})
