"""The pages of a class: students join and wait; the teacher pairs them and stops games.

class_members.py has the state of the class.
"""

from __future__ import annotations

import hmac
import re
import secrets
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gomogo.page.board_view import describe_game
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
from gomogo.page.play.new_game import NewGame, read_form_values, read_new_game
from gomogo.page.play.students import StudentRow, student_points
from gomogo.page.server.addresses import qr_code, shareable_base_url
from gomogo.page.server.context import PageContext, form_field
from gomogo.page.server.sse import LiveView, none_if_unchanged
from gomogo.page.watch.running_games import session_cards
from gomogo.text.names import normalise_person_name
from gomogo_core import games
from gomogo_core.errors import UserError
from gomogo_core.play.clock import NO_LIMIT
from gomogo_core.session.game_session import GameSession
from tournaments.csv_table import csv_table

_CHECK_SECONDS = 0.5  # seconds between two checks for changes of the class
_MAX_BOARDS = 20  # on the teacher's page
_AWAY_SECONDS = 20.0  # seconds without an open page after which a student counts as away
_IDLE_MINUTES = 2  # minutes without a move after which the teacher's page marks a student
_FIRST_GAME = "gomoku"  # the first choice of a new class, because most people know it
_RESULTS = {1.0: "won", 0.5: "drew", 0.0: "lost"}


