"""Prints the submissions and the games of a course tournament, for `gomogo tournament check --submissions`.

The module builds nothing and starts no program; `_course.py` does that.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from gomogo.commands._course import DEFAULT_SANDBOX_LEVEL, create_entrants
from gomogo_core.drawing.text import printable
from gomogo_core.errors import UserError
from gomogo_core.records.store import GameStatus, Store
from tournaments.submissions.course import Course
from tournaments.submissions.entry_names import NameRegister
from tournaments.submissions.intake import copies_folder, import_submissions, register_file
from tournaments.submissions.preparing import Preparation, PreparedSubmission
from tournaments.submissions.roster import match_roster


def check_course(course: Course, store: str, submissions_folder: Path, *, as_json: bool) -> None:
    """Print the submissions in a folder, and the number of games that remain to be played."""
    preparation = Preparation.for_course(course, DEFAULT_SANDBOX_LEVEL)
    with TemporaryDirectory(prefix="gomogo-") as work_folder:
        register = NameRegister(_student_names_file(store, course.spec.name))
        intake = import_submissions(
            submissions_folder, Path(work_folder), course.submission_settings.megabytes, register
        )
        roster = match_roster(course.roster_students, intake.titles)
        mismatches = roster.mismatches(intake.titles) if roster is not None else []
        intake = intake.add_faults(roster.conflicting_entries) if roster is not None else intake
        inspected = [preparation.inspect(submission) for submission in intake.submissions]
    course = replace(
        course,
        students=create_entrants(
            inspected, {prepared.submission.name: prepared.submission.name for prepared in inspected}
        ),
    )
    game_count, games_left = course.count_games(), course.count_games() - _count_stored_games(course, store)
    if as_json:
        summary = {
            "schema": 1,
            "name": course.spec.name,
            "house": [agent.name for agent in course.arena_agents],
            "submissions": [_submission_json(prepared) for prepared in inspected],
            "left_out": list(intake.skipped),
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
        click.echo(f"  {prepared.label}: {_submission_line(prepared)}")
    for line in mismatches:
        click.echo(f"  {line}")
    for entry_name in intake.skipped:
        click.echo(f"  {printable(entry_name)} is skipped: it is not a folder, a zip file or a Python file")


def _submission_json(prepared: PreparedSubmission) -> dict[str, str | None]:
    """Return a submission as JSON values, with its build command, and the reason if it cannot play."""
    submission, build = prepared.submission, prepared.agent.build_command if prepared.agent is not None else ""
    identity = {"entry": submission.entry_name, "name": submission.name, "hash": submission.hash or None}
    return {**identity, "build": build or None, "fault": prepared.fault or None}


def _submission_line(prepared: PreparedSubmission) -> str:
    if prepared.agent is None:
        return f"cannot play: {prepared.fault}"
    build_note = f", built by `{printable(prepared.agent.build_command)}`" if prepared.agent.build_command else ""
    return f"version {prepared.submission.hash}{build_note}"


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
            # a game that was set aside counts again if the plan has it
            played = store.game_keys(run) | store.game_keys(run, GameStatus.SET_ASIDE)
    except UserError:  # nothing has been played there yet
        return 0
    return len(played & {course.game_key(pairing) for pairing in course.scheduled_games()})
