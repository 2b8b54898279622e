"""Faults in a course run are reported in plain words, and earlier results are kept."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from filelock import FileLock

from gomogo.commands._run import PlayedRun
from gomogo.run_options import RunSettings
from gomogo_core.processes import sandbox
from gomogo_core.records.store import Store
from tests.tournaments._commands import Command
from tests.tournaments._resumed import resume_state
from tests.tournaments.submissions._course_runs import (
    RUN_COURSE,
    RUN_COURSE_QUICKLY,
    create_submissions,
    grade_cases,
    grade_rows,
)
from tournaments.crash_streaks import CrashStreaks
from tournaments.progress import RunProgress, StopRequest
from tournaments.submissions.course import CoursePlan

pytestmark = pytest.mark.needs("bwrap")


def test_grades_do_not_replace_foreign_files(command: Command) -> None:
    create_submissions("anna")
    Path("mine").mkdir()
    Path("mine/diary.txt").write_text("dear diary")
    result = command(*RUN_COURSE_QUICKLY, "--grades", "mine")
    assert result.code == 1
    assert "mine contains diary.txt, which is not a file of grades" in result.err
    assert Path("mine/diary.txt").read_text() == "dear diary"
    assert not Path("gomogo.db").exists() or not keys_of_any()


def keys_of_any() -> list[object]:
    with Store.open("gomogo.db") as store:
        return list(store.runs())


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('format = "swiss"', "format cannot be used with submissions"),
        ("[submissions]\nrequired = { lost = 1 }", "`required` names 'lost', which is not an arena agent"),
        (
            "[submissions]\nrequired = { last = 3 }",
            "`required` asks for more wins against last (3) than games are planned (2)",
        ),
        ('[submissions]\ncheck = ["startz"]', "no check called 'startz'"),
        ("[submissions]\nchekc = true", "no key 'submissions.chekc'"),
    ],
)
def test_mistakes_in_a_course_file_are_reported_before_the_import(command: Command, line: str, says: str) -> None:
    create_submissions("anna")
    Path("course.toml").write_text(f'agents = ["house/last.py"]\ngames_per_pair = 2\n{line}\n')
    result = command(*RUN_COURSE_QUICKLY)
    assert result.code == 1
    assert says in result.err
    assert not Path("course-submissions").exists()


def test_a_course_file_requires_the_submissions_option(command: Command) -> None:
    assert "the folder of submissions is missing" in command("run", "course.toml").err
    result = command("run", "course.toml", "--grades", "x")
    assert (result.code, "--grades needs --submissions" in result.err) == (1, True)


@pytest.mark.slow
def test_a_course_run_without_a_working_sandbox_is_refused(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    create_submissions("anna")
    real_which = shutil.which
    monkeypatch.setattr(
        "shutil.which", lambda name, **options: None if name == "bwrap" else real_which(name, **options)
    )
    sandbox._test_sandbox.cache_clear()
    refused = command(*RUN_COURSE)
    assert refused.code == 1
    assert "bwrap" in refused.err
    assert "--sandbox limits" in refused.err
    assert not Path("course-submissions").exists()
    result = command(*RUN_COURSE_QUICKLY)
    assert (result.code, "at sandbox level limits" in result.err) == (0, True)


def test_a_submission_cannot_exceed_the_memory_limit(command: Command) -> None:
    create_submissions("anna")
    (Path("in/anna") / "agent.toml").write_text('command = "python bot.py"\nmemory_mb = 100000\n')
    assert command(*RUN_COURSE_QUICKLY).code == 0
    assert (
        grade_cases()["anna"]["plays gomoku"]
        == "failure: agent.toml asks for 100000 MB of memory, and 2048 are allowed."
    )


def test_a_build_cannot_raise_the_memory_limit(command: Command) -> None:
    create_submissions("anna")
    asks = "command = 'python bot.py'\nbuild = 'echo memory_mb = 100000 >> agent.toml'\n"
    (Path("in/anna") / "agent.toml").write_text(asks)
    assert command(*RUN_COURSE_QUICKLY).code == 0
    assert grade_cases()["anna"]["builds"] == "passed"
    assert (
        grade_cases()["anna"]["can be run"] == "failure: agent.toml asks for 100000 MB of memory, and 2048 are allowed."
    )


@pytest.mark.slow
def test_an_agent_toml_that_a_build_links_elsewhere_is_refused(command: Command) -> None:
    create_submissions("anna")
    Path("secret.toml").write_text("protocol = 'of the house'\ncommand = 'x'\n")
    link = f"command = 'python bot.py'\nbuild = 'ln -sf {Path.cwd()}/secret.toml agent.toml'\n"
    (Path("in/anna") / "agent.toml").write_text(link)
    assert command(*RUN_COURSE_QUICKLY).code == 0
    assert grade_cases()["anna"]["can be run"] == "failure: agent.toml is a link, or not a plain file."


def test_a_failed_build_leaves_only_a_log_without_escapes(command: Command) -> None:
    create_submissions("anna")
    build = "command = 'python bot.py'\nbuild = 'echo much > large; printf \"\\\\033[2Jhere\\\\nthere\"; exit 3'\n"
    (Path("in/anna") / "agent.toml").write_text(build)
    assert command(*RUN_COURSE_QUICKLY).code == 0
    assert grade_cases()["anna"]["builds"].endswith("exited with code 3.")
    assert Path("course-grades/students/anna/build.log").read_text() == "\\x1b[2Jhere\nthere"
    assert [path for path in Path("course-submissions").rglob("*") if path.name == "large"] == []


@pytest.mark.slow
def test_a_crash_while_grades_are_written_keeps_the_previous_grades(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    create_submissions("anna")
    assert command(*RUN_COURSE_QUICKLY).code == 0
    before = {path: path.read_bytes() for path in Path("course-grades").rglob("*") if path.is_file()}
    create_submissions("bert")

    def full(*_: object) -> bytes:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tournaments.submissions.reports.create_grades_junit", full)
    result = command(*RUN_COURSE_QUICKLY)
    assert result.code == 1
    assert "The grades cannot be written to" in result.err
    assert {path: path.read_bytes() for path in Path("course-grades").rglob("*") if path.is_file()} == before
    assert [path.name for path in Path().iterdir() if path.name.startswith(".course-grades")] == []


def test_an_interrupted_course_run_is_graded_by_its_finished_games(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run ends before its first game; the files of a killed process are removed."""

    def broken_off(plan: CoursePlan, store: Store, settings: RunSettings) -> PlayedRun:
        state = resume_state(plan, store)
        progress = RunProgress(state.stored_run.planned_games, 0, stop_request=StopRequest.INTERRUPT_RUNNING_GAMES)
        return PlayedRun(state, state.standings(), progress, None, CrashStreaks())

    create_submissions("anna")
    Path(".course-grades-new-left").mkdir()
    monkeypatch.setattr("gomogo.commands._course.play_games", broken_off)
    assert command(*RUN_COURSE_QUICKLY).code == 3
    assert grade_rows()["anna", "last"]["passed"] == "open"
    assert (
        grade_cases()["anna"]["beats last 1 of 2"] == "skipped: 0 won, 0 drawn, 0 lost; 2 games are still to be played"
    )
    assert not Path(".course-grades-new-left").exists()


def test_two_processes_cannot_import_the_same_submissions(command: Command) -> None:
    create_submissions("anna")
    Path("course-submissions").mkdir()
    with FileLock("course-submissions/.lock"):
        result = command(*RUN_COURSE_QUICKLY)
    assert result.code == 1
    assert "Another process is playing the submissions for 'course'." in result.err
