"""The page server as an ASGI application, which contains all groups of pages. Each group has its own package."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from gomogo.design import design_style
from gomogo.page.analysis.pages import AnalysisPages
from gomogo.page.archive.pages import ArchivePages
from gomogo.page.play.classroom import Classroom
from gomogo.page.play.pages import PlayPages
from gomogo.page.play.start import StartPages
from gomogo.page.play.student_pages import StudentPages
from gomogo.page.play.teacher_pages import TeacherPages
from gomogo.page.puzzles.pages import PuzzlePages
from gomogo.page.server.context import NotFound, PageContext
from gomogo.page.server.middleware import RequestGuard
from gomogo.page.server.settings import PageSettings
from gomogo.page.train.pages import TrainPages
from gomogo.page.train.trainings import Trainings
from gomogo.page.watch.pages import SpectatorPages
from gomogo_core.errors import UserError
from gomogo_core.folders import data_folder
from gomogo_core.records.sessions import load_class, save_class
from gomogo_core.records.store import Store

_CHECK_SECONDS = 1.0  # seconds between two checks for games without a first move
# the links at the top of every page, in their order
_NAVIGATION = {
    "/": "Play",
    "/watch": "Watch",
    "/games": "Games",
    "/puzzles": "Puzzles",
    "/analysis": "Analysis",
    "/agents": "Agents",
}
_STATIC = Path(__file__).parent / "static"


def create_application(store: Store, settings: PageSettings, *, with_class: bool = False) -> Starlette:
    """Return the application of the page server.

    store: an open store; the caller closes it. Live files are in the folder `live` beside it. with_class: whether there
    are pages for a class. The secret part of the teacher's URL is `state.classroom.secret`.
    """
    context = PageContext(store, settings, _NAVIGATION)
    live_folder = store.folder / "live"
    classroom = _classroom(context) if with_class else None
    if classroom:
        context.class_url, context.class_game_url = classroom.class_url, classroom.class_game_url
    start_pages = StartPages(context, live_folder)
    play_pages = PlayPages(context, classroom)
    spectator_pages = SpectatorPages(context, live_folder, classroom)
    analysis_pages = AnalysisPages(context, classroom)

    # a training needs a core for minutes, so only a user of this computer may start one
    trainings = Trainings(data_folder() / "training") if settings.hosts else None

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        context.connect_to_loop(play_pages.render_live)
        canceller = asyncio.create_task(_cancel_unstarted_games(context, classroom))
        try:
            yield
        finally:
            canceller.cancel()
            await context.close()
            if trainings:
                await asyncio.to_thread(trainings.close)

    def respond_to_http_error(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        messages = {
            404: UserError("This page does not exist.", "Go to the start page."),
            405: UserError("The page does not support this request.", "Use the page's own links and buttons."),
            503: UserError("Too many viewers.", "Try again in a minute."),
        }
        return context.error_response(
            request, messages.get(status, UserError("The server failed to answer.", "Try again.")), status=status
        )

    def respond_to_error(request: Request, error: Exception) -> Response:
        if isinstance(error, NotFound):
            return context.error_response(request, error, error.back_url, 404)
        if isinstance(error, UserError):
            return context.error_response(request, error, status=400)
        return respond_to_http_error(request, error)

    app = Starlette(
        routes=[
            *start_pages.routes(),
            *play_pages.routes(),
            *spectator_pages.routes(),
            *ArchivePages(context, classroom).routes(),
            *analysis_pages.routes(),
            *PuzzlePages(context, analysis_pages.check_not_playing).routes(),
            *(TrainPages(context, trainings).routes() if trainings else ()),
            *(StudentPages(context, classroom).routes() if classroom else ()),
            *(TeacherPages(context, classroom).routes() if classroom else ()),
            Route("/health", _health),
            Route("/static/design.css", _design),
            Mount("/static", StaticFiles(directory=_STATIC)),
        ],
        middleware=[Middleware(RequestGuard, hosts=settings.hosts)],
        exception_handlers={HTTPException: respond_to_http_error, UserError: respond_to_error, 500: respond_to_error},
        lifespan=lifespan,
    )
    app.state.context, app.state.classroom = context, classroom
    return app


def _classroom(context: PageContext) -> Classroom:
    """Return the class of the store, or a new one."""
    classroom = Classroom(context.sessions, partial(save_class, context.store))
    if (plain := load_class(context.store)) is not None:
        classroom.restore_from_json(plain)
    return classroom


async def _cancel_unstarted_games(context: PageContext, classroom: Classroom | None) -> None:
    while True:
        await asyncio.sleep(_CHECK_SECONDS)
        with suppress(UserError):  # if the store fails once, the next check follows
            await asyncio.to_thread(context.sessions.cancel_unstarted_games)
            if classroom:
                await asyncio.to_thread(classroom.cancel_unstarted_games)


def _health(_: Request) -> Response:
    return PlainTextResponse("ok\n")


def _design(_: Request) -> Response:
    return Response(design_style(), media_type="text/css", headers={"Cache-Control": "max-age=300"})
