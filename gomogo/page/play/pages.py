"""The pages for playing: start a game, join one, move, and ask for undo, hint or explanation.

Uses requests and sessions; makes no verdict.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from inspect import getdoc
from pathlib import Path
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from gomogo.page.board_view import (
    board,
    clock_since,
    game_title,
    rules_words,
    seconds_text,
    status_of,
    thinking_since,
    view_of_session,
)
from gomogo.page.play.classroom import Classroom
from gomogo.page.play.new_game import (
    FieldError,
    FormValues,
    board_sizes,
    clock_choices,
    clock_words,
    form_values,
    level_choices,
    option_fields,
    seats_of,
    session_of,
    unique_name,
)
from gomogo.page.server.addresses import qr_code, shareable_base_url
from gomogo.page.server.context import PageContext, form_field, last_seen_version, wants_json
from gomogo.page.server.sse import View, seconds_since
from gomogo.text.names import guest_name, shown_name
from gomogo_core import games, levels
from gomogo_core.errors import UserError
from gomogo_core.games.base import RESIGN, Position, Seat
from gomogo_core.levels import level_of
from gomogo_core.puzzles.puzzle import shipped
from gomogo_core.puzzles.teaching import teaching_words
from gomogo_core.records.live_format import live_games
from gomogo_core.records.sessions import sessions_of
from gomogo_core.session.game_session import ActionRefused, GameSession
from gomogo_core.session.words import ending_sentence, result_sentence

_HINT_TIME = 2.0  # seconds
_HINTS_AT_ONCE = 2
_ACTS = (
    ("undo", "Undo"),
    ("hint", "Hint"),
    ("explain", "Explain"),
)
_LISTED = 10  # games of the visitor
_RUNNING_NAMED = 3  # running games that the home page names


class PlayPages:
    """The handlers of the pages for playing. folder: the folder of live files. classroom: whose students play here."""

    def __init__(self, context: PageContext, folder: Path, classroom: Classroom | None = None) -> None:
        self.context, self.sessions, self.folder, self.classroom = context, context.sessions, folder, classroom
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
            Route("/join/{key}/{invite}", self.take_seat, methods=["POST"]),
        ]

    def home(self, request: Request) -> Response:
        """Show the games, or the form for a new game with ?game=NAME."""
        if name := request.query_params.get("game"):
            asked = form_values({key: request.query_params.getlist(key) for key in request.query_params})
            own = self._own_name(request.state.visitor)
            return self._form(request, name, asked._replace(name=own))
        visitor = request.state.visitor
        mine = self.sessions.of(visitor)
        running = live_games(self.folder)
        named = [*(one.names for one in self.sessions.played_now()), *(one.names for one in running)]
        shown = [" – ".join(map(shown_name, names)) for names in named]
        more = f" and {len(shown) - _RUNNING_NAMED} more" if len(shown) > _RUNNING_NAMED else ""
        return self.context.page(
            request,
            "home.html",
            "/",
            cards=_game_cards(),
            running=f"{', '.join(shown[:_RUNNING_NAMED])}{more}.".replace("..", ".") if shown else "",
            unfinished=[_session_entry(one, visitor) for one in mine if not one.over][:_LISTED],
            finished=[_session_entry(one, visitor) for one in mine if one.over][:_LISTED],
        )

    def _own_name(self, visitor: str) -> str:
        """Return the name that the visitor had in their last game, or a made-up one."""
        for saved in sessions_of(self.context.store, visitor, 1):
            for info in saved.plain["chairs"]:
                if info["sitter"] == visitor:
                    return str(info["name"])
        return self.context.person or guest_name(visitor)

    def _form(
        self, request: Request, name: str, given: FormValues, wrong: UserError | None = None, status: int = 200
    ) -> Response:
        """Show the form for a new game. wrong: the reason of a refusal, shown beside its field."""
        try:
            games.rules(name)  # check it before a file is looked up by this untrusted name
            known = level_choices(name)
        except UserError as unknown:
            return self.context.refuse(request, unknown, status=404)
        if wrong is not None and not isinstance(wrong, FieldError):
            wrong = FieldError("", wrong.what, wrong.remedy)
        sizes = board_sizes(name)
        usual_size = sizes[0][0] if sizes else ""
        return self.context.page(
            request,
            "new_game.html",
            "/",
            status,
            game=name,
            about=_rules_sentence(name),
            preview=_picture(_start_position(name, usual_size)),
            usual_size=usual_size,
            sizes=sorted(sizes, key=lambda one: int(one[1].partition("×")[0])),
            fields=option_fields(name),
            seats=seats_of(name),
            levels=known,
            agents=self.context.settings.agents_for(name),
            given=given,
            wrong=wrong,
            clocks=[(value, words, value == given.clock) for value, words in clock_choices()],
            open=any(given.options.values()) or any(given.more) or bool(given.seconds or given.clock),
        )

    def begin(self, request: Request) -> Response:
        """Start the game of the form."""
        context, visitor = self.context, request.state.visitor
        try:
            session = session_of(request.state.form, visitor, context.store, context.settings, self._own_name(visitor))
            self.sessions.begin(session, visitor)
        except UserError as wrong:
            form = request.state.form
            if wants_json(request):
                return context.refuse(request, wrong, status=400)
            return self._form(request, form_field(form, "game") or "gomoku", form_values(form), wrong, 400)
        return context.done(request, go=f"/play/{session.key}")

    def table(self, request: Request) -> Response:
        """Show a game to a visitor."""
        session = self.context.session(request)
        seats = session.seats_of(request.state.visitor)
        if session.needs_referee:
            self.sessions.resume(session)
        with session.lock:
            view = self.view(session, seats)
            values = self._frame(request, session, seats)
        return self.context.page(
            request,
            "play.html",
            line=view.status,
            table=view.text,
            thinking=seconds_since(view.since),
            clock=seconds_since(view.clock_since),
            **values,
        )

    def _frame(self, request: Request, session: GameSession, seats: Sequence[Seat]) -> dict[str, Any]:
        """Return the template values for the fixed parts of the page, around the board."""
        game = session.game
        limits = [
            f"{shown_name(seat_info.name)}{_level_title(seat_info.name)} has {seconds_text(seat_info.seconds)} a move"
            for seat_info in session.seat_infos
            if seat_info.seconds
        ]
        if session.timed:
            limits.append(f"Clock: {clock_words(session.clock)}")
        base, reach = shareable_base_url(str(request.base_url), alone=bool(self.context.settings.hosts))
        links = [
            (seat_info.name, f"{base}/join/{session.key}/{seat_info.invite}")
            for seat_info in session.seat_infos
            if seat_info.free and seats
        ]
        return {
            "key": session.key,
            "title": " – ".join(map(shown_name, session.names)),
            "about": ". ".join([rules_words(game), *limits]) + ".",
            "seats": seats,
            "invites": [{"name": name, "link": link, "code": "" if reach else qr_code(link)} for name, link in links],
            "reach": reach,
            "example": next((game.format(move) for move in session.position.moves()), ""),
            "acts": _ACTS,
            "diagram": session.position.diagram(),
            "teach": teaching_words(session.position),
        }

    def view(self, session: GameSession, seats: Sequence[Seat]) -> View:
        """Return the part that changes, for the owner of these seats. Call it under the session's lock."""
        result, links = "", dict[str, str]()
        if session.stored:
            played = self.context.store.game(session.key)
            result = ending_sentence(played, seats[0] if len(seats) == 1 else None, called=shown_name)
            key = session.key
            links = {
                **({f"/play/{session.rematch}": "Go to the rematch"} if session.rematch else {}),
                f"/games/{key}?review=1": "Review",
                f"/games/{key}": "Replay",
                f"/?game={session.game.name}": "New game",
            }
        elif (outcome := session.outcome or session.position.outcome()) is not None:
            # the game is over, but its record is not stored yet
            you = seats[0] if len(seats) == 1 else None
            left = session.left[: len(session.left) - (session.ended_by is not None)]
            result = result_sentence(outcome, session.names, session.referee_plies(), left, you, called=shown_name)
        go = session.rematch and f"/play/{session.rematch}"
        if self.classroom and seats and not go:
            after = self.classroom.next_address(session, session.seat_infos[seats[0] - 1].visitor)
            if after:
                links.pop(f"/?game={session.game.name}", None)  # the class is where the next game comes from
                links[after] = "To the class" if after == "/class" else "Your next game"
                go = after if after != "/class" or session.deleted else ""
        asks, note = _request_buttons(session, seats)
        shown = replace(
            view_of_session(session, seats, links=links, present=self.context.present(session)),
            asks=tuple((f"/play/{session.key}/{act}", words) for act, words in asks),
            rematch=go,
        )
        if note:
            shown = replace(shown, note=note)
        text = self.context.part("_table.html", shown=shown)
        return View(
            session.version,
            status_of(session, seats, result),
            text,
            thinking_since(session),
            session.deleted,
            clock_since(session),
        )

    async def events(self, request: Request) -> Response:
        """Stream the changes of a game."""
        from anyio.to_thread import run_sync

        session = await run_sync(self.context.session, request)
        if session.needs_referee:  # browsers that reconnect after a restart load no page
            await run_sync(self.sessions.resume, session)
        seats = session.seats_of(request.state.visitor)
        return self.context.stream(self.context.follow(session, seats, last_seen_version(request)))

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
            "agree": self._agree_to_undo,
            "decline": self._decline,
            "rematch": self._rematch,
        }
        if act not in acts:
            return self.context.refuse(
                request, ActionRefused("The page does not support this request.", "Use the page's buttons."), here, 404
            )
        session = self.context.session(request)
        if not session.seats_of(visitor):
            stranger = ActionRefused("You do not play in this game.", "Begin one of your own.")
            return self.context.refuse(request, stranger, here, 403)
        try:
            said = acts[act](request, session, visitor)
        except UserError as wrong:
            return self.context.refuse(request, wrong, here)
        go = "/" if session.deleted else f"/play/{session.rematch}" if act == "rematch" and session.rematch else ""
        return self.context.done(request, said, go, here)

    def _move(self, request: Request, session: GameSession, visitor: str) -> str:
        form = request.state.form
        text, sure = form_field(form, "move")[:40], form_field(form, "sure") == "1"
        self.sessions.change(session, lambda: session.play(visitor, text, sure=sure))
        return ""

    def _undo(self, request: Request, session: GameSession, visitor: str) -> str:
        asked = list[str]()
        self.sessions.change(session, lambda: asked.append(session.take_back(visitor)))
        return f"{shown_name(asked[0])} is asked whether you may take back your move." if asked[0] else ""

    def _agree_to_undo(self, request: Request, session: GameSession, visitor: str) -> str:
        self.sessions.change(session, lambda: session.answer_undo(visitor, agree=True))
        return ""

    def _decline(self, request: Request, session: GameSession, visitor: str) -> str:
        self.sessions.change(session, lambda: session.answer_undo(visitor, agree=False))
        return ""

    def _rematch(self, request: Request, session: GameSession, visitor: str) -> str:
        def ask() -> None:
            if not session.rematch and (other := session.ask_rematch(visitor)) is not None:
                session.rematch = self.sessions.begin(other, visitor).key

        self.sessions.change(session, ask)
        return "" if session.rematch else "The other player is asked for a rematch."

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
        return session.explain() or "There is nothing to explain in this position. Hint shows a good move."

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
        return self._invitation_page(request, session, self._own_name(request.state.visitor))

    def _invitation_page(
        self, request: Request, session: GameSession, name: str, wrong: UserError | None = None, status: int = 200
    ) -> Response:
        names = [shown_name(one) for one in session.names]
        return self.context.page(
            request, "join.html", status=status, names=names, game=session.game.name, name=name, wrong=wrong
        )

    def take_seat(self, request: Request) -> Response:
        """Take the seat of an invitation."""
        try:
            session = self.sessions.find(request.path_params["key"])
            if session.seats_of(request.state.visitor):
                raise ActionRefused("You already play in this game.", "Send the link to another player.")
            invite = request.path_params["invite"]
            own = self._own_name(request.state.visitor)
            others = [seat_info.name for seat_info in session.seat_infos if seat_info.invite != invite]
            name = unique_name(form_field(request.state.form, "name").strip(), own, others, self.context.settings)
            self.sessions.change(session, lambda: session.take_seat(invite, request.state.visitor, name))
        except FieldError as wrong:
            if wants_json(request):
                return self.context.refuse(request, wrong)
            return self._invitation_page(request, session, form_field(request.state.form, "name")[:60], wrong, 400)
        except UserError as wrong:
            return self.context.refuse(request, wrong)
        return self.context.done(request, go=f"/play/{session.key}")


