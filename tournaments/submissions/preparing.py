"""Prepare submissions: build and check each one, and store the result beside it.

Uses builds and checks, but neither games nor grades. Every fault of a submission is recorded in its steps.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from gomogo_core import __version__, catalogue
from gomogo_core.arena import run_build
from gomogo_core.cancellation import Cancelled
from gomogo_core.catalogue import Agent
from gomogo_core.conformance.agent_checks import CHECKS
from gomogo_core.conformance.agent_suite import CheckResult, CheckVerdict, run_checks
from gomogo_core.conformance.pipe_checks import PIPE_CHECKS
from gomogo_core.errors import UserError, nearest
from gomogo_core.games.base import Game
from gomogo_core.processes.limits import Level
from gomogo_core.wire.small_files import put, remove_tree
from tournaments.submissions.copying import Unusable
from tournaments.submissions.course import Course
from tournaments.submissions.intake import Submission, prepared_file
from tournaments.submissions.parallel import side_by_side

_SCHEMA = 1
_STARTS = CHECKS[0].name  # an agent that does not start cannot play
HANDED_IN, BUILDS, RUNS = "is handed in", "builds", "can be run"


@dataclass(frozen=True)
class PreparationStep:
    """One step of a submission before it plays. passed: None if it does not apply to this one.

    said: why it failed, or a remark. printed: a build's log, or the output of the program in a check.
    """

    name: str
    passed: bool | None
    said: str = ""
    printed: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Prepared:
    """A submission, the results of its steps, and its agent; None if it cannot play."""

    submission: Submission
    steps: tuple[PreparationStep, ...]
    agent: Agent | None

    @property
    def fault(self) -> str:
        """Return the first step that failed, and why; empty if none did."""
        return next((f"{step.name}: {step.said}" for step in self.steps if step.passed is False), "")


@dataclass(frozen=True)
class PreparationSettings:
    """The conditions of the preparation. opened: whether the games have openings.

    checks: names of the checks besides `starts`; None for all. sandbox: the level of isolation. memory_mb: the most
    memory that an agent.toml may request.
    """

    game: Game
    opened: bool
    build_seconds: float
    checks: tuple[str, ...] | None
    sandbox: Level
    memory_mb: int

    @staticmethod
    def of(course: Course, sandbox: Level) -> PreparationSettings:
        """Return the conditions of a course. Raises UserError for an unknown check."""
        asks = course.intake
        checks = asks.check if isinstance(asks.check, tuple) else None if asks.check else ()
        _check_names(checks or ())
        opened = bool(course.openings.plies(0))
        return PreparationSettings(course.game, opened, asks.build_seconds, checks, sandbox, asks.memory_mb)

    @property
    def identity(self) -> dict[str, Any]:
        """Return all that the result depends on, besides the submission."""
        game = {"game": self.game.name, "options": self.game.options, "opened": self.opened}
        held = {"sandbox": self.sandbox, "memory_mb": self.memory_mb}
        return {"schema": _SCHEMA, "version": __version__, **game, **held, "checks": self.checks}


def _check_names(names: Collection[str]) -> None:
    """Raise UserError for an unknown check."""
    known = {check.name for checks in (CHECKS, *PIPE_CHECKS.values()) for check in checks}
    for name in names:
        if name not in known:
            raise UserError(f"submissions: there is no check called {name!r}.", nearest(name, known))


def prepare(
    submissions: Sequence[Submission],
    terms: PreparationSettings,
    size: int,
    on_prepared: Callable[[Prepared], None] = lambda prepared: None,
) -> list[Prepared]:
    """Build and check submissions, `size` at a time. A submission that passed under the same conditions is not
    repeated.

    told: called with each finished one, from its thread.
    """

    def one(submission: Submission) -> Prepared:
        done = _stored_result(submission, terms) or _prepared(submission, terms)
        on_prepared(done)
        return done

    return side_by_side(one, submissions, size)


def _stored_result(submission: Submission, terms: PreparationSettings) -> Prepared | None:
    """Return the stored result, if it was good."""
    if submission.fault or not (file := prepared_file(submission.folder)).is_file():
        return None
    try:
        on_prepared = json.loads(file.read_text(encoding="utf-8"))
        if on_prepared["terms"] != json.loads(json.dumps(terms.identity)):
            return None
        return Prepared(
            submission, tuple(PreparationStep(**step) for step in on_prepared["steps"]), agent_of(submission, terms)
        )
    except (ValueError, KeyError, TypeError, UserError, Unusable):
        return None


def _prepared(submission: Submission, terms: PreparationSettings) -> Prepared:
    found = read_submission(submission, terms)
    if (agent := found.agent) is None:
        return found
    steps = [*found.steps]
    try:
        if agent.build:
            built = _build(agent, terms.sandbox, terms.build_seconds)
            steps.append(PreparationStep(BUILDS, not built.fault, built.fault, built.log, built.seconds))
            if built.fault:
                with suppress(OSError):  # its remains may be large; the next attempt starts anew in any case
                    remove_tree(submission.folder)
                return Prepared(submission, tuple(steps), None)
        agent = agent_of(submission, terms)  # read again: the build may have written all of it, agent.toml too
        steps += (_step(result) for result in _run_checks(agent, terms))
    except Cancelled:
        raise
    except Exception as fault:
        return Prepared(submission, (*steps, PreparationStep(RUNS, False, _fault_text(fault, submission))), None)
    if any(step.name == f"check {_STARTS}" and step.passed is False for step in steps):
        return Prepared(submission, tuple(steps), None)
    _write(submission, terms, steps)
    return Prepared(submission, tuple(steps), agent)


def read_submission(submission: Submission, terms: PreparationSettings) -> Prepared:
    """Read what a submission says of itself, and whether it plays the game; nothing is built or started."""
    if submission.fault:
        return Prepared(submission, (PreparationStep(HANDED_IN, False, submission.fault),), None)
    handed_in = PreparationStep(HANDED_IN, True)
    try:
        agent = _read(submission, terms)
    except Cancelled:
        raise
    except Exception as fault:  # any error that a stranger's file causes in its readers
        step = PreparationStep(f"plays {terms.game.name}", False, _fault_text(fault, submission))
        return Prepared(submission, (handed_in, step), None)
    return Prepared(submission, (handed_in,), agent)


def _read(submission: Submission, terms: PreparationSettings) -> Agent:
    """Return its own description. Raises UserError and Unusable if it cannot play on these terms."""
    if (submission.program / "agent.toml").is_symlink():  # by the build: it may lead outside the student's files
        raise Unusable("agent.toml is a link, or not a plain file.")
    agent = catalogue.agent(str(submission.program))
    catalogue.check_agents(terms.game, [agent] * terms.game.seats, terms.opened)
    if (asked := agent.settings.memory_mb or 0) > terms.memory_mb:
        raise Unusable(f"agent.toml asks for {asked} MB of memory, and {terms.memory_mb} are allowed.")
    return agent


def _fault_text(fault: Exception, submission: Submission) -> str:
    """Return the fault, without the path of our copy."""
    said = _sentence(fault)
    return said.replace(f"{submission.folder}/", "").replace(str(submission.folder), submission.entry)


def _sentence(fault: Exception) -> str:
    if isinstance(fault, UserError):
        return f"{fault.what} {fault.remedy}"
    return str(fault) if isinstance(fault, Unusable) else f"{type(fault).__name__}: {fault}"


def agent_of(submission: Submission, terms: PreparationSettings) -> Agent:
    """Return the agent of a submission that has been built.

    Raises UserError and Unusable if it cannot play on these terms, or there is nothing to start.
    """
    agent = replace(_read(submission, terms), build="")
    catalogue.check_program(agent)
    return agent


def _run_checks(agent: Agent, terms: PreparationSettings) -> Sequence[CheckResult]:
    every = (*CHECKS, *PIPE_CHECKS.get(agent.protocol, ()))
    checks = [check for check in every if terms.checks is None or check.name in (_STARTS, *terms.checks)]
    return list(run_checks(agent, [terms.game.name], checks, None, terms.sandbox))


def _step(result: CheckResult) -> PreparationStep:
    said = f"{result.did} Expected: {result.expected}" if result.verdict is CheckVerdict.FAILED else result.note
    passed = None if result.verdict is CheckVerdict.LEFT_OUT else result.verdict is CheckVerdict.PASSED
    return PreparationStep(f"check {result.check}", passed, said, result.printed, result.seconds)


def _write(submission: Submission, terms: PreparationSettings, steps: Sequence[PreparationStep]) -> None:
    file: Path = prepared_file(submission.folder)
    on_prepared = {"terms": terms.identity, "steps": [asdict(step) for step in steps]}
    put(str(file), json.dumps(on_prepared).encode(), f"{file}.new")


@dataclass(frozen=True)
class _Build:
    """The result of a build. fault: the reason of its failure, a sentence, or empty. log: its output."""

    fault: str
    log: str
    seconds: float


def _build(agent: Agent, sandbox: Level, limit: float) -> _Build:
    """Run an agent's build command for at most `limit` seconds, and end all its processes."""
    since = time.monotonic()
    try:
        built = run_build(agent, sandbox, limit)
    except (OSError, UserError) as fault:
        return _Build(f"`{agent.build}` cannot be started: {fault}", "", 0.0)
    why = "" if built.succeeded else f"`{agent.build}` {built.ended or f'took more than {limit:g} s'}."
    return _Build(why, built.printed, time.monotonic() - since)
