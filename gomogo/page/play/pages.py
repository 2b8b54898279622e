"""The pages for playing: start a game, join one, move, and ask for undo, hint or explanation.

Knows requests and sessions; makes no verdict.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from inspect import getdoc
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from gomogo.page.board_view import board, called, rules_of, seconds_shown, status_of, thinking_since, view_of_session
from gomogo.page.play.new_game import fields, name_beside, seats_of, session_of
from gomogo.page.server.context import PageContext, field, seen_by
from gomogo.page.server.sse import View, thought
from gomogo.text.game_words import ended, ending
from gomogo_core import games, levels
from gomogo_core.errors import UserError
from gomogo_core.games.base import Seat
from gomogo_core.session.game_session import ActionRefused, GameSession

_HINT_TIME = 2.0  # seconds
_HINTS_AT_ONCE = 2
_ACTS = (
    ("undo", "Undo"),
    ("hint", "Hint"),
    ("explain", "Explain"),
    ("resign", "Resign"),
    ("delete", "Delete this game"),
)


class PlayPages:
    """The handlers of the pages for playing."""

    def __init__(self, context: PageContext) -> None:
        self.context, self.sessions = context, context.sessions
        self._hints = threading.Semaphore(_HINTS_AT_ONCE)

    def routes(self) -> list[Route]:
        """Return the routes of the handlers."""
        return [
            Route("/", self.home),
            Route("/play", self.begin, methods=["POST"]),
            Route("/play/{key}", self.table),
            Route("/play/{key}/events", self.events),
            Route("/play/{key}/{act}", self.act, methods=["POST"]),
            Route("/join/{key}/{invite}", self.join),
            Route("/join/{key}/{invite}", self.sit_down, methods=["POST"]),
        ]

    def home(self, request: Request) -> Response:
        """Show the form for a new game, and the visitor's games."""
        name = request.query_params.get("game") or "gomoku"
        try:
            games.rules(name)  # before anything is looked for under a stranger's name
            known = levels.levels(name)
        except UserError as wrong:
            return self.context.refuse(request, wrong, status=404)
        return self.context.page(
            request,
            "home.html",
            "/",
            games=games.names(),
            game=name,
            about=_about(name),
            preview=board(
                games.load(name).start(), None, interactive=False, spoken=False, title=f"The board of {called(name)}"
            ),
            fields=fields(name),
            seats=seats_of(name),
            levels=known,
            agents=self.context.settings.agents_for(name),
            person=self.context.person,
            visitor=request.state.visitor,
            mine=self.sessions.of(request.state.visitor),
        )

    def begin(self, request: Request) -> Response:
        """Start the game of the form."""
        context, visitor = self.context, request.state.visitor
        try:
            session = session_of(request.state.form, visitor, context.store, context.settings, context.person)
            self.sessions.begin(session, visitor)
        except UserError as wrong:
            return context.refuse(request, wrong, status=400)
        return context.done(request, go=f"/play/{session.key}")

    def table(self, request: Request) -> Response:
        """Show a game to a visitor."""
        try:
            session = self.sessions.find(request.path_params["key"])
        except UserError as wrong:
            return self.context.refuse(request, wrong, status=404)
        seats = session.seats_of(request.state.visitor)
        if session.needs_referee:
            self.sessions.go_on(session)
        with session.lock:
            view = self.view(session, seats)
            values = self._frame(request, session, seats)
        return self.context.page(
            request, "play.html", line=view.status, table=view.text, thinking=thought(view), **values
        )

    def _frame(self, request: Request, session: GameSession, seats: Sequence[Seat]) -> dict[str, Any]:
        """Return the values around the part that changes."""
        game = session.game
        limits = [
            f"{seat_info.name} has {seconds_shown(seat_info.seconds)} a move"
            for seat_info in session.seat_infos
            if seat_info.seconds
        ]
        base = str(request.base_url).rstrip("/")
        return {
            "key": session.key,
            "title": " – ".join(session.names),
            "about": ". ".join([rules_of(game), *limits]) + ".",
            "seats": seats,
            "invites": [
                {"name": seat_info.name, "link": f"{base}/join/{session.key}/{seat_info.invite}"}
                for seat_info in session.seat_infos
                if seat_info.free and seats
            ],
            "example": next((game.format(move) for move in session.position.moves()), ""),
            "acts": _ACTS,
            "diagram": session.position.diagram(),
        }

    def view(self, session: GameSession, seats: Sequence[Seat]) -> View:
        """Return the part that changes, for the owner of these seats. Call it under the session's lock."""
        result, links = "", dict[str, str]()
        if session.stored:
            played = self.context.store.game(session.key)
            result = ending(played, seats[0] if len(seats) == 1 else None)
            key = session.key
            links = {
                f"/games/{key}": "Replay",
                f"/games/{key}/review": "Review",
                f"/?game={session.game.name}": "Again",
            }
        elif (outcome := session.outcome or session.position.outcome()) is not None:  # its record is being written
            you = seats[0] if len(seats) == 1 else None
            left = session.left[: len(session.left) - (session.ended_by is not None)]
            result = ended(outcome, session.names, session.standing(), left, you)
        shown = view_of_session(session, seats, links=links)
        text = self.context.part("_table.html", shown=shown)
        return View(session.version, status_of(session, seats, result), text, thinking_since(session), session.deleted)

    async def events(self, request: Request) -> Response:
        """Stream the changes of a game."""
        from anyio.to_thread import run_sync

        try:
            session = await run_sync(self.sessions.find, request.path_params["key"])
        except UserError as wrong:
            return self.context.refuse(request, wrong, status=404)
        if session.needs_referee:  # who comes back by themselves, after the server was away, load no page
            await run_sync(self.sessions.go_on, session)
        seats = session.seats_of(request.state.visitor)
        return self.context.stream(self.context.follow(session, seats, seen_by(request)))

    def act(self, request: Request) -> Response:
        """Carry out a visitor's action in a game."""
        key, act, visitor = request.path_params["key"], request.path_params["act"], request.state.visitor
        here = f"/play/{key}"
        acts = {
            "move": self._move,
            "undo": self._undo,
            "resign": self._resign,
            "hint": self._hint,
            "explain": self._explain,
            "delete": self._delete,
        }
        if act not in acts:
            return self.context.refuse(
                request, ActionRefused("The page does not support this request.", "Use the page's buttons."), here, 404
            )
        try:
            session = self.sessions.find(key)
        except UserError as wrong:
            return self.context.refuse(request, wrong, status=404)
        if not session.seats_of(visitor):
            stranger = ActionRefused("You do not play in this game.", "Begin one of your own.")
            return self.context.refuse(request, stranger, here, 403)
        try:
            said = acts[act](request, session, visitor)
        except UserError as wrong:
            return self.context.refuse(request, wrong, here)
        return self.context.done(request, said, "/" if session.deleted else "", here)

    def _move(self, request: Request, session: GameSession, visitor: str) -> str:
        form = request.state.form
        text, sure = field(form, "move")[:40], field(form, "sure") == "1"
        self.sessions.change(session, lambda: session.play(visitor, text, sure=sure))
        return ""

    def _undo(self, request: Request, session: GameSession, visitor: str) -> str:
        self.sessions.change(session, lambda: session.take_back(visitor))
        return ""

    def _resign(self, request: Request, session: GameSession, visitor: str) -> str:
        self.sessions.change(session, lambda: session.resign(visitor))
        return ""

    def _delete(self, request: Request, session: GameSession, visitor: str) -> str:
        still = " and ".join(self.sessions.delete(session, visitor))
        return f"The game will be deleted when {still} also asks for that." if still else ""

    def _hint(self, request: Request, session: GameSession, visitor: str) -> str:
        return session.hint(visitor, _HINT_TIME, self._hint_slot())

    @contextmanager
    def _hint_slot(self) -> Iterator[None]:
        if not self._hints.acquire(timeout=2 * _HINT_TIME):
            raise ActionRefused("The server is busy with other hints.", "Try again in a few seconds.")
        try:
            yield
        finally:
            self._hints.release()

    def _explain(self, request: Request, session: GameSession, visitor: str) -> str:
        return session.explain()

    def join(self, request: Request) -> Response:
        """Show the invitation to a visitor."""
        try:
            session = self.sessions.find(request.path_params["key"])
            if session.seats_of(request.state.visitor):
                return RedirectResponse(f"/play/{session.key}", 303)
            if not any(
                seat_info.free and seat_info.invite == request.path_params["invite"] for seat_info in session.seat_infos
            ):
                raise ActionRefused("That seat is taken.", "Ask the sender of the link for another game.")
        except UserError as wrong:
            return self.context.refuse(request, wrong, status=404)
        return self.context.page(request, "join.html", names=session.names, game=session.game.name)

    def sit_down(self, request: Request) -> Response:
        """Take the seat of an invitation."""
        try:
            session = self.sessions.find(request.path_params["key"])
            if session.seats_of(request.state.visitor):
                raise ActionRefused("You already play in this game.", "Send the link to another player.")
            invite = request.path_params["invite"]
            others = [seat_info.name for seat_info in session.seat_infos if seat_info.invite != invite]
            name = name_beside(field(request.state.form, "name").strip(), "guest", others, self.context.settings)
            self.sessions.change(session, lambda: session.take_seat(invite, request.state.visitor, name))
        except UserError as wrong:
            return self.context.refuse(request, wrong)
        return self.context.done(request, go=f"/play/{session.key}")


def _about(name: str) -> str:
    """Return the rules of a game in one sentence, with the default values of its options."""
    usual = games.load(name).options
    told = (getdoc(games.rules(name)) or "").partition("\n")[0]
    return re.sub(r"`(\w+)`", lambda match: str(usual.get(match[1], match[1])), told)
