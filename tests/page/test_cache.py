"""Slow results are computed once for all readers."""

from __future__ import annotations

import threading
from unittest.mock import patch

from gomogo.page.server.cache import Cache
from tests.page.conftest import PageServer
from tests.page.test_lobby import WON, played


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


def test_readers_of_a_table_and_of_the_agents_share_one_computation(server: PageServer) -> None:
    asked = {
        "game": "gomoku",
        "options": {},
        "players": [{"player": f"spec-{name}", "name": name} for name in ("ann", "bob")],
        "format": "round_robin",
    }
    run = server.store.insert_run("spring", "x", asked, 9)
    assert run is not None
    server.store.add(played("one", WON, size=7, line=3), run)
    readers = [server.browser() for _ in range(3)]
    with (
        patch("gomogo.page.archive.pages.standings", wraps=_standings()) as ratings,
        patch("gomogo.page.watch.pages.standings", wraps=_standings()) as table,
    ):
        for reader in readers:
            assert "<h1>Agents</h1>" in reader.get("/agents")
            assert "1 of 9 games played." in reader.get("/runs/spring")
    assert (ratings.call_count, table.call_count) == (1, 1)


def _standings() -> object:
    from tournaments.standings import standings

    return standings
