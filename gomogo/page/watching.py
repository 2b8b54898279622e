"""The pages on which people look on: running games, and tables of tournaments as they change.

Knows live files, the store and standings; no request is made of a referee, which never waits for a watcher.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from gomogo.commands._play_words import ending
from gomogo.page.live import View, thought
from gomogo.page.live_game import GameSoFar
from gomogo.page.replayed import shown_after
from gomogo.page.running import MOST, Boards, at_tables
from gomogo.page.site import Site, seen_by
from gomogo_core.errors import UserError
from gomogo_core.records.live import live_games
from gomogo_core.records.store import Run
from tournaments.standings import standings

_OFTEN = 0.2  # seconds between looks at a live file: moves that come faster are shown together
_SELDOM = 1.0
_LISTED = 100  # tournaments and matches
_TABLES = 50  # games that people play on the page
_KEY = re.compile(r"[A-Za-z0-9_.-]{1,200}")


class Watching:
    """The handlers. folder: that of the live files."""

    def __init__(self, site: Site, folder: Path) -> None:
        self.site, self.folder = site, folder
        self.boards = Boards(folder)

    def routes(self) -> list[Route]:
        """Where each is found."""
        return [
            Route("/watch", self.watch),
            Route("/watch/events", self.watch_events),
            Route("/watch/{key}", self.game),
            Route("/watch/{key}/events", self.game_events),
            Route("/runs/{name}", self.run),
            Route("/runs/{name}/events", self.run_events),
        ]

    def watch(self, request: Request) -> Response:
        """What is being played, and every tournament."""
        view = self._all(0)
        return self.site.page(request, "watch.html", "/watch", line=view.status, table=view.text)

    def _all(self, version: int) -> View:
        games, runs = live_games(self.folder), self.site.store.runs()
        counted = [(run, self.site.store.count(run)) for run in runs[:_LISTED]]
        sittings = self.site.room.played_now()
        count = len(games) + len(sittings)
        status = f"{count or 'No'} game{'s' * (count != 1)} running."
        cards, others = self.boards.of(games)
        cards += at_tables(sittings[:_TABLES], MOST - len(cards))
        return View(version, status, self.site.part("_running.html", cards=cards, others=others, runs=counted))

    async def watch_events(self, request: Request) -> Response:
        """The same, as it changes."""
        return self.site.stream(
            self.site.followed.events("watch", _unless_same(self._all, self._fingerprint()), _SELDOM, None)
        )

    def game(self, request: Request) -> Response:
        """A running game; one that is over is found among the games."""
        key = request.path_params["key"]
        so_far = self._open(key)
        view = None if so_far is None else self._view(so_far)
        if so_far is None or view is None:
            with suppress(UserError):
                return RedirectResponse(f"/games/{self.site.store.game(key).key}", 303)
            wrong = UserError("There is no such game.", "It may have been broken off.")
            return self.site.refuse(request, wrong, "/watch", 404)
        return self.site.page(
            request,
            "live.html",
            "/watch",
            title=" – ".join(so_far.names),
            about=so_far.about,
            line=view.status,
            thinking=thought(view),
            events=f"/watch/{key}/events",
            table=view.text,
        )

    def _open(self, key: str) -> GameSoFar | None:
        return GameSoFar(self.folder / f"{key}.jsonl") if _KEY.fullmatch(key) else None

    def _view(self, so_far: GameSoFar, version: int | None = None) -> View | None:
        """How the game looks now, or None where nothing is new, or the file is gone."""
        if so_far.read():
            if so_far.version == version:
                return None
            return View(so_far.version, so_far.status, self._table(so_far), so_far.since)
        if version is None:
            return None
        try:
            played = self.site.store.game(so_far.path.stem)
        except UserError:
            return View(version + 1, so_far.farewell, self._table(so_far), None, last=True)
        shown = shown_after(
            played, played.positions(), len(played.plies)
        )  # its last moves may never have been in a file
        shown = replace(shown, links={f"/games/{played.key}": "Replay", f"/games/{played.key}/review": "Review"})
        words = f"The game is over: {ending(played)}"
        return View(version + 1, words, self.site.part("_table.html", shown=shown), None, last=True)

    def _table(self, so_far: GameSoFar) -> str:
        return self.site.part("_table.html", shown=so_far.shown())

    async def game_events(self, request: Request) -> Response:
        """The same, as it changes."""
        key = request.path_params["key"]
        so_far = self._open(key)
        if so_far is None or not await run_sync(so_far.read):
            return self.site.refuse(request, UserError("There is no such game.", "It may be over."), "/watch", 404)

        def look(version: int | None) -> View | None:
            return self._view(so_far, version)

        return self.site.stream(self.site.followed.events(f"game {key}", look, _OFTEN, seen_by(request)))

    def run(self, request: Request) -> Response:
        """The table of a tournament or match."""
        try:
            run = self.site.store.run(request.path_params["name"])
        except UserError as wrong:
            return self.site.refuse(request, wrong, "/watch", 404)
        view = self._standings(run, 0)
        return self.site.page(request, "run.html", "/watch", name=run.name, line=view.status, table=view.text)

    def _standings(self, run: Run, version: int) -> View:
        table = standings(self.site.store, run)
        running = [game for game in live_games(self.folder) if game.run == run.name]
        status = f"{table.games} of {table.planned} games played." if table.planned else f"{table.games} games played."
        cards, others = self.boards.of(running)
        text = self.site.part("_standings.html", rows=table.rows, cards=cards, others=others)
        return View(version, f"{status} {len(running)} running." if running else status, text)

    async def run_events(self, request: Request) -> Response:
        """The same, as it changes."""
        try:
            run = await run_sync(self.site.store.run, request.path_params["name"])
        except UserError as wrong:
            return self.site.refuse(request, wrong, "/watch", 404)
        look = _unless_same(lambda version: self._standings(run, version), self._fingerprint(run))
        return self.site.stream(self.site.followed.events(f"run {run.name}", look, _SELDOM, None))

    def _fingerprint(self, run: Run | None = None) -> Callable[[], Any]:
        """What a table depends on, or what is played at all, which is quicker to know than to show."""
        return lambda: (
            [(one.name, self.site.store.count(one)) for one in ((run,) if run else self.site.store.runs()[:_LISTED])],
            [(one.key, one.moves, one.ended) for one in live_games(self.folder) if run is None or one.run == run.name],
            [(one.key, one.version) for one in self.site.room.played_now()] if run is None else None,
        )


def _unless_same(
    make: Callable[[int], View], fingerprint: Callable[[], Any] | None = None
) -> Callable[[int | None], View | None]:
    """A look that says None while it would show the same again; versions begin with the time, and so never go back."""
    held: list[Any] = [None, None]

    def look(version: int | None) -> View | None:
        if fingerprint is not None:
            now = fingerprint()
            if version is not None and now == held[0]:
                return None
            held[0] = now
        view = make(int(time.time() * 1000))
        if version is not None and (view.status, view.text) == held[1]:
            return None
        held[1] = (view.status, view.text)
        return view

    return look
