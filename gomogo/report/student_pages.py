"""The HTML pages of grades: one with all students, and one for each student with the preparation of the submission, its
results, and its games, which the viewer of reports replays.

The page shows the moves of opponents and their times, but not their output. The module escapes all text from programs
and files, and the page loads no other file. The module uses grades and records, but no store.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

from gomogo.design import GRADIENTS, design_style
from gomogo.report._embedded import BoardIndex, embedded_game, read_part, security_policy, viewer_elements
from gomogo_core.drawing.svg import svg
from gomogo_core.drawing.text import printable
from gomogo_core.games.base import Reason, Seat
from gomogo_core.play.events import last_move
from gomogo_core.records.game_record import PlayedGame
from tournaments.submissions.course import CoursePlan
from tournaments.submissions.grading import CourseGrades, Grade, OpponentResult
from tournaments.submissions.intake import Submission
from tournaments.submissions.preparing import BUILD_STEP, PreparationStep

_MAX_OUTPUT_CHARACTERS = 8_000  # the page shows at most these last characters of a program's output in one game
_STYLE = """
body { margin: 0 auto; padding: 0 16px 48px; max-width: 72rem; }
td { white-space: normal; } td:last-child { min-width: 9rem; }
h1, p, summary, td:last-child { overflow-wrap: anywhere; }
pre { background: var(--tint); padding: 8px; white-space: pre-wrap; overflow-wrap: anywhere; }
details .gomogo-board { display: block; width: min(100%, 24rem); height: auto; }
.yes { color: light-dark(#060, #7fd18a); } .no { color: var(--danger); }
@media (max-width: 40rem) { .cards tr:has(th) { display: none; } }
"""
_CLASS_TITLES = ("place", "student", "verdict", "score", "won", "drawn", "lost", "note")
_RESULT_TITLES = ("opponent", "games", "won", "drawn", "lost", "required", "reasons")
_KEY_DIGITS = 8  # of a game's key, by which `gomogo game show` finds the game
_EMPTY_PLACE_PATTERN = re.compile(r'<g class="point" data-point="\w+"/>\n')
_PASSED_MARKS = {True: '<span class="yes">passed</span>', False: '<span class="no">failed</span>', None: "left out"}


def write_pages(
    folder: Path,
    course: CoursePlan,
    course_grades: CourseGrades,
    load_games_of: Callable[[str], Iterable[PlayedGame]],
) -> None:
    """Write the page with all students, and for each student a folder with the page and the output of the build.

    load_games_of: a function that returns the games of a player.
    """
    _write_page(folder, generate_class_page(course_grades, course.spec.name))
    for grade in course_grades.grades:
        student_folder = folder / "students" / grade.student_key
        student_folder.mkdir(parents=True)
        games = load_games_of(grade.player.stored_name) if grade.player is not None else ()
        names_on_page = _choose_names_on_page(course, grade)
        _write_page(student_folder, generate_student_page(grade, course_grades, course.spec.name, games, names_on_page))
        for step in grade.prepared_submission.steps:
            if step.name == BUILD_STEP:
                # without control characters, which could change the terminal of a reader
                log = printable(step.output, lines=True)
                (student_folder / "build.log").write_text(log, encoding="utf-8", errors="replace")


def _write_page(folder: Path, parts: Iterable[str]) -> None:
    with (folder / "index.html").open("w", encoding="utf-8", errors="replace") as file:
        file.writelines(parts)


def _choose_names_on_page(course: CoursePlan, grade: Grade) -> Mapping[str, str]:
    """Return each player's name on a student's page: the student's own name, and the public names of the other
    players.
    """
    is_anonymous = course.submission_settings.anonymous
    return {
        entrant.stored_name: entrant.public_name if is_anonymous and entrant is not grade.player else entrant.name
        for entrant in course.all_players
    }


def generate_class_page(course_grades: CourseGrades, run: str) -> Iterator[str]:
    """Yield the page with all students in parts."""
    yield from _generate_page_head(f"Grades: {_escape_line(run)}", _CLASS_TITLES, "")
    if sentence := course_grades.non_players_sentence:
        yield f"<p>{_escape_line(sentence)}.</p>\n"
    yield '<p>The same table for a spreadsheet: <a href="students.csv">students.csv</a>.</p>\n'
    yield _generate_table_head(_CLASS_TITLES)
    for grade in sorted(
        course_grades.grades, key=lambda grade: (grade.player is None, -grade.score, grade.student_key.casefold())
    ):
        place = course_grades.places_by_key.get(grade.student_key) or "–"
        name = _escape_line(grade.original_name)
        if grade.roster_student is not None and any(grade.roster_student):
            name += f" ({_escape_line(grade.roster_student.one_line_text)})"
        does_not_play = f"does not play: {grade.prepared_submission.first_failure}"
        note_parts = [does_not_play] if grade.player is None else [grade.missing_wins_text, grade.faults_text]
        note = "; ".join(filter(None, note_parts))
        yield f'<tr><td>{place}</td><td><a href="students/{escape(grade.student_key)}/index.html">{name}</a></td>'
        yield _generate_class_cells(grade, note)
    for grade in course_grades.absent_grades:
        name = grade.roster_student.one_line_text if grade.roster_student is not None else ""
        yield f"<tr><td>–</td><td>{_escape_line(name)}</td>"
        yield _generate_class_cells(grade, grade.prepared_submission.first_failure)
    yield "</table>\n</body>\n</html>\n"


def _generate_table_head(titles: Sequence[str]) -> str:
    """Return the start of the page's table with titles, as HTML."""
    return f'<table class="cards">\n<tr>{"".join(f"<th>{title}</th>" for title in titles)}</tr>\n'


def _generate_class_cells(grade: Grade, note: str) -> str:
    """Return the last cells of a student's row, from the verdict to the note."""
    results = grade.opponent_results
    counts = (sum(getattr(result, count) for result in results) for count in ("wins", "draws", "losses"))
    cells = [_mark_verdict(grade.is_passed), f"{grade.score:.3f}", *map(str, counts), _escape_line(note)]
    return f"{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>\n"


def generate_student_page(
    grade: Grade, course_grades: CourseGrades, run: str, games: Iterable[PlayedGame], display_names: Mapping[str, str]
) -> Iterator[str]:
    """Yield the page in parts. games: the games of the student. display_names: each player's name on the page, by
    spec.
    """
    submission, script = grade.prepared_submission.submission, read_part("viewer.js")
    title = f"{_escape_line(submission.original_name)}: {_escape_line(run)}"
    yield from _generate_page_head(title, _RESULT_TITLES, script)
    yield f"<p>Verdict: {_mark_verdict(grade.is_passed)}. Score: {grade.score:.3f} points per game."
    place = course_grades.places_by_key.get(grade.student_key)
    yield f" Place: {place} of {len(course_grades.grades)}.</p>\n" if place else "</p>\n"
    yield f"<p>Version {_escape_line(submission.content_hash)}.</p>\n" if submission.content_hash else ""
    yield from _generate_steps_table(grade.prepared_submission.steps)
    if grade.player is None:
        yield "<p>The submission did not play, so it has no results.</p>\n"
    else:
        yield from _generate_results_table(grade.opponent_results, display_names)
        player = grade.player.stored_name
        ordered_games = sorted(games, key=lambda game: _game_sort_key(game, player, display_names))
        if ordered_games:
            yield f'{read_part("viewer.html")}<h2 id="all">Games</h2>\n<p class="hint">'
            yield "<i>Replay</i> opens a game on a board<noscript>, which needs scripts</noscript>.</p>\n"
        boards, lines = BoardIndex(), list[str]()
        for number, game in enumerate(ordered_games, 1):
            own_seat, names = game.specs.index(player) + 1, [display_names.get(spec, "somebody") for spec in game.specs]
            ending = submission.hide_folder(_ending_text(game, own_seat))
            yield from _generate_game_section(number, game, own_seat, names, ending, submission)
            sentence = printable(f"{_result_word(game, own_seat).capitalize()}: {ending}.")
            lines.append(embedded_game(_without_others_output(game, own_seat, names, submission), boards, sentence))
        yield from viewer_elements(boards, lines, script) if lines else ()
    yield "</body>\n</html>\n"


def _generate_page_head(title: str, column_titles: Sequence[str], script: str) -> Iterator[str]:
    """Yield the head of a page in parts. column_titles: the titles of the page's table. script: the page's script."""
    labels = "".join(
        f'.cards td:nth-child({number})::before {{ content: "{column_title} "; }}\n'
        for number, column_title in enumerate(column_titles, 1)
    )
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield f'{security_policy(script)}\n<meta name="viewport" content="width=device-width">\n<title>{title}</title>\n'
    yield f"<style>{design_style()}{read_part('viewer.css')}{_STYLE}"
    yield f"@media (max-width: 40rem) {{\n{labels}}}\n</style>\n"
    yield f"</head>\n<body>{GRADIENTS}\n<h1>{title}</h1>\n"


def _mark_verdict(is_passed: bool | None) -> str:
    """Return a verdict as HTML; None is a verdict that depends on the remaining games."""
    return "open" if is_passed is None else _PASSED_MARKS[is_passed]


def _generate_steps_table(steps: Sequence[PreparationStep]) -> Iterator[str]:
    yield "<h2>The submission</h2>\n<table>\n"
    equal_groups: dict[tuple[object, ...], list[PreparationStep]] = {}
    for step_index, step in enumerate(steps):  # a program without a first move leaves out many checks for one reason
        key = (step.passed, step.message, step.output) if step.message else (step_index,)
        equal_groups.setdefault(key, []).append(step)
    for equal_steps in equal_groups.values():
        step = equal_steps[0]
        message_html = f"<br>{_escape_line(step.message)}" if step.message else ""
        yield f"<tr><td>{_escape_line(', '.join(step.name for step in equal_steps))}</td>"
        yield f"<td>{_PASSED_MARKS[step.passed]}{message_html}"
        if step.output:
            yield f"<details{'' if step.passed else ' open'}><summary>output</summary>{_escape_block(step.output)}"
            yield "</details>"
        yield "</td></tr>\n"
    yield "</table>\n"


def _generate_results_table(results: Sequence[OpponentResult], display_names: Mapping[str, str]) -> Iterator[str]:
    yield f"<h2>Results</h2>\n{_generate_table_head(_RESULT_TITLES)}"
    # sorted by public names, because the order of real names or of times could identify students
    for result in sorted(results, key=lambda result: _name_sort_key(display_names[result.opponent.stored_name])):
        requirement = ""
        if result.required_wins is not None:
            requirement = f"{result.required_wins} won: {_mark_verdict(result.is_requirement_fulfilled)}"
        yield f"<tr><td>{_escape_line(display_names[result.opponent.stored_name])}</td>"
        yield f"<td>{result.played_games} of {result.planned_games}</td><td>{result.wins}</td><td>{result.draws}</td>"
        yield f"<td>{result.losses}</td><td>{requirement}</td><td>{_escape_line(result.reasons_text)}</td></tr>\n"
    yield "</table>\n"


def _generate_game_section(
    number: int, game: PlayedGame, own_seat: Seat, names: Sequence[str], ending: str, submission: Submission
) -> Iterator[str]:
    opponents_text = " and ".join(name for seat, name in enumerate(names, 1) if seat != own_seat)
    yield f"<details><summary>Game {number}, {_result_word(game, own_seat)} against {_escape_line(opponents_text)}, "
    yield f"seat {own_seat}: {_escape_line(ending)}</summary>\n"
    yield f'<p><a class="button" href="#game-{number}">Replay</a></p>\n'
    yield f"<p>Key {_escape_line(game.key[:_KEY_DIGITS])}. "
    yield f"{_escape_line(' '.join(_numbered_moves(game)))}</p>\n"
    if game.doubtful and own_seat in game.forfeits:
        yield "<p>This loss is doubtful: the machine was busy. Your teacher can have the game played again.</p>\n"
    warned: dict[str, list[str]] = {}
    for plies, seat, warning in game.warnings:
        if seat == own_seat:
            warned.setdefault(submission.hide_folder(warning), []).append(str(plies))
    for warning, plies_texts in warned.items():
        yield f"<p>Warning after {' and '.join(plies_texts)} moves: your program {_escape_line(warning)}.</p>\n"
    yield _draw_last_position(game)
    if output := game.outputs[own_seat - 1] if len(game.outputs) >= own_seat else "":
        yield f"<p>Output of your program:</p>{_escape_block(_cut_output(submission.hide_folder(output)))}"
    yield "</details>\n"


def _result_word(game: PlayedGame, own_seat: Seat) -> str:
    ranks = game.outcome.ranks
    return "lost" if ranks[own_seat - 1] != 1 else "won" if ranks.count(1) == 1 else "drawn"


def _without_others_output(
    game: PlayedGame, own_seat: Seat, names: Sequence[str], submission: Submission
) -> PlayedGame:
    """Return a game with other names, without the other players' analysis, and without warnings."""
    own_moves = [ply.seat == own_seat for ply in game.plies[game.opening_length :]]

    def own_values(values: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(value if is_own else None for is_own, value in zip(own_moves, values, strict=False))

    thoughts = (words and printable(submission.hide_folder(words)) for words in own_values(game.thoughts))
    return replace(
        game,
        names=tuple(names),
        thoughts=tuple(thoughts),
        scores=own_values(game.scores),
        lines=own_values(game.lines),
        values=own_values(game.values),
        warnings=(),
    )


def _draw_last_position(game: PlayedGame) -> str:
    """Return a picture of the last position, with the number of each move on its place."""
    positions = game.positions()
    numbered_places = game.marked_places(positions, len(game.plies))
    last = last_move(game.rules(), game.plies)
    picture = svg(positions[-1], last=last, numbered_places=numbered_places, style=False)
    return f"{_EMPTY_PLACE_PATTERN.sub('', picture)}\n"  # a third of the picture; a page may have hundreds


def _game_sort_key(game: PlayedGame, player: str, display_names: Mapping[str, str]) -> list[tuple[bool, str, int]]:
    """Return the sort key of a game: its opponents. Games with equal keys stay in the order of time."""
    return sorted(_name_sort_key(display_names.get(spec, "")) for spec in game.specs if spec != player)


def _name_sort_key(name: str) -> tuple[bool, str, int]:
    """Return a sort key that places arena agents first, and student-9 before student-10."""
    prefix, _, number = name.rpartition("-")
    is_public_name = number.isdecimal() and prefix == "student"
    return (is_public_name, "" if is_public_name else name, int(number) if is_public_name else 0)


def _ending_text(game: PlayedGame, own_seat: Seat) -> str:
    """Return the reason for the end of the game. The text has no details of another player's fault, because they may
    quote that player's output.
    """
    forfeits = game.forfeits
    if own_seat in forfeits:
        return f"your program's fault, {forfeits[own_seat].ended_by}: {game.detail_of_loss(own_seat)}"
    if forfeits:
        faults = " and ".join(f"{reason.ended_by} in seat {seat}" for seat, reason in sorted(forfeits.items()))
        return f"another program's fault: {faults}"
    reason, detail = game.outcome.reason, game.outcome.detail
    # the words of the table of results; the number of stones in a row says no more than the words
    has_detail = reason is not Reason.LINE and detail not in ("", reason.ended_by, reason.value.replace("_", " "))
    return f"{reason.ended_by}, {detail}" if has_detail else reason.ended_by


def _numbered_moves(game: PlayedGame) -> Iterator[str]:
    """Yield the moves with their numbers. Moves of the opening are in brackets."""
    for number, ply in enumerate(game.plies, 1):
        move = f"{number}. {ply.move}"
        yield f"[{move}]" if number <= game.opening_length else move


def _cut_output(text: str) -> str:
    return text if len(text) <= _MAX_OUTPUT_CHARACTERS else f"[...]\n{text[-_MAX_OUTPUT_CHARACTERS:]}"


def _escape_line(text: str) -> str:
    """Return one line of untrusted text as escaped HTML."""
    return escape(printable(text))


def _escape_block(text: str) -> str:
    """Return untrusted text as escaped HTML that keeps its lines."""
    return f"<pre>{chr(10).join(_escape_line(line) for line in text.splitlines())}</pre>\n"
