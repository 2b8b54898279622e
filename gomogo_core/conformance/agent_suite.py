"""Runs every check on an agent in every game that it claims to play, and yields the results. The module prints
nothing.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from gomogo_core import games
from gomogo_core.catalogue import Agent
from gomogo_core.conformance.agent_checks import CHECKS, AgentCheck
from gomogo_core.conformance.pipe_checks import PIPE_CHECKS
from gomogo_core.conformance.trial import CheckFailed, NotApplicable, Trial
from gomogo_core.errors import UserError, suggest_name
from gomogo_core.games.base import Game
from gomogo_core.processes.limits import DEFAULT_SANDBOX, SandboxLevel
from gomogo_core.protocols import protocols_by_name

RETRY_SLACK = 10.0  # additional seconds when a check is repeated because the machine may have been at fault


class CheckVerdict(StrEnum):
    """The verdict of a check. LEFT_OUT: the check does not apply to this agent."""

    PASSED = "passed"
    FAILED = "failed"
    LEFT_OUT = "left out"


@dataclass(frozen=True)
class CheckResult:
    """The result of one check of one agent in one game.

    requirement: the sentence of the check. seconds: the duration of the check. note: a remark, or the reason why the
    check was left out, or the information that the check was repeated because the machine was busy. Only a failed check
    has the other fields. behaviour: a sentence about the agent's behaviour. expected: the expected behaviour. output:
    the agent's output. repeat_command: the command that shows the failure again.
    """

    check: str
    game: str
    requirement: str
    verdict: CheckVerdict
    seconds: float
    note: str = ""
    behaviour: str = ""
    expected: str = ""
    output: str = ""
    repeat_command: str = ""


def games_to_check(agent: Agent) -> tuple[str, ...]:
    """Return the games in which to check an agent: the games that it names, or else all games; Gomoku for a legacy
    program.
    """
    if protocols_by_name()[agent.protocol].first_game_only:
        return agent.games[:1]
    return agent.games or (games.names() if agent.says_ready else ("gomoku",))


def check_agent(
    agent: Agent,
    game_names: Sequence[str] = (),
    only: Sequence[str] = (),
    keep_folder: Path | None = None,
    sandbox: SandboxLevel = DEFAULT_SANDBOX,
) -> Iterator[CheckResult]:
    """Check an agent. game_names: the games; by default all games that the agent claims to play. only: the names of the
    checks; by default all checks.

    keep_folder: a folder in which the game folders of each check are kept. sandbox: the sandbox level of the agent's
    program. Raises UserError for a human, for a game that the agent does not play, and for an unknown game or check.
    """
    checks = _select_checks(agent, only)
    if agent.is_human:
        raise UserError("A human cannot be checked.", "Name a program; `gomogo list agents` lists ours.")
    for name in game_names:
        games.rules(name)
        if not agent.plays(name):
            raise UserError(f"{agent.spec} does not play {name}.", f"It plays {', '.join(agent.games)}.")
    return run_checks(agent, game_names or games_to_check(agent), checks, keep_folder, sandbox)


def _select_checks(agent: Agent, only: Sequence[str]) -> list[AgentCheck]:
    all_checks = CHECKS + PIPE_CHECKS.get(agent.protocol, ())
    checks_by_name = {check.name: check for check in all_checks}
    for name in only:
        if name not in checks_by_name:
            raise UserError(f"There is no check called {name!r}.", suggest_name(name, checks_by_name))
    return [check for check in all_checks if not only or check.name in only]


def run_checks(
    agent: Agent,
    game_names: Sequence[str],
    checks: Sequence[AgentCheck],
    keep_folder: Path | None,
    sandbox: SandboxLevel,
    board_game: Game | None = None,
) -> Iterator[CheckResult]:
    """Yield the results of these checks in each of these games, which the agent plays. See `check_agent`.

    board_game: a game with the size of the board for the checks; None for the default size of each game.
    """
    for name in game_names:
        with Trial(agent, name, keep_folder, sandbox, board_game=board_game) as trial:
            for check in checks:
                result = _result_with_retry(trial, check)
                yield result
                if result.verdict is CheckVerdict.FAILED and check is CHECKS[0]:
                    break  # an agent that does not start would fail all other checks too


def _result_with_retry(trial: Trial, check: AgentCheck) -> CheckResult:
    """Return the result of a check. If it may have failed because the machine was busy, repeat it with more time."""
    result, doubt = _try_once(trial, check)
    if not doubt or trial.is_too_slow:
        return result
    trial.made_no_move = False
    result, _ = _try_once(trial, check, RETRY_SLACK)
    busy_note = f"repeated with {RETRY_SLACK:g} s more, because the machine was busy: {doubt}"
    if result.verdict is CheckVerdict.FAILED:
        trial.is_too_slow = True
        return replace(result, note=busy_note)
    return replace(result, note="; ".join(filter(None, (result.note, busy_note))))


def _try_once(trial: Trial, check: AgentCheck, slack: float = 0.0) -> tuple[CheckResult, str]:
    """Run a check once. Return the result, and the reason why a failure may be the machine's fault; "" if there is no
    reason.

    slack: see `Trial`.
    """
    started_at = time.monotonic()

    def finish_check(verdict: CheckVerdict, **fields: str) -> CheckResult:
        seconds = time.monotonic() - started_at
        return CheckResult(check.name, trial.game_name, check.requirement, verdict, seconds, **fields)

    if trial.made_no_move and check in CHECKS:
        return finish_check(CheckVerdict.LEFT_OUT, note="the agent made no first move"), ""
    trial.begin_check(check.name, slack)
    try:
        note = check.run(trial)
    except NotApplicable as error:
        return finish_check(CheckVerdict.LEFT_OUT, note=str(error)), ""
    except CheckFailed as error:
        arguments = f"{shlex.quote(trial.agent.spec)} --game {trial.game_name} --only {check.name}"
        sandbox_option = "" if trial.sandbox == DEFAULT_SANDBOX else f" --sandbox {trial.sandbox}"
        command = f"gomogo agent check {arguments}{sandbox_option} --keep look"
        fault = {"behaviour": error.behaviour, "expected": error.expected, "output": error.output}
        return finish_check(CheckVerdict.FAILED, **fault, repeat_command=command), error.doubt
    return finish_check(CheckVerdict.PASSED, note=note or ""), ""
