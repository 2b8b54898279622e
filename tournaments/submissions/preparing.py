"""Prepare submissions: build and check each one, and store the result beside its copy.

The module plays no game and computes no grade. Every fault of a submission is recorded in its steps.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Any

from gomogo_core import __version__, catalogue
from gomogo_core.arena import run_build_command
from gomogo_core.cancellation import GameCancelled
from gomogo_core.catalogue import Agent
from gomogo_core.conformance.agent_checks import CHECKS
from gomogo_core.conformance.agent_suite import CheckResult, CheckVerdict, run_checks
from gomogo_core.conformance.pipe_checks import PIPE_CHECKS
from gomogo_core.errors import UserError, suggest_name
from gomogo_core.games.base import Game
from gomogo_core.printable import printable
from gomogo_core.processes.limits import SandboxLevel
from gomogo_core.wire.small_files import remove_tree, replace_file
from tournaments.submissions.copying import UnusableSubmission
from tournaments.submissions.course import CoursePlan
from tournaments.submissions.intake import Submission, failure_file, preparation_file
from tournaments.submissions.parallel import parallel_map

_SCHEMA_VERSION = 4
_CHECK_PREFIX = "check "  # begins the name of a step that is a check
_START_CHECK = CHECKS[0].name  # a submission that fails this check does not play
HANDED_IN_STEP, BUILD_STEP, RUN_STEP = "is handed in", "builds", "can be run"


@dataclass(frozen=True)
class PreparationStep:
    """One step of preparing a submission, such as its build or a check.

    passed: None if the step does not apply to this submission. message: the reason for a failure, or a remark. output:
    the output of the build, or of the program in a check.
    """

    name: str
    passed: bool | None
    message: str = ""
    output: str = ""
    seconds: float = 0.0

    @property
    def failure_reason(self) -> str:
        """The reason for a failure, on one line, without control characters. For a check it begins with the check's
        name, because the message of a check only describes the program's behaviour.
        """
        message = printable(" ".join(self.message.split()))
        return f"{self.name}: {message}" if self.is_check else message

    @property
    def is_check(self) -> bool:
        """Whether the step is a check of the program's behaviour."""
        return self.name.startswith(_CHECK_PREFIX)


@dataclass(frozen=True)
class PreparedSubmission:
    """A submission and the results of its preparation steps. agent: None if the submission cannot play."""

    submission: Submission
    steps: tuple[PreparationStep, ...]
    agent: Agent | None

    @property
    def first_failure(self) -> str:
        """The reason of the first failed step; empty if no step failed."""
        return next((step.failure_reason for step in self.steps if step.passed is False), "")

    @property
    def all_failures(self) -> str:
        """The reasons of all failed steps, each of them once; empty if no step failed."""
        failed: dict[str, list[PreparationStep]] = {}
        for step in self.steps:
            if step.passed is False:
                failed.setdefault(step.message, []).append(step)
        return " ".join(
            "".join(f"{step.name}, " for step in earlier if step.is_check) + last_failure.failure_reason
            for *earlier, last_failure in failed.values()
        )

    @property
    def label_with_key(self) -> str:
        """The name of the entry, and the student's key."""
        return f"{printable(self.submission.original_name)} ({self.submission.key})"


