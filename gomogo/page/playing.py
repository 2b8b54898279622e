"""The pages on which people play: begin a game, sit down to one, move, and what else may be asked for there.

Knows requests and sittings; no verdict is made here.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from inspect import getdoc
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from gomogo.commands._play_words import ended, ending
from gomogo.page.live import View, thought
from gomogo.page.new_game import fields, name_beside, seats_of, sitting_of
from gomogo.page.shown import board, called, of_sitting, rules_of, seconds_shown, status_of, thinking_since
from gomogo.page.site import Site, field, seen_by
from gomogo.page.sitting import Refused, Sitting
from gomogo_core import games, levels
from gomogo_core.errors import UserError
from gomogo_core.games.base import Seat
from gomogo_core.search import hints

_HINT_TIME = 2.0  # seconds
_HINTS_AT_ONCE = 2
_ACTS = (
    ("undo", "Undo"),
    ("hint", "Hint"),
    ("explain", "Explain"),
    ("resign", "Resign"),
    ("delete", "Delete this game"),
)


class Playing:
    """The handlers."""

    def __init__(self, site: Site) -> None:
        self.site, self.room = site, site.room
        self._hints = threading.Semaphore(_HINTS_AT_ONCE)

    def routes(self) -> list[Route]:
        """Where each is found."""
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
        """The form of a new game, and the games of whoever asks."""
        name = request.query_params.get("game") or "gomoku"
        try:
            games.rules(name)  # before anything is looked for under a stranger's name
            known = levels.levels(name)
        except UserError as wrong:
            return self.site.refuse(request, wrong, status=404)
        return self.site.page(
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
            agents=self.site.terms.agents_for(name),
            person=self.site.person,
            sitter=request.state.sitter,
            mine=self.room.of(request.state.sitter),
        )

    def begin(self, request: Request) -> Response:
        """Begin the game that the form asks for."""
        site, sitter = self.site, request.state.sitter
        try:
            sitting = sitting_of(request.state.form, sitter, site.store, site.terms, site.person)
            self.room.begin(sitting, sitter)
        except UserError as wrong:
            return site.refuse(request, wrong, status=400)
        return site.done(request, go=f"/play/{sitting.key}")

    def table(self, request: Request) -> Response:
        """A game, as whoever asks sees it."""
        try:
            sitting = self.room.find(request.path_params["key"])
        except UserError as wrong:
            return self.site.refuse(request, wrong, status=404)
        seats = sitting.seats_of(request.state.sitter)
        if sitting.needs_referee:
            self.room.go_on(sitting)
        with sitting.lock:
            view = self.view(sitting, seats)
            values = self._frame(request, sitting, seats)
        return self.site.page(request, "play.html", line=view.status, table=view.text, thinking=thought(view), **values)

    def _frame(self, request: Request, sitting: Sitting, seats: Sequence[Seat]) -> dict[str, Any]:
        """What stands around the part that changes."""
        game = sitting.game
        limits = [
            f"{chair.name} has {seconds_shown(chair.seconds)} a move" for chair in sitting.chairs if chair.seconds
        ]
        base = str(request.base_url).rstrip("/")
        return {
            "key": sitting.key,
            "title": " – ".join(sitting.names),
            "about": ". ".join([rules_of(game), *limits]) + ".",
            "seats": seats,
            "invites": [
                {"name": chair.name, "link": f"{base}/join/{sitting.key}/{chair.invite}"}
                for chair in sitting.chairs
                if chair.free and seats
            ],
            "example": next((game.format(move) for move in sitting.position.moves()), ""),
            "acts": _ACTS,
            "diagram": sitting.position.diagram(),
        }

    def view(self, sitting: Sitting, seats: Sequence[Seat]) -> View:
        """The part that changes, for those who have these seats. In the sitting's lock."""
        result, links = "", dict[str, str]()
        if sitting.stored:
            played = self.site.store.game(sitting.key)
            result = ending(played, seats[0] if len(seats) == 1 else None)
            key = sitting.key
            links = {
                f"/games/{key}": "Replay",
                f"/games/{key}/review": "Review",
                f"/?game={sitting.game.name}": "Again",
            }
        elif (outcome := sitting.outcome or sitting.position.outcome()) is not None:  # its record is being written
            you = seats[0] if len(seats) == 1 else None
            left = sitting.left[: len(sitting.left) - (sitting.ended_by is not None)]
            result = ended(outcome, sitting.names, sitting.standing(), left, you)
        shown = of_sitting(sitting, seats, links=links)
        text = self.site.part("_table.html", shown=shown)
        return View(sitting.version, status_of(sitting, seats, result), text, thinking_since(sitting), sitting.gone)

    async def events(self, request: Request) -> Response:
        """The changes, as they come."""
        from anyio.to_thread import run_sync

        try:
            sitting = await run_sync(self.room.find, request.path_params["key"])
        except UserError as wrong:
            return self.site.refuse(request, wrong, status=404)
        if sitting.needs_referee:  # who comes back by themselves, after the server was away, load no page
            await run_sync(self.room.go_on, sitting)
        seats = sitting.seats_of(request.state.sitter)
        return self.site.stream(self.site.follow(sitting, seats, seen_by(request)))

    def act(self, request: Request) -> Response:
        """What a person does at the board."""
        key, act, sitter = request.path_params["key"], request.path_params["act"], request.state.sitter
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
            return self.site.refuse(request, Refused("That cannot be done.", "Use the page's buttons."), here, 404)
        try:
            sitting = self.room.find(key)
        except UserError as wrong:
            return self.site.refuse(request, wrong, status=404)
        if not sitting.seats_of(sitter):
            stranger = Refused("You do not play in this game.", "Begin one of your own.")
            return self.site.refuse(request, stranger, here, 403)
        try:
            said = acts[act](request, sitting, sitter)
        except UserError as wrong:
            return self.site.refuse(request, wrong, here)
        return self.site.done(request, said, "/" if sitting.gone else "", here)

    def _move(self, request: Request, sitting: Sitting, sitter: str) -> str:
        form = request.state.form
        text, sure = field(form, "move")[:40], field(form, "sure") == "1"
        self.room.change(sitting, lambda: sitting.play(sitter, text, sure=sure))
        return ""

    def _undo(self, request: Request, sitting: Sitting, sitter: str) -> str:
        self.room.change(sitting, lambda: sitting.take_back(sitter))
        return ""

    def _resign(self, request: Request, sitting: Sitting, sitter: str) -> str:
        self.room.change(sitting, lambda: sitting.resign(sitter))
        return ""

    def _delete(self, request: Request, sitting: Sitting, sitter: str) -> str:
        still = " and ".join(self.room.delete(sitting, sitter))
        return f"It will be deleted as soon as {still} asks for it too." if still else ""

    def _hint(self, request: Request, sitting: Sitting, sitter: str) -> str:
        with sitting.lock:
            position, seats = sitting.position, sitting.seats_of(sitter)
            if sitting.over or position.to_move not in seats:
                raise Refused("It is not your turn.", "Ask when it is.")
        if not self._hints.acquire(timeout=2 * _HINT_TIME):
            raise Refused("Others are being given hints just now.", "Ask again in a few seconds.")
        try:
            move, why = hints.hint(position, _HINT_TIME)
        finally:
            self._hints.release()
        return f"{position.game.format(move)}: {why}."

    def _explain(self, request: Request, sitting: Sitting, sitter: str) -> str:
        with sitting.lock:
            position, before, last = sitting.position, sitting.before, sitting.last
            round_before = sitting.last_round()
        said = [after.explain_move(earlier, move) for earlier, move, after in round_before]
        words = "\n".join(part for part in [*said, position.explain(before, last)] if part)
        return words or f"There is nothing to explain here. {position.game.how_to_move()}"

    def join(self, request: Request) -> Response:
        """The page of somebody who was invited."""
        try:
            sitting = self.room.find(request.path_params["key"])
            if sitting.seats_of(request.state.sitter):
                return RedirectResponse(f"/play/{sitting.key}", 303)
            if not any(chair.free and chair.invite == request.path_params["invite"] for chair in sitting.chairs):
                raise Refused("That seat is taken.", "Ask whoever sent the link for another game.")
        except UserError as wrong:
            return self.site.refuse(request, wrong, status=404)
        return self.site.page(request, "join.html", names=sitting.names, game=sitting.game.name)

    def sit_down(self, request: Request) -> Response:
        """Take the seat that one was invited to."""
        try:
            sitting = self.room.find(request.path_params["key"])
            if sitting.seats_of(request.state.sitter):
                raise Refused("You play in this game already.", "Send the link to somebody else.")
            invite = request.path_params["invite"]
            others = [chair.name for chair in sitting.chairs if chair.invite != invite]
            name = name_beside(field(request.state.form, "name").strip(), "guest", others, self.site.terms)
            self.room.change(sitting, lambda: sitting.take_seat(invite, request.state.sitter, name))
        except UserError as wrong:
            return self.site.refuse(request, wrong)
        return self.site.done(request, go=f"/play/{sitting.key}")


def _about(name: str) -> str:
    """A game's rules in a sentence; what depends on an option is told as it usually is."""
    usual = games.load(name).options
    told = (getdoc(games.rules(name)) or "").partition("\n")[0]
    return re.sub(r"`(\w+)`", lambda match: str(usual.get(match[1], match[1])), told)
