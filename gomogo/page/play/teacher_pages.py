"""The page on which a teacher leads a class: the students, the games that run, and the controls.

class_actions.py has the actions of the controls.
"""

from __future__ import annotations

import hmac
import re
import secrets
import time
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gomogo.page.play.class_actions import ClassActions, games_text
from gomogo.page.play.classroom import Classroom
from gomogo.page.play.form_choices import (
    PLAYERS_OPTION,
    FieldError,
    board_size_choices,
    clock_choices,
    handicap_choices,
    max_seats,
    option_fields,
    read_clock,
)
from gomogo.page.play.new_game import read_form_values
from gomogo.page.play.student_pages import CHECK_SECONDS, RESULT_WORDS, opponents_text, round_values
from gomogo.page.play.students import StudentRow, student_points
from gomogo.page.server.addresses import qr_code, shareable_base_url
from gomogo.page.server.context import PageContext, form_field
from gomogo.page.server.sse import none_if_unchanged
from gomogo.page.watch.running_games import session_cards
from gomogo_core import games
from gomogo_core.errors import UserError
from tournaments.csv_table import csv_table

_MAX_BOARDS = 20  # on the teacher's page
_IDLE_MINUTES = 2  # minutes without a move after which the teacher's page marks a student
_FIRST_GAME = "gomoku"  # the first choice of a new class, because most people know it


