"""The analysis board: links that carry positions, live analysis, no help against a person, SGF."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from contextlib import aclosing
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from gomogo.page.analysis.pool import AnalysisPool, AnalysisRequest
from gomogo.page.server.identity import visitor_of
from tests._games import create_record
from tests.page.conftest import Browser, PageServer

JSON = {"Accept": "application/json"}
WINS = {"game": "gomoku", "option-size": "7", "moves": "c3 a1 d3 a7 e3 g1"}


def results(browser: Browser, fields: dict[str, Any]) -> list[dict[str, Any]]:
    """The results that an analysis streams until it ends by itself."""
    answer = browser.client.post(
        "/analysis/start", data=fields, headers={"Accept": "application/json", "X-Token": browser.token}
    )
    browser.status = answer.status_code
    return [json.loads(line) for line in answer.text.splitlines()]


def test_a_url_carries_game_options_and_moves(me: Browser) -> None:
    page_text = me.get("/analysis?game=gomoku&option-size=7&moves=c3+d4+e5&at=2")
    assert 'data-moves="c3 d4 e5" data-at="2"' in page_text
    assert "Move 3: black is to move." in page_text
    assert 'data-seat="1" data-kinds="black white"' in page_text
    assert 'role="meter" aria-label="Win chance of the first player"' in page_text
    assert 'role="meter"' not in me.get("/analysis?game=dots_and_boxes&option-players=3")
    assert re.search(r'data-point="d4"[^>]*><circle class="stone white"', page_text)
    assert 'data-point="e5"' in page_text
    assert not re.search(r'data-point="e5"[^>]*><circle class="stone', page_text)
    assert 'href="/analysis?game=gomoku&amp;option-size=7&amp;moves=c3%20d4%20e5&amp;at=1"' in page_text


def test_the_end_of_a_game_names_the_winner(me: Browser) -> None:
    page_text = me.get("/analysis?game=gomoku&option-size=5&option-line=3&moves=a1+e1+a2+e3+a3")
    assert "The game is over. Black won: 3 in a row." in page_text


def test_without_scripts_a_move_is_a_form_and_a_pass_is_a_link(me: Browser) -> None:
    page_text = me.get("/analysis?game=go&option-size=5&moves=c3&move=d4")
    assert 'data-moves="c3 d4"' in page_text
    assert 'href="/analysis?game=go&amp;option-size=5&amp;moves=c3%20d4%20pass"' in page_text
    refused = me.get("/analysis?game=go&option-size=5&moves=c3&move=c3")
    assert me.status == 400
    assert "c3" in refused


def test_a_live_analysis_streams_improving_lines_and_ends(me: Browser) -> None:
    events = results(me, {**WINS, "lines": "2", "agent": "alpha_beta"})
    assert events[-1]["done"]
    lines = [event for event in events if "lines" in event]
    assert lines[-1]["lines"][0]["words"] == "wins"
    assert lines[-1]["lines"][0]["stones"][0][1] == "x"
    assert len(lines[-1]["lines"]) == 2


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"game": "gomoku", "moves": "a1 a1"}, "Move 2, a1"),
        ({"game": "go", "agent": "champion"}, "cannot analyse"),
        ({"game": "go", "agent": "rm -rf"}, "cannot analyse"),
    ],
)
def test_an_impossible_analysis_request_is_refused(me: Browser, fields: dict[str, str], message: str) -> None:
    assert message in results(me, fields)[0]["refused"]
    assert me.status == 400


def test_only_engines_named_by_the_operator_analyse(server: PageServer) -> None:
    server.stop()
    server.start(analysis_agents=["random_mover", "go_random", f"gtp:{sys.executable} engine.py"])
    me = server.browser()
    page_text = me.get("/analysis?game=gomoku&option-size=7")
    assert '<option value="random_mover"' in page_text
    assert "go_random" not in page_text, "it does not play this game"
    assert "engine.py" not in page_text, "GTP's own game is Go"
    assert f'<option value="gtp:{sys.executable} engine.py">' in me.get("/analysis?game=go")
    events = results(me, {**WINS, "agent": "random_mover"})
    assert events[-1]["done"]
    assert events[-1]["lines"][0]["score"] is None
    assert "cannot analyse here" in results(me, {**WINS, "agent": "beginner"})[0]["refused"]


def test_an_engine_that_fails_is_named_to_the_visitor(server: PageServer, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("raise SystemExit(3)")
    server.stop()
    server.start(analysis_agents=[f"gomocup:{sys.executable} {tmp_path / 'broken.py'}"])
    events = results(server.browser(), {**WINS, "agent": f"gomocup:{sys.executable} {tmp_path / 'broken.py'}"})
    assert "gave no analysis" in events[-1]["refused"]
    assert events[-1]["done"]


def test_a_new_analysis_of_a_visitor_ends_the_earlier_one_and_no_other(server: PageServer, me: Browser) -> None:
    route = next(route for route in server.app.routes if getattr(route, "path", "") == "/analysis/start")
    running_analyses = route.endpoint.__self__._running_analyses  # type: ignore[attr-defined]
    visitor = visitor_of(me.client.cookies["gomogo"])
    earlier, other = (AnalysisRequest("gomoku", {"size": 7}, []) for _ in range(2))
    running_analyses.update({visitor: earlier, "somebody": other})
    assert results(me, {**WINS, "agent": "alpha_beta"})[-1]["done"]
    assert earlier.is_stopped
    assert not other.is_stopped


@pytest.mark.slow
def test_players_of_a_game_between_people_get_no_analysis_before_its_end(server: PageServer, me: Browser) -> None:
    key = me.begin(game="gomoku", option_size="7", opponent="link")
    bob = server.join(key, "Bob")
    fields = {"game": "gomoku", "option-size": "7"}
    assert "refused" not in results(me, {**fields, "moves": "a1", "agent": "greedy"})[0], "no move of it is played"
    assert "against another person" in results(me, fields)[0]["refused"]
    me.move(key, "d4")
    for browser in (me, bob):
        assert "against another person" in results(browser, {**fields, "moves": "d4 a1"})[0]["refused"]
        browser.get(f"/play/{key}/analysis")
        assert browser.status == 403
    eve = server.browser()
    assert "data-analysis" in eve.get(f"/play/{key}/analysis")
    bob.post(f"/play/{key}/resign")
    assert "data-analysis" in me.get(f"/play/{key}/analysis")


@pytest.mark.parametrize(
    "rules", ["game=dots_and_boxes&option-rows=4&option-cols=4", "game=go&option-komi=5.5", "game=gomoku&option-size=9"]
)
def test_a_new_board_keeps_the_size_and_the_rules_of_the_shown_game(me: Browser, rules: str) -> None:
    move = "h0" if "boxes" in rules else "c3"
    page_text = me.get(f"/analysis?{rules}&moves={move}")
    form = re.search(r'<form[^>]* id="new-board" hidden>(.*?)</form>', page_text, re.DOTALL)
    assert form
    assert 'form="new-board">New board</button>' in page_text
    query = urlencode(re.findall(r'name="([^"]+)" value="([^"]*)"', form[1]))
    shown, new = (
        re.findall(r"data-options='([^']*)' data-moves=\"([^\"]*)\"", text)
        for text in (page_text, me.get(f"/analysis?{query}"))
    )
    assert new == [(shown[0][0], "")]


def test_an_analysis_tree_survives_export_and_import_as_sgf(me: Browser) -> None:
    tree = [
        {"parent": -1, "move": "", "comment": ""},
        {"parent": 0, "move": "c3", "comment": "the middle"},
        {"parent": 1, "move": "d4", "comment": ""},
        {"parent": 1, "move": "b2", "comment": "or this"},
    ]
    fields = {"game": "gomoku", "option-size": "7", "tree": json.dumps(tree), "token": me.token}
    content = me.client.post("/analysis/sgf", data=fields).text
    assert content.count("(") == 3
    back = me.post("/analysis/read", {"sgf": content})
    rules = {"RU": ["Freestyle"]}  # the properties that Gomogo does not use are kept
    assert back["tree"] == [{**node, "properties": {} if node["move"] else rules} for node in tree]
    assert back["where"] == "/analysis?game=gomoku&option-size=7&moves="
    assert "cannot be read as SGF" in me.post("/analysis/read", {"sgf": "(;"})["refused"]


def test_a_saved_analysis_of_a_reviewed_game_has_its_players_and_the_marks_of_its_mistakes(
    server: PageServer, me: Browser
) -> None:
    server.store.add(create_record("m", "a1 e1 a2 e3", size=7))
    moves, marks = ["", "a1", "e1", "a2", "e3"], ["", "?!", "?", "", "??"]
    tree = [
        {"parent": number - 1, "move": move, "mark": mark}
        for number, (move, mark) in enumerate(zip(moves, marks, strict=True))
    ]
    fields = {"game": "gomoku", "option-size": "7", "tree": json.dumps(tree), "reviewed": "m", "token": me.token}
    content = me.client.post("/analysis/sgf", data=fields).text
    assert "PB[ann]" in content
    assert "PW[bob]" in content
    nodes = me.post("/analysis/read", {"sgf": content})["tree"]
    assert [node["properties"] for node in nodes[1:]] == [{"DO": [""]}, {"BM": ["1"]}, {}, {"BM": ["2"]}]
    other_game = me.client.post("/analysis/sgf", data={**fields, "option-size": "9"}).text
    assert "PB" not in other_game


def test_the_stones_of_a_handicap_are_no_moves(me: Browser) -> None:
    answer = me.post("/analysis/read", {"sgf": "(;SZ[9]HA[2]AB[gc][cg];W[ee])"})
    first = me.get(str(answer["where"]))
    assert re.search(r"\d stones are set up. Move 1: white is to move.", first)
    assert "1 c7" not in first
    assert first.count('class="stone black') == 2
    later = me.get(str(answer["where"]).replace("&setup", "%20e5&setup"))
    assert ">1 e5</a>" in later
    assert "Move 2: black is to move." in later


def test_an_analysis_above_the_limit_waits_until_another_stops() -> None:
    """The limit of processes, without a page."""

    def request() -> AnalysisRequest:
        return AnalysisRequest("dots_and_boxes", {"rows": 6, "cols": 6}, [], "iterative_deepening")

    async def queue() -> None:
        engines = AnalysisPool(1)
        first, second = request(), request()
        async with aclosing(engines.analyse(first)) as running_analysis, aclosing(engines.analyse(second)) as waiting:
            assert (await anext(running_analysis))["lines"]
            assert await anext(waiting) == {"waiting": 0, "done": False}
            first.stop()
            assert [event async for event in running_analysis][-1]["done"]
            assert (await anext(waiting))["lines"]
        async for last_analysis in engines.analyse(AnalysisRequest("gomoku", {"size": 7}, ["d4"], "greedy")):
            assert last_analysis["lines"], "the process answers after a request that nobody waited for"
        await engines.close()

    asyncio.run(queue())


def test_a_closed_pool_starts_no_process_and_leaves_no_task() -> None:
    async def close_during_an_analysis() -> None:
        pool = AnalysisPool(1)
        request = AnalysisRequest("dots_and_boxes", {"rows": 6, "cols": 6}, [], "iterative_deepening")
        async with aclosing(pool.analyse(request)) as running_analysis:
            assert (await anext(running_analysis))["lines"]
            await pool.close()
            assert all(not answer["done"] for answer in [answer async for answer in running_analysis])
        later_request = AnalysisRequest("gomoku", {"size": 7}, ["d4"], "greedy")
        assert [answer async for answer in pool.analyse(later_request)] == []
        await pool.prepare("gomoku", {"size": 7})
        assert later_request.process is None
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(close_during_an_analysis())


def test_a_position_is_set_up_by_its_stones(me: Browser) -> None:
    page_text = me.get("/analysis?game=go&option-size=5&moves=a1+b1")
    assert 'name="black" value="a1"' in page_text
    url = "/analysis/setup?game=go&option-size=5&black=a1+c3&white=&turn=black"
    response = me.client.get(url, follow_redirects=False)
    assert response.headers["location"] == "/analysis?game=go&option-size=5&moves=a1%20pass%20c3%20pass&setup=4"
    assert me.client.get(url, headers={"Accept": "application/json"}).json()["go"] == response.headers["location"]
    assert "has two stones" in me.get("/analysis/setup?game=go&option-size=5&black=a1&white=a1")
    assert me.status == 400


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "size", "options"),
    [
        ("game=go", "9×9", '{"komi": "7.5", "size": "9"}'),
        (
            "game=go&option-komi=&option-scoring=territory",
            "9×9",
            '{"komi": "6.5", "scoring": "territory", "size": "9"}',
        ),
        ("game=go&option-size=7", "7×7", '{"size": "7"}'),
        ("game=go&moves=", "19×19", "{}"),  # a link contains all options that differ from the defaults
        ("game=gomoku", "15×15", "{}"),
        ("game=dots_and_boxes&option-rows=4&option-cols=4", "4×4", '{"cols": "4", "rows": "4"}'),
    ],
)
def test_a_new_board_has_the_size_and_komi_of_a_new_game(me: Browser, query: str, size: str, options: str) -> None:
    page_text = me.get(f"/analysis?{query}")
    assert re.findall(r'<a class="button" href="[^"]*" aria-current="true">([^<]*)<', page_text) == [size]
    options_match = re.search(r"data-options='([^']*)'", page_text)
    assert options_match
    assert json.loads(options_match[1]) == json.loads(options)


def test_typed_moves_follow_those_of_the_link(me: Browser) -> None:
    def answer(typed: str) -> dict[str, Any]:
        fields = {"game": "gomoku", "moves": "h8", "move": typed}
        response = me.client.get("/analysis/board", params=fields, headers=JSON)
        assert (response.status_code == 400) == ("there" in typed), "an illegal move is a valid request"
        answer_json: dict[str, Any] = response.json()
        return answer_json

    for typed in ("h9 i9 j10", "2. h9 3. i9, J10", "h9i9j10"):
        assert answer(typed)["moves"] == ["h8", "h9", "i9", "j10"]
    assert answer("h9 h8")["refused"] == "Move 3, h8: h8 is occupied by black."
    assert answer("h9 there")["refused"] == "'there' is not a move."
    assert answer("h9 there")["remedy"] == "Write a column letter, then a row, like h8."


def test_rules_that_contradict_each_other_are_refused_beside_the_form(me: Browser) -> None:
    answer = me.client.get("/analysis/board?game=gomoku&option-size=9&option-line=20", headers=JSON)
    assert answer.status_code == 400
    assert "line" in answer.json()["refused"]


def test_a_board_of_boxes_is_set_up_saved_and_read_back(me: Browser) -> None:
    rules = "game=dots_and_boxes&option-rows=2&option-cols=2"
    assert 'name="edges" value="h0 v0"' in me.get(f"/analysis?{rules}&moves=h0+v0")
    response = me.client.get(f"/analysis/setup?{rules}&edges=h0+v0+v1+h2", follow_redirects=False)
    url = f"/analysis?{rules}&moves=h0%20v0%20v1%20h2&setup=4"
    assert response.headers["location"] == url
    assert "Move 1: orange is to move." in me.get(url), (
        "the player who draws the last side owns the box, and moves again"
    )
    chosen = me.client.get(f"/analysis/setup?{rules}&edges=h0+v0+v1+h2&turn=orange", follow_redirects=False)
    assert chosen.headers["location"] == url
    assert "This player cannot be to move" in me.get(f"/analysis/setup?{rules}&edges=h0&turn=blue")
    assert "Move 2, h0: " in me.get(f"/analysis/setup?{rules}&edges=h0+h0")
    assert me.status == 400
    tree = [
        {"parent": -1, "move": "", "comment": "a start"},
        {"parent": 0, "move": "h0", "is_set_up": True},
        {"parent": 1, "move": "v5"},
        {"parent": 1, "move": "v0", "comment": "another edge"},
    ]
    fields = {"game": "dots_and_boxes", "option-rows": "2", "option-cols": "2"}
    token = {"token": me.token}
    saved = me.client.post("/analysis/sgf", data={**token, **fields, "tree": json.dumps(tree)})
    assert "dots_and_boxes-analysis.json" in saved.headers["content-disposition"]
    answer = me.post("/analysis/read", {"sgf": saved.text})
    assert answer["where"] == f"/analysis?{rules}&moves=h0&setup=1"
    assert [(node["parent"], node["move"], node["comment"]) for node in answer["tree"]] == [
        (node["parent"], node["move"], node.get("comment", "")) for node in tree
    ]
    assert answer["tree"][1]["is_set_up"]


@pytest.mark.parametrize(
    ("old", "new"),
    [('"h0"', '"h99"'), ('"v0"', '"h0"'), ('"dots_and_boxes"', '"chess"'), ('"parent": 1', '"parent": 9'), ("[", "")],
)
def test_a_file_of_boxes_with_a_fault_is_refused(me: Browser, old: str, new: str) -> None:
    tree = [{"parent": -1, "move": ""}, {"parent": 0, "move": "h0"}, {"parent": 1, "move": "v0"}]
    fields = {"token": me.token, "game": "dots_and_boxes", "option-rows": "2", "option-cols": "2"}
    saved = me.client.post("/analysis/sgf", data={**fields, "tree": json.dumps(tree)}).text
    assert old in saved
    assert me.post("/analysis/read", {"sgf": saved.replace(old, new, 1)})["refused"].startswith("The file")
