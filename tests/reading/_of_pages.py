"""What browsers send to the page, and the live files that it shows."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from starlette.applications import Starlette

from gomogo.commands import _watch_boards
from gomogo.page.app import create_application
from gomogo.page.board_view import session_view
from gomogo.page.play.new_game import create_session, unique_name
from gomogo.page.server.context import PageContext, form_field
from gomogo.page.server.middleware import read_form
from gomogo.page.server.settings import PageSettings, find_agents
from gomogo.page.watch.running_game import RunningGame
from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.play.events import GameSetup, Started
from gomogo_core.records.live_format import LiveFile
from gomogo_core.records.store import Store
from gomogo_core.session.actions import SeatInfo
from gomogo_core.session.game_session import GameSession
from gomogo_core.session.stored_session import session_from_json, session_json
from tests.reading._of_files import create_record, folder, from_file
from tests.reading._parsers import Parser

_KEY = "0" * 32
_addresses = count()  # each request comes from another address, so that rate limits do not matter here


@cache
def _app() -> Starlette:
    """The whole page server, with a game in its store."""
    store = Store.open(folder() / "page.db")
    store.add(create_record(key=_KEY), None, ("ann", "bob"))
    return create_application(store, PageSettings(find_agents(["random_mover"])))


@cache
def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


def _request(content: bytes) -> object:
    """A GET: the address, and a header a line. Raises UserError with the words of a refusal."""
    first, *lines = content.split(b"\n")
    path, _, query = first.partition(b"?")
    headers = [(name.strip().lower(), value.strip()) for name, _, value in (line.partition(b":") for line in lines)]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": "/" + unquote(path.decode("latin-1").lstrip("/")),
        "raw_path": path,
        "query_string": query,
        "root_path": "",
        "headers": headers,
        "client": (f"client {next(_addresses)}", 1),
        "server": ("localhost", 80),
    }
    messages: list[dict[str, Any]] = []
    incoming = iter([{"type": "http.request", "body": b""}])

    async def receive() -> dict[str, Any]:
        return next(incoming, {"type": "http.disconnect"})

    async def send(message: Any) -> None:
        messages.append(message)

    _loop().run_until_complete(_app()(scope, receive, send))
    status = messages[0]["status"]
    assert status < 500, messages
    if status >= 400:
        raise UserError(b"".join(message.get("body", b"") for message in messages).decode(), "Ask for something else.")
    return status


def render_session(session: GameSession) -> object:
    """Whatever a sitting has become can be shown, kept and taken up again."""
    saved_session = json.dumps(session_json(session))
    assert json.dumps(session_json(session_from_json(json.loads(saved_session)))) == saved_session
    context: PageContext = _app().state.context
    return context.render_part("_board_view.html", shown=session_view(session, (1,), links={}, present_seats=()))


def _fields(content: bytes) -> dict[str, list[str]]:
    """The fields of a form; the guard answers 400 to one that is none."""
    try:
        return read_form(content)
    except ValueError as error:
        raise UserError(f"The form cannot be read: {error}.", "Use the page's own buttons.") from None


def _form(content: bytes) -> object:
    """A new game and its players."""
    context: PageContext = _app().state.context
    form = _fields(content)
    unique_name(form_field(form, "name"), "guest", ["ann"], context.settings)
    return render_session(create_session(form, "me", context.store, context.settings, "me"))


def _moves(content: bytes) -> object:
    """A visitor's forms at a board, one per line; the first byte chooses the board."""
    games = (load("gomoku", opening="swap2"), load("go", size=9), load("dots_and_boxes", players=3), load("robogo"))
    game = games[(content[0] if content else 0) % len(games)]
    seat_infos = tuple(SeatInfo(f"p{seat}", "human", visitor="me") for seat in range(1, game.seats + 1))
    session = GameSession(game, seat_infos)
    for line in content[1:].splitlines()[:20]:
        form = _fields(line[:999].decode("latin-1").encode())
        if form_field(form, "undo"):
            session.take_back("me")
        elif form_field(form, "resign"):
            session.resign("me")
        else:
            session.play("me", form_field(form, "move")[:40], is_confirmed=form_field(form, "sure") == "1")
    return render_session(session)


