"""Slow results are computed once for all readers."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from unittest.mock import patch

import pytest

from gomogo.page.server.cache import Cache
from gomogo_core.games import load
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import GameSetup, Started
from gomogo_core.records.live_format import LiveFile
from tests._games import create_record
from tests.page._class import open_class_with, pair_students
from tests.page.conftest import Browser, PageServer
from tests.page.test_lobby import WON

SLOW = 3.5  # seconds of a computation while the machine is busy or the store is locked


class FakeClock:
    """The clock of the cache, which a test moves on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr("gomogo.page.server.cache.time", SimpleNamespace(monotonic=lambda: self.now))

    def slow(self, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        """Let each call of a function last a while by this clock."""
        module, _, attribute = name.rpartition(".")
        call = getattr(__import__(module, fromlist=[attribute]), attribute)

        def called(*arguments: object) -> object:
            self.now += SLOW
            return call(*arguments)

        monkeypatch.setattr(name, called)


def test_a_result_is_computed_again_only_after_a_change() -> None:
    cache, state, computed = Cache[int](), [1], list[int]()

    def compute() -> int:
        computed.append(state[0])
        return state[0]

    with patch("gomogo.page.server.cache._KEEP_FACTOR", 0.0):
        assert [cache.get("a", lambda: state[0], compute) for _ in range(3)] == [1, 1, 1]
        state[0] = 2
        assert [cache.get("a", lambda: state[0], compute) for _ in range(3)] == [2, 2, 2]
    assert computed == [1, 2]


def test_readers_during_a_computation_get_the_previous_result() -> None:
    cache, entered, leave = Cache[str](), threading.Event(), threading.Event()

    def slow() -> str:
        entered.set()
        assert leave.wait(60)
        return "new"

    with patch("gomogo.page.server.cache._KEEP_FACTOR", 0.0):
        cache.get("a", lambda: 1, lambda: "old")
        reader = threading.Thread(target=cache.get, args=("a", lambda: 2, slow))
        reader.start()
        assert entered.wait(60)
        assert cache.get("a", lambda: 2, slow) == "old"
        leave.set()
        reader.join()
        assert cache.get("a", lambda: 2, slow) == "new"


def test_a_result_is_kept_for_at_most_a_given_time(monkeypatch: pytest.MonkeyPatch) -> None:
    cache, clock, computed = Cache[int](), FakeClock(monkeypatch), list[float]()

    def compute() -> int:
        clock.now += SLOW
        computed.append(clock.now)
        return len(computed)

    def ask(**keep: float) -> int:
        return cache.get("a", lambda: clock.now, compute, **keep)

    assert ask(max_keep_seconds=1.0) == 1
    clock.now += 0.9
    assert ask() == 1
    clock.now += 0.2
    assert ask() == 2, "after a second"
    clock.now += 29.0
    assert ask() == 2
    clock.now += 2.0
    assert ask() == 3, "after 30 seconds, not after 20 times 3.5"


@pytest.mark.slow
def test_a_busy_moment_does_not_stop_the_wall(server: PageServer, monkeypatch: pytest.MonkeyPatch) -> None:
    class_url, teacher, _ = open_class_with(server, "Ann", "Bob")
    clock = FakeClock(monkeypatch)
    clock.slow(monkeypatch, "gomogo.page.watch.pages.live_games")
    assert "2 students, no games running." in teacher.get("/wall")
    pair_students(teacher, class_url)
    clock.now += 1.1
    assert "2 students, 1 game running." in teacher.get("/wall")


def test_slow_ratings_do_not_stop_the_boards_of_a_tournament(
    server: PageServer, me: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeClock(monkeypatch)
    clock.slow(monkeypatch, "gomogo.page.watch.pages.compute_standings")
    asked = {"game": "gomoku", "options": {}, "players": [{"player": "a", "name": "ann"}], "format": "round_robin"}
    assert server.store.insert_run("spring", "x", asked, 9) is not None
    assert "0 of 9 games played." in me.get("/runs/spring")
    game = load("gomoku", size=5)
    setup = GameSetup(game, ("ann", "bob"), (TimeControl(), TimeControl()))
    LiveFile(server.live, "key", "spring")(Started(setup, game.start()))
    clock.now += 1.1
    assert 'href="/watch/key"' in me.get("/runs/spring")


def test_readers_of_a_table_and_of_the_agents_share_one_computation(server: PageServer) -> None:
    asked = {
        "game": "gomoku",
        "options": {},
        "players": [{"player": f"spec-{name}", "name": name} for name in ("ann", "bob")],
        "format": "round_robin",
    }
    run = server.store.insert_run("spring", "x", asked, 9)
    assert run is not None
    server.store.add(create_record("one", WON, size=7, line=3), run)
    readers = [server.browser() for _ in range(3)]
    with (
        patch("gomogo.page.archive.pages.compute_standings", wraps=_standings()) as ratings,
        patch("gomogo.page.watch.pages.compute_standings", wraps=_standings()) as table,
    ):
        for reader in readers:
            assert "<h1>Agents</h1>" in reader.get("/agents")
            assert "1 of 9 games played." in reader.get("/runs/spring")
    assert (ratings.call_count, table.call_count) == (1, 1)


def _standings() -> object:
    from tournaments.standings import compute_standings

    return compute_standings
