"""Prints what a course tournament would build and play. Builds and starts nothing.

Reads only; `_course.py` plays.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from gomogo.commands._course import IMPLIED, students
from gomogo_core.drawing.text import printable
from gomogo_core.errors import UserError
from gomogo_core.records.store import Status, Store
from tournaments.submissions.course import Course
from tournaments.submissions.entry_names import NameRegister
from tournaments.submissions.intake import import_submissions, register_file, work_folder
from tournaments.submissions.preparing import Preparation, Prepared


def check_course(course: Course, store: str, handed_in: Path, *, as_json: bool) -> None:
    """Print the submissions in the folder `handed_in`, and the number of games that remain to be played."""
    preparation = Preparation.of(course, IMPLIED)
    with TemporaryDirectory(prefix="gomogo-") as work:
        register = NameRegister(_names_file(store, course.spec.name))
        taken = import_submissions(handed_in, Path(work), course.submission_settings.megabytes, register)
        course.match_roster(taken.titles)  # raises UserError if one person owns two
        found = [preparation.read(one) for one in taken.submissions]
    course = replace(course, students=students(found, {one.submission.name: one.submission.name for one in found}))
    games, left = course.count_games(), course.count_games() - _count_stored_games(course, store)
    if as_json:
        told = {
            "schema": 1,
            "name": course.spec.name,
            "house": [one.name for one in course.arena_agents],
            "submissions": [_submission_json(one) for one in found],
            "left_out": list(taken.others),
            "games": games,
            "to_play": left,
        }
        click.echo(json.dumps(told, indent=2))
        return
    planned = f"{games} games of {course.spec.game} if every submission builds, {left} of them still to play"
    click.echo(f"{course.spec.name}: {planned}")
    click.echo(f"arena agents: {', '.join(one.name for one in course.arena_agents)}")
    for one in found:
        click.echo(f"  {one.label}: {_submission_line(one)}")
    for other in taken.others:
        click.echo(f"  {printable(other)} is skipped: it is not a folder, a zip file or a Python file")


def _submission_json(prepared: Prepared) -> dict[str, str | None]:
    """Return the entry, its name and hash, its build command, and the reason why it cannot play."""
    submission, build = prepared.submission, prepared.agent.build_command if prepared.agent is not None else ""
    known = {"entry": submission.entry, "name": submission.name, "hash": submission.hash or None}
    return {**known, "build": build or None, "fault": prepared.fault or None}


def _submission_line(prepared: Prepared) -> str:
    if prepared.agent is None:
        return f"cannot play: {prepared.fault_line}"
    built = f", built by `{printable(prepared.agent.build_command)}`" if prepared.agent.build_command else ""
    return f"version {prepared.submission.hash}{built}"


def _names_file(store_address: str, run: str) -> Path | None:
    """Return the file with the names of students, once their submissions have been imported."""
    try:
        with Store.open(store_address, create=False) as store:
            return register_file(work_folder(store.folder, run))
    except UserError:  # nothing has been played there yet
        return None


def _count_stored_games(course: Course, store_address: str) -> int:
    """Return the number of its games in the store."""
    try:
        with Store.open(store_address, create=False) as store:
            run = store.run(course.spec.name)
            played = store.keys(run) | store.keys(run, Status.SET_ASIDE)  # they count again when they are asked for
    except UserError:  # nothing has been played there yet
        return 0
    return len(played & {course.game_key(pairing) for pairing in course.scheduled_games()})
