"""Prints the submissions and the games of a course tournament, for `gomogo tournament check --submissions`.

The module builds nothing and starts no program; `_course.py` does that.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from gomogo.commands._course import DEFAULT_SANDBOX_LEVEL, create_course_players
from gomogo_core.drawing.text import printable
from gomogo_core.errors import UserError
from gomogo_core.records.store import GameStatus, Store
from tournaments.submissions.course import CoursePlan
from tournaments.submissions.entry_names import SubmissionIdRegister
from tournaments.submissions.intake import copies_folder, id_register_file, import_submissions
from tournaments.submissions.preparing import PreparedSubmission, SubmissionPreparer
from tournaments.submissions.roster import create_roster


def check_course(course: CoursePlan, store: str, submissions_folder: Path, *, as_json: bool) -> None:
    """Print the submissions in a folder, and the number of games that remain to be played."""
    preparation = SubmissionPreparer.for_course(course, DEFAULT_SANDBOX_LEVEL)
    with TemporaryDirectory(prefix="gomogo-") as work_folder:
        register = SubmissionIdRegister(_student_names_file(store, course.spec.name))
        intake = import_submissions(
            submissions_folder, Path(work_folder), course.submission_settings.megabytes, register
        )
        roster = create_roster(course.roster_students, intake.original_names)
        mismatches = roster.describe_mismatches(intake.original_names) if roster is not None else []
        intake = intake.with_problems(roster.conflicts_by_base_name) if roster is not None else intake
        inspected = [preparation.inspect(submission) for submission in intake.submissions]
    course = replace(
        course,
        student_players=create_course_players(
            inspected, {prepared.submission.key: prepared.submission.key for prepared in inspected}
        ),
    )
    game_count, games_left = course.count_games(), course.count_games() - _count_stored_games(course, store)
    if as_json:
        summary = {
            "schema": 1,
            "name": course.spec.name,
            "house": [agent.name for agent in course.arena_agents],
            "submissions": [_submission_json(prepared) for prepared in inspected],
            "left_out": list(intake.skipped_names),
            "roster": mismatches,
            "games": game_count,
            "to_play": games_left,
        }
        click.echo(json.dumps(summary, indent=2))
        return
    planned = (
        f"{game_count} games of {course.spec.game} if every submission can be built, {games_left} of them still to play"
    )
    click.echo(f"{course.spec.name}: {planned}")
    click.echo(f"arena agents: {', '.join(agent.name for agent in course.arena_agents)}")
    for prepared in inspected:
        click.echo(f"  {prepared.label_with_key}: {_submission_line(prepared)}")
    for line in mismatches:
        click.echo(f"  {line}")
    for name in intake.skipped_names:
        click.echo(f"  {printable(name)} is skipped: it is not a folder, a zip file or a Python file")


def _submission_json(prepared: PreparedSubmission) -> dict[str, str | None]:
    """Return a submission as JSON values, with its build command, and the reason if it cannot play."""
    submission, build = prepared.submission, prepared.agent.build_command if prepared.agent is not None else ""
    identity = {"entry": submission.original_name, "name": submission.key, "hash": submission.content_hash or None}
    return {**identity, "build": build or None, "fault": prepared.first_failure or None}


def _submission_line(prepared: PreparedSubmission) -> str:
    if prepared.agent is None:
        return f"cannot play: {prepared.first_failure}"
    build_note = f", built by `{printable(prepared.agent.build_command)}`" if prepared.agent.build_command else ""
    return f"version {prepared.submission.content_hash}{build_note}"


def _student_names_file(store_address: str, run: str) -> Path | None:
    """Return the file with the students' names, or None if no submission has been imported yet."""
    try:
        with Store.open(store_address, create=False) as store:
            return id_register_file(copies_folder(store.folder, run))
    except UserError:  # nothing has been played there yet
        return None


def _count_stored_games(course: CoursePlan, store_address: str) -> int:
    """Return the number of games of the course that are in the store."""
    try:
        with Store.open(store_address, create=False) as store:
            run = store.run(course.spec.name)
            # a game that was set aside counts again if the plan has it
            played = store.game_keys(run) | store.game_keys(run, GameStatus.SET_ASIDE)
    except UserError:  # nothing has been played there yet
        return 0
    return len(played & {course.game_key(pairing) for pairing in course.scheduled_games()})
