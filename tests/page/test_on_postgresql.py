"""The page with its games in PostgreSQL: played, found again after a restart, listed, watched, deleted."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from gomogo_core.records.store import Store
from tests._postgresql import find_postgresql_programs, postgresql
from tests.page.conftest import PageServer, wait_until
from tests.records._at_once import PROCESS_COUNT, open_store_at_once

pytestmark = [pytest.mark.needs("initdb"), pytest.mark.slow]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A server for the tests here."""
    with postgresql() as url:
        yield url


def test_several_processes_open_a_new_store_at_once(url: str) -> None:
    """Before any other test here: the tables are not there yet."""
    assert open_store_at_once(url) == [0] * PROCESS_COUNT


@pytest.fixture
def server(url: str, tmp_path: Path) -> Iterator[PageServer]:
    server = PageServer(tmp_path, url)
    yield server
    server.stop()


def test_a_game_is_played_restored_stored_and_deleted(server: PageServer) -> None:
    me = server.browser()
    key = me.begin(opponent="greedy", option_size="7")
    assert me.move(key, "d4") == {"said": "", "go": ""}
    wait_until(lambda: len(server.session(key).actions) == 2)
    server.stop()
    server.start()
    me = server.browser_after_restart(me)
    assert f"/play/{key}" in me.get("/")
    session = server.session(key)
    assert len(session.actions) == 2
    free = session.game.format(next(iter(session.position.moves())))
    assert me.move(key, free)["said"] == ""
    wait_until(lambda: len(server.session(key).actions) == 4)
    me.post(f"/play/{key}/resign")
    wait_until(lambda: server.session(key).is_stored)
    assert "You lost" in me.get(f"/games/{key}")
    assert key in me.get("/games?player=greedy&game=gomoku&reason=resigned&opening=d4")
    assert ">greedy</a>" in me.get("/agents")
    assert me.post(f"/play/{key}/delete")["go"] == "/"
    me.get(f"/games/{key}")
    assert me.status == 404
    assert f"/play/{key}" not in me.get("/")


def test_two_people_play_by_a_link_and_auto_follows_the_results(server: PageServer) -> None:
    ann = server.browser()
    key = ann.begin(opponent="link", option_size="5", option_line="3", name="ann")
    bob = server.join(key, "bob")
    for browser, move in ((ann, "a1"), (bob, "b1"), (ann, "a2"), (bob, "b2"), (ann, "a3")):
        assert browser.move(key, move)["said"] == ""
    wait_until(lambda: server.session(key).is_stored)
    assert "You lost" in bob.get(f"/play/{key}")
    key = ann.begin(opponent="auto")
    assert server.session(key).seat_infos[1].name == "level-3"


def test_the_check_of_compose_finds_the_server_healthy(url: str) -> None:
    root = Path(__file__).resolve().parents[2]
    services = yaml.safe_load((root / "compose.yaml").read_text(encoding="utf-8"))["services"]
    _, program, *words = services["database"]["healthcheck"]["test"]
    command = [str(find_postgresql_programs() / program), *words, "-h", url.partition("?host=")[2]]
    assert subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode == 0
    command[-1] = "/nowhere"
    assert subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode != 0


def test_tournament_tables_are_shown(server: PageServer, url: str) -> None:
    players = [{"player": name, "name": name} for name in ("ann", "bob")]
    asked = {"game": "gomoku", "options": {}, "players": players, "format": "round_robin"}
    with Store.open(url) as store:
        assert store.insert_run("spring", "fingerprint", asked, 4) is not None
    me = server.browser()
    assert "0 of 4 games played." in me.get("/runs/spring")
    assert "spring" in me.get("/watch")