class ClassPages:
    """The handlers of the pages of a class."""

    def __init__(self, context: PageContext, classroom: Classroom) -> None:
        self.context, self.classroom = context, classroom
        # by visitor: the result of the teacher's last action and the names that it concerns, until a page shows them
        self.messages: dict[str, tuple[str, str]] = {}

    def routes(self) -> list[Route]:
        """Return the routes of the handlers."""
        return [
            Route("/class", self.show_student_page),
            Route("/class", self.join_class, methods=["POST"]),
            Route("/class/events", self.stream_student_page),
            Route("/class/rounds", self.show_rounds),
            Route("/class/rounds/events", self.stream_rounds),
            Route("/class/{secret}", self.show_teacher_page),
            Route("/class/{secret}/events", self.stream_teacher_page),
            Route("/class/{secret}/points.csv", self.send_points),
            Route("/class/{secret}/{act}", self.carry_out_action, methods=["POST"]),
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
            wrong=error,
        )

    def _student_part(self, visitor: str) -> tuple[str, str]:
        classroom = self.classroom
        student = classroom.students.get(visitor)
        if student is None or student.has_left:
            line = "The teacher has removed you from the class. " * bool(student)
            if student is None and visitor in classroom.final_standings:
                line = f"The class is over: {classroom.final_standings[visitor]} Join the next one below. "
            if not classroom.is_open:
                line += "The class is closed. You can join here as soon as the teacher opens it."
            closed = "" if classroom.is_open else " data-closed"
            return line.rstrip() or "Join the class.", Markup(f"<span data-not-joined{closed}></span>")
        classroom.mark_present(visitor)
        session = classroom.running_game_of(student)
        finished_games = self.classroom.finished_games(visitor)
        last_game = finished_games[0] if finished_games and finished_games[0].key == student.keys[-1] else None
        news = (
            f"You {_RESULTS[student_points(last_game, visitor)]} against {_opponents_text(last_game, visitor)}."
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
            results=self._finished_game_rows(visitor),
            adjourned=Counter(
                _opponents_text(session, visitor)
                for session in classroom.adjourned_games()
                if session.seats_of(visitor)
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
                "opponents": _opponents_text(session, visitor),
                "game": describe_game(session.game),
                "words": _RESULTS[student_points(session, visitor)],
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
        channel = f"{_channel_prefix(visitor)}{secrets.token_hex(8)}"
        return self.context.stream_response(
            self.context.polled_channels.events(channel, make_view, _CHECK_SECONDS, None)
        )

    def join_class(self, request: Request) -> Response:
        """Add the visitor to the class, with the name in the form."""
        try:
            self.classroom.join(request.state.visitor, normalise_person_name(form_field(request.state.form, "name")))
            self.classroom.mark_present(request.state.visitor)
        except UserError as error:
            return self.show_student_page(request, error)
        return self.context.success_response(request, back_url="/class")

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
            clear_question=self._clear_question(),
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
        form, wrong = {"game": [name]}, None
        if name == self.classroom.last_game_choice.partition(" ")[0]:
            form = self._game_form()
            try:
                self._read_game_form(form)
            except UserError as error:
                wrong = error if isinstance(error, FieldError) else FieldError("", error.problem, error.remedy)
        form_values = read_form_values(form)
        return self.context.render_part(
            "_class_rules.html",
            game=name,
            given=form_values,
            wrong=wrong,
            fields=option_fields(name),
            handicaps=handicap_choices(name),
            seats=max_seats(name),
            players=form_field(form, PLAYERS_OPTION),
        )

    def _game_form(self) -> dict[str, list[str]]:
        """Return the teacher's choice of a game as a form for a new game."""
        game, _, size = self.classroom.last_game_choice.partition(" ")
        return {"game": [game], "size": [size], **{name: [value] for name, value in self.classroom.rules.items()}}

    @staticmethod
    def _read_game_form(form: Mapping[str, Sequence[str]]) -> NewGame:
        players = form_field(form, PLAYERS_OPTION)
        return read_new_game(form, int(players) if players.isdecimal() and len(players) == 1 else 2)

    def _chosen_student(self, request: Request) -> dict[str, Any] | None:
        """Return the template values for the actions on the student whom the URL names; None if there is none."""
        try:
            row = self.classroom.student_row(request.query_params.get("student", ""))
        except UserError:
            return None
        rows = self.classroom.student_rows()
        present = self._present_students(rows)
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
                f"plays {', '.join(row.opponents)}" if row.session else "waits" if row.visitor in present else "away"
            ),
            "key": row.session.key if row.session else "",
            "players": row.session.names if row.session else (),
            "opponents": row.opponents,
            "results": [
                (session.key, f"{_RESULTS[student_points(session, row.visitor)]} against {opponents}")
                for session in self.classroom.finished_games(row.visitor)
                if len(session.seat_infos) == 2 and (opponents := _opponents_text(session, row.visitor))
            ],
            "waiting": [
                (student_row.name, student_row.visitor in present)
                for student_row in rows
                if not student_row.session and not student_row.has_left and student_row.name != row.name
            ],
        }

    def _merge_choice(self, row: StudentRow, twin: StudentRow, present: Collection[str]) -> tuple[str, str]:
        """Return a choice that two entries are one student: the other name, and the question before it."""
        classroom = self.classroom
        staying, gone = classroom.merge_order(row.visitor, twin.visitor, present)
        merged = classroom.merged_name(staying, gone)
        words = f"{twin.name if merged == row.name else row.name} is {merged}"
        device = classroom.students[staying].name
        question = f"{words}? All points and games go to {merged}, on the device of {device}."
        return twin.name, question

    def _teacher_part(self, request: Request) -> tuple[str, str]:
        rows = self.classroom.student_rows()
        present = self._present_students(rows)
        running_sessions = list({row.session.key: row.session for row in rows if row.session}.values())
        members = [row for row in rows if not row.has_left]
        playing = sum(row.session is not None for row in members)
        away = sum(row.session is None and row.visitor not in present for row in members)
        counts = [f"{len(members) - playing - away} ready"]
        idle_minutes = {row.visitor: minutes for row in members if (minutes := _minutes_on_turn(row)) >= _IDLE_MINUTES}
        if playing:
            idle_words = f" ({len(idle_minutes)} idle)" if idle_minutes else ""
            counts.append(f"{playing} playing{idle_words}")
        if away:
            counts.append(f"{away} away")
        line = f"{len(members)} student{'s' * (len(members) != 1)}: {', '.join(counts)}"
        # in place of the other state, so that a pause makes no text longer
        state = "paused" if self.classroom.is_paused else "open" if self.classroom.is_open else "closed"
        text = self.context.render_part(
            "_teacher.html",
            round_over=self._round_over_words(),
            clear_question=self._clear_question(),
            where=f"/class/{self.classroom.secret}",
            secret=self.classroom.secret,
            token=request.state.token,
            choices_state=self._choices_state(),
            student=self._chosen_student(request),
            rows=[(row, row.visitor in present, idle_minutes.get(row.visitor, 0)) for row in rows],
            news=self.classroom.late_start_messages,
            **self._preview_values(request, rows, present),
            rounds=self._round_values(),
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
        others = [
            row
            for row in rows
            if not row.session and not row.has_left and row.visitor not in grouped | self.classroom.adjourned_students()
        ]
        chosen = request.query_params.get("exchange", "")
        return {
            "preview": [[(rows_by_visitor[visitor], visitor in present) for visitor in group] for group in groups],
            "without_group": [(row, row.visitor in present) for row in others],
            "exchange": chosen if chosen in {row.name for row in rows} else "",
        }

    def _round_values(self) -> list[dict[str, Any]]:
        """Return the rounds of the class as template values, the latest first."""
        return [
            {
                "number": class_round.number,
                "games": list(map(self._game_values, class_round.sessions)),
                "unpaired": ", ".join(class_round.unpaired_names),
            }
            for class_round in self.classroom.rounds()
        ]

    def _game_values(self, session: GameSession) -> dict[str, Any]:
        is_adjourned = session.key in self.classroom.adjourned_keys
        points = [student_points(session, info.visitor) for info in session.seat_infos] if session.is_over else []
        return {
            "names": " – ".join(session.names),
            "result": " – ".join(f"{number:g}" for number in points) or ("adjourned" if is_adjourned else "running"),
            "url": f"/games/{session.key}" if session.is_stored else f"/play/{session.key}",
        }

    def show_rounds(self, request: Request) -> Response:
        """Show the standings, and the pairs and results of all rounds."""
        return self.context.render_page(request, "rounds.html", "/class/rounds", live_part=self._rounds_part()[1])

    def _rounds_part(self) -> tuple[str, str]:
        values = {"rounds": self._round_values(), "ranking": self.classroom.ranking()}
        return "", self.context.render_part("_rounds.html", **values)

    async def stream_rounds(self, _: Request) -> Response:
        """Stream the changes of the pairs and results."""
        make_view = none_if_unchanged(self._rounds_part)
        return self.context.stream_response(
            self.context.polled_channels.events("rounds", make_view, _CHECK_SECONDS, None)
        )

    def _round_over_words(self) -> str:
        """Return what the teacher can do after a round; empty during a round and before the first one."""
        is_over = bool(self.classroom.latest_results(1)) and not self.classroom.running_games()
        if is_over and self.classroom.adjourned_games():
            return "No games are running. Continue the adjourned ones below, or pair the students again."
        outlook = "pair the students again" if self.classroom.is_open else "the wall shows the ranking"
        return f"All games are over: {outlook}." if is_over else ""

    def _clear_question(self) -> str:
        """Return the question before a new class, with its consequences."""
        running = self.classroom.running_games()
        words = f"{_games_text(len(running))} will be deleted. " if running else ""
        return f"Begin a new class? {words}All students and points are removed: save the points first (CSV)."

    def _present_students(self, rows: Sequence[StudentRow]) -> set[str]:
        """Return the students who are present, as visitors: their page of the class, or of their last game, is open or
        was open a moment ago.
        """
        for row in rows:
            if self._has_open_page(row):
                self.classroom.mark_present(row.visitor)
        return {row.visitor for row in rows if self.classroom.was_present(row.visitor, _AWAY_SECONDS)}

    def _has_open_page(self, row: StudentRow) -> bool:
        if self.context.polled_channels.has_readers(_channel_prefix(row.visitor)):
            return True
        session = row.session or self.classroom.last_game_of(row.visitor)
        if session is None:
            return False
        with session.lock:
            return not self.context.present_seats(session).isdisjoint(session.seats_of(row.visitor))

    async def stream_teacher_page(self, request: Request) -> Response:
        """Stream the changes of the teacher's page."""
        if not self._is_teacher(request):
            return self._refuse_stranger(request)
        make_view = none_if_unchanged(partial(self._teacher_part, request))
        # each page has its own channel: a shared one may still have the class before the action that loaded the page
        channel = f"teacher {secrets.token_hex(8)}"
        return self.context.stream_response(
            self.context.polled_channels.events(channel, make_view, _CHECK_SECONDS, None)
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
                words = f"{_RESULTS[points]} against {_opponents_text(session, row.visitor)}"
                by_round.setdefault(self.classroom.round_of(session), []).append(words)
            counts = [results.count(points) for points in _RESULTS]
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
        acts: dict[str, Callable[[Mapping[str, Sequence[str]]], str]] = {
            "pair": self._pair_students,
            "pair-two": self._pair_named,
            "preview": self._preview_games,
            "discard": self._discard_preview,
            "exchange": self._exchange_students,
            "rule": self._set_rule,
            "pause": lambda _: f"{_games_text(self.classroom.set_paused(is_paused=True))} paused.",
            "resume": lambda _: f"{_games_text(self.classroom.set_paused(is_paused=False))} continued.",
            "award": self._award_win,
            "draw": self._declare_draw,
            "correct": self._correct_result,
            "adjourn": self._adjourn_game,
            "adjourn-all": lambda _: f"{_games_text(self.classroom.adjourn_all())} adjourned.",
            "draw-all": lambda _: f"{_games_text(self.classroom.draw_all())} declared drawn.",
            "continue": self._continue_game,
            "continue-all": lambda _: f"{_games_text(self.classroom.continue_all())} continued.",
            "dismiss": self._dismiss_messages,
            "stop": lambda _: f"{_games_text(self.classroom.delete_running_games())} stopped and deleted.",
            "stop-one": lambda form: (
                f"{_games_text(self.classroom.delete_game_of(form_field(form, 'name')))} stopped and deleted."
            ),
            "rename": self._rename_student,
            "remove": self._remove_student,
            "merge": self._merge_students,
            "close": self._close_class,
            "clear": self._begin_new_class,
        }
        act = acts.get(request.path_params["act"])
        if act is None:
            wrong = UserError("The page does not support this request.", "Use the page's buttons.")
            return self.context.error_response(request, wrong, f"/class/{self.classroom.secret}", 404)
        try:
            message, _, names = act(request.state.form).partition("\n")
        except UserError as error:
            message, names = f"{error.problem} {error.remedy}", ""
        self.messages[request.state.visitor] = message, names
        return self.context.success_response(request, back_url=f"/class/{self.classroom.secret}")

    def _chosen_game(self, form: Mapping[str, Sequence[str]]) -> NewGame:
        """Return the new game in a form, and remember this choice with the clock.

        The fields of the rules count only if they belong to the chosen game.
        """
        game_text = " ".join(form_field(form, "game").split()[:3])
        game = game_text.partition(" ")[0]
        names = ("handicap", PLAYERS_OPTION, *(f"option-{option.name}" for option in option_fields(game)))
        is_shown = form_field(form, "rules") in ("", game)
        self.classroom.last_game_choice, self.classroom.clock = (
            game_text,
            read_clock(form_field(form, "clock")) or NO_LIMIT,
        )
        self.classroom.rules = {name: form_field(form, name)[:40] if is_shown else "" for name in names}
        return self._read_game_form(self._game_form())

    def _pair_students(self, form: Mapping[str, Sequence[str]]) -> str:
        """Pair the students who wait. Return a message, then lines with names if it says only how many students."""
        new_game, (rows, present) = self._chosen_game(form), self._students_to_pair(form)
        previewed_visitors = {visitor for group in self.classroom.proposal() for visitor in group}
        started, left_out = self.classroom.pair_waiting(new_game, present)
        adjourned_visitors = self.classroom.adjourned_students()
        away = [row.name for row in rows if row.visitor not in present | adjourned_visitors | previewed_visitors]
        waiting_names = [row.name for row in rows if row.visitor in adjourned_visitors]
        seats = new_game.game.seats
        point = " and gets a point" * (self.classroom.gives_byes and seats == 2)
        sentences = [f"{_games_text(started)} started." if started else _no_game_text(left_out, seats)]
        groups = [
            (left_out if started else [], f"has no opponent{point}", "have no opponent", "Without an opponent"),
            (away, "is away, so not paired", "are away, so not paired", "Away"),
            (
                waiting_names,
                "has an adjourned game (see below), so is not paired",
                "have adjourned games (see below), so are not paired",
                "With an adjourned game",
            ),
        ]
        for names, words_for_one, words_for_all, _ in groups:
            if names:
                words = f"{names[0]} {words_for_one}" if len(names) == 1 else f"{len(names)} students {words_for_all}"
                sentences.append(f"{words}.")
        return "\n".join(
            [" ".join(sentences), *(f"{title}: {', '.join(names)}." for names, _, _, title in groups if len(names) > 1)]
        )

    def _students_to_pair(self, form: Mapping[str, Sequence[str]]) -> tuple[list[StudentRow], set[str]]:
        """Return the rows of the students who wait, and the visitors of those who are paired: as the form says, all or
        only the present ones.
        """
        rows = [row for row in self.classroom.student_rows() if row.session is None and not row.has_left]
        return rows, {row.visitor for row in rows} if form_field(form, "away") == "1" else self._present_students(rows)

    def _preview_games(self, form: Mapping[str, Sequence[str]]) -> str:
        seats = self._chosen_game(form).game.seats
        left_out = self.classroom.propose_groups(seats, self._students_to_pair(form)[1])
        if not self.classroom.proposed_groups:
            return _no_game_text(left_out, seats)
        return "This is a preview. No game has started yet."

    def _discard_preview(self, _: Mapping[str, Sequence[str]]) -> str:
        self.classroom.discard_proposal()
        return "The preview is discarded."

    def _exchange_students(self, form: Mapping[str, Sequence[str]]) -> str:
        name, *rest = form_field(form, "names").splitlines() or [""]
        other_name = rest[0] if rest else ""
        self.classroom.exchange_proposed(name, other_name)
        return f"{name} and {other_name} have changed places."

    def _pair_named(self, form: Mapping[str, Sequence[str]]) -> str:
        self.classroom.pair_named(self._chosen_game(form), [form_field(form, "first"), form_field(form, "second")])
        return "1 game started."

    def _set_rule(self, form: Mapping[str, Sequence[str]]) -> str:
        rule, is_allowed = form_field(form, "rule"), form_field(form, "on") == "1"
        if rule == "open":
            self.classroom.set_open(is_open=is_allowed)
        else:
            self.classroom.set_rule(rule, allowed=is_allowed)
        return ""

    def _dismiss_messages(self, _: Mapping[str, Sequence[str]]) -> str:
        self.classroom.clear_late_start_messages()
        return ""

    def _award_win(self, form: Mapping[str, Sequence[str]]) -> str:
        self.classroom.award_win(name := form_field(form, "name"))
        return f"{name} won the game."

    def _declare_draw(self, form: Mapping[str, Sequence[str]]) -> str:
        self.classroom.declare_draw(name := form_field(form, "name"))
        return f"The game of {name} is a draw."

    def _correct_result(self, form: Mapping[str, Sequence[str]]) -> str:
        name, result = form_field(form, "name"), form_field(form, "result")
        points = next((points for points, words in _RESULTS.items() if words == result), -1.0)
        self.classroom.correct_result(name, form_field(form, "key"), points)
        return f"The result is changed: {name} {result} the game."

    def _adjourn_game(self, form: Mapping[str, Sequence[str]]) -> str:
        self.classroom.adjourn(name := form_field(form, "name"))
        return f"The game of {name} is adjourned. It is listed below the students."

    def _continue_game(self, form: Mapping[str, Sequence[str]]) -> str:
        self.classroom.continue_game(form_field(form, "key"))
        return "1 game continued."

    def _rename_student(self, form: Mapping[str, Sequence[str]]) -> str:
        name = form_field(form, "name")
        new_name = self.classroom.rename_student(name, normalise_person_name(form_field(form, "new_name")))
        return f"{name} is now called {new_name}."

    def _remove_student(self, form: Mapping[str, Sequence[str]]) -> str:
        name = form_field(form, "name")
        message = self.classroom.remove_student(name, form_field(form, "heir"), form_field(form, "key"))
        return f"{name} is no longer in the class.{message}"

    def _merge_students(self, form: Mapping[str, Sequence[str]]) -> str:
        present = self._present_students(self.classroom.student_rows())
        merged = self.classroom.merge_students(form_field(form, "name"), form_field(form, "twin"), present)
        return f"{merged} has the points and games of both."

    def _close_class(self, _: Mapping[str, Sequence[str]]) -> str:
        self.classroom.set_open(is_open=False)
        running = bool(self.classroom.running_games())
        return f"The class is closed. The wall shows the ranking{' as soon as all games are over' * running}."

    def _begin_new_class(self, _: Mapping[str, Sequence[str]]) -> str:
        self.classroom.begin_new_class()
        return "A new class has begun. The games of the last one are under Games."


def _games_text(count: int) -> str:
    return f"{count or 'No'} game{'s' * (count != 1)}"


def _no_game_text(waiting: Sequence[str], seats: int) -> str:
    """Return why no game started: too few students wait for a game with this number of seats."""
    names = " and ".join([", ".join(waiting[:-1]), waiting[-1]] if len(waiting) > 1 else waiting)
    reason = f"only {names} wait{'s' * (len(waiting) == 1)}" if waiting else "nobody waits"
    return f"No game started: {reason}{f', and it needs {seats} students' * (seats > 2)}."


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


def _opponents_text(session: GameSession, visitor: str) -> str:
    return ", ".join(info.name for info in session.seat_infos if info.visitor != visitor)


def _channel_prefix(visitor: str) -> str:
    """Return the prefix of the names of a student's channels, one for each open page of the class."""
    return f"class {visitor} "