@dataclass(frozen=True)
class SubmissionPreparer:
    """The settings for building and checking submissions. has_openings: whether the course's games have openings.

    build_seconds: time limit of a build. check_names: the names of the checks besides `starts`; None for all. sandbox:
    the level of isolation. max_memory_mb: the maximum memory that an agent.toml may request.
    """

    game: Game
    has_openings: bool
    build_seconds: float
    check_names: tuple[str, ...] | None
    sandbox: SandboxLevel
    max_memory_mb: int

    @staticmethod
    def for_course(course: CoursePlan, sandbox: SandboxLevel) -> SubmissionPreparer:
        """Return the settings for a course. Raises UserError for an unknown check."""
        settings = course.submission_settings
        checks = settings.check if isinstance(settings.check, tuple) else None if settings.check else ()
        check_names = {check.name for check in chain(CHECKS, *PIPE_CHECKS.values())}
        for name in checks or ():
            if name not in check_names:
                raise UserError(f"submissions: there is no check called {name!r}.", suggest_name(name, check_names))
        has_openings, build_seconds = bool(course.openings.plies(0)), settings.build_seconds
        return SubmissionPreparer(course.game, has_openings, build_seconds, checks, sandbox, settings.memory_mb)

    @property
    def settings_for_cache(self) -> dict[str, Any]:
        """All values on which the result of a preparation depends, besides the submission."""
        game_identity = {"game": self.game.name, "options": self.game.options, "has_openings": self.has_openings}
        limits = {"sandbox": self.sandbox, "memory_mb": self.max_memory_mb}
        return {
            "schema": _SCHEMA_VERSION,
            "version": __version__,
            **game_identity,
            **limits,
            "checks": self.check_names,
        }

    def prepare(
        self,
        submissions: Sequence[Submission],
        max_builds: int,
        on_prepared: Callable[[PreparedSubmission], None] = lambda _: None,
    ) -> list[PreparedSubmission]:
        """Build and check submissions, `max_builds` at a time. A submission that passed with the same settings is not
        built again.

        on_prepared: a function that is called with each finished submission, in the thread that prepared it.
        """

        def prepare_submission(submission: Submission) -> PreparedSubmission:
            result = self._load_result(submission) or self._prepare_submission(submission)
            if not submission.problem:
                _store_failure(result)
            on_prepared(result)
            return result

        return parallel_map(prepare_submission, submissions, max_builds)

    def inspect(self, submission: Submission) -> PreparedSubmission:
        """Read a submission's agent.toml or Python file, and check that it can play the game. This builds and starts
        nothing.
        """
        if submission.problem:
            return PreparedSubmission(submission, (PreparationStep(HANDED_IN_STEP, False, submission.problem),), None)
        handed_in = PreparationStep(HANDED_IN_STEP, True)
        try:
            agent = self._read_agent(submission)
        except GameCancelled:
            raise
        except Exception as error:  # an untrusted file may cause any error in Gomogo's code
            step = PreparationStep(f"plays {self.game.name}", False, _error_text_for_student(error, submission))
            return PreparedSubmission(submission, (handed_in, step), None)
        return PreparedSubmission(submission, (handed_in,), agent)

    def _read_agent(self, submission: Submission) -> Agent:
        """Return the agent of a submission. Raises UserError and UnusableSubmission if it cannot play this game."""
        # a build could create a link that leads out of the student's files
        if (submission.agent_path / "agent.toml").is_symlink():
            raise UnusableSubmission("agent.toml is a link, or not a plain file.")
        agent = catalogue.agent(str(submission.agent_path))
        catalogue.check_agents(self.game, [agent] * self.game.seats, self.has_openings)
        if (requested_mb := agent.settings.memory_mb or 0) > self.max_memory_mb:
            limit_mb = self.max_memory_mb
            raise UnusableSubmission(f"agent.toml asks for {requested_mb} MB of memory, and {limit_mb} are allowed.")
        return agent

    def _load_built_agent(self, submission: Submission) -> Agent:
        """Return the agent of a submission that has been built.

        Raises UserError and UnusableSubmission if it cannot play this game, or if its program is missing.
        """
        agent = replace(self._read_agent(submission), build_command="")
        catalogue.check_program(agent)
        return agent

    def _load_result(self, submission: Submission) -> PreparedSubmission | None:
        """Return the stored result of a successful preparation with the same settings, or None."""
        if submission.problem or not (file := preparation_file(submission.copy_path)).is_file():
            return None
        try:
            stored_result = json.loads(file.read_text(encoding="utf-8"))
            if stored_result["terms"] != json.loads(json.dumps(self.settings_for_cache)):
                return None
            steps = tuple(PreparationStep(**step) for step in stored_result["steps"])
            return PreparedSubmission(submission, steps, self._load_built_agent(submission))
        except (ValueError, KeyError, TypeError, UserError, UnusableSubmission):
            return None

    def _store_result(self, submission: Submission, steps: Sequence[PreparationStep]) -> None:
        file = preparation_file(submission.copy_path)
        result = {"terms": self.settings_for_cache, "steps": [asdict(step) for step in steps]}
        replace_file(str(file), json.dumps(result).encode(), f"{file}.new")

    def _prepare_submission(self, submission: Submission) -> PreparedSubmission:
        inspected = self.inspect(submission)
        if (agent := inspected.agent) is None:
            return inspected
        steps = [*inspected.steps]
        try:
            if agent.build_command:
                steps.append(self._build(agent, submission))
                if not steps[-1].passed:
                    with suppress(OSError):  # the files may be large, and the next attempt makes a new copy
                        remove_tree(submission.copy_path)
                    return PreparedSubmission(submission, tuple(steps), None)
            # read the agent again, because the build may have changed any file
            agent = self._load_built_agent(submission)
            steps += [_create_step(result, submission) for result in self._run_checks(agent)]
        except GameCancelled:
            raise
        except Exception as error:
            steps.append(PreparationStep(RUN_STEP, False, _error_text_for_student(error, submission)))
        start_steps = (RUN_STEP, f"{_CHECK_PREFIX}{_START_CHECK}")
        if any(step.name in start_steps and step.passed is False for step in steps):
            return PreparedSubmission(submission, tuple(steps), None)
        self._store_result(submission, steps)
        return PreparedSubmission(submission, tuple(steps), agent)

    def _build(self, agent: Agent, submission: Submission) -> PreparationStep:
        """Run an agent's build command for at most `build_seconds`, then end all its processes."""
        begin = time.monotonic()
        try:
            build_result = run_build_command(agent, self.sandbox, self.build_seconds)
        except (OSError, UserError) as error:
            reason = submission.hide_folder(str(error))
            return PreparationStep(BUILD_STEP, False, f"`{agent.build_command}` cannot be started: {reason}")
        ending = build_result.exit_description or f"took more than {self.build_seconds:g} s"
        message = "" if build_result.succeeded else f"`{agent.build_command}` {ending}."
        output = submission.hide_folder(build_result.output)
        return PreparationStep(BUILD_STEP, build_result.succeeded, message, output, time.monotonic() - begin)

    def _run_checks(self, agent: Agent) -> Iterator[CheckResult]:
        checks, names = (*CHECKS, *PIPE_CHECKS.get(agent.protocol, ())), self.check_names
        selected = [check for check in checks if names is None or check.name in (_START_CHECK, *names)]
        return run_checks(agent, [self.game.name], selected, None, self.sandbox, self.game)


def _store_failure(prepared: PreparedSubmission) -> None:
    """Store the reason why a submission does not play, for `gomogo tournament check`. The next run tries it again."""
    file = failure_file(prepared.submission.copy_path)
    if prepared.agent is None:
        replace_file(str(file), prepared.first_failure.encode("utf-8", "backslashreplace"), f"{file}.new")
    else:
        file.unlink(missing_ok=True)


def _error_text_for_student(error: Exception, submission: Submission) -> str:
    """Return the text of an error, without the path of the copy."""
    if isinstance(error, UserError):
        return submission.hide_folder(f"{error.problem} {error.remedy}")
    name = "" if isinstance(error, UnusableSubmission) else f"{type(error).__name__}: "
    return submission.hide_folder(f"{name}{error}")


def _create_step(result: CheckResult, submission: Submission) -> PreparationStep:
    passed = {CheckVerdict.PASSED: True, CheckVerdict.FAILED: False, CheckVerdict.LEFT_OUT: None}[result.verdict]
    message = f"{result.behaviour} Expected: {result.expected}" if passed is False else result.note
    message, output = map(submission.hide_folder, (message, result.output))
    return PreparationStep(f"{_CHECK_PREFIX}{result.check}", passed, message, output, result.seconds)
