"""The pages of a class that its students see: they join, wait for a game, and read the pairs and results of the rounds.

classroom.py has the state of the class, and teacher_pages.py the page of the teacher.
"""

from __future__ import annotations

import secrets
from collections import Counter
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gomogo.page.board_view import describe_game
from gomogo.page.play.classroom import Classroom
from gomogo.page.play.students import student_points
from gomogo.page.server.context import PageContext, form_field
from gomogo.page.server.sse import LiveView, none_if_unchanged
from gomogo.text.names import normalise_person_name
from gomogo_core.errors import UserError
from gomogo_core.session.game_session import GameSession

CHECK_SECONDS = 0.5  # seconds between two checks for changes of the class
RESULT_WORDS = {1.0: "won", 0.5: "drew", 0.0: "lost"}  # by points


class StudentPages:
    """The handlers of the pages of the students."""

    def __init__(self, context: PageContext, classroom: Classroom) -> None:
        self.context, self.classroom = context, classroom

    def routes(self) -> list[Route]:
        """Return the routes of the handlers."""
        return [
            Route("/class", self.show_student_page),
            Route("/class", self.join_class, methods=["POST"]),
            Route("/class/events", self.stream_student_page),
            Route("/class/rounds", self.show_rounds),
            Route("/class/rounds/events", self.stream_rounds),
        ]

    def show_student_page(self, request: Request, error: UserError | None = None) -> Response:
        """Show the form for joining the class, or the page of a student who has joined."""
        visitor = request.state.visitor
        student = self.classroom.students[visitor] if self.classroom.is_member(visitor) else None
        status_line, live_part = self._student_part(visitor)
        return self.context.render_page(
            request,
            "class.html",
            "/class",
            status=400 if error else 200,
            name=form_field(request.state.form, "name")[:100] if error else student.name if student else "",
            joined=student is not None,
            status_line=status_line,
            live_part=live_part,
            error=error,
        )

    def _student_part(self, visitor: str) -> tuple[str, str]:
        classroom = self.classroom
        student = classroom.students.get(visitor)
        if student is None or student.has_left:
            line = f"{student.notice or 'The teacher has removed you from the class.'} " if student else ""
            if student is None and visitor in classroom.final_messages:
                outlook = "Join it below." if classroom.is_open else ""
                line = f"{classroom.final_messages[visitor]} {outlook} "
            if not classroom.is_open:
                line += "The class is closed. You can join here as soon as the teacher opens it."
            closed = "" if classroom.is_open else " data-closed"
            return line.rstrip() or "Join the class.", Markup(f"<span data-not-joined{closed}></span>")
        classroom.mark_present(visitor)
        session = classroom.running_game_of(student)
        finished_games = self.classroom.finished_games(visitor)
        last_game = finished_games[0] if finished_games and finished_games[0].key == student.keys[-1] else None
        news = (
            f"You {RESULT_WORDS[student_points(last_game, visitor)]} against {opponents_text(last_game, visitor)}."
            if last_game and not student.notice
            else ""
        )
        outlook = "Wait for the teacher to start a game." if classroom.is_open else "The class is closed."
        line = "Your game is ready." if session else f"{news} {outlook}".lstrip()
        return line, self.context.render_part(
            "_class.html",
            name=student.name,
            notice="" if session else student.notice,
            session=session,
            is_open=classroom.is_open,
            results=self._finished_game_rows(visitor),
            adjourned=Counter(
                opponents_text(session, visitor) for session in classroom.adjourned_games() if session.seats_of(visitor)
            ),
            standing=classroom.standings().get(visitor, ""),
            running=bool(classroom.running_games()),
            has_rounds=classroom.round_number > 0,
            rules=classroom.restrictions_text(),
        )

    def _finished_game_rows(self, visitor: str) -> list[dict[str, str]]:
        """Return the student's finished games as template values, the latest first."""
        return [
            {
                "key": session.key,
                "opponents": opponents_text(session, visitor),
                "game": describe_game(session.game),
                "words": RESULT_WORDS[student_points(session, visitor)],
            }
            for session in self.classroom.finished_games(visitor)
            if session.is_stored
        ]

    async def stream_student_page(self, request: Request) -> Response:
        """Stream the changes of the student's page."""
        visitor = request.state.visitor

        def make_view(version: int | None) -> LiveView | None:
            status_line, live_part = self._student_part(visitor)
            now = hash((status_line, live_part)) & 0xFFFFFFFF
            return None if now == version else LiveView(now, status_line, live_part)

        # each page has its own channel: a shared one may still lead the student to a game that has been deleted
        channel = f"{channel_prefix(visitor)}{secrets.token_hex(8)}"
        return self.context.stream_response(
            self.context.polled_channels.events(channel, make_view, CHECK_SECONDS, None)
        )

    def join_class(self, request: Request) -> Response:
        """Add the visitor to the class, with the name in the form."""
        try:
            self.classroom.join(request.state.visitor, normalise_person_name(form_field(request.state.form, "name")))
            self.classroom.mark_present(request.state.visitor)
        except UserError as error:
            return self.show_student_page(request, error)
        return self.context.success_response(request, back_url="/class")

    def show_rounds(self, request: Request) -> Response:
        """Show the standings, and the pairs and results of all rounds."""
        return self.context.render_page(request, "rounds.html", "/class/rounds", live_part=self._rounds_part()[1])

    def _rounds_part(self) -> tuple[str, str]:
        ranking = self.classroom.ranking()
        names = {line.name for line in ranking}
        unranked = [row.name for row in self.classroom.student_rows() if not row.has_left and row.name not in names]
        rounds = round_values(self.classroom)
        return "", self.context.render_part("_rounds.html", rounds=rounds, ranking=ranking, unranked=unranked)

    async def stream_rounds(self, _: Request) -> Response:
        """Stream the changes of the pairs and results."""
        make_view = none_if_unchanged(self._rounds_part)
        return self.context.stream_response(
            self.context.polled_channels.events("rounds", make_view, CHECK_SECONDS, None)
        )


def round_values(classroom: Classroom) -> list[dict[str, Any]]:
    """Return the rounds of the class as template values, the latest first."""
    return [
        {
            "number": class_round.number,
            "games": [_game_values(classroom, session) for session in class_round.sessions],
            "unpaired": ", ".join(class_round.unpaired_names),
        }
        for class_round in classroom.rounds()
    ]


def _game_values(classroom: Classroom, session: GameSession) -> dict[str, Any]:
    is_adjourned = session.key in classroom.adjourned_keys
    points = [student_points(session, info.visitor) for info in session.seat_infos] if session.is_over else []
    return {
        "names": " – ".join(session.names),
        "result": " – ".join(f"{number:g}" for number in points) or ("adjourned" if is_adjourned else "running"),
        "url": f"/games/{session.key}" if session.is_stored else f"/play/{session.key}",
    }


def opponents_text(session: GameSession, visitor: str) -> str:
    """Return the names of the other players of a game."""
    return ", ".join(info.name for info in session.seat_infos if info.visitor != visitor)


def channel_prefix(visitor: str) -> str:
    """Return the prefix of the names of a student's channels, one for each open page of the class."""
    return f"class {visitor} "
