"""Workers are processes. If one is killed, its agents end, another worker repeats its game, and a new one starts."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import psutil
import pytest

from gomogo_core.cancellation import GameCancelled
from gomogo_core.errors import UserError
from gomogo_core.games.base import Reason
from gomogo_core.records.game_record import PlayedGame
from tests.tournaments._deaths import (
    BOT,
    agents_in,
    check_nothing_left,
    check_round_robin,
    start_runner,
    tournament_of_engines,
    wait_for_games,
    wait_until_gone,
    worker_processes,
    write_tournament,
)
from tests.tournaments.conftest import PlanOf
from tournaments import workers
from tournaments.task import GameTask
from tournaments.worker_process import (
    WORKER_CODE,
    FrameKind,
    FrameParser,
    GameRequest,
    WorkerSettings,
    encode_frame,
    encode_record,
)
from tournaments.workers import ProcessWorkers

pytestmark = pytest.mark.slow

SLOW = BOT.replace("    return", "    import time; time.sleep(60)\n    return")


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def first_task(plan: PlanOf) -> GameTask:
    tournament_plan = plan(agents=["a.py", "b.py"])
    return tournament_plan.task(next(iter(tournament_plan.scheduled_games())))


def test_a_worker_answers_each_request_that_is_cancelled_before_its_game_begins(
    plan: PlanOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command counts the first request of a worker as a running game. Without an answer, it waited forever."""
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(BOT)
    Path("b.py").write_text(BOT)
    request = encode_frame(FrameKind.TASK, GameRequest(first_task(plan), ()))
    own_socket, worker_socket = socket.socketpair()
    own_socket.settimeout(60)
    words = [
        sys.executable,
        "-c",
        WORKER_CODE.format(root=str(Path(workers.__file__).parents[1])),
        str(worker_socket.fileno()),
    ]
    with own_socket, subprocess.Popen(words, pass_fds=[worker_socket.fileno()]):
        worker_socket.close()
        settings = encode_frame(FrameKind.SETTINGS, WorkerSettings("none", False, (), "", None, None))
        own_socket.sendall(settings + 3 * request + encode_frame(FrameKind.CANCEL_WAITING))
        parser, kinds = FrameParser(), list[FrameKind]()
        while len(kinds) < 4:
            kinds += [kind for kind, _ in parser.complete_frames(own_socket.recv(1 << 16))]
        own_socket.shutdown(socket.SHUT_WR)
    assert kinds[0] is FrameKind.READY
    assert kinds[2:] == [FrameKind.INTERRUPTED, FrameKind.INTERRUPTED]


@pytest.mark.parametrize("make", [write_tournament, tournament_of_engines])
def test_a_run_with_killed_workers_plays_every_game_once(tmp_path: Path, make: Callable[[Path, int], Path]) -> None:
    path = make(tmp_path, 60)
    runner = start_runner(path)
    for games in (1, 20, 60):
        wait_for_games(path, runner, games)
        for worker in psutil.Process(runner.pid).children():
            worker.kill()
    out, err = runner.communicate()
    assert runner.returncode == 0, err
    check_round_robin(path, json.loads(out))
    check_nothing_left(path)


def test_agents_of_a_killed_worker_end_and_its_game_restarts(plan: PlanOf, folder: Path) -> None:
    for name in "ab":
        (folder / f"{name}.py").write_text(SLOW)
    places = ProcessWorkers(1)
    try:
        game = places.submit(first_task(plan))
        until(
            lambda: len(worker_processes()[0].children(recursive=True)) >= 6
        )  # each agent below two that watch over it
        worker = worker_processes()[0]
        agents = worker.children(recursive=True)
        worker.kill()
        _, alive = psutil.wait_procs(agents, timeout=30)
        assert not alive
        until(lambda: worker_processes() and worker_processes()[0].children())  # another worker has begun it
        assert game.running()
        assert places.take_messages() == ["A worker process was killed by signal 9. Its game is played again."]
    finally:
        places.interrupt_games()
        places.close()
    assert isinstance(game.exception(), GameCancelled)
    assert not worker_processes()


def test_a_game_that_kills_its_workers_is_void(plan: PlanOf, folder: Path) -> None:
    (folder / "a.py").write_text(
        "import os, signal\n\n\ndef choose(position, clock):\n"
        "    ours = lambda p: int(open(f'/proc/{p}/stat').read().rpartition(')')[2].split()[1])\n"
        "    os.kill(ours(ours(os.getppid())), signal.SIGKILL)\n"
        "    import time; time.sleep(60)\n"
    )
    places = ProcessWorkers(1)
    try:
        played = places.submit(first_task(plan)).result(timeout=60)
    finally:
        places.close()
    assert played.outcome.reason is Reason.REFEREE_FAULT
    assert played.outcome.detail == "each of 3 worker processes died during it; the last was killed by signal 9"


