"""The page without a network: the application called by Starlette's test client, a browser's cookies each."""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Client
from starlette.testclient import TestClient

from gomogo.page.app import create_application
from gomogo.page.server.settings import PageSettings, find_agents
from gomogo_core.catalogue import agent
from gomogo_core.processes.limits import SandboxLevel
from gomogo_core.records.store import Store
from gomogo_core.session.game_session import GameSession

OFFERED_AGENTS = ("random_mover", "greedy", "mcts")


class Browser:
    """One person's browser. status: the HTTP status of the last answer. token: the token of the page's forms."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.token = ""
        self.get("/")

    def get(self, path: str, **headers: str) -> str:
        """Return the HTML of a page."""
        answer = self.client.get(path, headers=headers)
        self.status = answer.status_code
        if token_match := re.search(r'<meta name="token" content="(\w+)"', answer.text):
            self.token = token_match[1]
        return answer.text

    def post(self, path: str, fields: dict[str, Any] | None = None, **headers: str) -> dict[str, Any]:
        """Send a form as the page's script does, and return the JSON answer."""
        sent = {"Accept": "application/json", "X-Token": self.token, **headers}
        answer = self.client.post(path, data=fields or {}, headers=sent, follow_redirects=False)
        self.status = answer.status_code
        answer_json: dict[str, Any] = answer.json()
        return answer_json

    def begin(self, **fields: Any) -> str:
        """Begin a game, by default as "me", and return its key."""
        answer = self.post("/play", {"name": "me"} | {key.replace("_", "-"): value for key, value in fields.items()})
        assert "go" in answer, answer
        return str(answer["go"]).rpartition("/")[2]

    def move(self, key: str, move: str, **fields: str) -> dict[str, Any]:
        """Play a move."""
        return self.post(f"/play/{key}/move", {"move": move, **fields})


class PageServer:
    """A page server that can be stopped and started again on its store, a file in the folder unless one is named."""

    def __init__(self, folder: Path, store: str = "") -> None:
        self.folder = folder
        self._where = store or str(folder / "page.db")
        self.live = folder / "live"
        self._open = ExitStack()
        self.start()

    def start(
        self,
        max_games: int = 4,
        hosts: tuple[str, ...] = (),
        sandbox: SandboxLevel = "limits",
        offered: Sequence[str] = OFFERED_AGENTS,
        analysis_agents: Sequence[str] = (),
        *,
        with_class: bool = False,
    ) -> None:
        self.store = self._open.enter_context(Store.open(self._where))
        settings = PageSettings(
            find_agents(offered), max_games, hosts, sandbox, analysis_agents=tuple(map(agent, analysis_agents))
        )
        self.app = create_application(self.store, settings, with_class=with_class)
        self._client = self._open.enter_context(TestClient(self.app))
        self.sessions = self.app.state.context.sessions

    def stop(self) -> None:
        self._open.close()

    def has_referee(self, key: str) -> bool:
        """Return whether a session has a running referee."""
        referee = self.sessions._referees.get(key)
        return referee is not None and referee.is_alive()

    def browser(self) -> Browser:
        """Return another person's browser."""
        client = TestClient(self.app)
        client.portal = self._client.portal  # the same event loop
        return Browser(client)

    def join(self, key: str, name: str) -> Browser:
        """Let another person accept the invitation to a game, and return this person's browser."""
        browser, invite = self.browser(), next(info.invite for info in self.session(key).seat_infos if info.is_free)
        assert browser.post(f"/join/{key}/{invite}", {"name": name})["go"] == f"/play/{key}"
        return browser

    def call_on_loop(self, call: Callable[[], Awaitable[None]]) -> None:
        """Call a function on the server's event loop."""
        assert self._client.portal is not None
        self._client.portal.call(call)

    def browser_after_restart(self, browser: Browser) -> Browser:
        """Return the same person's browser, after the server was started again."""
        other = TestClient(self.app, cookies=dict(browser.client.cookies))
        other.portal = self._client.portal
        return Browser(other)

    def session(self, key: str) -> GameSession:
        session: GameSession = self.sessions.find(key)
        return session


def wait_until(condition: Callable[[], object], seconds: float = 120.0) -> None:
    """Wait until a condition holds; fail after `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the condition does not hold in time"
        time.sleep(0.01)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PageServer]:
    """A page server."""
    server = PageServer(tmp_path)
    yield server
    server.stop()


@pytest.fixture
def me(server: PageServer) -> Browser:
    """Somebody's browser."""
    return server.browser()
