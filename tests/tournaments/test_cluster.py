"""A tournament on a cluster of local processes plays every game once, even if workers or the scheduler die."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from gomogo_core import __version__
from gomogo_core.errors import UserError
from gomogo_core.records.live_format import LiveFile, LiveFileUpdate, LiveGame, live_games
from gomogo_core.records.store import GameStatus, Store
from tests.tournaments._cluster import ROOT, Cluster, agents_below
from tests.tournaments._deaths import interrupt_twice
from tests.tournaments._resumed import resume_state
from tests.tournaments.conftest import PlanOf
from tournaments import cluster, cluster_check
from tournaments import cluster_worker as side
from tournaments.cluster import ClusterWorkers
from tournaments.cluster_check import check_worker, find_worker_refusals
from tournaments.cluster_worker import WorkerInfo, agent_fingerprint, measure_speed
from tournaments.plan import Plan, make_spec_absolute
from tournaments.progress import RunProgress
from tournaments.runner import Runner

pytestmark = pytest.mark.slow

BOT = '''"""Any legal move, after some thought."""
import random, time
KEEP_RUNNING = True
def choose(position, clock):
    time.sleep(0.02)
    return random.choice(list(position.moves()))
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the bots a.py and b.py."""
    for name in "ab":
        (tmp_path / f"{name}.py").write_text(BOT)
    return tmp_path


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return a cluster with one worker, which every test keeps."""
    cluster = Cluster(tmp_path_factory.mktemp("dask"))
    try:
        cluster.worker("stays")
        yield cluster
    finally:
        cluster.close()


def series(plan: PlanOf, games: int) -> Plan:
    return plan(agents=["a.py", "b.py"], games_per_pair=games, openings="random:2", options={"size": 5, "line": 4})


def workers_of(dask: Cluster, plan: Plan) -> ClusterWorkers:
    return ClusterWorkers(dask.address, [make_spec_absolute(spec, plan.base_folder) for spec in plan.spec.agents])


def wait_for(process: subprocess.Popen[bytes], dask: Cluster, count: int) -> None:
    """Wait until the cluster has this number of workers."""
    client = cluster_check.connect(dask.address)
    client.wait_for_workers(count, timeout=300)
    client.close()
    assert process.poll() is None


HELD_BOT = """
import os
import time
from pathlib import Path


def choose(position, clock):
    here = Path(__file__).parent
    while (here / "hold").exists():
        (here / f"held-{os.getpid()}").touch()
        time.sleep(0.01)
    return next(position.moves())
