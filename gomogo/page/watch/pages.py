"""The pages for spectators: running games, and the current tables of tournaments.

The module uses live files, the store and standings. It sends no requests to referees, so they never wait for
spectators.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from gomogo.page.archive.replay_view import replay_board
from gomogo.page.play.classroom import Classroom
from gomogo.page.play.students import RankedStudent
from gomogo.page.server.addresses import qr_code, shareable_base_url
from gomogo.page.server.cache import Cache
from gomogo.page.server.context import PageContext, last_seen_version
from gomogo.page.server.sse import LiveView, StatusAndText, none_if_unchanged, seconds_since
from gomogo.page.watch.running_game import RunningGame
from gomogo.page.watch.running_games import (
    MAX_BOARDS,
    BoardCard,
    RunningBoards,
    assign_places,
    played_cards,
    session_cards,
    short_result,
)
from gomogo.page.watch.standings_rows import StandingsTableRow, standings_rows, standings_summary
from gomogo.text.names import display_name
from gomogo.text.rounds import has_bracket, rounds_text
from gomogo.text.run_csv import games_csv, players_csv
from gomogo.text.standings_table import standings_notes
from gomogo_core.errors import UserError
from gomogo_core.records import queries
from gomogo_core.records.aggregates import game_rows
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.live_format import LiveGame, live_games
from gomogo_core.records.store import Run
from gomogo_core.session.game_session import GameSession
from gomogo_core.session.sentences import ending_sentence
from tournaments.standings import Standings, compute_standings

_GAME_POLL_SECONDS = 0.2  # seconds between two readings of a live file; the page shows faster moves together
_POLL_SECONDS = 1.0  # seconds between two readings of the store and the list of live files
_MAX_LAST_GAMES = 4  # finished games whose boards are shown while no game of a tournament is running
_MAX_RUNS = 100  # tournaments and matches in the list
_WALL_ROW_COUNT = 12  # rows of a table on the wall
_CLASS_RESULT_COUNT = 3  # results of a class on the wall, below its table
_WALL_PAGE_SECONDS = 10.0  # seconds until the wall shows other games, if it has no place for all of them
_MAX_SESSIONS = 50  # listed games of people on the page
_GAME_KEY = re.compile(r"[A-Za-z0-9_.-]{1,200}")


class SpectatorPages:
    """The handlers of the spectator pages. folder: the folder of live files. classroom: the class on the wall."""

    def __init__(self, context: PageContext, folder: Path, classroom: Classroom | None = None) -> None:
        self.context, self.folder, self.classroom = context, folder, classroom
        self.running_boards = RunningBoards(folder)
        self._wall_places: list[str] = []  # the keys of the games on the wall, in the order of their boards
        self._content_cache = Cache[StatusAndText]()
        self._standings_cache = Cache[
            Standings
        ]()  # apart from the boards, which change more often and are faster to render

    def routes(self) -> list[Route]:
        """Return the routes of the handlers."""
        return [
            Route("/watch", self.show_running),
            Route("/watch/events", self.stream_running),
            Route("/watch/{key}", self.show_game),
            Route("/watch/{key}/events", self.stream_game),
            Route("/wall", self.show_wall),
            Route("/wall/events", self.stream_wall),
            Route("/runs", self.redirect_to_list),
            Route("/runs/{name}", self.show_run),
            Route("/runs/{name}/events", self.stream_run),
            Route("/runs/{name}/players.csv", self.save_players),
            Route("/runs/{name}/games.csv", self.save_games),
        ]

    def show_running(self, request: Request) -> Response:
        """Show all running games and tournaments."""
        status_line, live_part = self._running_content()
        return self.context.render_page(request, "watch.html", "/watch", status_line=status_line, live_part=live_part)

    def _running_content(self) -> StatusAndText:
        """Return the status line and the changing part of the page that lists running games."""
        return self._content_cache.get("", self._fingerprint, self._render_running, _POLL_SECONDS)

    def _render_running(self) -> StatusAndText:
        games, runs = live_games(self.folder), self.context.store.runs()
        counted_runs = [(run, self.context.store.count_games(run)) for run in runs[:_MAX_RUNS]]
        sessions = self.context.sessions.active_sessions()
        count = len(games) + len(sessions)
        status = f"{count or 'No'} game{'s' * (count != 1)} running."
        cards, other_games = self.running_boards.cards_of(games)
        cards += session_cards(sessions[:_MAX_SESSIONS], MAX_BOARDS - len(cards))
        return status, self.context.render_part("_running.html", cards=cards, others=other_games, runs=counted_runs)

    async def stream_running(self, request: Request) -> Response:
        """Stream the changes of the page that lists running games."""
        return self.context.stream_response(
            self.context.polled_channels.events("watch", none_if_unchanged(self._running_content), _POLL_SECONDS, None)
        )

    def show_wall(self, request: Request) -> Response:
        """Show the running games, the table of the latest tournament and the last results, for a projector."""
        status_line, live_part = self._wall_content()
        is_local, with_class = bool(self.context.settings.hosts), self.classroom is not None
        address, reach = shareable_base_url(str(request.base_url), is_local=is_local, with_class=with_class)
        if self.classroom:
            address += "/class"
        return self.context.render_page(
            request,
            "wall.html",
            status_line=status_line,
            live_part=live_part,
            address=address,
            with_class=with_class,
            invitation="Join the class:" if self.classroom else "Play here:",
            reach=reach,
            code="" if reach else qr_code(address),
        )

    async def stream_wall(self, request: Request) -> Response:
        """Stream the changes of the wall."""
        return self.context.stream_response(
            self.context.polled_channels.events("wall", none_if_unchanged(self._wall_content), _POLL_SECONDS, None)
        )

    def _wall_content(self) -> StatusAndText:
        def fingerprint() -> object:
            classroom = self.classroom
            students = classroom.student_names() if classroom else []
            rules = (
                (
                    *(classroom.is_open, classroom.is_paused, classroom.round_number),
                    *(len(classroom.late_start_messages), len(classroom.adjourned_keys)),
                )
                if classroom
                else ()
            )
            latest = self.context.store.latest_games(1)
            tables = [] if students else [self._standings(run) for run in self.context.store.runs()[:1]]
            return self._fingerprint(), latest, tables, students, rules, int(time.time() / _WALL_PAGE_SECONDS)

        return self._content_cache.get("/wall", fingerprint, self._render_wall, _POLL_SECONDS)

    def _render_wall(self) -> StatusAndText:
        classroom = self.classroom
        students = [row for row in classroom.student_rows() if not row.has_left] if classroom else []
        students.sort(key=lambda row: not row.place)  # students without a game have no place in the table
        live = live_games(self.folder)
        # the table has only students, so the boards of a class show no games of guests
        sessions = classroom.round_games() if classroom else self.context.sessions.active_sessions()
        count = sum(not session.is_over for session in sessions) + len(live)
        finished_sessions = classroom.latest_results(MAX_BOARDS) if classroom else []
        cards, page_words = self._wall_cards(sessions, live)
        runs, rows = [] if students else self.context.store.runs()[:1], list[StandingsTableRow]()
        for run in runs:
            rows = standings_rows(self._standings(run))[:_WALL_ROW_COUNT]
        last_sessions = [] if cards else finished_sessions[:_MAX_LAST_GAMES]
        if is_round_empty := not cards:  # between games, the wall shows the last ones
            cards = self._wall_cards(last_sessions, [])[0] if students else [*self._last_cards(runs)]
        if students:
            shown_sessions = finished_sessions[:_CLASS_RESULT_COUNT]
            results = [{"names": (), "words": short_result(session)} for session in shown_sessions]
        else:
            results = [
                {
                    "names": summary.names,
                    "words": f"won by {display_name(summary.names[summary.winner - 1])}" if summary.winner else "drawn",
                }
                for summary in queries.find_games(self.context.store, queries.GameQuery(), _WALL_ROW_COUNT - 4)
            ]
        ranking = list[RankedStudent]()
        if classroom and not count and not students:
            ranking = classroom.final_ranking
        elif classroom and not count and not classroom.is_open:
            ranking = classroom.ranking()
        text = self.context.render_part(
            "_wall.html",
            cards=cards,
            ranking=ranking,
            run=runs[0].name if runs else "",
            rows=rows,
            results=results,
            students=students,
            over=any(row.place for row in students),
            unpaired=", ".join(classroom.unpaired_names(classroom.round_number)) if classroom and not ranking else "",
            with_class=classroom is not None,
            closed=classroom is not None and not classroom.is_open,
        )
        adjourned = len(classroom.adjourned_games()) if classroom else 0
        adjourned_words = f", {adjourned} adjourned" if adjourned else ""
        status = f"{count or 'No'} game{'s' * (count != 1)} running{page_words}{adjourned_words}."
        if classroom and not students and not count:
            status = "The class is closed." if not classroom.is_open else "Welcome! Join the class to play."
        if students:
            number = classroom.round_number if classroom else 0
            start = f"Round {number}: " if number else ""
            void = len(classroom.late_start_messages) if classroom else 0
            void_words = f"{void} game{'s' * (void != 1)} ended without a result." if void else ""
            if is_round_empty and void:
                status = f"{start}{void_words}"
            else:
                words = f"{status[0].lower()}{status[1:]} {void_words}".rstrip()
                status = f"{start}{len(students)} student{'s' * (len(students) != 1)}, {words}"
            if is_round_empty and number and classroom and (shown := set(map(classroom.round_of, last_sessions))):
                status += f" The boards are those of round {max(shown)}."
        if ranking:
            status = "Final ranking"
        return f"{status} All games are paused." if classroom and classroom.is_paused else status, text

    def _wall_cards(
        self, sessions: Sequence[GameSession], live: Sequence[LiveGame]
    ) -> tuple[list[BoardCard | None], str]:
        """Return the cards of these games on the wall; None is a free place. A game keeps its place while it is shown.
        If there are more games than places, the wall shows one page of them after another, all with about as many
        games; the second value is then the number of the page, such as ", page 1 of 2".
        """
        if (excess := len(sessions) + len(live) - MAX_BOARDS) > 0:  # the games that ended first give up their places
            over = sorted((one for one in sessions if one.is_over), key=lambda session: session.changed_at)
            ended_keys = {session.key for session in over[:excess]}
            sessions = [session for session in sessions if session.key not in ended_keys]
        games: dict[str, GameSession | LiveGame] = {session.key: session for session in sessions}
        games.update((game.key, game) for game in live)
        self._wall_places = assign_places(
            self._wall_places, sorted(games, key=lambda key: (isinstance(games[key], LiveGame), games[key].started))
        )
        places, turn = self._wall_places, int(time.time() / _WALL_PAGE_SECONDS)
        pages = max(1, math.ceil(len(places) / MAX_BOARDS))
        page = turn % pages
        shown_keys = places[math.ceil(page * len(places) / pages) : math.ceil((page + 1) * len(places) / pages)]
        shown_games = [games[key] for key in shown_keys if key]
        cards = session_cards([game for game in shown_games if isinstance(game, GameSession)], MAX_BOARDS)
        cards += self.running_boards.cards_of([game for game in shown_games if isinstance(game, LiveGame)])[0]
        cards_by_key = {card.key: card for card in cards}
        page_words = f", page {page + 1} of {pages}" if pages > 1 else ""
        return [cards_by_key.get(key) for key in shown_keys], page_words

    def _last_cards(self, runs: Sequence[Run]) -> list[BoardCard]:
        """Return cards of the last games of these runs."""
        recent_games = list[PlayedGame]()
        for run in runs:
            for summary in queries.find_games(self.context.store, queries.GameQuery(run=run.name), _MAX_LAST_GAMES):
                with suppress(UserError):  # the game has been deleted
                    recent_games.append(self.context.store.game(summary.key))
        return played_cards(recent_games)

    def show_game(self, request: Request) -> Response:
        """Show a running game; redirect to the archive for a finished one."""
        key = request.path_params["key"]
        running_game = self._find_game(key)
        view = None if running_game is None else self._view(running_game)
        if running_game is None or view is None:
            with suppress(UserError):
                return RedirectResponse(f"/games/{self.context.store.game(key).key}", 303)
            error = UserError("There is no such game.", "It may have been interrupted.")
            return self.context.error_response(request, error, "/watch", 404)
        return self.context.render_page(
            request,
            "live.html",
            "/watch",
            title=" – ".join(map(display_name, running_game.names)),
            about=running_game.description,
            status_line=view.status,
            thinking=seconds_since(view.thinking_since),
            events=f"/watch/{key}/events",
            live_part=view.text,
        )

    def _find_game(self, key: str) -> RunningGame | None:
        return RunningGame(self.folder / f"{key}.jsonl") if _GAME_KEY.fullmatch(key) else None

    def _view(self, running_game: RunningGame, version: int | None = None) -> LiveView | None:
        """Return the current view of the game. version: the version that readers have, or None if they have none.

        Returns None if the game has not changed since that version. If `version` is None, returns None for a game that
        is not running.
        """
        if running_game.read_events():
            if running_game.version == version:
                return None
            return LiveView(
                running_game.version,
                running_game.status_line,
                self._render_board(running_game),
                running_game.last_event_at,
            )
        if version is None:
            return None
        try:
            played_game = self.context.store.game(running_game.path.stem)
        except UserError:
            return LiveView(
                version + 1, running_game.end_sentence, self._render_board(running_game), None, is_last=True
            )
        view = replay_board(
            played_game, played_game.positions(), len(played_game.plies)
        )  # the live file may miss the last moves
        view = replace(
            view, links={f"/games/{played_game.key}": "Replay", f"/games/{played_game.key}?review=1": "Review"}
        )
        words = f"The game is over: {ending_sentence(played_game, format_name=display_name)}"
        return LiveView(
            version + 1, words, self.context.render_part("_board_view.html", shown=view), None, is_last=True
        )

    def _render_board(self, running_game: RunningGame) -> str:
        return self.context.render_part("_board_view.html", shown=running_game.board_view())

    async def stream_game(self, request: Request) -> Response:
        """Stream the changes of a running game."""
        key = request.path_params["key"]
        running_game = self._find_game(key)
        if running_game is None or not await run_sync(running_game.read_events):
            return self.context.redirect_live_page(f"/watch/{key}")

        def make_view(version: int | None) -> LiveView | None:
            return self._view(running_game, version)

        return self.context.stream_response(
            self.context.polled_channels.events(
                f"game {key}", make_view, _GAME_POLL_SECONDS, last_seen_version(request)
            )
        )

    def redirect_to_list(self, request: Request) -> Response:
        """Redirect to the list of tournaments and matches."""
        return RedirectResponse("/watch", 303)

    def show_run(self, request: Request) -> Response:
        """Show the table of a tournament or match."""
        run = self.context.requested_run(request)
        status_line, live_part = self._run_content(run)
        return self.context.render_page(
            request, "run.html", "/watch", name=run.name, status_line=status_line, live_part=live_part
        )

    def save_players(self, request: Request) -> Response:
        """Return the players of a tournament or match as a CSV file."""
        return self.context.csv_response(
            players_csv(self._standings(self.context.requested_run(request))), "players.csv"
        )

    def save_games(self, request: Request) -> Response:
        """Return the games of a tournament or match as a CSV file."""
        rows = game_rows(self.context.store, self.context.requested_run(request))
        return self.context.csv_response(games_csv(rows), "games.csv")

    def _run_content(self, run: Run) -> StatusAndText:
        """Return the status line of a tournament, and its table with the boards of running games."""

        def state() -> object:
            return self._fingerprint(run), self._standings(run)

        return self._content_cache.get(run.name, state, lambda: self._render_run(run), _POLL_SECONDS)

    def _standings(self, run: Run) -> Standings:
        """Return the standings of a run. If its ratings are slow to compute, they may be some seconds out of date."""
        return self._standings_cache.get(
            run.name,
            lambda: (run.planned_games, self.context.store.count_games(run)),
            lambda: compute_standings(self.context.store, run),
        )

    def _render_run(self, run: Run) -> StatusAndText:
        table = self._standings(run)
        run_games = [game for game in live_games(self.folder) if game.run == run.name]
        games_played = (
            f"{table.finished_games} of {table.planned_games}" if table.planned_games else str(table.finished_games)
        )
        status = f"{games_played} game{'s' * ((table.planned_games or table.finished_games) != 1)} played."
        cards, other_games = self.running_boards.cards_of(run_games)
        remarks = [f"{len(other_games)} more games are running."] if other_games else []
        if not cards:  # short games end before anybody sees them, so the page shows the last ones
            cards = self._last_cards([run])
        text = self.context.render_part(
            "_standings.html",
            rows=standings_rows(table),
            lead=table.lead is not None,
            verdict=standings_summary(table),
            rounds=rounds_text(table) if table.rounds else "",
            is_bracket=has_bracket(table),
            remarks=remarks,
            notes=[note for note in standings_notes(table) if note],
            cards=cards,
        )
        return f"{status} {len(run_games)} running." if run_games else status, text

    async def stream_run(self, request: Request) -> Response:
        """Stream the changes of the table of a tournament or match."""
        run = await run_sync(self.context.requested_run, request)
        make_view = none_if_unchanged(lambda: self._run_content(run))
        return self.context.stream_response(
            self.context.polled_channels.events(f"run {run.name}", make_view, _POLL_SECONDS, None)
        )

    def _fingerprint(self, run: Run | None = None) -> object:
        """Return values that change whenever the page of this run changes. Without a run: the page of all games.

        These values are faster to compute than the page.
        """
        return (
            [
                (run.name, run.planned_games, self.context.store.count_games(run))
                for run in ((run,) if run else self.context.store.runs()[:_MAX_RUNS])
            ],
            [
                (game.key, game.move_count, game.has_ended)
                for game in live_games(self.folder)
                if run is None or game.run == run.name
            ],
            [(session.key, session.version) for session in self.context.sessions.active_sessions()]
            if run is None
            else None,
        )