def _request_buttons(session: GameSession, seats: Sequence[Seat]) -> tuple[list[tuple[str, str]], str]:
    """Return the buttons for requests between humans, each an action and its words, and a note about a request."""
    if not seats:
        return [], ""
    visitor = session.seat_infos[seats[0] - 1].visitor
    names = {info.visitor: shown_name(info.name) for info in session.seat_infos if info.visitor}
    if session.over:
        if not session.stored or session.rematch:
            return [], ""
        others = [names[one] for one in sorted(session.rematch_by) if one != visitor]
        return [("rematch", "Rematch")], f"{' and '.join(others)} would like a rematch." if others else ""
    if session.undo_by and session.undo_by != visitor:
        return [("agree", "Agree"), ("decline", "Decline")], f"{names[session.undo_by]} asks to take back a move."
    return [], ""


def _session_entry(session: GameSession, visitor: str) -> dict[str, Any]:
    """Return the values of a session in a list of the visitor's games."""
    if session.over:
        state = "over"
    elif session.waiting_for_people:
        state = "waiting for a player"
    elif session.position.to_move in session.seats_of(visitor):
        state = "your turn"
    else:
        state = f"{shown_name(session.names[session.position.to_move - 1])} is to move"
    return {
        "key": session.key,
        "names": [shown_name(name) for name in session.names],
        "game": rules_words(session.game),
        "moves": sum(one.move != RESIGN for one in session.actions),
        "state": state,
    }


