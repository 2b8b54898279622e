"""Games that are over are found, stepped through, exported and shared; agents have ratings."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from urllib.parse import parse_qsl, urlencode

import pytest

from gomogo_core.errors import UserError
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.records.sgf import read_sgf as read_sgf
from tests._games import create_record
from tests.page.conftest import Browser, PageServer

WON = "a1 b1 a2 b2 a3"


@pytest.fixture
def three(server: PageServer) -> PageServer:
    """A store with three games."""
    server.store.add(create_record("one", WON, size=7, line=3, started=1.0))
    server.store.add(create_record("two", "d4 c3", ("bob", "cid"), size=7, started=2.0))
    server.store.add(create_record("tre", "h0 h1", ("ann", "cid"), "dots_and_boxes", started=3.0))
    return server


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("", {"one", "two", "tre"}),
        ("player=ann", {"one", "tre"}),
        ("player=spec-bob", {"one", "two"}),
        ("player=bob&result=loss", {"one"}),
        ("player=bob&result=win", {"two"}),
        ("game=dots_and_boxes", {"tre"}),
        ("reason=line", {"one"}),
        ("reason=five", {"one"}),  # the name in earlier versions
        ("opening=D4+C3", {"two"}),
        ("opening=a1+b1+a2", {"one"}),
        ("opening=b1", set()),
        ("player=nobody", set()),
        ("run=none", set()),
    ],
)
def test_a_query_finds_its_games(three: PageServer, me: Browser, query: str, keys: set[str]) -> None:
    page_text = me.get(f"/games?{query}")
    assert {key for key in ("one", "two", "tre") if f'href="/games/{key}"' in page_text} == keys


def test_long_lists_of_games_are_split_into_pages(server: PageServer, me: Browser) -> None:
    for number in range(51):
        server.store.add(create_record(f"game-{number:02}", WON, size=7, line=3, started=float(number)))
    first, second = me.get("/games"), me.get("/games?page=1")
    assert "/games/game-50" in first
    assert "/games/game-00" not in first
    assert "/games/game-00" in second
    assert 'href="/games?page=1"' in first


def test_a_draw_has_no_winner_in_the_list_of_games(server: PageServer, me: Browser) -> None:
    server.store.add(create_record("one", "d4", outcome=Outcome.draw(Reason.BOARD_FULL, "board full"), size=7))
    assert '"won by">nobody<' in me.get("/games")


def test_links_step_through_a_game(three: PageServer, me: Browser) -> None:
    end = me.get("/games/one")
    assert "ann won, after 5 moves: 3 in a row." in end
    third = me.get("/games/one?move=3")
    assert 'data-step="back" href="?move=2"' in third
    assert 'data-step="forward" href="?move=4"' in third
    assert "Move 3: ann played a2 (0.5 s)." in third
    assert third.count("stone black") == 2
    assert third.count('role="img" aria-label="a 2, black"') == 1
    assert "Before the first move." in me.get("/games/one?move=0")
    assert me.get("/games/one?move=99999") == me.get("/games/one")


def test_a_game_is_exported_in_every_format_that_supports_it(three: PageServer, me: Browser) -> None:
    page_text = me.get("/games/one")
    for ending in ("sgf", "psq", "json"):
        assert f"/games/one.{ending}" in page_text
    answer = me.client.get("/games/one.sgf")
    assert read_sgf(answer.content, "it").plies == three.store.game("one").plies
    assert answer.headers["content-disposition"] == 'attachment; filename="ann-bob-one.sgf"'
    assert json.loads(me.get("/games/one.json"))["key"] == "one"
    assert "/games/tre.sgf" not in me.get("/games/tre")
    me.get("/games/tre.sgf")
    assert me.status == 404


def test_a_url_alone_shares_a_position(three: PageServer, me: Browser) -> None:
    page_text = me.get("/games/one?move=3").replace("&amp;", "&")
    link = page_text.partition('href="/analysis?')[2].partition('"')[0]
    shared = me.get(f"/position?{link}")  # the address in earlier versions
    assert "Move 4: white is to move." in shared
    assert shared.count("stone black") == 2


def test_agents_are_listed_with_their_results(three: PageServer, me: Browser) -> None:
    page_text = me.get("/agents")
    assert '<a href="/games?player=ann&amp;game=gomoku">ann</a>' in page_text
    assert "random_mover" in page_text


def test_evaluations_are_drawn_and_link_to_the_turning_point(server: PageServer, me: Browser) -> None:
    game = replace(
        create_record("thought", WON, size=7, line=3),
        scores=(1.0, 3.0, 4.0, -2.0, 9.0),
        lines=(None, None, "a3 b3", None, None),
        thoughts=(None, "hm <b>", None, None, None),
    )
    server.store.add(game)
    text = me.get("/games/thought?move=3")
    assert text.count("<polyline") == 2
    assert "Evaluation +4. Expects a3 b3." in text
    assert 'data-step="turning" href="?move=2">Turning point' in text
    assert "hm &lt;b&gt;" in me.get("/games/thought?move=2")


def test_without_evaluations_no_curve_is_drawn(three: PageServer, me: Browser) -> None:
    text = me.get("/games/one")
    assert "Evaluations" not in text
    assert "Turning point" not in text


def test_a_replay_shows_move_numbers_and_thoughts_on_request(server: PageServer, me: Browser) -> None:
    game = create_record("marked", WON, size=7, line=3)
    values = (None, {"c3": 0.5, "e5": 0.7, "<b>": 1.0, "d4": float("inf")}, None, None, None)
    server.store.add(replace(game, values=values, lines=(None, "c3 d4", None, None, None)))
    plain = me.get("/games/marked?move=1")
    assert 'class="heat"' not in plain
    assert 'data-step="thoughts" href="?move=1&amp;thoughts=1"' in plain
    text = me.get("/games/marked?move=1&thoughts=1&numbers=1")
    assert text.count('class="heat"') == 1
    assert ">0.5</text>" in text, "the value of an expected move stands on its stone"
    ghosts = re.findall(r'data-point="(\w+)"[^>]*><circle class="stone (\w+) ghost"', text)
    assert ghosts == [("c3", "white"), ("d4", "black")], "expected moves are numbered stones, which hide no other mark"
    assert "The numbers are the values that bob gave the moves. The numbered moves are those that bob expected." in text
    assert 'class="number' in text
    assert 'data-step="forward" href="?move=2&amp;numbers=1&amp;thoughts=1"' in text, "stepping on keeps them"
    assert 'data-step="thoughts" href="?move=1&amp;numbers=1"' in text, "and they are put away again"
    assert "No player reported an evaluation" in me.get("/games/marked?move=3&thoughts=1")
    server.store.add(replace(game, key="one", lines=(None, "c3", None, None, None)))
    assert "The transparent stone is the move that bob expected." in me.get("/games/one?move=1&thoughts=1")


def test_the_link_to_thoughts_needs_recorded_thoughts(three: PageServer, me: Browser) -> None:
    text = me.get("/games/one")
    assert "Numbers</a>" in text
    assert "Thoughts</a>" not in text


def test_the_default_form_of_a_new_visitor_is_valid(me: Browser) -> None:
    form = me.get("/?game=gomoku")
    checked = re.findall(r'name="(size|opponent|seat)" value="([^"]*)" checked', form)
    assert checked == [("size", "size=15"), ("opponent", "level-3"), ("seat", "1")]
    assert re.findall(r'name="size" value="size=(\d+)"', form) == ["9", "13", "15", "19"]


@pytest.mark.slow
def test_a_new_game_starts_from_any_position_of_a_stored_one(three: PageServer, me: Browser) -> None:
    page_text = me.get("/games/one?move=3").replace("&amp;", "&")
    link = page_text.partition('href="/?game=gomoku')[2].partition('"')[0]
    form = me.get(f"/?game=gomoku{link}")
    assert 'name="moves" value="a1 b1 a2"' in form
    assert "after 3 moves" in form
    assert re.search(r'name="seat" value="2" checked', form)
    fields = {"game": "gomoku", "opponent": "here", "option-size": "7", "option-line": "3", "moves": "a1 b1 a2"}
    key = str(me.post("/play", fields)["go"]).rpartition("/")[2]
    assert [action.move for action in three.session(key).actions] == ["a1", "b1", "a2"]
    assert me.move(key, "c3")["said"] == ""
    assert "cannot begin with these moves" in me.post("/play", {**fields, "moves": "a1 a1"})["refused"]
    assert "over" in me.post("/play", {**fields, "moves": WON})["refused"]
    assert "Play from here" not in me.get("/games/one"), "the game is over there"


def test_the_start_page_continues_games_and_shows_the_last_game_first(server: PageServer, me: Browser) -> None:
    cards = re.compile(r'aria-label="Play ([^"]+)"')
    assert cards.findall(me.get("/"))[:2] == ["Gomoku", "Go"]
    keys = [me.begin(game=game, opponent="here") for game in ("gomoku", "go", "robogo", "capture_go")]
    page_text = me.get("/")
    assert cards.findall(page_text)[:2] == ["Capture Go", "Robogo"]
    boards, _, other_part = page_text.partition('<ul class="grid"')
    assert [key in boards for key in keys] == [False, True, True, True]
    assert keys[0] in other_part
    assert 'href="/learn/robogo"' in page_text


def test_an_error_of_the_store_shows_no_folder(
    server: PageServer, me: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise UserError(f"{server.store.address} cannot be read: disk I/O error.", f"Look at {server.store.folder}/x.")

    monkeypatch.setattr("gomogo.page.archive.pages.queries.find_games", fail)
    page_text = me.get("/games")
    assert "page.db cannot be read: disk I/O error." in page_text
    assert str(server.folder) not in page_text


def new_game_link(page: str) -> dict[str, str]:
    """The fields of the link to a new game from the shown position."""
    link_match = re.search(r'href="/\?(game=[^"]*)"', page)
    assert link_match
    return dict(parse_qsl(link_match[1].replace("&amp;", "&")))


def test_the_figures_of_a_level_are_shown_with_the_thoughts_alone(server: PageServer, me: Browser) -> None:
    game = create_record("m", WON, names=("ann", "level-5"), size=7, line=3)
    thoughts, lines = (None, "depth 3", None, None, None), (None, "c3", None, None, None)
    server.store.add(replace(game, thoughts=thoughts, lines=lines))
    assert "depth 3" not in me.get("/games/m?move=2")
    assert "depth 3" in me.get("/games/m?move=2&thoughts=1")


def test_a_new_game_against_a_shown_level_selects_its_button(server: PageServer, me: Browser) -> None:
    server.store.add(
        replace(create_record("m", WON, size=7, line=3), names=("level-5", "ann"), specs=("greedy", "human"))
    )
    form = me.get(f"/?{urlencode(new_game_link(me.get('/games/m?move=3')))}")
    assert re.search(r'name="opponent" value="level-5" checked', form)
    assert re.search(r'name="seat" value="2" checked', form)
