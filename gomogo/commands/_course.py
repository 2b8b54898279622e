"""Plays a course tournament for `gomogo tournament run --submissions`.

The submissions are imported and prepared, the games are played, and the grades are written. The module calls these
steps and prints their messages; `tournaments.submissions` has the steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from gomogo.commands._run import play_games, print_run_end, stdout_width
from gomogo.report.student_pages import write_pages
from gomogo.run_options import RunSettings
from gomogo.text.standings_table import standings_output
from gomogo_core import arena
from gomogo_core.drawing.text import printable
from gomogo_core.errors import UserError
from gomogo_core.processes.limits import SandboxLevel
from gomogo_core.processes.sandbox import require_sandbox
from gomogo_core.records.store import Store
from tournaments.submissions.course import CoursePlan, CoursePlayer
from tournaments.submissions.entry_names import SubmissionIdRegister
from tournaments.submissions.grading import compute_grades
from tournaments.submissions.intake import (
    ImportedSubmissions,
    copies_folder,
    id_register_file,
    import_submissions,
    lock_import,
    remove_old_copies,
)
from tournaments.submissions.preparing import PreparedSubmission, SubmissionPreparer
from tournaments.submissions.reports import check_grades_folder, write_grades
from tournaments.submissions.roster import create_roster
from tournaments.workers import default_concurrent_games

DEFAULT_SANDBOX_LEVEL: SandboxLevel = "bwrap"  # submissions are untrusted programs


def play_course(
    course: CoursePlan, store: Store, submissions_folder: Path, grades_folder: Path | None, settings: RunSettings
) -> None:
    """Import the submissions in a folder, play them, and write the grades, even after an interrupt.

    course: the course without its submissions. grades_folder: the folder for the grades; None for a folder beside the
    store.
    """
    worker_options = settings.worker_options
    if worker_options.cluster:
        raise UserError("Submissions are built and played on this machine.", "Leave out --cluster.")
    level = _choose_sandbox_level(worker_options.sandbox)
    name = course.spec.name
    grades_folder = grades_folder or store.folder / f"{name}-grades"
    preparation = SubmissionPreparer.for_course(course, level)
    check_grades_folder(grades_folder)
    work_folder = copies_folder(store.folder, name)
    with lock_import(work_folder, name):
        for opponent in course.arena_agents:
            arena.prepare_agent(opponent.agent, level)
        register = SubmissionIdRegister(id_register_file(work_folder))
        intake = import_submissions(submissions_folder, work_folder, course.submission_settings.megabytes, register)
        register.save()
        _print_submissions(intake, submissions_folder)
        roster = create_roster(course.roster_students, intake.original_names)
        mismatches = roster.describe_mismatches(intake.original_names) if roster is not None else []
        intake = intake.with_problems(roster.conflicts_by_base_name) if roster is not None else intake
        remove_old_copies(work_folder, intake)
        duplicates = intake.describe_duplicates()
        for line in (*mismatches, *duplicates):
            click.echo(line, err=True)
        worker_count = worker_options.workers or course.spec.workers or default_concurrent_games()
        prepared = preparation.prepare(intake.submissions, worker_count, _print_preparation)
        keys = [submission.key for submission in intake.submissions]
        public_names = register.public_names() if course.submission_settings.anonymous else {key: key for key in keys}
        course = replace(course, student_players=create_course_players(prepared, public_names))
        course.check_players()
        run_result = play_games(course, store, settings._replace(worker_options=worker_options._replace(sandbox=level)))
        output = standings_output(run_result.standings, settings.as_json, stdout_width(), by_reason=settings.by_reason)
        click.echo(output)
        tables = [standings_output(run_result.standings, as_json, None) for as_json in (False, True)]
        try:
            print_run_end(run_result.progress, store.address)
        finally:  # print_run_end raises SystemExit after an interrupt
            grades = compute_grades(course, prepared, run_result.run_state.opponent_tallies(), roster)
            games_of = run_result.run_state.games_of
            write_grades(
                grades_folder, lambda folder: write_pages(folder, course, grades, games_of), grades, duplicates, *tables
            )
            shown_folder = (
                grades_folder.relative_to(Path.cwd()) if grades_folder.is_relative_to(Path.cwd()) else grades_folder
            )
            click.echo(f"Grades, and a page for each student, are in {shown_folder}.", err=True)
            if sentence := grades.non_players_sentence:
                click.echo(sentence, err=True)


def _choose_sandbox_level(requested: SandboxLevel | None) -> SandboxLevel:
    """Return the requested or the default sandbox level. Raises UserError if the default level does not work on this
    machine, since only the user may choose a weaker level.
    """
    level = requested or DEFAULT_SANDBOX_LEVEL
    if level == DEFAULT_SANDBOX_LEVEL:
        require_sandbox()
    else:
        click.echo(
            f"Submissions run at sandbox level {level}. They can read your files and reach the network.", err=True
        )
    return level


def create_course_players(
    prepared: Sequence[PreparedSubmission], public_names: Mapping[str, str]
) -> tuple[CoursePlayer, ...]:
    """Return a player for each submission that can play. public_names: each student's public name, by key."""
    return tuple(
        CoursePlayer(
            submission.name_in_tables,
            public_names[submission.key],
            submission.content_hash,
            str(submission.agent_path),
            preparation.agent,
            submission_key=submission.key,
        )
        for preparation in prepared
        if preparation.agent is not None
        for submission in (preparation.submission,)
    )


def _print_submissions(intake: ImportedSubmissions, submissions_folder: Path) -> None:
    count = len(intake.submissions)
    click.echo(f"{submissions_folder} contains {count} submission{'s' * (count != 1)}.", err=True)
    for name in intake.skipped_names:
        click.echo(f"{printable(name)} is skipped: it is not a folder, a zip file or a Python file.", err=True)


def _print_preparation(prepared: PreparedSubmission) -> None:
    result = prepared.all_failures or "ready"
    consequence = "" if prepared.agent is not None else " It does not play."
    click.echo(f"{prepared.label_with_key}: {result}{consequence}", err=True)
