"""The pages for spectators: running games, and tables of tournaments as they change.

Uses live files, the store and standings; sends no request to a referee, which never waits for a spectator.
"""

from __future__ import annotations

import re
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from gomogo.page.archive.replay_view import replay_board
from gomogo.page.play.classroom import Classroom
from gomogo.page.server.addresses import qr_code, shareable_base_url
from gomogo.page.server.cache import Cache
from gomogo.page.server.context import PageContext, last_seen_version
from gomogo.page.server.sse import StatusAndText, View, none_if_unchanged, seconds_since
from gomogo.page.watch.running_game import RunningGame
from gomogo.page.watch.running_games import MOST, RunningBoards, session_cards
from gomogo.page.watch.standings_rows import TableRow, standings_rows
from gomogo.text.names import shown_name
from gomogo.text.standings_table import standings_notes
from gomogo_core.errors import UserError
from gomogo_core.records import queries
from gomogo_core.records.live_format import LiveGame, live_games
from gomogo_core.records.store import Run
from gomogo_core.session.game_session import GameSession
from gomogo_core.session.words import ending_sentence
from tournaments.standings import standings

_OFTEN = 0.2  # seconds between looks at a live file: moves that come faster are shown together
_SELDOM = 1.0
_LISTED = 100  # tournaments and matches
_WALL_ROWS = 12  # rows of a table
_TURN = 10.0  # seconds until the wall shows other games, if there are more than it has places
_TABLES = 50  # games that people play on the page
_KEY = re.compile(r"[A-Za-z0-9_.-]{1,200}")