@cache
def _game_cards() -> list[dict[str, Any]]:
    """Return the values of each game's card."""
    return [
        {"name": name, "about": _rules_sentence(name), "picture": _picture(_card_position(name))}
        for name in games.names()
    ]


def _card_position(name: str) -> Position:
    """Return a position of a game as players reach it: that of a puzzle, or the start of a game without puzzles."""
    own = [one.position for one in shipped().values() if one.game.name == name]
    return own[len(own) // 2] if own else _start_position(name, "")


def _start_position(name: str, size: str) -> Position:
    """Return the start of a game. size: the options of its size as the form has them, or "" for the default."""
    return games.load(name, **dict(pair.split("=") for pair in size.split())).start()


def _picture(position: Position) -> Markup:
    title = f"A board of {game_title(position.game.name)}"
    return board(position, None, interactive=False, spoken=False, coordinates=False, title=title)


def _level_title(name: str) -> str:
    """Return the title that the form has for a level, in brackets; or ""."""
    number = level_of(name)
    return "" if number is None else f" ({levels.title(number)})"


def _rules_sentence(name: str) -> str:
    """Return the rules of a game in one sentence, with the default values of its options."""
    usual = games.load(name).options
    summary = (getdoc(games.rules(name)) or "").partition("\n")[0]
    return re.sub(r"`(\w+)`", lambda match: str(usual.get(match[1], match[1])), summary)
