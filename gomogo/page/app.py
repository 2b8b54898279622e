"""The whole page server, as an ASGI application.

Knows which pages there are; each has its own module.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from gomogo.page.guard import Guard
from gomogo.page.lobby import Lobby
from gomogo.page.playing import Playing
from gomogo.page.site import Site
from gomogo.page.terms import Terms
from gomogo.page.watching import Watching
from gomogo.report.page import charts_style
from gomogo_core.drawing.svg import stylesheet
from gomogo_core.errors import UserError
from gomogo_core.records.store import Store

_STATIC = Path(__file__).parent / "static"


def application(store: Store, terms: Terms, *, person: str = "guest", live: Path | None = None) -> Starlette:
    """The application. store: open, and left open. live: the folder of live files, by default that of the store."""
    site = Site(store, terms, person)
    playing = Playing(site)
    watching = Watching(site, live or store.folder / "live")

    @asynccontextmanager
    async def living(_: Starlette) -> AsyncIterator[None]:
        site.begin(playing.view)
        try:
            yield
        finally:
            await site.end()

    def missing(request: Request, wrong: Exception) -> Response:
        status = wrong.status_code if isinstance(wrong, HTTPException) else 500
        words = {
            404: UserError("There is no such page.", "Begin at the first one."),
            405: UserError("That cannot be done.", "Use the page's own links and buttons."),
            503: UserError("Too many look on just now.", "Try again in a minute."),
        }
        return site.refuse(request, words.get(status, UserError("That went wrong here.", "Try again.")), status=status)

    def fault(request: Request, wrong: Exception) -> Response:
        if isinstance(wrong, UserError):
            return site.refuse(request, wrong, status=400)
        return missing(request, wrong)

    app = Starlette(
        routes=[
            *playing.routes(),
            *watching.routes(),
            *Lobby(site).routes(),
            Route("/health", _health),
            Route("/static/board.css", _board_style),
            Route("/static/charts.css", _charts_style),
            Mount("/static", StaticFiles(directory=_STATIC)),
        ],
        middleware=[Middleware(Guard, hosts=terms.hosts)],
        exception_handlers={HTTPException: missing, UserError: fault, 500: fault},
        lifespan=living,
    )
    app.state.site = site
    return app


def _health(_: Request) -> Response:
    return PlainTextResponse("ok\n")


def _board_style(_: Request) -> Response:
    return _style(stylesheet())


def _charts_style(_: Request) -> Response:
    return _style(charts_style())


def _style(rules: str) -> Response:
    return Response(rules, media_type="text/css", headers={"Cache-Control": "max-age=300"})