class SpectatorPages:
    """The handlers of the spectator pages. folder: the folder of live files. classroom: the class on the wall."""

    def __init__(self, context: PageContext, folder: Path, classroom: Classroom | None = None) -> None:
        self.context, self.folder, self.classroom = context, folder, classroom
        self.boards = RunningBoards(folder)
        self._cache = Cache[StatusAndText]()

    def routes(self) -> list[Route]:
        """Return the routes of the handlers."""
        return [
            Route("/watch", self.watch),
            Route("/watch/events", self.watch_events),
            Route("/watch/{key}", self.game),
            Route("/watch/{key}/events", self.game_events),
            Route("/wall", self.wall),
            Route("/wall/events", self.wall_events),
            Route("/runs/{name}", self.run),
            Route("/runs/{name}/events", self.run_events),
        ]

    def watch(self, request: Request) -> Response:
        """Show all running games and tournaments."""
        line, table = self._overview()
        return self.context.page(request, "watch.html", "/watch", line=line, table=table)

    def _overview(self) -> StatusAndText:
        """Return the status line and the part of that page that changes."""
        return self._cache.get("", self._fingerprint, self._render_overview)

    def _render_overview(self) -> StatusAndText:
        games, runs = live_games(self.folder), self.context.store.runs()
        counted = [(run, self.context.store.count_games(run)) for run in runs[:_LISTED]]
        sessions = self.context.sessions.active()
        count = len(games) + len(sessions)
        status = f"{count or 'No'} game{'s' * (count != 1)} running."
        cards, others = self.boards.of(games)
        cards += session_cards(sessions[:_TABLES], MOST - len(cards))
        return status, self.context.part("_running.html", cards=cards, others=others, runs=counted)

    async def watch_events(self, request: Request) -> Response:
        """Stream the changes of that page."""
        return self.context.stream(
            self.context.followed.events("watch", none_if_unchanged(self._overview), _SELDOM, None)
        )

    def wall(self, request: Request) -> Response:
        """Show the running games, the table of the latest tournament and the last results, for a projector."""
        line, table = self._boards_view()
        address, reach = shareable_base_url(str(request.base_url), alone=bool(self.context.settings.hosts))
        address += "/class" if self.classroom else ""
        return self.context.page(
            request,
            "wall.html",
            line=line,
            table=table,
            address=address,
            invitation="Join the class:" if self.classroom else "Play here:",
            reach=reach,
            code="" if reach else qr_code(address),
        )

    async def wall_events(self, request: Request) -> Response:
        """Stream the changes of the wall."""
        return self.context.stream(
            self.context.followed.events("wall", none_if_unchanged(self._boards_view), _SELDOM, None)
        )

    def _boards_view(self) -> StatusAndText:
        def mark() -> object:
            return self._fingerprint(), self.context.store.latest_games(1), int(time.time() / _TURN)

        return self._cache.get("/wall", mark, self._render_wall)

    def _render_wall(self) -> StatusAndText:
        games, sessions = live_games(self.folder), self.context.sessions.active()
        running: list[GameSession | LiveGame] = [*sessions, *games]
        count = len(running)
        turn = int(time.time() / _TURN)
        first = turn * MOST % count if count > MOST else 0  # the wall shows all games in turn
        shown = [*running[first:], *running[:first]][:MOST]
        cards = session_cards([one for one in shown if isinstance(one, GameSession)], MOST)
        cards += self.boards.of([one for one in shown if isinstance(one, LiveGame)])[0]
        runs, rows = self.context.store.runs()[:1], list[TableRow]()
        for run in runs:
            rows = standings_rows(standings(self.context.store, run))[:_WALL_ROWS]
        results = [
            {"names": one.names, "words": f"won by {shown_name(one.names[one.winner - 1])}" if one.winner else "drawn"}
            for one in queries.find_games(self.context.store, queries.GameQuery(), _WALL_ROWS - 4)
        ]
        text = self.context.part(
            "_wall.html",
            cards=cards,
            run=runs[0].name if runs else "",
            rows=rows,
            results=results,
            students=self.classroom.table() if self.classroom else [],
            places=_WALL_ROWS,
        )
        return f"{count or 'No'} game{'s' * (count != 1)} running.", text

    def game(self, request: Request) -> Response:
        """Show a running game; redirect to the archive for a finished one."""
        key = request.path_params["key"]
        so_far = self._find_game(key)
        view = None if so_far is None else self._view(so_far)
        if so_far is None or view is None:
            with suppress(UserError):
                return RedirectResponse(f"/games/{self.context.store.game(key).key}", 303)
            wrong = UserError("There is no such game.", "It may have been interrupted.")
            return self.context.refuse(request, wrong, "/watch", 404)
        return self.context.page(
            request,
            "live.html",
            "/watch",
            title=" – ".join(map(shown_name, so_far.names)),
            about=so_far.about,
            line=view.status,
            thinking=seconds_since(view.since),
            events=f"/watch/{key}/events",
            table=view.text,
        )

    def _find_game(self, key: str) -> RunningGame | None:
        return RunningGame(self.folder / f"{key}.jsonl") if _KEY.fullmatch(key) else None

    def _view(self, so_far: RunningGame, version: int | None = None) -> View | None:
        """Return the current view of the game, or None if nothing is new or the file was removed."""
        if so_far.read():
            if so_far.version == version:
                return None
            return View(so_far.version, so_far.status, self._table(so_far), so_far.since)
        if version is None:
            return None
        try:
            played = self.context.store.game(so_far.path.stem)
        except UserError:
            return View(version + 1, so_far.end_sentence, self._table(so_far), None, last=True)
        shown = replay_board(played, played.positions(), len(played.plies))  # the live file may lack its last moves
        shown = replace(shown, links={f"/games/{played.key}": "Replay", f"/games/{played.key}?review=1": "Review"})
        words = f"The game is over: {ending_sentence(played, format_name=shown_name)}"
        return View(version + 1, words, self.context.part("_table.html", shown=shown), None, last=True)

    def _table(self, so_far: RunningGame) -> str:
        return self.context.part("_table.html", shown=so_far.board_view())

    async def game_events(self, request: Request) -> Response:
        """Stream the changes of a running game."""
        key = request.path_params["key"]
        so_far = self._find_game(key)
        if so_far is None or not await run_sync(so_far.read):
            return self.context.refuse(request, UserError("There is no such game.", "It may be over."), "/watch", 404)

        def look(version: int | None) -> View | None:
            return self._view(so_far, version)

        return self.context.stream(
            self.context.followed.events(f"game {key}", look, _OFTEN, last_seen_version(request))
        )

    def run(self, request: Request) -> Response:
        """Show the table of a tournament or match."""
        run = self.context.run(request)
        line, table = self._standings(run)
        return self.context.page(request, "run.html", "/watch", name=run.name, line=line, table=table)

    def _standings(self, run: Run) -> StatusAndText:
        """Return the status line of a tournament, and its table with the running boards."""
        return self._cache.get(run.name, lambda: self._fingerprint(run), lambda: self._render_standings(run))

    def _render_standings(self, run: Run) -> StatusAndText:
        table = standings(self.context.store, run)
        running = [game for game in live_games(self.folder) if game.run == run.name]
        played = f"{table.games} of {table.planned}" if table.planned else str(table.games)
        status = f"{played} game{'s' * ((table.planned or table.games) != 1)} played."
        cards, others = self.boards.of(running)
        said = [note for note in standings_notes(table) if note]
        if others:
            said.append(f"{len(others)} more games are running.")
        lead = table.lead is not None
        text = self.context.part("_standings.html", rows=standings_rows(table), lead=lead, notes=said, cards=cards)
        return f"{status} {len(running)} running." if running else status, text

    async def run_events(self, request: Request) -> Response:
        """Stream the changes of that table."""
        run = await run_sync(self.context.run, request)
        look = none_if_unchanged(lambda: self._standings(run))
        return self.context.stream(self.context.followed.events(f"run {run.name}", look, _SELDOM, None))

    def _fingerprint(self, run: Run | None = None) -> object:
        """Return the values on which a page depends, which are cheaper to read than the page."""
        return (
            [
                (one.name, one.planned, self.context.store.count_games(one))
                for one in ((run,) if run else self.context.store.runs()[:_LISTED])
            ],
            [
                (one.key, one.moves, one.has_ended)
                for one in live_games(self.folder)
                if run is None or one.run == run.name
            ],
            [(one.key, one.version) for one in self.context.sessions.active()] if run is None else None,
        )
