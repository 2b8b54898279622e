"""The context that all pages share: templates, sessions, store, channels of live pages, and functions for responses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any, TypeVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from gomogo.design import GRADIENTS
from gomogo.page.analysis.pool import AnalysisPool
from gomogo.page.board_view import game_title
from gomogo.page.play.sessions import SessionRegistry
from gomogo.page.server.settings import PageSettings
from gomogo.page.server.sse import Channel, LiveView, PolledChannels
from gomogo.text.names import display_name
from gomogo_core.drawing.text import printable
from gomogo_core.errors import UserError
from gomogo_core.games.base import Reason, Seat
from gomogo_core.puzzles.lessons import lesson_lengths
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.store import Run, Store
from gomogo_core.session.actions import ActionRefused, NeedsConfirmation
from gomogo_core.session.game_session import GameSession

_PAGE_FOLDER = Path(__file__).parent.parent
_CONFLICT = 409
MAX_LIVE_CONNECTIONS = 1000  # to live pages, at a time
_FoundObject = TypeVar("_FoundObject")


class NotFound(UserError):
    """The error for a URL whose game, session or other object does not exist. back_url: the page to return to."""

    def __init__(self, error: UserError, back_url: str) -> None:
        super().__init__(error.problem, error.remedy)
        self.back_url = back_url


class ClosedStream(StreamingResponse):
    """A streaming response whose generator is closed at the end of the connection, not by the garbage collector."""

    def __init__(self, content: AsyncGenerator[bytes], **options: Any) -> None:
        super().__init__(content, **options)
        self._content = content

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream until it ends or the connection is closed."""
        async with aclosing(self._content):
            await super().__call__(scope, receive, send)


