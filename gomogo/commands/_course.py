"""Plays a course tournament from the command line: imports submissions, prepares them, plays, and writes the grades.

Handles the steps and their messages; `tournaments.submissions` does the work of each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from gomogo.commands._run import PlayedRun, play_games, print_end, show_table
from gomogo.run_options import RunSettings
from gomogo.text.standings_json import standings_json
from gomogo.text.standings_table import standings_text
from gomogo_core import arena
from gomogo_core.drawing.text import printable
from gomogo_core.errors import UserError
from gomogo_core.processes.limits import Level
from gomogo_core.processes.sandbox import require_sandbox
from gomogo_core.records.aggregates import pair_ends
from gomogo_core.records.store import Store
from tournaments.spec import TournamentSpec
from tournaments.submissions.course import Course, Entrant
from tournaments.submissions.entry_names import Register
from tournaments.submissions.grading import Grade, grades
from tournaments.submissions.intake import (
    Intake,
    forget_old,
    import_submissions,
    lock_intake,
    register_file,
    work_folder,
)
from tournaments.submissions.preparing import PreparationSettings, Prepared, prepare
from tournaments.submissions.reports import check_place, write
from tournaments.submissions.roster import Roster, RosterEntry, read_roster
from tournaments.workers import default_capacity

IMPLIED: Level = "bwrap"  # for strangers' programs


def play_course(
    spec: TournamentSpec,
    folder: Path,
    store: Store,
    handed_in: Path,
    place: Path | None,
    settings: RunSettings,
) -> None:
    """Import the submissions in the folder `handed_in`, play them, and write the grades, also after an interrupt.

    folder: what paths in the spec are relative to. place: of the grades; None for beside the store.
    """
    workplace = settings.workplace
    if workplace.cluster:
        raise UserError("Submissions are built and played on this machine.", "Leave out --cluster.")
    level = _required_level(workplace.sandbox)
    place = place or store.folder / f"{spec.name}-grades"
    course = without_students(spec, folder)
    conditions = PreparationSettings.of(course, level)
    check_place(place)
    people = roster_of(course)
    work = work_folder(store.folder, spec.name)
    with lock_intake(work, spec.name):
        for one in course.arena_agents:
            arena.prepare(one.agent, level)
        register = Register(register_file(work))
        taken = import_submissions(handed_in, work, course.intake.megabytes, register)
        register.save()
        _print_submissions(taken, handed_in)
        roster = None if people is None else Roster.of(people, taken.titles, course.intake.roster)
        if roster is not None:
            _print_owner_mismatches(taken, roster)
        size = workplace.workers or spec.workers or default_capacity()
        prepared = prepare(taken.submissions, conditions, size, _print_preparation)
        names = [one.name for one in taken.submissions]
        called = register.numbers() if course.intake.anonymous else {name: name for name in names}
        course = Course(spec, folder, students(prepared, called))
        course.check()
        forget_old(work, taken)
        played = play_games(course, store, settings._replace(workplace=workplace._replace(sandbox=level)))
        show_table(played.standings, as_json=settings.as_json, by_reason=settings.by_reason)
        try:
            print_end(played.progress, store.where)
        finally:  # also after an interrupt, when it exits
            graded = grades(course, prepared, called, pair_ends(store, played.run), roster)
            _write(place, course, graded, played, store, roster)


def _required_level(asked: Level | None) -> Level:
    """Return the sandbox level. Raises UserError if it is not available: a weaker one must be chosen explicitly."""
    level = asked or IMPLIED
    if level == IMPLIED:
        require_sandbox()
    else:
        click.echo(
            f"Submissions run at sandbox level {level} only: they can read your files and reach the network.", err=True
        )
    return level


def without_students(spec: TournamentSpec, folder: Path) -> Course:
    """Return the course without its submissions. Raises UserError if the file is wrong."""
    course = Course(spec, folder)
    course.check()
    return course


def roster_of(course: Course) -> tuple[RosterEntry, ...] | None:
    """Return the class list, if the file names one. Raises UserError if it cannot be read."""
    return read_roster(course.folder / course.intake.roster) if course.intake.roster else None


def _print_owner_mismatches(taken: Intake, roster: Roster) -> None:
    """Print a line per submission of nobody on the list, and per person on it without a submission."""
    for one in taken.submissions:
        if one.title not in roster.owners:
            click.echo(f"{printable(one.entry)} does not match exactly one person on the roster.", err=True)
    for person in roster.absent:
        click.echo(f"{printable(_roster_line(person))} is on the roster but has handed in nothing.", err=True)


def _roster_line(person: RosterEntry) -> str:
    return ", ".join(text for text in person if text)


def students(prepared: Sequence[Prepared], called: Mapping[str, str]) -> tuple[Entrant, ...]:
    return tuple(
        Entrant(one.name, called[one.name], one.hash, str(one.program), ready.agent)
        for ready in prepared
        if ready.agent is not None
        for one in (ready.submission,)
    )


def _print_submissions(taken: Intake, handed_in: Path) -> None:
    count = len(taken.submissions)
    click.echo(f"{handed_in} holds {count} submission{'s' * (count != 1)}.", err=True)
    for other in taken.others:
        click.echo(f"{printable(other)} is skipped: it is not a folder, a zip file or a Python file.", err=True)


def _print_preparation(done: Prepared) -> None:
    failed = [step for step in done.steps if step.passed is False]
    details = "; ".join(f"{step.name}: {_join_lines(step.said)}" for step in failed) or "ready"
    fate = "" if done.agent is not None else " It does not play."
    click.echo(f"{submission_line(done)}: {details}{fate}", err=True)


def submission_line(one: Prepared) -> str:
    """Describe a submission in a line: the entry's own name first."""
    return f"{printable(one.submission.entry)} ({one.submission.name})"


def _join_lines(words: str) -> str:
    return printable(" ".join(words.split()))


def _write(
    place: Path, course: Course, graded: Sequence[Grade], played: PlayedRun, store: Store, roster: Roster | None
) -> None:
    lines = [*map(_row_names, graded)]
    if roster is not None:
        lines += [f"{printable(_roster_line(one))}: has handed in nothing" for one in roster.absent]
    text = "\n".join([standings_text(played.standings), *([""] if lines else []), *lines])
    result = standings_json(played.standings)
    write(place, course, graded, result, text, store, played.run)
    shown_place = place.relative_to(Path.cwd()) if place.is_relative_to(Path.cwd()) else place
    click.echo(f"Grades, and a page for each student, are in {shown_place}.", err=True)


def _row_names(grade: Grade) -> str:
    """Return the names of a table row: the entry's own name first."""
    listed = f", {printable(_roster_line(grade.person))}" if grade.person and any(grade.person) else ""
    away = "" if grade.prepared.agent is not None else f" does not play: {_join_lines(grade.prepared.fault)}"
    return f"{submission_line(grade.prepared)}{listed}{away}"
