"""The pages of an interactive game: join it, make moves, and request undo, a hint or an explanation.

The session checks all actions.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from gomogo.page.board_view import (
    clock_since,
    describe_game,
    draw_board,
    rules_summary,
    seat_names,
    session_view,
    status_text,
    thinking_since,
    time_limit_text,
)
from gomogo.page.play.class_games import FIRST_MOVE_SECONDS as CLASS_FIRST_MOVE_SECONDS
from gomogo.page.play.classroom import Classroom
from gomogo.page.play.form_choices import FieldError, describe_clock
from gomogo.page.play.new_game import unique_name, visitor_name
from gomogo.page.play.sessions import FIRST_MOVE_SECONDS
from gomogo.page.server.addresses import qr_code, shareable_base_url
from gomogo.page.server.context import PageContext, form_field, last_seen_version, wants_json
from gomogo.page.server.sse import LiveView, seconds_since
from gomogo.text.names import display_name
from gomogo_core.analysis.explainers import explainer_of
from gomogo_core.errors import UserError
from gomogo_core.games.base import Outcome, Reason, Seat
from gomogo_core.games.stones.rules import PASS
from gomogo_core.session.actions import ActionRefused, NeedsConfirmation
from gomogo_core.session.advice import advised_move, explain_last_round, hint_sentence
from gomogo_core.session.game_session import GameSession
from gomogo_core.session.sentences import result_sentence

_HINT_TIME = 2.0  # seconds of the search for a hint
_CAPTURE_TIME = 0.5  # seconds of the search for each move while the computer captures dead stones
_MAX_HINTS = 2  # searches for hints at a time
_SEATS_CHANGED = "The players of this game have changed."  # the status until the page loads another URL
_SLOW_AGENT_SECONDS = 5.0  # seconds, beyond the time per move, after which the page tells why an agent is slow
_INTERRUPTION_NOTE = "Your teacher has paired you. The other game waits under Your games on the page Play."
_ACTIONS = (
    ("undo", "Undo"),
    ("hint", "Hint"),
    ("explain", "Explain"),
)


class PlayPages:
    """The handlers of the pages of interactive games. classroom: the class whose students play here, or None."""

    def __init__(self, context: PageContext, classroom: Classroom | None = None) -> None:
        self.context, self.sessions, self.classroom = context, context.sessions, classroom
        self._hint_slots = threading.Semaphore(_MAX_HINTS)

    def routes(self) -> list[Route]:
        """Return the routes of the handlers."""
        return [
            Route("/play/{key}", self.show_game),
            Route("/play/{key}/events", self.stream_game),
            Route("/play/{key}/{act}", self.carry_out_action, methods=["POST"]),
            Route("/join/{key}/{invite}", self.show_invitation),
            Route("/join/{key}/{invite}", self.take_seat, methods=["POST"]),
        ]

    def show_game(self, request: Request) -> Response:
        """Show the page of a game."""
        session = self.context.requested_session(request)
        seats = session.seats_of(request.state.visitor)
        if self.classroom:
            self.classroom.mark_present(request.state.visitor)
        if session.needs_referee:
            self.sessions.ensure_referee(session)
        interrupted = session.is_class_game and any(
            not other.is_class_game and other.seats_of(request.state.visitor)
            for other in self.sessions.active_sessions()
        )
        with session.lock:
            view = self.render_live(session, seats)
            has_begun = any(action.seat in seats for action in session.actions)
            values = self._fixed_values(request, session, seats)
        return self.context.render_page(
            request,
            "play.html",
            status_line=view.status,
            live_part=view.text,
            thinking=seconds_since(view.thinking_since),
            clock=seconds_since(view.clock_since),
            message=_INTERRUPTION_NOTE if interrupted and seats and not has_begun and not session.is_over else "",
            **values,
        )

    def _fixed_values(self, request: Request, session: GameSession, seats: Sequence[Seat]) -> dict[str, Any]:
        """Return the template values for the parts of the page that do not change."""
        game = session.game
        is_local, with_class = bool(self.context.settings.hosts), self.classroom is not None
        base, reach = shareable_base_url(str(request.base_url), is_local=is_local, with_class=with_class)
        links = [
            (seat_info.name, f"{base}/join/{session.key}/{seat_info.invite}")
            for seat_info in session.seat_infos
            if seat_info.is_free and seats
        ]
        return {
            "key": session.key,
            "game": game.name,
            "title": " – ".join(map(display_name, session.names)),
            "about": _rules_and_times(session),
            "rules": rules_summary(game),
            "is_class_game": session.is_class_game,
            "seats": seats,
            "seats_text": _seats_text(seats),
            "invites": [{"name": name, "link": link, "code": "" if reach else qr_code(link)} for name, link in links],
            "reach": reach,
            "example": next((game.format(move) for move in session.position.moves()), ""),
            "acts": _ACTIONS,
            "diagram": session.position.diagram(),
            "patience": _SLOW_AGENT_SECONDS + max(info.seconds_per_move or 0.0 for info in session.seat_infos),
            "teach": explainer_of(session.game).teaching_label(session.position),
            "can_draw": len(session.seat_infos) == 2 and session.is_running_between_humans,
        }

    def render_live(self, session: GameSession, seats: Sequence[Seat]) -> LiveView:
        """Return the changing part of the page, for the owner of these seats. The caller has the session's lock."""
        result, links = "", dict[str, str]()
        visitor_seat = seats[0] if len(seats) == 1 else None
        if session.is_stored:
            played_game = self.context.store.game(session.key)
            result = result_sentence(
                played_game.outcome, seat_names(session, seats), played_game.plies, played_game.departed, visitor_seat
            )
            key = session.key
            links = {
                **({f"/play/{session.rematch_key}": "Go to the rematch"} if session.rematch_key else {}),
                f"/games/{key}?review=1": "Review",
                f"/games/{key}": "Replay",
                f"/?game={session.game.name}": "New game",
            }
        elif (outcome := session.outcome or session.position.outcome()) is not None:
            # the game is over, but its record is not stored yet
            departed_seats = session.departed[: len(session.departed) - (session.last_to_leave is not None)]
            result = result_sentence(
                outcome, seat_names(session, seats), session.referee_plies(), departed_seats, visitor_seat
            )
        go = session.rematch_key and f"/play/{session.rematch_key}"
        if self.classroom and seats and not go:
            next_url = self.classroom.next_url(session, session.seat_infos[seats[0] - 1].visitor)
            if next_url:
                links.pop(f"/?game={session.game.name}", None)  # the next game comes from the class
                links[next_url] = "To the class" if next_url == "/class" else "Your next game"
                go = next_url if next_url != "/class" or session.is_deleted else ""
        view = session_view(session, seats, links=links, present_seats=self.context.present_seats(session))
        asks, note = _request_buttons(session, seats)
        limits = [_first_move_note(session) if seats else "", view.note]
        forbidden = ""
        if self.classroom and session.is_class_game and seats:
            forbidden = self.classroom.forbidden_controls(is_over=session.is_over)
            limits.append("" if session.is_over else self.classroom.restrictions_text())
            limits.append(self.classroom.notice_beside(session, session.seat_infos[seats[0] - 1].visitor))
        elif session.is_running_between_humans:
            forbidden = "no-hint"
        view = replace(
            view,
            note=note or " ".join(filter(None, limits)),
            note_is_request=bool(note),
            answer_buttons=tuple((f"/play/{session.key}/{act}", words) for act, words in asks),
            next_game_url=go,
            forbidden_actions=forbidden,
            has_lost=result.startswith("You lost"),
            why_no_undo=_why_no_undo(session, seats),
        )
        text = self.context.render_part("_board_view.html", shown=view)
        return LiveView(
            session.version,
            status_text(session, seats, result),
            text,
            thinking_since(session),
            session.is_deleted,
            clock_since(session),
        )

    async def stream_game(self, request: Request) -> Response:
        """Stream the changes of a game."""
        from anyio.to_thread import run_sync

        key = request.path_params["key"]
        try:
            session = await run_sync(self.sessions.find, key)
        except ActionRefused:  # deleted while the page was not connected
            return self.context.redirect_live_page(self._url_after_game(key, request.state.visitor))
        if session.needs_referee:  # after a restart of the server, browsers reconnect without loading the page
            await run_sync(self.sessions.ensure_referee, session)
        seats = session.seats_of(request.state.visitor)
        if request.query_params.get("seats", _seats_text(seats)) != _seats_text(seats):  # changed while not connected
            return self.context.redirect_live_page(
                self._url_after_game(key, request.state.visitor, session), _SEATS_CHANGED
            )
        return self.context.stream_response(self._game_events(session, request.state.visitor, seats, request))

    async def _game_events(
        self, session: GameSession, visitor: str, seats: tuple[Seat, ...], request: Request
    ) -> AsyncGenerator[bytes]:
        """Yield the events of a game for the owner of these seats. When the visitor gets or loses a seat, the page
        loads another URL, since its controls are those of the old seats.
        """
        async with aclosing(self.context.session_events(session, seats, last_seen_version(request))) as events:
            async for event in events:
                if session.seats_of(visitor) != seats:
                    break
                yield event
            else:
                return
        async with aclosing(
            self.context.redirect_events(self._url_after_game(session.key, visitor, session), _SEATS_CHANGED)
        ) as events:
            async for event in events:
                yield event

    def _url_after_game(self, key: str, visitor: str, session: GameSession | None = None) -> str:
        """Return the URL to load after the game was deleted, or after the visitor's seats have changed.

        For a student this is the page of the class, which tells a removed student of the removal. session: None if it
        is no longer known.
        """
        is_or_was_student = self.classroom is not None and visitor in self.classroom.students
        return "/class" if is_or_was_student and (session is None or session.is_class_game) else f"/play/{key}"

    def carry_out_action(self, request: Request) -> Response:
        """Carry out an action of a visitor in a game."""
        key, act, visitor = request.path_params["key"], request.path_params["act"], request.state.visitor
        game_url = f"/play/{key}"
        acts = {
            "move": self._move,
            "undo": self._undo,
            "resign": self._resign,
            "hint": self._hint,
            "capture": self._capture,
            "explain": self._explain,
            "delete": self._request_deletion,
            "agree": self._agree_to_undo,
            "decline": self._decline_undo,
            "draw": self._offer_draw,
            "decline-draw": self._decline_draw,
            "rematch": self._rematch,
        }
        if act not in acts:
            return self.context.error_response(
                request,
                ActionRefused("The page does not support this request.", "Use the page's buttons."),
                game_url,
                404,
            )
        session = self.context.requested_session(request)
        if not session.seats_of(visitor):
            stranger = ActionRefused("You do not play in this game.", "Start your own game.")
            return self.context.error_response(request, stranger, game_url, 403)
        try:
            if self.classroom:
                self.classroom.mark_present(visitor)
            if self.classroom and (forbidden := self.classroom.find_refusal(visitor, act, session)):
                raise forbidden
            message = acts[act](request, session, visitor)
        except UserError as error:
            if not isinstance(error, NeedsConfirmation):
                return self.context.error_response(request, error, game_url)
            board, captures = _board_of_question(session, error), self._offers_capture(session, visitor, error)
            return self.context.error_response(request, error, game_url, board=board, captures=captures)
        go = (
            "/"
            if session.is_deleted
            else f"/play/{session.rematch_key}"
            if act == "rematch" and session.rematch_key
            else ""
        )
        return self.context.success_response(request, message, go, game_url)

    def _move(self, request: Request, session: GameSession, visitor: str) -> str:
        form = request.state.form
        text, is_confirmed = form_field(form, "move")[:40], form_field(form, "sure") == "1"
        self.sessions.apply_change(session, lambda: session.play(visitor, text, is_confirmed=is_confirmed))
        return ""

    def _undo(self, request: Request, session: GameSession, visitor: str) -> str:
        self.sessions.apply_change(session, lambda: session.take_back(visitor))
        return ""

    def _agree_to_undo(self, request: Request, session: GameSession, visitor: str) -> str:
        self.sessions.apply_change(session, lambda: session.answer_undo(visitor, agree=True))
        return ""

    def _decline_undo(self, request: Request, session: GameSession, visitor: str) -> str:
        self.sessions.apply_change(session, lambda: session.answer_undo(visitor, agree=False))
        return ""

    def _offer_draw(self, request: Request, session: GameSession, visitor: str) -> str:
        with session.lock:  # so that no move comes between the agreement and the end
            self.sessions.apply_change(session, lambda: session.offer_draw(visitor))
            if session.is_draw_agreed:
                self.sessions.end_game(session, Outcome.draw(Reason.AGREEMENT, "the players agreed on a draw", 2))
        return ""

    def _decline_draw(self, request: Request, session: GameSession, visitor: str) -> str:
        self.sessions.apply_change(session, lambda: session.decline_draw(visitor))
        return ""

    def _rematch(self, request: Request, session: GameSession, visitor: str) -> str:
        def ask() -> None:
            if not session.rematch_key and (opponent := session.ask_rematch(visitor)) is not None:
                session.rematch_key = self.sessions.start_session(opponent, visitor).key

        self.sessions.apply_change(session, ask)
        return "" if session.rematch_key else "The other player was asked for a rematch."

    def _resign(self, request: Request, session: GameSession, visitor: str) -> str:
        self.sessions.apply_change(session, lambda: session.resign(visitor))
        return ""

    def _request_deletion(self, request: Request, session: GameSession, visitor: str) -> str:
        other_names = " and ".join(self.sessions.request_deletion(session, visitor))
        return f"The game will be deleted when {other_names} requests that, too." if other_names else ""

    def _hint(self, request: Request, session: GameSession, visitor: str) -> str:
        return hint_sentence(session, visitor, _HINT_TIME, self._hint_slot())

    def _offers_capture(self, session: GameSession, visitor: str, question: NeedsConfirmation) -> bool:
        """Return whether the computer offers to capture an agent's dead stones for a visitor who wants to pass."""
        if not question.dead_points or all(info.is_human for info in session.seat_infos):
            return False
        if self.classroom and self.classroom.find_refusal(visitor, "capture", session):
            return False
        return any(points for seat, points in question.dead_points.items() if seat != session.position.to_move)

    def _capture(self, request: Request, session: GameSession, visitor: str) -> str:
        """Play a move for a visitor who lets the computer capture the opponent's dead stones. Return a sentence, and
        play nothing, if no dead stones are left or if a pass is better.
        """
        with session.lock:
            position, change_count = session.position, (session.restart_count, len(session.actions))
        dead_points = explainer_of(session.game).dead_stones_before_pass(position, PASS)
        if not any(points for seat, points in (dead_points or {}).items() if seat != position.to_move):
            return "The dead stones are captured: you can pass now."
        move, _ = advised_move(session, visitor, _CAPTURE_TIME, self._hint_slot())
        if move is PASS:
            return "No more captures are needed: you can pass now."

        def play() -> None:
            if (session.restart_count, len(session.actions)) != change_count:
                raise ActionRefused("The game has changed meanwhile.", "Pass again to let the computer continue.")
            session.play(visitor, session.game.format(move))

        self.sessions.apply_change(session, play)
        return ""

    @contextmanager
    def _hint_slot(self) -> Iterator[None]:
        if not self._hint_slots.acquire(timeout=2 * _HINT_TIME):
            raise ActionRefused("The server is busy with other hints.", "Try again in a few seconds.")
        try:
            yield
        finally:
            self._hint_slots.release()

    def _explain(self, request: Request, session: GameSession, visitor: str) -> str:
        explanation = explain_last_round(session, display_name, self._hint_slot())
        return explanation or f"No move was played yet. {rules_summary(session.game)}"

    def show_invitation(self, request: Request) -> Response:
        """Show the invitation to a visitor."""
        try:
            session = self.sessions.find(request.path_params["key"])
            if session.seats_of(request.state.visitor):
                return RedirectResponse(f"/play/{session.key}", 303)
            if not any(
                seat_info.is_free and seat_info.invite == request.path_params["invite"]
                for seat_info in session.seat_infos
            ):
                raise ActionRefused("The seat is taken.", "Ask the sender of the link for another game.")
        except UserError as error:
            return self.context.error_response(request, error, status=404)
        return self._invitation_page(request, session, visitor_name(self.context, request.state.visitor))

    def _invitation_page(
        self, request: Request, session: GameSession, name: str, error: UserError | None = None, status: int = 200
    ) -> Response:
        invite = request.path_params["invite"]
        seat = next(
            (seat for seat, info in enumerate(session.seat_infos, 1) if info.is_free and info.invite == invite), 0
        )
        host = " and ".join(display_name(info.name) for info in session.seat_infos if not info.is_free)
        return self.context.render_page(
            request,
            "join.html",
            status=status,
            host=host,
            about=_rules_and_times(session),
            turn={1: "You move first."}.get(seat, f"{display_name(session.names[0])} moves first."),
            name=name,
            error=error,
            board=draw_board(session.position, None, interactive=False, accessible=False),
        )

    def take_seat(self, request: Request) -> Response:
        """Take the seat of an invitation."""
        try:
            session = self.sessions.find(request.path_params["key"])
            if session.seats_of(request.state.visitor):
                raise ActionRefused("You already play in this game.", "Send the link to another player.")
            invite = request.path_params["invite"]
            own_name = visitor_name(self.context, request.state.visitor)
            other_names = [seat_info.name for seat_info in session.seat_infos if seat_info.invite != invite]
            name = unique_name(
                form_field(request.state.form, "name").strip(), own_name, other_names, self.context.settings
            )
            self.sessions.apply_change(session, lambda: session.take_seat(invite, request.state.visitor, name))
        except FieldError as error:
            if wants_json(request):
                return self.context.error_response(request, error)
            return self._invitation_page(request, session, form_field(request.state.form, "name")[:60], error, 400)
        except UserError as error:
            return self.context.error_response(request, error)
        return self.context.success_response(request, redirect_url=f"/play/{session.key}")


