"""The pages of a class: students join and wait, the teacher pairs them and stops games.

Uses requests and the class; makes no verdict.
"""

from __future__ import annotations

import hmac
import secrets

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gomogo.page.board_view import rules_words
from gomogo.page.play.classroom import Classroom, StudentRow, points_of
from gomogo.page.play.new_game import board_sizes, clock_choices, read_clock
from gomogo.page.server.addresses import qr_code, shareable_base_url
from gomogo.page.server.context import PageContext, form_field
from gomogo.page.server.sse import View, none_if_unchanged
from gomogo.page.watch.running_games import session_cards
from gomogo.text.names import guest_name, person_name
from gomogo_core import games
from gomogo_core.errors import UserError
from gomogo_core.play.clock import NO_LIMIT

_OFTEN = 0.5  # seconds between looks at the class
_BOARDS = 20  # on the teacher's page
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
            Route("/class/{secret}/{act}", self.carry_out, methods=["POST"]),
        ]

    def student(self, request: Request, wrong: UserError | None = None) -> Response:
        """Show the form to join, or that the student waits."""
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
        """Return the values of the student's finished games, the latest first."""
        return [
            {
                "key": one.key,
                "opponents": ", ".join(info.name for info in one.seat_infos if info.visitor != visitor),
                "game": rules_words(one.game),
                "words": _RESULTS[points_of(one, visitor)],
            }
            for one in self.classroom.finished(visitor)
            if one.is_stored
        ]

    async def student_events(self, request: Request) -> Response:
        """Stream the student's state."""
        visitor = request.state.visitor

        def look(version: int | None) -> View | None:
            line, table = self._student_part(visitor)
            now = hash((line, table)) & 0xFFFFFFFF
            return None if now == version else View(now, line, table)

        # a channel of its own: a shared one may still show a game that was deleted since, and lead the student there
        channel = f"{_channel(visitor)}{secrets.token_hex(8)}"
        return self.context.stream(self.context.followed.events(channel, look, _OFTEN, None))

    def join(self, request: Request) -> Response:
        """Let the student in."""
        try:
            self.classroom.join(request.state.visitor, person_name(form_field(request.state.form, "name")))
        except UserError as wrong:
            return self.student(request, wrong)
        return self.context.done(request, back="/class")

    def _is_teacher(self, request: Request) -> bool:
        return hmac.compare_digest(request.path_params["secret"].encode(), self.classroom.secret.encode())

    def _refuse_stranger(self, request: Request) -> Response:
        return self.context.refuse(request, UserError("This page is the teacher's.", "Join the class."), "/class", 404)

    def teacher(self, request: Request) -> Response:
        """Show the students, and the controls of the class."""
        if not self._is_teacher(request):
            return self._refuse_stranger(request)
        base, reach = shareable_base_url(str(request.base_url), alone=bool(self.context.settings.hosts))
        choices = [
            (f"{name} {size}".strip(), name, words)
            for name in games.names()
            for size, words in (board_sizes(name) or [("", "")])
        ]
        line, table = self._teacher_part()
        said, self.classroom.said = self.classroom.said, ""
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
            cards=session_cards(running, _BOARDS),
        )
        return f"{line}; the class is {state}.", text

    def _is_present(self, row: StudentRow) -> bool:
        """Return whether the student's page is open: that of the class, or that of their last game."""
        if self.context.followed.is_read(_channel(row.visitor)):
            return True
        session = row.session or self.classroom.last_game_of(row.visitor)
        if session is None:
            return False
        with session.lock:
            return not self.context.present(session).isdisjoint(session.seats_of(row.visitor))

    async def teacher_events(self, request: Request) -> Response:
        """Stream the list of students."""
        if not self._is_teacher(request):
            return self._refuse_stranger(request)
        look = none_if_unchanged(self._teacher_part)
        return self.context.stream(self.context.followed.events("class", look, _OFTEN, None))

    def carry_out(self, request: Request) -> Response:
        """Carry out an action of the teacher."""
        if not self._is_teacher(request):
            return self._refuse_stranger(request)
        act, form, room = request.path_params["act"], request.state.form, self.classroom
        try:
            if act in ("pair", "pair-two"):
                room.game = " ".join(form_field(form, "game").split()[:3])
                game, *pairs = room.game.split() or [""]
                options = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
                room.clock = read_clock(form_field(form, "clock")) or NO_LIMIT
                begun = 1
                if act == "pair":
                    begun = room.pair(game, options)
                else:
                    room.pair_named(game, options, [form_field(form, "first"), form_field(form, "second")])
                room.said = f"{begun} game{'s' * (begun != 1)} started."
            elif act in ("stop", "stop-one"):
                name = form_field(form, "name")
                stopped = room.stop() if act == "stop" else room.stop_game_of(name)
                room.said = f"{stopped} game{'s' * (stopped != 1)} stopped and deleted."
            elif act == "remove":
                room.remove(form_field(form, "name"))
                room.said = f"{form_field(form, 'name')} is no longer in the class."
            elif act in ("open", "close"):
                room.set_open(is_open=act == "open")
        except UserError as wrong:
            room.said = f"{wrong.what} {wrong.remedy}"
        return self.context.done(request, back=f"/class/{room.secret}")


def _channel(visitor: str) -> str:
    """Return the beginning of the names of the channels that a student's pages of the class follow."""
    return f"class {visitor} "