def _live(path: Path) -> object:
    """A file of a running game, as the page and `gomogo watch` show it; what cannot be read is passed over."""
    so_far = RunningGame(path)
    context: PageContext = _app().state.context
    if so_far.read_events():
        context.render_part("_board_view.html", shown=so_far.board_view())
        assert all((so_far.description, so_far.status_line, so_far.end_sentence))
    return _watch_boards.draw_boards(path.parent, "r", 100, 40, colour=False)


def _a_live_game(*events: dict[str, Any]) -> bytes:
    path = folder() / "seed.jsonl"
    rules = load("gomoku", size=7)
    record = create_record()
    LiveFile(folder(), "seed", "r")(
        Started(GameSetup(rules, ("a", "b"), record.controls, record.plies[:2]), rules.start())
    )
    return path.read_bytes() + b"".join(json.dumps({**event, "at": time.time()}).encode() + b"\n" for event in events)


_MOVED = {"event": "moved", "seat": 1, "move": "g7", "seconds": 0.1, "clock_left": 5.0, "thoughts": "so"}
_LEFT = {"event": "left", "seat": 2, "reason": "crashed", "detail": "exited"}
_ENDED = {"event": "ended", "ranks": [1, 2], "reason": "crashed", "detail": "exited"}
_ODD = [
    {**_MOVED, "at": 10**400},
    {**_MOVED, "clock_left": "soon"},
    {**_MOVED, "seat": 99},
    {**_MOVED, "seat": 0, "clock_left": [1]},
    {**_LEFT, "seat": -1},
]
_FORMS: tuple[bytes, ...] = (
    b"game=gomoku&opponent=here&option-size=9&seconds=2&name=eve",
    b"game=dots_and_boxes&opponent=link&opponent=random_mover&seat=2",
    b"opponent=auto&game=go&option-size=9",
)
_WRONG_FORMS: tuple[bytes, ...] = (
    b"",
    b"game=chess&opponent=here",
    b"opponent=here&option-size=" + b"9" * 5000,
    b"opponent=here&seconds=nan",
    b"opponent=here&seat=%D9%A9",
    b"opponent=~/bot.py",
    b"opponent=here&name=%00",
    b"\xff",
    b"&".join([b"a=b"] * 200),
)
_file: Callable[..., Callable[[bytes], object]] = partial(from_file, "running/x.jsonl")

PARSERS = (
    Parser(
        "page_requests",
        _request,
        accepted=(
            b"/analysis?game=go&option-size=9&moves=d4%20pass\nAccept: text/html",
            b"/games?player=ann&result=win&opening=a1&page=3",
            b"/games/" + _KEY.encode() + b"?move=2\nCookie: gomogo=" + b"0" * 64,
            b"/games/" + _KEY.encode() + b".sgf",
            b"/watch\nLast-Event-ID: 5\nSec-Fetch-Site: cross-site",
            b"/?game=dots_and_boxes\nHost: [::1]:80",
        ),
        refused=(
            b"/analysis?moves=z99\nAccept: application/json",
            b"/analysis?game=%00&option-size=%ff",
            b"/games/%00.sgf",
            b"/games?opening=%25",
            b"/watch/..%2f..%2fetc",
            b"/static/%00",
            b"/static/..%2fapp.py",
            b"/join/a/b",
            b"/games/x/?a=\xe2",
        ),
    ),
    Parser("page_forms", _form, accepted=_FORMS, refused=_WRONG_FORMS),
    Parser(
        "page_moves",
        _moves,
        accepted=(
            b"\0move=a1\nmove=b1\nmove=c1\nmove=swap",
            b"\1move=d4\nmove=pass&sure=1\nundo=1\nresign=1",
            b"\2move=h0",
        ),
        refused=(b"\0move=a1\nmove=a1", b"\1move=" + b"9" * 900, b"\2move=%00", b"\3move=a1&sure=1\nresign=1\nundo=1"),
    ),
    Parser(
        "page_live",
        _file(_live),
        accepted=(
            _a_live_game(_MOVED, _LEFT, _ENDED),
            *(_a_live_game() + json.dumps({"at": 1.0, **odd}).encode() + b"\n" for odd in _ODD),
            b"[" * 100_000 + b"\n",
        ),
    ),
)