"""


def kill_one_in_mid_game(plan: PlanOf, store: Store, dask: Cluster, folder: Path, games: int, after: int) -> None:
    """Play, kill a worker during a game, and check the results."""
    goes = dask.worker("goes")
    wait_for(goes, dask, 2)
    for name in "ab":
        (folder / f"{name}.py").write_text(HELD_BOT)
    results, games_left, killers = series(plan, games), list[psutil.Process](), list[threading.Thread]()

    def kill() -> None:
        until = time.monotonic() + 60  # it may be between two games
        while not any((folder / f"held-{process.pid}").exists() for process in agents_below(goes.pid)):
            assert time.monotonic() < until
            time.sleep(0.01)
        games_left.extend(agents_below(goes.pid))
        goes.kill()
        goes.wait()
        (folder / "hold").unlink()

    def watch(progress: RunProgress) -> None:
        if progress.games_by_this_runner >= after and not killers:
            (folder / "hold").touch()  # slow until the kill, so that their games are not over before it
            killers.append(threading.Thread(target=kill))
            killers[0].start()

    run = resume_state(results, store).stored_run
    progress = Runner(resume_state(results, store), workers_of(dask, results), on_progress=watch).play()
    killers[0].join()
    assert progress.is_complete
    assert any("Worker goes has left. Its running game is played again" in news for news in progress.messages)
    played = list(store.games_of(run))
    assert sorted(game.key for game in played) == sorted(
        results.game_key(pairing) for pairing in results.scheduled_games()
    )
    assert Counter(game.names for game in played) == {("a", "b"): games // 2, ("b", "a"): games // 2}
    assert {game.machine.worker for game in played if game.machine} == {"stays", "goes"}
    assert not any(game.forfeits or game.outcome.is_void for game in played)
    assert store.count_games(run, GameStatus.UNPLAYED) == store.count_games(run, GameStatus.SET_ASIDE) == 0
    assert games_left
    assert psutil.wait_procs(games_left, timeout=300)[1] == []


def test_a_killed_workers_game_is_played_again_elsewhere(
    plan: PlanOf, store: Store, dask: Cluster, folder: Path
) -> None:
    kill_one_in_mid_game(plan, store, dask, folder, games=10, after=4)


@pytest.mark.long
def test_sixty_games_survive_a_killed_worker(plan: PlanOf, store: Store, dask: Cluster, folder: Path) -> None:
    kill_one_in_mid_game(plan, store, dask, folder, games=60, after=20)


def test_output_of_agents_on_a_cluster_is_stored_locally(
    plan: PlanOf, store: Store, dask: Cluster, tmp_path: Path
) -> None:
    results, log = series(plan, 2), tmp_path / "log"
    agents = [make_spec_absolute(spec, results.base_folder) for spec in results.spec.agents]
    run = resume_state(results, store).stored_run
    assert Runner(resume_state(results, store), ClusterWorkers(dask.address, agents, log_folder=log)).play().is_complete
    assert {path.stem for path in log.iterdir()} == {results.game_key(pairing) for pairing in results.scheduled_games()}
    for game in store.games_of(run):
        log_text = (log / f"{game.key}.log").read_text()
        assert log_text.count(" a < ") + log_text.count(" b < ") == len(game.plies) - game.opening_length


def test_games_on_a_cluster_have_local_live_files(
    plan: PlanOf, store: Store, dask: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results, live, seen_games = series(plan, 2), tmp_path / "live", list[LiveGame]()
    for name in "ab":
        (results.base_folder / f"{name}.py").write_text(BOT.replace("0.02", "0.15"))

    class WatchedLiveFile(LiveFile):
        def write(self, update: LiveFileUpdate) -> None:
            super().write(update)
            seen_games.extend(live_games(live))

    monkeypatch.setattr(cluster, "LiveFile", WatchedLiveFile)
    workers = ClusterWorkers(
        dask.address, [make_spec_absolute(spec, results.base_folder) for spec in results.spec.agents], live_folder=live
    )
    assert Runner(resume_state(results, store), workers, live_folder=live).play().is_complete
    assert {(game.run, frozenset(game.names)) for game in seen_games} == {("spring", frozenset("ab"))}
    assert {game.key for game in seen_games} == {results.game_key(pairing) for pairing in results.scheduled_games()}
    assert max(game.move_count for game in seen_games) > 1
    assert not live.exists()  # stored games are not shown as running any more


def test_a_worker_can_join_late_and_leave_early(plan: PlanOf, store: Store, dask: Cluster) -> None:
    results, guest = series(plan, 10), list[subprocess.Popen[bytes]]()

    def come_and_go(progress: RunProgress) -> None:
        if not guest:
            guest.append(dask.worker("guest"))
            wait_for(guest[0], dask, 2)  # meanwhile at most two more games are played
        elif (
            progress.latest_record
            and progress.latest_record.machine
            and progress.latest_record.machine.worker == "guest"
        ):
            guest[0].terminate()
            guest[0].wait(timeout=60)  # it does not wait for its game

    run = resume_state(results, store).stored_run
    progress = Runner(resume_state(results, store), workers_of(dask, results), on_progress=come_and_go).play()
    assert progress.is_complete
    played = list(store.games_of(run))
    assert {game.machine.worker for game in played if game.machine} == {"stays", "guest"}
    assert not any(game.forfeits for game in played)


def test_two_interrupts_end_a_match_on_a_cluster_and_leave_nothing(folder: Path, dask: Cluster) -> None:
    (folder / "slow.py").write_text(BOT.replace("0.02", "30"))
    command = ["match", "slow.py", "b.py", "--name", "m", "--cluster", dask.address, "-o", "size=5", "--time", "60"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "GOMOGO_FOLDER": str(dask.games)}
    words = [sys.executable, "-m", "gomogo", *command]
    pipe = subprocess.PIPE
    runner = subprocess.Popen(words, cwd=folder, env=environment, stdout=pipe, stderr=pipe, text=True)
    while not any(dask.games.glob("gomogo-*/*/slow/game.json")):
        assert runner.poll() is None
        time.sleep(0.02)
    _, output = interrupt_twice(runner)
    assert runner.returncode == 3, output
    assert "Worker stays plays 1 game at a time." in output
    assert "0 of 20 games are in gomogo.db. Run the same command to continue." in output
    assert list(dask.games.iterdir()) == []


@pytest.mark.needs("bwrap")
def test_each_cluster_worker_uses_the_requested_sandbox(folder: Path, dask: Cluster) -> None:
    words = ["match", "random_mover", "greedy", "-n", "4", "-o", "size=5", "--name", "m", "--cluster", dask.address]
    command = [sys.executable, "-m", "gomogo", *words, "--sandbox", "bwrap", "--store", "held.db"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "GOMOGO_FOLDER": str(dask.games)}
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    with Store.open(folder / "held.db") as store:
        games = list(store.games_of(store.run("m")))
    assert [game.sandbox for game in games] == ["bwrap"] * 4
    assert {game.outcome.reason.kind for game in games} == {"rules"}


def test_a_lost_scheduler_keeps_the_stored_games(
    plan: PlanOf, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "SCHEDULER_TIMEOUT_SECONDS", 1.0)
    (tmp_path / "dask").mkdir()
    own = Cluster(tmp_path / "dask")
    try:
        own.worker("one")
        results = series(plan, 40)

        def kill_the_scheduler(progress: RunProgress) -> None:
            if progress.games_by_this_runner == 3:
                own.scheduler.kill()

        run = resume_state(results, store).stored_run
        with pytest.raises(UserError, match=r"The scheduler at tcp://127\.0\.0\.1:.* does not answer"):
            Runner(resume_state(results, store), workers_of(own, results), on_progress=kill_the_scheduler).play()
        assert 3 <= store.count_games(run) < 40
    finally:
        own.close()


def test_an_agent_that_a_worker_does_not_have_is_named(dask: Cluster, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"Worker stays on .* cannot play .*missing\.py: There is no agent at"):
        ClusterWorkers(dask.address, [str(tmp_path / "missing.py")])


def test_a_worker_with_another_gomogo_version_is_refused(dask: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_check, "__version__", "99.0")
    with pytest.raises(UserError, match=r"Worker stays has Gomogo .*; this machine has 99\.0\."):
        ClusterWorkers(dask.address, ["random_mover"])


def test_a_scheduler_without_workers_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_FIRST_WORKER_TIMEOUT_SECONDS", 0.0)
    own = Cluster(tmp_path)
    try:
        with pytest.raises(UserError, match="has no workers"):
            ClusterWorkers(own.address, ["random_mover"])
    finally:
        own.close()


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("tcp://127.0.0.1:9", r"The scheduler at tcp://127\.0\.0\.1:9 does not answer"),
        ("nonsense://x:1", "'nonsense://x:1' is not the address of a scheduler"),
        ("tcp://host", "is not the address of a scheduler"),
    ],
)
def test_a_wrong_scheduler_address_is_refused(address: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_check, "SCHEDULER_TIMEOUT_SECONDS", 0.5)
    with pytest.raises(UserError, match=message):
        cluster_check.connect(address)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UserError, match=r"--cluster needs the package distributed") as raised:
        cluster_check.connect("tcp://127.0.0.1:9")
    assert raised.value.remedy == "pip install 'gomogo[cluster]'"


def worker_info(**changes: object) -> WorkerInfo:
    default_values = {
        "version": __version__,
        "host": "here",
        "unplayable_reasons": {},
        "fingerprints": {},
        "positions_per_second": 100.0,
    }
    return WorkerInfo(**{**default_values, **changes})  # type: ignore[arg-type]


def test_an_agent_with_a_different_file_is_refused(folder: Path) -> None:
    agent = str(folder / "a.py")
    info = worker_info(fingerprints={agent: agent_fingerprint(agent)})
    check_worker("w", info, [agent])
    (folder / "a.py").write_text(f"{BOT}\n")
    with pytest.raises(UserError, match="Worker w on here has another version of"):
        check_worker("w", info, [agent])


def test_slow_and_broken_cluster_workers_are_refused_with_the_reason() -> None:
    speeds: dict[str, float] = {}
    come: dict[str, WorkerInfo | BaseException] = {
        "fast": worker_info(),
        "faster": worker_info(positions_per_second=120.0),
        "slow": worker_info(positions_per_second=30.0),
        "broken": ImportError("no gomogo"),
    }
    refusals = find_worker_refusals(come, [], speeds)
    assert refusals.keys() == {"slow", "broken"}
    assert (
        refusals["slow"] == "Worker slow is not used: it has less than 0.5 times the median speed, 25% of the fastest."
    )
    assert refusals["broken"].startswith("Worker broken is not used. Worker broken cannot run Gomogo: ImportError")
    assert find_worker_refusals({"slow again": worker_info(positions_per_second=40.0)}, [], speeds).keys() == {
        "slow again"
    }


def test_a_worker_without_a_runner_stops_its_games(plan: PlanOf, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side, "LEASE_SECONDS", 0.5)
    monkeypatch.setattr(side, "_LEASE_CHECK_SECONDS", 0.05)
    (folder / "a.py").write_text(BOT.replace("0.02", "30"))
    results, before, other_agents = series(plan, 2), set(threading.enumerate()), agents_below(os.getpid())
    asyncio.run(side.begin_session("s", 1, 0, "w"))
    assert (
        side.play_on_worker("s", results.task(next(iter(results.scheduled_games())))) is None
    )  # it was in its first move
    until = time.monotonic() + 120
    while (threads_left := set(threading.enumerate()) - before) and time.monotonic() < until:
        time.sleep(0.02)
    assert not threads_left
    assert set(agents_below(os.getpid())) <= set(other_agents)


def test_a_measured_speed_is_positive() -> None:
    assert measure_speed() > 0
