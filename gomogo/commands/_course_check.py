"""Prints the submissions and the games of a course tournament, for `gomogo tournament check --submissions`.

The module builds nothing and starts no program; `_course.py` does that.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from gomogo.commands._course import DEFAULT_SANDBOX_LEVEL, create_course_players
from gomogo_core.drawing.text import printable
from gomogo_core.errors import UserError
from gomogo_core.games.boards.edges import EdgeBoard
from gomogo_core.games.boards.points import PointBoard
from gomogo_core.play.clock import TimeControl
from gomogo_core.printable import count_with_noun
from gomogo_core.records.store import GameStatus, Store
from tournaments.schedules import ScheduledGame
from tournaments.submissions.course import CoursePlan
from tournaments.submissions.entry_names import SubmissionIdRegister
from tournaments.submissions.intake import copies_folder, failure_file, id_register_file, import_submissions
from tournaments.submissions.preparing import PreparedSubmission, SubmissionPreparer
from tournaments.submissions.roster import create_roster
from tournaments.workers import default_concurrent_games


def check_course(course: CoursePlan, store: str, submissions_folder: Path, *, as_json: bool) -> None:
    """Print the submissions in a folder, and the number of games that remain to be played.

    The games of a submission that did not play in the last run are not counted, although the next run tries it again.
    """
    preparation = SubmissionPreparer.for_course(course, DEFAULT_SANDBOX_LEVEL)
    with TemporaryDirectory(prefix="gomogo-") as work_folder:
        copies = _find_copies_folder(store, course.spec.name)
        register = SubmissionIdRegister(None if copies is None else id_register_file(copies))
        intake = import_submissions(
            submissions_folder, Path(work_folder), course.submission_settings.megabytes, register
        )
        roster = create_roster(course.roster_students, intake.original_names)
        mismatches = roster.describe_mismatches(intake.original_names) if roster is not None else []
        intake = intake.with_problems(roster.conflicts_by_base_name) if roster is not None else intake
        inspected = [preparation.inspect(submission) for submission in intake.submissions]
        failures_by_key = {} if copies is None else _read_failure_reasons(inspected, Path(work_folder), copies)
    players = [prepared for prepared in inspected if prepared.submission.key not in failures_by_key]
    course = replace(
        course,
        student_players=create_course_players(
            players, {prepared.submission.key: prepared.submission.key for prepared in players}
        ),
    )
    games_to_play = _find_games_to_play(course, store)
    game_count, games_left = course.count_games(), len(games_to_play)
    if as_json:
        summary = {
            "schema": 1,
            "name": course.spec.name,
            "house": [agent.name for agent in course.arena_agents],
            "submissions": [
                {**_submission_json(prepared), "last_fault": failures_by_key.get(prepared.submission.key)}
                for prepared in inspected
            ],
            "left_out": list(intake.skipped_names),
            "roster": mismatches,
            "games": game_count,
            "to_play": games_left,
        }
        click.echo(json.dumps(summary, indent=2))
        return
    others = "other " * bool(failures_by_key)
    planned = (
        f"{game_count} games of {course.spec.game} if every {others}submission can be built, "
        f"{games_left} of them still to play"
    )
    click.echo(f"{course.spec.name}: {planned}")
    click.echo(f"arena agents: {', '.join(agent.name for agent in course.arena_agents)}")
    if games_to_play and (estimate := _describe_playing_time(course, games_to_play)):
        click.echo(estimate)
    for prepared in inspected:
        failure = failures_by_key.get(prepared.submission.key)
        failure_note = "" if failure is None else f", did not play in the last run: {failure}"
        click.echo(f"  {prepared.label_with_key}: {_submission_line(prepared)}{failure_note}")
    if failures_by_key:
        names = ", ".join(failures_by_key)
        click.echo(f"{len(failures_by_key)} of {len(inspected)} did not play in the last run: {names}")
        click.echo("Their games are not counted. The next run tries them again.")
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


def _find_copies_folder(store_address: str, run: str) -> Path | None:
    """Return the folder with the copies of the submissions, or None if no submission has been imported yet."""
    try:
        with Store.open(store_address, create=False) as store:
            return copies_folder(store.folder, run)
    except UserError:  # nothing has been played there yet
        return None


def _read_failure_reasons(inspected: Sequence[PreparedSubmission], work_folder: Path, copies: Path) -> dict[str, str]:
    """Return the reasons why submissions with these files did not play in the last run, by the student's key."""
    failures = {}
    for prepared in inspected:
        submission = prepared.submission
        if prepared.agent is not None:
            copy = copies / submission.copy_path.relative_to(work_folder)
            with suppress(FileNotFoundError):
                failures[submission.key] = printable(failure_file(copy).read_text(encoding="utf-8"))
    return failures


def _find_games_to_play(course: CoursePlan, store_address: str) -> list[ScheduledGame]:
    """Return the games of the course that are not in the store."""
    scheduled_games = list(course.scheduled_games())
    try:
        with Store.open(store_address, create=False) as store:
            run = store.run(course.spec.name)
            # the next run takes back the games that were set aside, if they belong to the plan
            stored_keys = store.game_keys(run) | store.game_keys(run, GameStatus.SET_ASIDE)
    except UserError:  # nothing has been played there yet
        return scheduled_games
    return [game for game in scheduled_games if course.game_key(game) not in stored_keys]


def _describe_playing_time(course: CoursePlan, games_to_play: Sequence[ScheduledGame]) -> str:
    """Return a sentence with an upper bound of the time for these games; empty if a player has no time limit."""
    move_count = _max_move_count(course)
    if move_count is None:
        return ""
    moves_per_player = math.ceil(move_count / course.game.seats)
    seconds_by_player = [_max_seconds(control, moves_per_player) for control in course.time_controls]
    total = sum(seconds_by_player[index] for game in games_to_play for index in game.player_indexes)
    if not math.isfinite(total):
        return ""
    workers = course.spec.workers or default_concurrent_games(course.cores_per_game)
    minutes = math.ceil(total / 60 / min(workers, len(games_to_play)))
    time_text = count_with_noun(minutes, "minute") if minutes < 120 else f"{math.ceil(minutes / 60)} hours"
    return (
        f"The games take at most about {time_text} with {count_with_noun(workers, 'worker')}, if every move takes its "
        "whole time and every game is as long as possible."
    )


def _max_move_count(course: CoursePlan) -> int | None:
    """Return the number of moves of a very long game; None if the game has no board of points or edges."""
    board, options = course.game.board, course.game.options
    if isinstance(board, PointBoard):
        # if stones can be removed and players may pass: the default of Go's option max_moves
        places = board.columns * board.rows * (3 if "passing" in options else 1)
    elif isinstance(board, EdgeBoard):
        places = len(board.undrawn_edges(0))
    else:
        return None
    return min(limit for limit in (options.get("max_moves"), course.spec.adjudicate.moves, places) if limit is not None)


def _max_seconds(control: TimeControl, moves: int) -> float:
    """Return the seconds that a player may take for a number of moves: infinity if there is no limit."""
    by_move = math.inf if control.per_move is None else control.per_move * moves
    return by_move if control.total is None else min(by_move, control.total + control.increment * moves)
