"""The actions of the teacher of a class. Each action changes the class, and returns a sentence about the change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gomogo.page.play.classroom import Classroom
from gomogo.page.play.form_choices import PLAYERS_OPTION, option_fields, read_clock
from gomogo.page.play.new_game import NewGame, read_new_game
from gomogo.page.play.student_pages import RESULT_WORDS, channel_prefix
from gomogo.page.play.students import StudentRow
from gomogo.page.server.context import PageContext, form_field
from gomogo.text.names import normalise_person_name
from gomogo_core.play.clock import NO_LIMIT

_AWAY_SECONDS = 20.0  # seconds without an open page after which a student counts as away

Form = Mapping[str, Sequence[str]]


class ClassActions:
    """The actions of the teacher, each with the form that asks for it."""

    def __init__(self, context: PageContext, classroom: Classroom) -> None:
        self.context, self.classroom = context, classroom

    def by_name(self) -> dict[str, Callable[[Form], str]]:
        """Return the actions by the names in their URLs.

        Each action takes a form, changes the class, and returns a message. From its second line on, the message names
        students. The actions raise UserError.
        """
        return {
            "pair": self._pair_students,
            "pair-two": self._pair_named,
            "preview": self._preview_games,
            "discard": self._discard_preview,
            "exchange": self._exchange_students,
            "rule": self._set_rule,
            "pause": lambda _: f"{games_text(self.classroom.set_paused(is_paused=True))} paused.",
            "resume": lambda _: f"{games_text(self.classroom.set_paused(is_paused=False))} continued.",
            "award": self._award_win,
            "draw": self._declare_draw,
            "correct": self._correct_result,
            "adjourn": self._adjourn_game,
            "adjourn-all": lambda _: f"{games_text(self.classroom.adjourn_all())} adjourned.",
            "draw-all": lambda _: f"{games_text(self.classroom.declare_all_drawn())} declared drawn.",
            "continue": self._continue_game,
            "continue-all": lambda _: f"{games_text(self.classroom.continue_all())} continued.",
            "dismiss": self._dismiss_messages,
            "stop": lambda _: f"{games_text(self.classroom.delete_running_games())} stopped and deleted.",
            "stop-one": lambda form: (
                f"{games_text(self.classroom.delete_game_of(form_field(form, 'name')))} stopped and deleted."
            ),
            "rename": self._rename_student,
            "remove": self._remove_student,
            "merge": self._merge_students,
            "close": self._close_class,
            "clear": self._begin_new_class,
        }

    def present_students(self, rows: Sequence[StudentRow]) -> set[str]:
        """Return the students who are present, as visitors: their page of the class, or of their last game, is open or
        was open a moment ago.
        """
        for row in rows:
            if self._has_open_page(row):
                self.classroom.mark_present(row.visitor)
        return {row.visitor for row in rows if self.classroom.was_present(row.visitor, _AWAY_SECONDS)}

    def _has_open_page(self, row: StudentRow) -> bool:
        if self.context.polled_channels.has_readers(channel_prefix(row.visitor)):
            return True
        session = row.session or self.classroom.last_game_of(row.visitor)
        if session is None:
            return False
        with session.lock:
            return not self.context.present_seats(session).isdisjoint(session.seats_of(row.visitor))

    def game_form(self) -> dict[str, list[str]]:
        """Return the teacher's choice of a game as a form for a new game."""
        game, _, size = self.classroom.last_game_choice.partition(" ")
        return {"game": [game], "size": [size], **{name: [value] for name, value in self.classroom.rules.items()}}

    @staticmethod
    def read_game_form(form: Form) -> NewGame:
        """Return the new game that a form describes. Raises UserError."""
        players = form_field(form, PLAYERS_OPTION)
        return read_new_game(form, int(players) if players.isdecimal() and len(players) == 1 else 2)

    def _chosen_game(self, form: Form) -> NewGame:
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
        return self.read_game_form(self.game_form())

    def _pair_students(self, form: Form) -> str:
        """Pair the students who wait. Return a message. If it has only the number of students, lines with their names
        follow.
        """
        new_game, (rows, present) = self._chosen_game(form), self._students_to_pair(form)
        previewed_visitors = {visitor for group in self.classroom.proposal() for visitor in group}
        started, left_out = self.classroom.pair_waiting_students(new_game, present)
        adjourned_visitors = self.classroom.adjourned_students()
        away = [row.name for row in rows if row.visitor not in present | adjourned_visitors | previewed_visitors]
        waiting_names = [row.name for row in rows if row.visitor in adjourned_visitors]
        seats = new_game.game.seats
        point = " and gets a point" * (self.classroom.gives_byes and seats == 2)
        sentences = [f"{games_text(started)} started." if started else _no_game_text(left_out, seats)]
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

    def _students_to_pair(self, form: Form) -> tuple[list[StudentRow], set[str]]:
        """Return the rows of the students who wait, and the visitors of the students to pair. The form says whether
        these are all students or only those who are present.
        """
        rows = [row for row in self.classroom.student_rows() if row.session is None and not row.has_left]
        return rows, {row.visitor for row in rows} if form_field(form, "away") == "1" else self.present_students(rows)

    def _preview_games(self, form: Form) -> str:
        seats = self._chosen_game(form).game.seats
        left_out = self.classroom.propose_groups(seats, self._students_to_pair(form)[1])
        if not self.classroom.proposed_groups:
            return _no_game_text(left_out, seats)
        return "This is a preview. No game has started yet."

    def _discard_preview(self, _: Form) -> str:
        self.classroom.discard_proposal()
        return "The preview is discarded."

    def _exchange_students(self, form: Form) -> str:
        name, *rest = form_field(form, "names").splitlines() or [""]
        other_name = rest[0] if rest else ""
        self.classroom.exchange_in_preview(name, other_name)
        return f"{name} and {other_name} have changed places."

    def _pair_named(self, form: Form) -> str:
        self.classroom.pair_named_students(
            self._chosen_game(form), [form_field(form, "first"), form_field(form, "second")]
        )
        return "1 game started."

    def _set_rule(self, form: Form) -> str:
        rule, is_allowed = form_field(form, "rule"), form_field(form, "on") == "1"
        if rule == "open":
            self.classroom.set_open(is_open=is_allowed)
        else:
            self.classroom.set_rule(rule, allowed=is_allowed)
        return ""

    def _dismiss_messages(self, _: Form) -> str:
        self.classroom.clear_late_start_messages()
        return ""

    def _award_win(self, form: Form) -> str:
        self.classroom.award_win(name := form_field(form, "name"))
        return f"{name} won the game."

    def _declare_draw(self, form: Form) -> str:
        self.classroom.declare_draw(name := form_field(form, "name"))
        return f"The game of {name} is a draw."

    def _correct_result(self, form: Form) -> str:
        name, result = form_field(form, "name"), form_field(form, "result")
        points = next((points for points, words in RESULT_WORDS.items() if words == result), -1.0)
        self.classroom.correct_result(name, form_field(form, "key"), points)
        return f"The result is changed: {name} {result} the game."

    def _adjourn_game(self, form: Form) -> str:
        self.classroom.adjourn(name := form_field(form, "name"))
        return f"The game of {name} is adjourned. It is listed below the students."

    def _continue_game(self, form: Form) -> str:
        self.classroom.continue_game(form_field(form, "key"))
        return "1 game continued."

    def _rename_student(self, form: Form) -> str:
        name = form_field(form, "name")
        new_name = self.classroom.rename_student(name, normalise_person_name(form_field(form, "new_name")))
        return f"{name} is now called {new_name}."

    def _remove_student(self, form: Form) -> str:
        name = form_field(form, "name")
        message = self.classroom.remove_student(name, form_field(form, "heir"), form_field(form, "key"))
        return f"{name} is no longer in the class.{message}"

    def _merge_students(self, form: Form) -> str:
        present = self.present_students(self.classroom.student_rows())
        merged = self.classroom.merge_students(form_field(form, "name"), form_field(form, "twin"), present)
        return f"{merged} has the points and games of both."

    def _close_class(self, _: Form) -> str:
        self.classroom.set_open(is_open=False)
        running = bool(self.classroom.running_games())
        return f"The class is closed. The wall shows the ranking{' as soon as all games are over' * running}."

    def _begin_new_class(self, _: Form) -> str:
        self.classroom.begin_new_class()
        return "A new class has begun. The games of the last one are under Games."


def games_text(count: int) -> str:
    """Return "No games", "1 game" or "N games"."""
    return f"{count or 'No'} game{'s' * (count != 1)}"


def _no_game_text(waiting: Sequence[str], seats: int) -> str:
    """Return a sentence that no game started, because too few students wait for a game with this number of seats."""
    names = " and ".join([", ".join(waiting[:-1]), waiting[-1]] if len(waiting) > 1 else waiting)
    reason = f"only {names} wait{'s' * (len(waiting) == 1)}" if waiting else "nobody waits"
    return f"No game started: {reason}{f', and it needs {seats} students' * (seats > 2)}."
