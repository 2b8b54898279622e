"""A game that was played by any route is written in every format and read back the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gomogo_core.records.formats import FORMATS, read_game_file
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.store import Store
from tests.console.conftest import PlayFolder
from tests.page.conftest import PageServer, wait_until
from tests.tournaments._cluster import Cluster

pytestmark = pytest.mark.slow

BOARD = ("-o", "size=7")
TOURNAMENT = """
name = "spring"
agents = ["random_mover", "greedy", "bot.py"]
openings = "random:2"
options = { size = 7 }
"""


@pytest.fixture
def place(tmp_path: Path) -> PlayFolder:
    """A folder of which the games are played."""
    place = PlayFolder(tmp_path)
    place.environment["GOMOGO_FOLDER"] = str(tmp_path)
    return place


def done(place: PlayFolder, *words: str, typed: str = "", script: str = "") -> str:
    """Return the output of a command that succeeds."""
    ended = place.run(words, typed, script)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def stored(place: PlayFolder) -> list[PlayedGame]:
    with Store.open(place.folder / "gomogo.db", create=False) as store:
        return list(store.games_of())


def by_match(place: PlayFolder) -> list[PlayedGame]:
    done(place, "match", "random_mover", "greedy", "-n", "2", *BOARD, "--openings", "random:2")
    return stored(place)


def by_tournament(place: PlayFolder) -> list[PlayedGame]:
    (place.folder / "spring.toml").write_text(TOURNAMENT)
    done(place, "tournament", "run", "spring.toml")
    return stored(place)


def by_console(place: PlayFolder) -> list[PlayedGame]:
    done(place, "play", "bot.py", *BOARD, typed="c1\nc2\nc3\nc4\nc5\n")
    return stored(place)


def by_page(place: PlayFolder) -> list[PlayedGame]:
    server = PageServer(place.folder)
    try:
        me = server.browser()
        key = me.begin(game="gomoku", opponent="here", option_size="5", name="ann")
        for move in ("a1", "b1", "a2", "b2", "a3", "b3", "a4", "b4", "a5"):
            me.move(key, move)
        wait_until(lambda: server.session(key).is_stored)
        return [server.store.game(key)]
    finally:
        server.stop()


def by_script(place: PlayFolder) -> list[PlayedGame]:
    words = ("bot.py", "random_mover", "--option", "size=7", "--json")
    game_json = json.loads(done(place, *words, script="gameTest.py"))
    return [read_game_file(Path(game_json["record"]))]


def by_cluster(place: PlayFolder) -> list[PlayedGame]:
    folder = place.folder / "cluster"
    folder.mkdir()
    cluster = Cluster(folder)
    try:
        cluster.worker("one")
        done(place, "match", "random_mover", "greedy", "-n", "2", *BOARD, "--cluster", cluster.address)
    finally:
        cluster.close()
    return stored(place)


ROUTES: dict[str, Callable[[PlayFolder], list[PlayedGame]]] = {
    "match": by_match,
    "tournament": by_tournament,
    "console": by_console,
    "page": by_page,
    "script": by_script,
}


def check(place: PlayFolder, games: list[PlayedGame]) -> None:
    """Every format gives back each game, and `gomogo replay` takes the file."""
    assert games
    for form, (write, read_format) in FORMATS.items():
        for played in games:
            copy = read_format(write(played), f"x.{form}")
            if form == "json":
                assert copy == played
            elif form == "sgf" or played.options["opening"] == "none":  # PSQ has no word for swaps
                assert (copy.plies, copy.names) == (played.plies, played.names)
                assert copy.outcome.ranks == played.outcome.ranks
        file = place.folder / f"one.{form}"
        file.write_bytes(write(games[-1]))
        assert "move 1 of" in done(place, "replay", str(file), "--move", "1")
        assert done(place, "export", str(file), "--format", "json").startswith('{"schema": 1')


@pytest.mark.parametrize("route", ROUTES)
def test_every_format_round_trips_a_game(place: PlayFolder, route: str) -> None:
    check(place, ROUTES[route](place))


@pytest.mark.slow
def test_every_format_round_trips_a_game_of_a_cluster(place: PlayFolder) -> None:
    check(place, by_cluster(place))
