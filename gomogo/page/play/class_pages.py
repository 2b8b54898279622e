"""The pages of a class: students join and wait, the teacher pairs them and stops games.

Uses requests and the class; makes no verdict.
"""

from __future__ import annotations

import hmac

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gomogo.page.play.classroom import Classroom
from gomogo.page.play.new_game import board_sizes
from gomogo.page.server.addresses import qr_code, shareable_base_url
from gomogo.page.server.context import PageContext, form_field
from gomogo.page.server.sse import View, none_if_unchanged
from gomogo.text.names import guest_name, person_name
from gomogo_core import games
from gomogo_core.errors import UserError

_OFTEN = 0.5  # seconds between looks at the class


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
        return line, self.context.part("_class.html", session=session)

    async def student_events(self, request: Request) -> Response:
        """Stream the student's state."""
        visitor = request.state.visitor

        def look(version: int | None) -> View | None:
            line, table = self._student_part(visitor)
            now = hash((line, table)) & 0xFFFFFFFF
            return None if now == version else View(now, line, table)

        return self.context.stream(self.context.followed.events(f"class {visitor}", look, _OFTEN, None))

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

    def teacher(self, request: Request, said: str = "") -> Response:
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
        return self.context.page(
            request,
            "teacher.html",
            secret=self.classroom.secret,
            address=f"{base}/class",
            code="" if reach else qr_code(f"{base}/class"),
            reach=reach,
            choices=choices,
            said=said,
            line=line,
            table=table,
        )

    def _teacher_part(self) -> tuple[str, str]:
        with self.classroom.lock:
            rows = []
            for one in self.classroom.students.values():
                session = self.classroom.game_of(one)
                rows.append({"name": one.name, "key": one.key, "running": session is not None})
        waiting = sum(not row["running"] for row in rows)
        line = f"{len(rows)} student{'s' * (len(rows) != 1)}, {waiting} waiting"
        state = "open" if self.classroom.open else "closed"
        return f"{line}; the class is {state}.", self.context.part("_teacher.html", rows=rows)

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
        act, form = request.path_params["act"], request.state.form
        said = ""
        try:
            if act == "pair":
                game, *pairs = form_field(form, "game").split()[:3] or [""]
                begun = self.classroom.pair(game, dict(pair.split("=", 1) for pair in pairs if "=" in pair))
                said = f"{begun} game{'s' * (begun != 1)} started."
            elif act == "stop":
                stopped = self.classroom.stop()
                said = f"{stopped} game{'s' * (stopped != 1)} stopped and deleted."
            elif act == "remove":
                self.classroom.remove(form_field(form, "name"))
            elif act in ("open", "close"):
                self.classroom.set_open(is_open=act == "open")
        except UserError as wrong:
            said = f"{wrong.what} {wrong.remedy}"
        return self.teacher(request, said)