def test_workers_end_when_their_command_is_killed(tmp_path: Path) -> None:
    path = write_tournament(tmp_path, 40)
    runner = start_runner(path)
    wait_for_games(path, runner, 2)
    below = psutil.Process(runner.pid).children(recursive=True)
    assert agents_in(tmp_path)
    runner.kill()
    runner.communicate()
    _, alive = psutil.wait_procs(below, timeout=30)
    assert not alive
    assert wait_until_gone(tmp_path) == []
    assert list((tmp_path / "folders").iterdir()) == []


def test_a_worker_ignores_signals_of_the_terminal(plan: PlanOf) -> None:
    places = ProcessWorkers(1)
    try:
        assert not places.submit(first_task(plan)).result(timeout=60).outcome.is_void
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(worker_processes()[0].pid, number)
        assert not places.submit(first_task(plan)).result(timeout=60).outcome.is_void
        assert places.take_messages() == []
    finally:
        places.close()


def test_workers_that_cannot_start_are_reported(plan: PlanOf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "WORKER_CODE", "raise SystemExit(5)  # {root}")
    places = ProcessWorkers(2)
    try:
        games = [places.submit(first_task(plan)) for _ in range(3)]
        for game in games:
            with pytest.raises(UserError, match="A worker process ended with code 5 as it started"):
                game.result(timeout=30)
    finally:
        places.close()


def test_games_cancelled_before_their_start_are_not_played(plan: PlanOf, folder: Path) -> None:
    (folder / "a.py").write_text(SLOW.replace("60", "0.3"))
    places = ProcessWorkers(1)
    try:
        games: list[Future[PlayedGame]] = [places.submit(first_task(plan)) for _ in range(3)]
        assert [game.cancel() for game in games] == [False, True, True]
        assert not games[0].result(timeout=60).outcome.is_void
    finally:
        places.close()


def test_a_game_cancelled_too_late_does_not_disturb_others(plan: PlanOf, monkeypatch: pytest.MonkeyPatch) -> None:
    # the worker receives the request too late
    monkeypatch.setattr(ProcessWorkers, "_cancel_waiting_games", lambda self, future: None)
    places = ProcessWorkers(1)
    try:
        assert (
            not places.submit(first_task(plan)).result(timeout=60).outcome.is_void
        )  # the games are short, so one waits
        first, second = (places.submit(first_task(plan)) for _ in range(2))
        assert second.cancel()
        assert not first.result(timeout=60).outcome.is_void
        assert not places.submit(first_task(plan)).result(timeout=60).outcome.is_void
    finally:
        places.close()


def test_an_internal_fault_in_a_workers_message_reaches_the_caller(
    plan: PlanOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = ProcessWorkers(1)
    try:
        with monkeypatch.context() as broken:
            broken.setattr(workers, "_decode_result", lambda kind, content: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                places.submit(first_task(plan)).result(timeout=60)
        assert not places.submit(first_task(plan)).result(timeout=60).outcome.is_void
    finally:
        places.close()
    assert not worker_processes()


def test_persistent_agents_stay_with_their_worker(plan: PlanOf, folder: Path) -> None:
    for name in "ab":
        (folder / f"{name}.py").write_text(BOT)
    places = ProcessWorkers(1)
    try:
        places.submit(first_task(plan)).result(timeout=60)
        [worker] = worker_processes()
        before = set(worker.children())
        places.submit(first_task(plan)).result(timeout=60)
        assert set(worker.children()) == before
        assert len(before) == 2
    finally:
        places.close()


def test_frames_are_parsed_from_pieces_of_any_size(plan: PlanOf) -> None:
    sent = [
        encode_frame(FrameKind.READY),
        encode_frame(FrameKind.USER_ERROR, ("what", "remedy")),
        encode_frame(FrameKind.LIVE_LINES, ("k", "x" * 3000, True)),
    ]
    for step in (1, 5, 4096):
        frames, text = FrameParser(), b"".join(sent)
        decoded_frames = [
            frame for at in range(0, len(text), step) for frame in frames.complete_frames(text[at : at + step])
        ]
        assert [kind for kind, _ in decoded_frames] == [FrameKind.READY, FrameKind.USER_ERROR, FrameKind.LIVE_LINES]
        assert [encode_frame(kind, None)[:0] + content for kind, content in decoded_frames] == [
            encoded_frame[5:] for encoded_frame in sent
        ]


def test_a_record_with_half_a_surrogate_pair_arrives_unchanged(plan: PlanOf) -> None:
    from dataclasses import replace

    from tournaments.playing import create_void_record

    for printed in ("plain", "\ud800 torn"):
        record = replace(create_void_record(first_task(plan), "why", 1.0, 2.0), outputs=(printed, ""))
        [(kind, content)] = FrameParser().complete_frames(encode_record(record))
        assert workers._decode_result(kind, content) == record