class TeacherPages:
    """The handlers of the teacher's page. Its URL has a secret that only the teacher knows."""

    def __init__(self, context: PageContext, classroom: Classroom) -> None:
        self.context, self.classroom = context, classroom
        self.actions = ClassActions(context, classroom)
        # by visitor: the result of the teacher's last action and the names that it concerns, until a page shows them
        self.messages: dict[str, tuple[str, str]] = {}

    def routes(self) -> list[Route]:
        """Return the routes of the handlers."""
        return [
            Route("/class/{secret}", self.show_teacher_page),
            Route("/class/{secret}/events", self.stream_teacher_page),
            Route("/class/{secret}/points.csv", self.send_points),
            Route("/class/{secret}/{act}", self.carry_out_action, methods=["POST"]),
        ]

    def _is_teacher(self, request: Request) -> bool:
        return hmac.compare_digest(request.path_params["secret"].encode(), self.classroom.secret.encode())

    def _refuse_stranger(self, request: Request) -> Response:
        return self.context.error_response(
            request, UserError("This page is for the teacher.", "Join the class."), "/class", 404
        )

    def show_teacher_page(self, request: Request) -> Response:
        """Show the teacher's page: the students, and the controls of the class."""
        if not self._is_teacher(request):
            return self._refuse_stranger(request)
        self.classroom.admit_teacher(request.state.visitor)
        is_local = bool(self.context.settings.hosts)
        base, reach = shareable_base_url(str(request.base_url), is_local=is_local, with_class=True)
        names = sorted(games.names(), key=lambda name: name != _FIRST_GAME)
        choices = [
            (f"{name} {size}".strip(), name, words)
            for name in names
            for size, words in (board_size_choices(name) or [("", "")])
        ]
        rules = {name: self._rules_part(name) for name in names}
        game = self.classroom.last_game_choice.partition(" ")[0]
        status_line, live_part = self._teacher_part(request)
        message, details = self.messages.pop(request.state.visitor, ("", ""))
        return self.context.render_page(
            request,
            "teacher.html",
            f"/class/{self.classroom.secret}",
            secret=self.classroom.secret,
            address=f"{base}/class",
            code="" if reach else qr_code(f"{base}/class"),
            reach=reach,
            choices=choices,
            chosen=self.classroom.last_game_choice,
            rules=rules,
            shown=game if game in rules else next(iter(rules)),
            clocks=[(value, words, read_clock(value) == self.classroom.clock) for value, words in clock_choices()],
            switches=[
                ("help", "Help in games", "hints, explanations, analysis", self.classroom.allows_help),
                ("undo", "Taking back moves", "and deleting games", self.classroom.allows_undo),
                ("byes", "Point for a bye", "for a student without an opponent", self.classroom.gives_byes),
                ("open", "New students", "may join the class", self.classroom.is_open),
            ],
            paused=self.classroom.is_paused,
            clear_question=self._new_class_question(),
            running=bool(self.classroom.running_games()),
            exchange=request.query_params.get("exchange", "")[:100],
            has_preview=bool(self.classroom.proposal()),
            student=self._chosen_student(request),
            said=message or self._round_over_words(),
            names=details,
            is_open=self.classroom.is_open,
            status_line=status_line,
            live_part=live_part,
        )

    def _rules_part(self, name: str) -> str:
        """Return the fields for the rules of a game as HTML. The game of the teacher's last choice has the values of
        this choice.
        """
        form, form_error = {"game": [name]}, None
        if name == self.classroom.last_game_choice.partition(" ")[0]:
            form = self.actions.game_form()
            try:
                self.actions.read_game_form(form)
            except UserError as error:
                form_error = error if isinstance(error, FieldError) else FieldError("", error.problem, error.remedy)
        form_values = read_form_values(form)
        return self.context.render_part(
            "_class_rules.html",
            game=name,
            given=form_values,
            error=form_error,
            fields=option_fields(name),
            handicaps=handicap_choices(name),
            seats=max_seats(name),
            players=form_field(form, PLAYERS_OPTION),
        )

    def _chosen_student(self, request: Request) -> dict[str, Any] | None:
        """Return the template values for the actions on the student whom the URL names; None if there is none."""
        try:
            row = self.classroom.student_row(request.query_params.get("student", ""))
        except UserError:
            return None
        rows = self.classroom.student_rows()
        present = self.actions.present_students(rows)
        name = _name_without_number(row.name)
        twins = [  # two students who are both present are one only if they also have the same name
            other
            for other in rows
            if other.visitor != row.visitor
            and not (row.session and other.session)
            and (not {row.visitor, other.visitor} <= present or _name_without_number(other.name) == name)
        ]
        twins.sort(key=lambda twin: (_name_without_number(twin.name) != name, twin.visitor in present))
        return {
            "name": row.name,
            "twins": [self._merge_choice(row, twin, present) for twin in twins],
            "state": (
                f"plays {', '.join(row.opponents)}"
                if row.session
                else "game adjourned"
                if row.visitor in self.classroom.adjourned_students()
                else "waits"
                if row.visitor in present
                else "away"
            ),
            "key": row.session.key if row.session else "",
            "players": row.session.names if row.session else (),
            "opponents": row.opponents,
            "results": [
                (session.key, f"{RESULT_WORDS[student_points(session, row.visitor)]} against {opponents}")
                for session in self.classroom.finished_games(row.visitor)
                if len(session.seat_infos) == 2 and (opponents := opponents_text(session, row.visitor))
            ],
            "waiting": [
                (student_row.name, student_row.visitor in present)
                for student_row in rows
                if not student_row.session and not student_row.has_left and student_row.name != row.name
            ],
        }

    def _merge_choice(self, row: StudentRow, twin: StudentRow, present: Collection[str]) -> tuple[str, str]:
        """Return the choice to merge two entries of one student: the other name, and the question that the teacher must
        confirm.
        """
        classroom = self.classroom
        staying, gone = classroom.merge_order(row.visitor, twin.visitor, present)
        merged = classroom.merged_name(staying, gone)
        words = f"{twin.name if merged == row.name else row.name} is {merged}"
        device = classroom.students[staying].name
        question = f"{words}? All points and games go to {merged}, on the device of {device}."
        return twin.name, question

    def _teacher_part(self, request: Request) -> tuple[str, str]:
        rows = self.classroom.student_rows()
        present = self.actions.present_students(rows)
        running_sessions = list({row.session.key: row.session for row in rows if row.session}.values())
        members = [row for row in rows if not row.has_left]
        playing = sum(row.session is not None for row in members)
        adjourned_visitors = self.classroom.adjourned_students()
        adjourned = sum(row.session is None and row.visitor in adjourned_visitors for row in members)
        away = sum(row.session is None and row.visitor not in present | adjourned_visitors for row in members)
        counts = [f"{len(members) - playing - adjourned - away} ready"]
        idle_minutes = {row.visitor: minutes for row in members if (minutes := _minutes_on_turn(row)) >= _IDLE_MINUTES}
        if playing:
            idle_words = f" ({len(idle_minutes)} idle)" if idle_minutes else ""
            counts.append(f"{playing} playing{idle_words}")
        if adjourned:
            counts.append(f"{adjourned} adjourned")
        if away:
            counts.append(f"{away} away")
        line = f"{len(members)} student{'s' * (len(members) != 1)}: {', '.join(counts)}"
        # "paused" replaces "open" and "closed", so that a pause does not make the text longer
        state = "paused" if self.classroom.is_paused else "open" if self.classroom.is_open else "closed"
        text = self.context.render_part(
            "_teacher.html",
            round_over=self._round_over_words(),
            clear_question=self._new_class_question(),
            running=bool(self.classroom.running_games()),
            where=f"/class/{self.classroom.secret}",
            secret=self.classroom.secret,
            token=request.state.token,
            choices_state=self._choices_state(),
            student=self._chosen_student(request),
            rows=[(row, row.visitor in present, idle_minutes.get(row.visitor, 0)) for row in rows],
            news=self.classroom.late_start_messages,
            **self._preview_values(request, rows, present),
            rounds=round_values(self.classroom),
            adjourned_visitors=adjourned_visitors,
            adjourned=[(session.key, " – ".join(session.names)) for session in self.classroom.adjourned_games()],
            cards=session_cards(running_sessions, _MAX_BOARDS),
        )
        return f"{line}; the class is {state}.", text

    def _choices_state(self) -> str:
        """Return a text that changes with the choices of the teacher, so that every open page of the teacher shows
        them.
        """
        classroom = self.classroom
        switches = (classroom.allows_help, classroom.allows_undo, classroom.gives_byes, classroom.is_open)
        states = (classroom.is_paused, bool(classroom.proposal()))
        return str([classroom.last_game_choice, classroom.rules, classroom.clock.as_dict(), *switches, *states])

    def _preview_values(self, request: Request, rows: Sequence[StudentRow], present: Collection[str]) -> dict[str, Any]:
        """Return the template values of the teacher's preview. Each student is a row, with whether they are present."""
        groups, rows_by_visitor = self.classroom.proposal(), {row.visitor: row for row in rows}
        grouped = {visitor for group in groups for visitor in group}
        others = [row for row in rows if not row.session and not row.has_left and row.visitor not in grouped]
        adjourned_visitors = self.classroom.adjourned_students()
        chosen = request.query_params.get("exchange", "")
        return {
            "preview": [[(rows_by_visitor[visitor], visitor in present) for visitor in group] for group in groups],
            "without_group": [(row, row.visitor in present) for row in others if row.visitor not in adjourned_visitors],
            "adjourned_names": [row.name for row in others if row.visitor in adjourned_visitors],
            "exchange": chosen if chosen in {row.name for row in rows} else "",
        }

    def _round_over_words(self) -> str:
        """Return a sentence on the teacher's choices after a round; empty during a round and before the first one."""
        is_over = bool(self.classroom.latest_results(1)) and not self.classroom.running_games()
        if is_over and self.classroom.adjourned_games():
            return "No games are running. Continue the adjourned ones below, or pair the students again."
        outlook = "pair the students again" if self.classroom.is_open else "the wall shows the ranking"
        return f"All games are over: {outlook}." if is_over else ""

    def _new_class_question(self) -> str:
        """Return the question before a new class, with its consequences."""
        count = len(self.classroom.running_games()) + len(self.classroom.adjourned_games())
        words = f"{games_text(count)} will be deleted. " if count else ""
        return f"Begin a new class? {words}All students and points are removed: save the points first (CSV)."

    async def stream_teacher_page(self, request: Request) -> Response:
        """Stream the changes of the teacher's page."""
        if not self._is_teacher(request):
            return self._refuse_stranger(request)
        make_view = none_if_unchanged(partial(self._teacher_part, request))
        # each page has its own channel: a shared one may still have the class before the action that loaded the page
        channel = f"teacher {secrets.token_hex(8)}"
        return self.context.stream_response(
            self.context.polled_channels.events(channel, make_view, CHECK_SECONDS, None)
        )

    def send_points(self, request: Request) -> Response:
        """Return the points of the class as a CSV file."""
        if not self._is_teacher(request):
            return self._refuse_stranger(request)
        lines, rounds = [], range(1, self.classroom.round_number + 1)
        for row in self.classroom.student_rows():
            student, sessions = self.classroom.students[row.visitor], self.classroom.finished_games(row.visitor)
            results = [student_points(session, row.visitor) for session in sessions]
            by_round: dict[int, list[str]] = {number: ["no opponent"] for number in student.left_over_rounds}
            for session, points in zip(reversed(sessions), reversed(results), strict=True):
                words = f"{RESULT_WORDS[points]} against {opponents_text(session, row.visitor)}"
                by_round.setdefault(self.classroom.round_of(session), []).append(words)
            counts = [results.count(points) for points in RESULT_WORDS]
            left = "yes" if row.has_left else "no"
            lines.append(
                (
                    *(row.name, row.points_text, row.games, *counts, student.byes, left),
                    *(row.place or "", f"{row.opponent_points:g}"),
                    *("; ".join(by_round.get(number, ())) for number in rounds),
                )
            )
        titles = ["student", "points", "games", "won", "drawn", "lost", "byes", "left", "place", "opponents' points"]
        titles += [f"round {number}" for number in rounds]
        return self.context.csv_response(csv_table(titles, lines), "points.csv")

    def carry_out_action(self, request: Request) -> Response:
        """Carry out an action of the teacher."""
        if not self._is_teacher(request):
            return self._refuse_stranger(request)
        act = self.actions.by_name().get(request.path_params["act"])
        if act is None:
            error = UserError("The page does not support this request.", "Use the page's buttons.")
            return self.context.error_response(request, error, f"/class/{self.classroom.secret}", 404)
        try:
            message, _, names = act(request.state.form).partition("\n")
        except UserError as error:
            message, names = f"{error.problem} {error.remedy}", ""
        self.messages[request.state.visitor] = message, names
        return self.context.success_response(request, back_url=f"/class/{self.classroom.secret}")


def _minutes_on_turn(row: StudentRow) -> int:
    """Return the minutes since a student's turn began; 0 if it is not the student's turn."""
    session = row.session
    if session is None or session.is_paused:
        return 0
    with session.lock:
        is_to_move = session.position.to_move in session.seats_of(row.visitor)
        return int((time.monotonic() - session.turn_started_at) // 60) if is_to_move else 0


def _name_without_number(name: str) -> str:
    """Return a name without the number that `distinct_names` adds."""
    return re.sub(r"-\d+$", "", name)