def _seats_text(seats: Sequence[Seat]) -> str:
    """Return the seats of a visitor as the page sends them in a URL, such as "1,2"."""
    return ",".join(map(str, seats))


def _board_of_question(session: GameSession, question: NeedsConfirmation) -> str:
    """Return the board with the territory and the dead stones for a question about a pass; empty for others."""
    if question.dead_points is None:
        return ""
    dead_points = [point for points in question.dead_points.values() for point in points]
    return draw_board(session.position, None, interactive=False, territory=True, dead=dead_points)


def _why_no_undo(session: GameSession, seats: Sequence[Seat]) -> str:
    """Return the reason why the owner of these seats cannot take back a move now; empty if that is possible."""
    refusal = session.refusal_to_take_back(session.seat_infos[seats[0] - 1].visitor) if seats else None
    return refusal.problem if refusal else ""


def _first_move_note(session: GameSession) -> str:
    """Return a sentence on the limit for the first move in a game with a clock; empty if it does not apply."""
    if not session.lacks_first_move(0.0):
        return ""
    limit = f"{CLASS_FIRST_MOVE_SECONDS:.0f} s" if session.is_class_game else f"{FIRST_MOVE_SECONDS / 60:.0f} minutes"
    return f"Without a first move within {limit}, the game ends without a result."


