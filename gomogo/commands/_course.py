"""Plays a course tournament from the command line: imports submissions, prepares them, plays, and writes the grades.

Handles the steps and their messages; `tournaments.submissions` does the work of each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from gomogo.commands._run import play_games, print_end, show_table
from gomogo.run_options import RunSettings
from gomogo.text.standings_json import standings_json
from gomogo.text.standings_table import standings_text
from gomogo_core import arena
from gomogo_core.drawing.text import printable
from gomogo_core.errors import UserError
from gomogo_core.processes.limits import Level
from gomogo_core.processes.sandbox import require_sandbox
from gomogo_core.records.store import Store
from tournaments.submissions.course import Course, Entrant
from tournaments.submissions.entry_names import NameRegister
from tournaments.submissions.grading import grades
from tournaments.submissions.intake import (
    Intake,
    import_submissions,
    lock_intake,
    register_file,
    remove_old_copies,
    work_folder,
)
from tournaments.submissions.preparing import Preparation, Prepared
from tournaments.submissions.reports import check_grades_folder, write
from tournaments.workers import default_capacity

IMPLIED: Level = "bwrap"  # for untrusted programs


def play_course(course: Course, store: Store, handed_in: Path, place: Path | None, settings: RunSettings) -> None:
    """Import the submissions in the folder `handed_in`, play them, and write the grades, also after an interrupt.

    course: without its submissions. place: the folder of the grades; None for a folder beside the store.
    """
    workplace = settings.workplace
    if workplace.cluster:
        raise UserError("Submissions are built and played on this machine.", "Leave out --cluster.")
    level = _required_level(workplace.sandbox)
    name = course.spec.name
    place = place or store.folder / f"{name}-grades"
    preparation = Preparation.of(course, level)
    check_grades_folder(place)
    work = work_folder(store.folder, name)
    with lock_intake(work, name):
        for opponent in course.arena_agents:
            arena.prepare(opponent.agent, level)
        register = NameRegister(register_file(work))
        taken = import_submissions(handed_in, work, course.submission_settings.megabytes, register)
        register.save()
        _print_submissions(taken, handed_in)
        roster = course.match_roster(taken.titles)
        for line in roster.mismatches(taken.titles) if roster is not None else ():
            click.echo(line, err=True)
        size = workplace.workers or course.spec.workers or default_capacity()
        prepared = preparation.prepare(taken.submissions, size, _print_preparation)
        keys = [one.name for one in taken.submissions]
        called = register.public_names() if course.submission_settings.anonymous else {key: key for key in keys}
        course = replace(course, students=students(prepared, called))
        course.check_players()
        remove_old_copies(work, taken)
        played = play_games(course, store, settings._replace(workplace=workplace._replace(sandbox=level)))
        show_table(played.standings, as_json=settings.as_json, by_reason=settings.by_reason)
        tables = standings_text(played.standings), standings_json(played.standings)
        try:
            print_end(played.progress, store.where)
        finally:  # also after an interrupt: print_end then raises SystemExit
            graded = grades(course, prepared, called, played.state.pair_reasons(), roster)
            write(place, course, played.state, graded, roster, *tables)
            shown_place = place.relative_to(Path.cwd()) if place.is_relative_to(Path.cwd()) else place
            click.echo(f"Grades, and a page for each student, are in {shown_place}.", err=True)


def _required_level(requested: Level | None) -> Level:
    """Return the sandbox level. Raises UserError if it is not available: a weaker one must be chosen explicitly."""
    level = requested or IMPLIED
    if level == IMPLIED:
        require_sandbox()
    else:
        click.echo(
            f"Submissions run at sandbox level {level} only: they can read your files and reach the network.", err=True
        )
    return level


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
    details = "; ".join(f"{step.name}: {' '.join(step.said.split())}" for step in failed) or "ready"
    fate = "" if done.agent is not None else " It does not play."
    click.echo(f"{done.label}: {printable(details)}{fate}", err=True)
