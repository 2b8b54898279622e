"""The pages of a class: students join and wait; the teacher pairs them and stops games.

classroom.py has the state of the class.
"""

from __future__ import annotations

import hmac
import secrets

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gomogo.page.board_view import rules_text
from gomogo.page.play.classroom import Classroom, StudentRow, student_points
from gomogo.page.play.new_game import board_size_choices, clock_choices, read_clock
from gomogo.page.server.addresses import qr_code, shareable_base_url
from gomogo.page.server.context import PageContext, form_field
from gomogo.page.server.sse import View, none_if_unchanged
from gomogo.page.watch.running_games import session_cards
from gomogo.text.names import guest_name, person_name
from gomogo_core import games
from gomogo_core.errors import UserError
from gomogo_core.play.clock import NO_LIMIT

_CHECK_SECONDS = 0.5  # between two checks for changes of the class
_MAX_BOARDS = 20  # on the teacher's page
_RESULTS = {1.0: "won", 0.5: "drawn", 0.0: "lost"}


class ClassPages:
    """The handlers of the pages of a class."""

    def __init__(self, context: PageContext, classroom: Classroom) -> None:
        self.context, self.classroom = context, classroom

    def routes(self) -> list[Route]:
        """Return the routes of the handlers."""
        return [
            Route("/class", self.student),
            Route("/class", self.join, methods=["POST"]),
            Route("/class/events", self.student_events),
            Route("/class/{secret}", self.teacher),
            Route("/class/{secret}/events", self.teacher_events),
            Route("/class/{secret}/{act}", self.carry_out_action, methods=["POST"]),
        ]

    def student(self, request: Request, wrong: UserError | None = None) -> Response:
        """Show the form for joining the class, or the page of a student who has joined."""
        visitor = request.state.visitor
        joined = self.classroom.students.get(visitor)
        line, table = self._student_part(visitor)
        return self.context.page(
            request,
            "class.html",
            "/class",
            status=400 if wrong else 200,
            name=joined.name if joined else guest_name(visitor),
            joined=joined is not None,
            line=line,
            table=table,
            wrong=wrong,
        )

    def _student_part(self, visitor: str) -> tuple[str, str]:
        student = self.classroom.students.get(visitor)
        session = None if student is None else self.classroom.game_of(student)
        if student is None:
            return "Join the class.", ""
        line = "Your game is ready." if session else "Wait for the teacher to start a game."
        return line, self.context.part("_class.html", session=session, results=self._results(visitor))

    def _results(self, visitor: str) -> list[dict[str, str]]:
        """Return the student's finished games as template values, the latest first."""
        return [
            {
                "key": one.key,
                "opponents": ", ".join(info.name for info in one.seat_infos if info.visitor != visitor),
                "game": rules_text(one.game),
                "words": _RESULTS[student_points(one, visitor)],
            }
            for one in self.classroom.finished(visitor)
            if one.is_stored
        ]

    async def student_events(self, request: Request) -> Response:
        """Stream the changes of the student's page."""
        visitor = request.state.visitor

        def look(version: int | None) -> View | None:
            line, table = self._student_part(visitor)
            now = hash((line, table)) & 0xFFFFFFFF
            return None if now == version else View(now, line, table)

        # each page has its own channel: a shared one may still lead the student to a game that has been deleted
        channel = f"{_channel_prefix(visitor)}{secrets.token_hex(8)}"
        return self.context.stream(self.context.followed.events(channel, look, _CHECK_SECONDS, None))

    def join(self, request: Request) -> Response:
        """Add the visitor to the class, with the name in the form."""
        try:
            self.classroom.join(request.state.visitor, person_name(form_field(request.state.form, "name")))
        except UserError as wrong:
            return self.student(request, wrong)
        return self.context.done(request, back="/class")

    def _is_teacher(self, request: Request) -> bool:
        return hmac.compare_digest(request.path_params["secret"].encode(), self.classroom.secret.encode())

    def _refuse_stranger(self, request: Request) -> Response:
        return self.context.refuse(
            request, UserError("This page is for the teacher.", "Join the class."), "/class", 404
        )

    def teacher(self, request: Request) -> Response:
        """Show the teacher's page: the students, and the controls of the class."""
        if not self._is_teacher(request):
            return self._refuse_stranger(request)
        base, reach = shareable_base_url(str(request.base_url), alone=bool(self.context.settings.hosts))
        choices = [
            (f"{name} {size}".strip(), name, words)
            for name in games.names()
            for size, words in (board_size_choices(name) or [("", "")])
        ]
        line, table = self._teacher_part()
        said, self.classroom.message = self.classroom.message, ""
        return self.context.page(
            request,
            "teacher.html",
            secret=self.classroom.secret,
            address=f"{base}/class",
            code="" if reach else qr_code(f"{base}/class"),
            reach=reach,
            choices=choices,
            chosen=self.classroom.game,
            clocks=[(value, words, read_clock(value) == self.classroom.clock) for value, words in clock_choices()],
            open=self.classroom.open,
            said=said,
            line=line,
            table=table,
        )

    def _teacher_part(self) -> tuple[str, str]:
        rows = self.classroom.table()
        running = list({row.session.key: row.session for row in rows if row.session}.values())
        waiting = sum(row.session is None for row in rows)
        line = f"{len(rows)} student{'s' * (len(rows) != 1)}, {waiting} waiting"
        state = "open" if self.classroom.open else "closed"
        text = self.context.part(
            "_teacher.html",
            rows=[(row, self._is_present(row)) for row in rows],
            cards=session_cards(running, _MAX_BOARDS),
        )
        return f"{line}; the class is {state}.", text

    def _is_present(self, row: StudentRow) -> bool:
        """Return whether a page of the student is open: that of the class, or that of the last game."""
        if self.context.followed.is_read(_channel_prefix(row.visitor)):
            return True
        session = row.session or self.classroom.last_game_of(row.visitor)
        if session is None:
            return False
        with session.lock:
            return not self.context.present(session).isdisjoint(session.seats_of(row.visitor))

    async def teacher_events(self, request: Request) -> Response:
        """Stream the changes of the teacher's page."""
        if not self._is_teacher(request):
            return self._refuse_stranger(request)
        look = none_if_unchanged(self._teacher_part)
        return self.context.stream(self.context.followed.events("class", look, _CHECK_SECONDS, None))

    def carry_out_action(self, request: Request) -> Response:
        """Carry out an action of the teacher."""
        if not self._is_teacher(request):
            return self._refuse_stranger(request)
        act, form, classroom = request.path_params["act"], request.state.form, self.classroom
        try:
            if act in ("pair", "pair-two"):
                classroom.game = " ".join(form_field(form, "game").split()[:3])
                game, *pairs = classroom.game.split() or [""]
                options = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
                classroom.clock = read_clock(form_field(form, "clock")) or NO_LIMIT
                started = 1
                if act == "pair":
                    started = classroom.pair(game, options)
                else:
                    classroom.pair_named(game, options, [form_field(form, "first"), form_field(form, "second")])
                classroom.message = f"{started} game{'s' * (started != 1)} started."
            elif act in ("stop", "stop-one"):
                name = form_field(form, "name")
                stopped = classroom.stop() if act == "stop" else classroom.stop_game_of(name)
                classroom.message = f"{stopped} game{'s' * (stopped != 1)} stopped and deleted."
            elif act == "remove":
                classroom.remove(form_field(form, "name"))
                classroom.message = f"{form_field(form, 'name')} is no longer in the class."
            elif act in ("open", "close"):
                classroom.set_open(is_open=act == "open")
        except UserError as wrong:
            classroom.message = f"{wrong.what} {wrong.remedy}"
        return self.context.done(request, back=f"/class/{classroom.secret}")


def _channel_prefix(visitor: str) -> str:
    """Return the prefix of the names of a student's channels, one for each open page of the class."""
    return f"class {visitor} "
