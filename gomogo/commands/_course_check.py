"""Prints what a course tournament would build and play, for `gomogo tournament check --submissions`.

Builds nothing and starts no program; `_course.py` does that.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from gomogo.commands._course import DEFAULT_LEVEL, playing_students
from gomogo_core.drawing.text import printable
from gomogo_core.errors import UserError
from gomogo_core.records.store import Status, Store
from tournaments.submissions.course import Course
from tournaments.submissions.entry_names import NameRegister
from tournaments.submissions.intake import copies_folder, import_submissions, register_file
from tournaments.submissions.preparing import Preparation, PreparedSubmission
from tournaments.submissions.roster import match_roster


def check_course(course: Course, store: str, submissions_folder: Path, *, as_json: bool) -> None:
    """Print the submissions in a folder, and the number of games that remain to be played."""
    preparation = Preparation.for_course(course, DEFAULT_LEVEL)
    with TemporaryDirectory(prefix="gomogo-") as work:
        register = NameRegister(_student_names_file(store, course.spec.name))
        intake = import_submissions(submissions_folder, Path(work), course.submission_settings.megabytes, register)
        roster = match_roster(course.roster_students, intake.titles)
        mismatches = roster.mismatches(intake.titles) if roster is not None else []
        intake = intake.refuse(roster.rival_entries) if roster is not None else intake
        found = [preparation.inspect(one) for one in intake.submissions]
    course = replace(
        course, students=playing_students(found, {one.submission.name: one.submission.name for one in found})
    )
    games, left = course.count_games(), course.count_games() - _count_stored_games(course, store)
    if as_json:
        summary = {
            "schema": 1,
            "name": course.spec.name,
            "house": [one.name for one in course.arena_agents],
            "submissions": [_submission_json(one) for one in found],
            "left_out": list(intake.skipped),
            "roster": mismatches,
            "games": games,
            "to_play": left,
        }
        click.echo(json.dumps(summary, indent=2))
        return
    planned = f"{games} games of {course.spec.game} if every submission can be built, {left} of them still to play"
    click.echo(f"{course.spec.name}: {planned}")
    click.echo(f"arena agents: {', '.join(one.name for one in course.arena_agents)}")
    for one in found:
        click.echo(f"  {one.label}: {_submission_line(one)}")
    for line in mismatches:
        click.echo(f"  {line}")
    for other in intake.skipped:
        click.echo(f"  {printable(other)} is skipped: it is not a folder, a zip file or a Python file")


def _submission_json(prepared: PreparedSubmission) -> dict[str, str | None]:
    """Return a submission as JSON values, with its build command, and the reason if it cannot play."""
    submission, build = prepared.submission, prepared.agent.build_command if prepared.agent is not None else ""
    known = {"entry": submission.entry_name, "name": submission.name, "hash": submission.hash or None}
    return {**known, "build": build or None, "fault": prepared.fault or None}


def _submission_line(prepared: PreparedSubmission) -> str:
    if prepared.agent is None:
        return f"cannot play: {prepared.fault}"
    built = f", built by `{printable(prepared.agent.build_command)}`" if prepared.agent.build_command else ""
    return f"version {prepared.submission.hash}{built}"


def _student_names_file(store_address: str, run: str) -> Path | None:
    """Return the file with the students' names, or None if no submission has been imported yet."""
    try:
        with Store.open(store_address, create=False) as store:
            return register_file(copies_folder(store.folder, run))
    except UserError:  # nothing has been played there yet
        return None


def _count_stored_games(course: Course, store_address: str) -> int:
    """Return the number of games of the course that are in the store."""
    try:
        with Store.open(store_address, create=False) as store:
            run = store.run(course.spec.name)
            # games that are set aside count again if they are in the plan
            played = store.game_keys(run) | store.game_keys(run, Status.SET_ASIDE)
    except UserError:  # nothing has been played there yet
        return 0
    return len(played & {course.game_key(pairing) for pairing in course.scheduled_games()})
