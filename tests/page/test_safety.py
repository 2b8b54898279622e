"""Hostile input is refused or shown as text; visitors see and start only what they are allowed to."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from starlette.testclient import TestClient

from gomogo.page.server.identity import form_token, is_form_token, new_session_id, visitor_of
from gomogo.page.server.middleware import MAX_FORM_BYTES, RateLimits
from gomogo_core.games import load
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ply
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.sessions import sessions_of
from tests.page.conftest import Browser, PageServer, wait_until

PAGES = ("/", "/?game=go", "/watch", "/games", "/agents", "/analysis?game=go&moves=a1", "/static/page.js", "/nowhere")
EVIL = '<script>alert("x")</script>'


@pytest.mark.parametrize("path", PAGES)
def test_every_answer_forbids_foreign_scripts_and_frames(me: Browser, path: str) -> None:
    answer = me.client.get(path)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("path", "trusted"),
    [("https://gomogo.example/", True), ("http://127.0.0.1:8440/", True), ("http://192.168.1.20:8440/", False)],
)
def test_windows_are_isolated_where_browsers_trust_the_connection(server: PageServer, path: str, trusted: bool) -> None:
    answer = TestClient(server.app, base_url=path).get("/")
    assert ("cross-origin-opener-policy" in answer.headers) == trusted


@pytest.mark.parametrize("path", PAGES)
def test_no_page_contains_inline_scripts_or_styles(me: Browser, path: str) -> None:
    text = me.get(path)
    if path.endswith(".js"):
        return
    assert not re.search(
        r"<script(?![^>]*src=\"/static/(?:page|theme|analysis|puzzles)[.]js\")|<style|\sstyle=|\son\w+=|javascript:",
        text,
    )
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", text), "it would fetch from a network"


def test_the_session_cookie_is_hidden_from_scripts_and_other_sites(server: PageServer) -> None:
    cookie = TestClient(server.app).get("/").headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert "set-cookie" not in TestClient(server.app).get("/static/page.css").headers


def test_a_link_from_another_site_keeps_the_session(me: Browser, server: PageServer) -> None:
    """A strict cookie does not come along: the page asks again from here, instead of giving another."""
    first = TestClient(server.app).get("/", headers={"Sec-Fetch-Site": "cross-site"})
    assert "set-cookie" not in first.headers
    assert 'http-equiv="refresh"' in first.text
    assert "Enter your program" in me.get("/", **{"Sec-Fetch-Site": "cross-site"})


def test_a_write_needs_the_token_of_its_own_browser(server: PageServer, me: Browser) -> None:
    key, other = me.begin(opponent="here"), server.browser()
    for token in ("", "0" * 64, other.token, "ü"):
        answer = me.client.post(f"/play/{key}/move", data={"move": "h8", "token": token})
        assert answer.status_code == 403
    assert not server.session(key).actions
    assert me.move(key, "h8")["said"] == ""


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_write_from_another_site_is_refused(server: PageServer, me: Browser, headers: dict[str, str]) -> None:
    key = me.begin(opponent="here")
    assert me.post(f"/play/{key}/move", {"move": "h8"}, **headers)["refused"] == "The request comes from another site."
    assert me.status == 403
    assert not server.session(key).actions
    assert "refused" not in me.post(f"/play/{key}/move", {"move": "h8"}, Origin="http://testserver")


def test_a_local_server_answers_only_to_its_own_host_names(server: PageServer) -> None:
    server.stop()
    server.start(hosts=("127.0.0.1", "localhost"))
    client = TestClient(server.app)
    for host, status in (("127.0.0.1:8440", 200), ("localhost", 200), ("evil.example", 421), ("", 421), ("a@b", 421)):
        assert client.get("/", headers={"Host": host}).status_code == status, host


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS"])
def test_other_http_methods_are_refused(me: Browser, method: str) -> None:
    assert me.client.request(method, "/").status_code == 405


def test_get_requests_change_nothing(server: PageServer, me: Browser) -> None:
    key = me.begin(opponent="here")
    for act in ("move", "undo", "resign", "delete"):
        me.get(f"/play/{key}/{act}?move=h8&token={me.token}")
        assert me.status == 405
    assert not server.session(key).actions


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"move=" + b"x" * MAX_FORM_BYTES, "application/x-www-form-urlencoded", 413),
        (b"\xff\xfe=%zz", "application/x-www-form-urlencoded", 400),
        (b"&".join(b"a%d=1" % number for number in range(2000)), "application/x-www-form-urlencoded", 400),
        (b'{"move": "h8"}', "application/json", 400),
        (b"--x\r\n", "multipart/form-data; boundary=x", 400),
    ],
)
def test_a_form_of_another_content_type_is_refused(me: Browser, content: bytes, kind: str, status: int) -> None:
    answer = me.client.post("/play", content=content, headers={"Content-Type": kind, "X-Token": me.token})
    assert answer.status_code == status


def test_a_long_body_without_a_length_is_refused_early(me: Browser) -> None:
    sent = []

    def endless() -> object:
        for number in range(10_000):
            sent.append(number)
            yield b"x" * 1000

    headers = {"Content-Type": "application/x-www-form-urlencoded", "X-Token": me.token}
    assert me.client.post("/play", content=endless(), headers=headers).status_code == 413  # type: ignore[arg-type]


def test_a_client_with_too_many_requests_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gomogo.page.server.middleware._MAX_BUCKETS", 2)
    rates = RateLimits(per_second=0.0, burst=3)
    assert [rates.allow("one") for _ in range(4)] == [True, True, True, False]
    assert rates.allow("other")
    small_limits = RateLimits(per_second=0.0, burst=1)
    assert [small_limits.allow(client) for client in ("a", "b", "c")] == [True] * 3
    assert len(small_limits._buckets) == 2, "it remembers everybody"


@pytest.fixture
def no_time_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is allowed more because this machine is busy."""
    monkeypatch.setattr("gomogo.page.server.middleware.time", SimpleNamespace(monotonic=lambda: 0.0))