class PageContext:
    """The state of a page server.

    navigation: the URLs and labels of the links on every page.
    """

    def __init__(self, store: Store, settings: PageSettings, navigation: Mapping[str, str]) -> None:
        self.store, self.settings = store, settings
        self.sessions = SessionRegistry(store, settings, self._on_session_changed)
        self.polled_channels = PolledChannels()
        self.class_url: Callable[[str], str] = lambda _: ""  # returns the URL of the class for its members and teachers
        # returns the URL of a student's running game in the class, "" if the student waits; None for other visitors
        self.class_game_url: Callable[[str], str | None] = lambda _: None
        self.analysis_pool = AnalysisPool(settings.max_analyses, settings.sandbox)
        self.viewer_count = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._channels: dict[str, dict[tuple[Seat, ...], Channel]] = {}
        self._render_live: Callable[[GameSession, Sequence[Seat]], LiveView] | None = None
        self._templates = Environment(
            loader=FileSystemLoader(_PAGE_FOLDER / "templates"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=StrictUndefined,
        )
        self._templates.finalize = _escape_value  # Jinja calls this function with each value that a template prints
        self._templates.filters.update(game_title=game_title, display_name=display_name, as_reason=Reason)
        self._templates.globals.update(
            gradients=Markup(GRADIENTS), navigation=navigation, lesson_lengths=lesson_lengths()
        )

    # These methods find the object that a URL names. They raise NotFound (status 404) if there is no such object.

    def requested_session(self, request: Request) -> GameSession:
        """Return the session that the URL names."""
        return _find_or_not_found(self.sessions.find, request.path_params["key"], "/", "There is no such game.")

    def requested_game(self, request: Request) -> PlayedGame:
        """Return the stored game that the URL names."""
        return _find_or_not_found(self.store.game, request.path_params["key"], "/games", "There is no such game.")

    def own_seat(self, request: Request, key: str) -> Seat | None:
        """Return the visitor's seat in a session; None if the visitor has no seat or several, or if there is no such
        session.
        """
        try:
            seats = self.sessions.find(key).seats_of(request.state.visitor)
        except UserError:
            return None
        return seats[0] if len(seats) == 1 else None

    def requested_run(self, request: Request) -> Run:
        """Return the stored run that the URL names."""
        return _find_or_not_found(
            self.store.run, request.path_params["name"], "/watch", "There is no such tournament or match."
        )

    # Responses

    def render_part(self, template: str, **values: Any) -> Markup:
        """Render a part of a page."""
        return Markup(self._templates.get_template(template).render(values))

    def render_page(
        self, request: Request, template: str, active_path: str = "", status: int = 200, **values: Any
    ) -> Response:
        """Render a whole page."""
        shared = {
            "token": request.state.token,
            "active_path": active_path,
            "class_url": self.class_url(request.state.visitor) or (active_path if active_path == "/class" else ""),
            "class_game_url": self.class_game_url(request.state.visitor),
        }
        return HTMLResponse(self._templates.get_template(template).render({**shared, **values}), status)

    def error_response(
        self,
        request: Request,
        error: UserError,
        back_url: str = "/",
        status: int = _CONFLICT,
        *,
        must_wait: bool = False,
        board: str = "",
        captures: bool = False,
    ) -> Response:
        """Respond with an error message. back_url: the page to return to. must_wait: whether the browser requests the
        page again until there is no error. board: the picture that the script shows during a question; empty for none.
        captures: whether the script offers to capture dead stones.

        If the script requested the action and a rule of the game refuses it, the status is 200, since the request is
        valid.
        """
        needs_confirmation = isinstance(error, NeedsConfirmation)
        problem, remedy = self._hide_store_folder(error.problem), self._hide_store_folder(error.remedy)
        if wants_json(request):
            words = {"refused": printable(problem), "remedy": printable(remedy)}
            return JSONResponse(
                {**words, "ask": needs_confirmation, "board": board, "captures": captures},
                200 if needs_confirmation or (isinstance(error, ActionRefused) and status == _CONFLICT) else status,
            )
        form = None
        if needs_confirmation:
            fields = {name: values[0] for name, values in request.state.form.items() if name != "token" and values}
            form = {"action": request.url.path, "fields": {**fields, "sure": "1"}, "label": remedy.removesuffix("?")}
        return self.render_page(
            request,
            "message.html",
            status=status,
            heading=problem,
            remedy=remedy,
            back_url=back_url,
            form=form,
            must_wait=must_wait,
        )

    def success_response(
        self, request: Request, message: str = "", redirect_url: str = "", back_url: str = "/"
    ) -> Response:
        """Respond to a successful action with a message, if there is one; else redirect to `redirect_url`, or to
        `back_url` if that is empty.
        """
        if wants_json(request):
            return JSONResponse({"said": escape_unprintable(message), "go": redirect_url})
        if message:
            return self.render_page(
                request, "message.html", heading="Gomogo", remedy=message, back_url=back_url, form=None
            )
        return RedirectResponse(redirect_url or back_url, 303)

    def _hide_store_folder(self, text: str) -> str:
        """Return `text` without the path of the store's folder, which visitors need not know."""
        folders = {self.store.folder, self.store.folder.resolve()}
        for folder in folders:
            if folder.is_absolute():
                text = text.replace(f"{folder}/", "")
        return text

    def file_response(self, content: bytes | str, name: str) -> Response:
        """Respond with a file for download."""
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type="application/octet-stream", headers=headers)

    def csv_response(self, table: str, name: str) -> Response:
        """Respond with a CSV table for download."""
        # without the byte order mark, spreadsheets read the letters of names in another encoding
        return self.file_response(f"\ufeff{table}", name)

    def stream_response(self, events: AsyncGenerator[bytes]) -> Response:
        """Respond with a stream of server-sent events. Raises HTTPException if there are too many viewers."""
        if self.viewer_count >= MAX_LIVE_CONNECTIONS:
            raise HTTPException(503, "Too many viewers.")
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return ClosedStream(self._count_viewer(events), media_type="text/event-stream", headers=headers)

    def redirect_live_page(self, url: str, status_line: str = "This game was deleted.") -> Response:
        """Respond to a live page whose game does not exist any more, or whose visitor has other seats now. The page
        then loads another URL.
        """
        return self.stream_response(self.redirect_events(url, status_line))

    def redirect_events(self, url: str, status_line: str) -> AsyncGenerator[bytes]:
        """Return the last events of a live page, which then loads another URL. status_line: the status until then."""
        channel = Channel()
        channel.publish(LiveView(0, status_line, self.render_part("_deleted.html", url=url), is_last=True))
        return channel.events()

    async def _count_viewer(self, events: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
        self.viewer_count += 1
        try:
            async with aclosing(events):
                async for event in events:
                    yield event
        finally:
            self.viewer_count -= 1

    # Live pages

    def connect_to_loop(self, render_live: Callable[[GameSession, Sequence[Seat]], LiveView]) -> None:
        """Connect the context to the running event loop. render_live: returns the changing part of a session's page for
        the owner of some seats.
        """
        self._loop, self._render_live = asyncio.get_running_loop(), render_live

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The event loop of the running server."""
        assert self._loop is not None
        return self._loop

    def session_channel(self, session: GameSession, seats: tuple[Seat, ...]) -> Channel:
        """Return the channel that sends the changes of a session's page to the owner of these seats."""
        assert self._render_live is not None
        with session.lock:
            channels = self._channels.setdefault(session.key, {})
            channel = channels.get(seats)
            if channel is None:
                channel = channels[seats] = Channel()
                self._publish_view(channel, self._render_live(session, seats))
        return channel

    def _on_session_changed(self, session: GameSession) -> None:
        """Show a changed session to all its viewers. Called under the session's lock, in any thread."""
        if self._render_live is None:
            return
        for seats, channel in list(self._channels.get(session.key, {}).items()):
            self._publish_view(channel, self._render_live(session, seats))

    def _publish_view(self, channel: Channel, view: LiveView) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(channel.publish, view)

    async def session_events(
        self, session: GameSession, seats: tuple[Seat, ...], seen_version: int | None
    ) -> AsyncGenerator[bytes]:
        """Yield the events of a session for the owner of these seats."""
        channel = await asyncio.to_thread(self.session_channel, session, seats)
        has_shown_presence = False
        try:
            # the generator is closed at once, so that a player who left does not count as a reader below
            async with aclosing(channel.events(seen_version)) as events:
                async for event in events:
                    if not has_shown_presence:
                        has_shown_presence = True
                        await asyncio.to_thread(self._show_presence, session, seats)
                    yield event
        finally:
            if not channel.reader_count:
                await asyncio.shield(asyncio.to_thread(self._remove_channel, session, seats, channel))

    def present_seats(self, session: GameSession) -> set[Seat]:
        """Return the seats of humans whose page is open. The caller must hold the session's lock."""
        channels = self._channels.get(session.key, {})
        return {seat for seats, channel in channels.items() if channel.reader_count for seat in seats}

    def _show_presence(self, session: GameSession, seats: tuple[Seat, ...]) -> None:
        """Show to the other humans of a session that a player has opened or closed the page."""
        if seats and len(set(session.visitors().values())) > 1:
            with session.lock:
                session.mark_changed()
                self._on_session_changed(session)

    def _remove_channel(self, session: GameSession, seats: tuple[Seat, ...], channel: Channel) -> None:
        self._show_presence(session, seats)
        with session.lock:
            channels = self._channels.get(session.key, {})
            if not channel.reader_count and channels.get(seats) is channel:
                del channels[seats]
                if not channels:
                    del self._channels[session.key]

    def close_channels(self) -> None:
        """Close the connections of all live pages. The browsers will reconnect to the next server."""
        for channels in list(self._channels.values()):
            for channel in channels.values():
                channel.close()
        self.polled_channels.close()

    async def close(self) -> None:
        """Close the connections of all live pages, and stop all agents."""
        self.close_channels()
        await self.analysis_pool.close()
        await asyncio.to_thread(self.sessions.close)


def _escape_value(value: object) -> object:
    """Escape the unprintable characters of a text in a template; markup stays as it is."""
    return escape_unprintable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def escape_unprintable(text: str) -> str:
    """Return `text` with unprintable characters escaped, except line ends."""
    return "\n".join(printable(line) for line in text.split("\n"))


def wants_json(request: Request) -> bool:
    """Return whether the page's script sent the request."""
    return "application/json" in request.headers.get("accept", "")


def last_seen_version(request: Request) -> int | None:
    """Return the last version of the live page that a reconnecting browser has seen, or None."""
    text = request.headers.get("last-event-id", "")
    return int(text) if text.isdecimal() and len(text) < 16 else None


def form_field(form: Mapping[str, Sequence[str]], name: str) -> str:
    """Return the first value of a field; an empty text if the form has no such field."""
    return next(iter(form.get(name, ())), "")


def _find_or_not_found(find: Callable[[str], _FoundObject], name: str, back_url: str, missing: str) -> _FoundObject:
    """Return `find(name)`. If there is no such object, raise NotFound with the message `missing`. The message
    does not name the store, since visitors do not know it.
    """
    try:
        return find(name)
    except UserError:
        remedy = "Check the address: it may be incomplete, or name something that was deleted."
        raise NotFound(UserError(missing, remedy), back_url) from None