def _rules_and_times(session: GameSession) -> str:
    """Return the game, its rules and its time limits, in sentences."""
    limits = [
        f"{display_name(info.name)}: {time_limit_text(info.seconds_per_move)} a move"
        for info in session.seat_infos
        if info.seconds_per_move
    ]
    if session.has_clocks:
        limits.append(f"Clock: {describe_clock(session.human_time_control)}")
    return ". ".join([describe_game(session.game), *limits]) + "."


def _request_buttons(session: GameSession, seats: Sequence[Seat]) -> tuple[list[tuple[str, str]], str]:
    """Return the buttons for requests between humans, each with its action and its label, and a sentence about an open
    request.
    """
    if not seats:
        return [], ""
    visitor = session.seat_infos[seats[0] - 1].visitor
    names = {info.visitor: display_name(info.name) for info in session.seat_infos if info.visitor}
    deleters = [names[requester] for requester in sorted(session.deletion_requests) if requester != visitor]
    if deleters and visitor not in session.deletion_requests:
        return (
            [],
            f"{' and '.join(deleters)} {'asks' if len(deleters) == 1 else 'ask'} you to delete this game: see More.",
        )
    if session.is_over:
        if not session.is_stored or session.rematch_key or session.is_class_game:
            return [], ""  # the next game of a class comes from the teacher
        other_names = [names[requester] for requester in sorted(session.rematch_requested_by) if requester != visitor]
        if other_names:
            return [("rematch", "Accept the rematch")], f"{' and '.join(other_names)} would like a rematch."
        return [("rematch", "Rematch")], ""
    if session.undo_requested_by and session.undo_requested_by != visitor:
        return [
            ("agree", "Agree"),
            ("decline", "Decline"),
        ], f"{names[session.undo_requested_by]} asks to take back a move."
    opponents = " and ".join(name for seat_visitor, name in names.items() if seat_visitor != visitor)
    if session.undo_requested_by:
        return [], f"{opponents} was asked whether you may take back your move."
    if session.draw_offered_by - {visitor}:
        return [("draw", "Accept the draw"), ("decline-draw", "Decline")], f"{opponents} offers you a draw."
    if session.draw_offered_by:
        return [], f"You have offered {opponents} a draw. The offer stands until {opponents} moves."
    if session.undo_declined_for == visitor:
        return [], f"{opponents} declined: your move stays."
    if session.draw_declined_for == visitor:
        return [], f"{opponents} has declined the draw."
    return [], ""