@pytest.mark.usefixtures("no_time_passes")
def test_writes_of_one_browser_are_limited(me: Browser) -> None:
    for _ in range(70):
        answer = me.post("/play", {"game": "chess"})
    assert answer["refused"] == "Too many requests."
    assert me.status == 429


@pytest.mark.slow
@pytest.mark.usefixtures("no_time_passes")
def test_new_games_of_one_address_are_limited(server: PageServer) -> None:
    for number in range(60):
        if number % 20 == 0:
            browser = server.browser()
        browser.begin(opponent="here")
    assert server.browser().post("/play", {"opponent": "here"})["refused"] == "Too many requests."


def test_only_listed_agents_are_started(server: PageServer, me: Browser, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    for spec in (f"files:evil:touch {ran}", "alpha_beta", "human", "../../etc/passwd", EVIL, "gtp:sh"):
        assert me.post("/play", {"opponent": spec})["refused"] == "This agent is not available here."
    assert not ran.exists()
    assert "alpha_beta" not in me.get("/")


def test_unfinished_games_of_one_browser_are_limited(me: Browser) -> None:
    for _ in range(20):
        me.begin(opponent="here")
    assert me.post("/play", {"opponent": "here"})["refused"] == "You have 20 unfinished games."


def test_hostile_names_are_shown_as_text(server: PageServer, me: Browser) -> None:
    game = load("gomoku", size=5)
    server.store.add(
        PlayedGame(
            game="gomoku",
            options=dict(game.options),
            specs=(EVIL, "human"),
            names=(EVIL, '"><img src=x onerror=alert(1)>\x1b[31m\u202e'),
            controls=(TimeControl(), TimeControl()),
            plies=(Ply(1, "a1"), Ply(2, "b1")),
            opening_length=0,
            seconds=(0.1, 0.1),
            clocks=(None, None),
            thoughts=(EVIL, None),
            warnings=(),
            outcome=Outcome((1, 2), Reason.ILLEGAL_MOVE, EVIL),
            started=1.0,
            duration=1.0,
            key="evil",
        )
    )
    for path in (
        "/games",
        "/games/evil",
        "/games/evil?move=1",
        "/games/evil/review",
        "/agents",
        f"/games?player={EVIL}",
    ):
        text = me.get(path)
        assert me.status == 200
        assert "<script>alert" not in text, path
        assert "<img" not in text, path
        assert "\x1b" not in text, path
    assert "&lt;script&gt;" in me.get("/games/evil")


def test_hostile_live_files_are_shown_as_text(server: PageServer, me: Browser) -> None:
    server.live.mkdir()
    import json
    import time

    started = {
        "event": "started", "run": EVIL, "process": 1, "game": "gomoku", "options": {"size": 5},
        "names": [EVIL, "b"], "controls": [{"total": None}, {"total": None}], "opening": [], "seed": None,
        "at": time.time(),
    }  # fmt: skip
    moved = {
        "event": "moved", "seat": 1, "move": "a1", "seconds": 0.1, "clock_left": None, "thoughts": EVIL,
        "at": time.time(),
    }  # fmt: skip
    (server.live / "x.jsonl").write_text(json.dumps(started) + "\n" + json.dumps(moved) + "\n")
    (server.live / "broken.jsonl").write_text("{}\n[]\nnot json\n")
    for path in ("/watch", "/watch/x"):
        text = me.get(path)
        assert me.status == 200
        assert "&lt;script&gt;" in text
        assert "<script>alert" not in text
    me.get("/watch/broken")
    assert me.status == 404


@pytest.mark.parametrize("path", ["/watch/..%2f..%2fetc%2fpasswd", "/static/../app.py", "/static/%2e%2e/app.py"])
def test_a_path_outside_the_served_folders_is_not_found(me: Browser, path: str) -> None:
    me.get(path)
    assert me.status == 404


@pytest.mark.parametrize("path", ["/games/%00", "/games?player=%00"])
def test_a_url_that_is_not_text_is_refused(me: Browser, path: str) -> None:
    assert "The URL cannot be read." in me.get(path)
    assert me.status == 400


@pytest.mark.parametrize(
    "path",
    [
        "/analysis?game=chess",
        "/analysis?game=gomoku&option-size=99999",
        "/analysis?game=gomoku&moves=a1%20a1",
        "/analysis?game=gomoku&moves=%3Cscript%3E",
        "/games?opening=%25",
        "/?game=nothing",
    ],
)
def test_a_meaningless_url_is_refused_with_a_page(me: Browser, path: str) -> None:
    text = me.get(path)
    assert me.status in (400, 404)
    assert "<h1>" in text
    assert "<script>" not in text


def test_a_url_with_too_many_moves_is_refused(me: Browser) -> None:
    me.get("/analysis?game=go&moves=" + "%20".join(["pass"] * 3000))
    assert me.status == 400


def test_the_store_does_not_contain_session_secrets(server: PageServer, me: Browser) -> None:
    session = me.client.cookies["gomogo"]
    key = me.begin(opponent="here")
    assert sessions_of(server.store, visitor_of(session))[0].key == key
    me.move(key, "h8")
    wait_until(lambda: server.session(key).actions)
    assert (
        session.encode() not in (server.folder / "page.db").read_bytes() + (server.folder / "page.db-wal").read_bytes()
    )


def test_a_token_belongs_to_one_session() -> None:
    first_id, other = new_session_id(), new_session_id()
    assert is_form_token(first_id, form_token(first_id))
    assert not is_form_token(first_id, form_token(other))
    assert visitor_of(first_id) != visitor_of(other)


@pytest.mark.parametrize("name", ["..%2flevels%2fany", "any", "%00", "x" * 300, "%3Cscript%3E"])
def test_a_hostile_game_name_is_refused(me: Browser, name: str) -> None:
    text = me.get(f"/?game={name}")
    assert me.status in (400, 404)  # characters that no address can contain are refused earlier
    assert "<script>" not in text


@pytest.mark.parametrize(
    "path", ["/games/none", "/games/none/review", "/runs/none", "/runs/none/puzzles", "/play/none"]
)
def test_the_page_for_something_missing_does_not_show_where_the_store_is(me: Browser, path: str) -> None:
    text = me.get(path)
    assert me.status == 404
    assert "There is no such" in text
    assert ".db" not in text
