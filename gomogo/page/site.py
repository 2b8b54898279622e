"""What all pages share: the templates, the room, the store, the channels; and how an answer is made.

Knows requests; no page by name.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse

from gomogo.page.live import Channel, Followed, View
from gomogo.page.room import Room
from gomogo.page.shown import called
from gomogo.page.sitting import NeedsWord, Refused, Sitting
from gomogo.page.terms import Terms
from gomogo_core.drawing.text import visible
from gomogo_core.errors import UserError
from gomogo_core.games.base import Seat
from gomogo_core.records.store import Store

_FOLDER = Path(__file__).parent
_PLAYING = 409
MOST_LISTENING = 1000  # browsers that follow something live, together


class Site:
    """One page server. person: what somebody is called who gives no name."""

    def __init__(self, store: Store, terms: Terms, person: str = "guest") -> None:
        self.store, self.terms, self.person = store, terms, person
        self.room = Room(store, terms, self._changed)
        self.followed = Followed()
        self.listening = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._channels: dict[str, dict[tuple[Seat, ...], Channel]] = {}
        self._views: Callable[[Sitting, Sequence[Seat]], View] | None = None
        self._templates = Environment(
            loader=FileSystemLoader(_FOLDER / "templates"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=StrictUndefined,
        )
        self._templates.finalize = _shown
        self._templates.filters["called"] = called

    # Answers

    def part(self, template: str, **values: Any) -> Markup:
        """A piece of a page."""
        return Markup(self._templates.get_template(template).render(values))

    def page(self, request: Request, template: str, here: str = "", status: int = 200, **values: Any) -> Response:
        """A whole page."""
        shared = {"token": request.state.token, "here": here}
        return HTMLResponse(self._templates.get_template(template).render({**shared, **values}), status)

    def refuse(self, request: Request, wrong: UserError, back: str = "/", status: int = _PLAYING) -> Response:
        """Say in words why something is not done. What a rule of the game refuses is no fault of the request's."""
        ask = isinstance(wrong, NeedsWord)
        if wants_json(request):
            body = {"refused": visible(wrong.what), "remedy": visible(wrong.remedy), "ask": ask}
            return JSONResponse(body, 200 if ask or (isinstance(wrong, Refused) and status == _PLAYING) else status)
        form = None
        if ask:
            fields = {name: values[0] for name, values in request.state.form.items() if name != "token" and values}
            form = {"action": request.url.path, "fields": {**fields, "sure": "1"}, "words": "Play it all the same"}
        return self.page(
            request, "message.html", status=status, what=wrong.what, remedy=wrong.remedy, back=back, form=form
        )

    def done(self, request: Request, said: str = "", go: str = "", back: str = "/") -> Response:
        """Say what was done, or where to go on."""
        if wants_json(request):
            return JSONResponse({"said": visible_lines(said), "go": go})
        if said:
            return self.page(request, "message.html", what="Gomogo", remedy=said, back=back, form=None)
        return RedirectResponse(go or back, 303)

    def stream(self, events: AsyncIterator[bytes]) -> Response:
        """Server-sent events."""
        if self.listening >= MOST_LISTENING:
            raise HTTPException(503, "Too many look on just now.")
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(self._counted(events), media_type="text/event-stream", headers=headers)

    async def _counted(self, events: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        self.listening += 1
        try:
            async for event in events:
                yield event
        finally:
            self.listening -= 1

    # What changes

    def begin(self, views: Callable[[Sitting, Sequence[Seat]], View]) -> None:
        """Start, on the running event loop. views: how a sitting looks to those who have some seats."""
        self._loop, self._views = asyncio.get_running_loop(), views

    def channel(self, sitting: Sitting, seats: tuple[Seat, ...]) -> Channel:
        """What those follow who have these seats."""
        assert self._views is not None
        with sitting.lock:
            channels = self._channels.setdefault(sitting.key, {})
            channel = channels.get(seats)
            if channel is None:
                channel = channels[seats] = Channel()
                self._show(channel, self._views(sitting, seats))
        return channel

    def _changed(self, sitting: Sitting) -> None:
        """Show everybody a sitting that has changed; called in its lock, and in any thread."""
        if self._views is None:
            return
        for seats, channel in list(self._channels.get(sitting.key, {}).items()):
            self._show(channel, self._views(sitting, seats))

    def _show(self, channel: Channel, view: View) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(channel.show, view)

    async def follow(self, sitting: Sitting, seats: tuple[Seat, ...], seen: int | None) -> AsyncIterator[bytes]:
        """The events of a sitting for those who have these seats."""
        channel = await asyncio.to_thread(self.channel, sitting, seats)
        try:
            async for event in channel.events(seen):
                yield event
        finally:
            if not channel.read_by:
                await asyncio.shield(asyncio.to_thread(self._forget, sitting, seats, channel))

    def _forget(self, sitting: Sitting, seats: tuple[Seat, ...], channel: Channel) -> None:
        with sitting.lock:
            channels = self._channels.get(sitting.key, {})
            if not channel.read_by and channels.get(seats) is channel:
                del channels[seats]
                if not channels:
                    del self._channels[sitting.key]

    async def end(self) -> None:
        """Stop: send agents home, and all who look on."""
        for channels in list(self._channels.values()):
            for channel in channels.values():
                channel.close()
        self.followed.close()
        await asyncio.to_thread(self.room.close)


def _shown(value: object) -> object:
    """Texts of strangers without what would not be seen; markup of ours as it is."""
    return visible_lines(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def visible_lines(text: str) -> str:
    """`text` with unprintable signs written out, but for the ends of lines."""
    return "\n".join(visible(line) for line in text.split("\n"))


def wants_json(request: Request) -> bool:
    """Whether our own script asks."""
    return "application/json" in request.headers.get("accept", "")


def seen_by(request: Request) -> int | None:
    """The version of a live piece that the browser had before its connection broke."""
    text = request.headers.get("last-event-id", "")
    return int(text) if text.isdecimal() and len(text) < 16 else None


def field(form: Mapping[str, Sequence[str]], name: str) -> str:
    """A form's field, or ""."""
    return next(iter(form.get(name, ())), "")
