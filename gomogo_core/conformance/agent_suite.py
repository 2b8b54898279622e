"""Tries an agent out: plays it through every check in every game it claims, and yields each result as it is known.

Knows checks and agents; prints nothing.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from gomogo_core import games
from gomogo_core.catalogue import Agent
from gomogo_core.conformance.agent_checks import CHECKS, Check
from gomogo_core.conformance.pipe_checks import PIPE_CHECKS
from gomogo_core.conformance.trial import Fault, LeftOut, Trial
from gomogo_core.errors import UserError, nearest
from gomogo_core.processes.limits import DEFAULT, Level


class Verdict(StrEnum):
    """What became of a check. LEFT_OUT: it says nothing about an agent of this kind."""

    PASSED = "passed"
    FAILED = "failed"
    LEFT_OUT = "left out"


@dataclass(frozen=True)
class Result:
    """One check of one agent in one game.

    proves: the check's sentence. note: what else is worth knowing, or why the check was left out. did, expected, see,
    printed: only of a failed one, `see` being the command that shows it again. seconds: what it took.
    """

    check: str
    game: str
    proves: str
    verdict: Verdict
    seconds: float
    note: str = ""
    did: str = ""
    expected: str = ""
    printed: str = ""
    see: str = ""


def claimed(agent: Agent) -> tuple[str, ...]:
    """The games an agent is to be checked in: those it names, else all; of a program of old, WPI's Gomoku."""
    if agent.protocol == "gtp":
        return agent.games[:1]  # the others it can play only if it knows a command of ours
    return agent.games or (games.names() if agent.says_ready else ("gomoku",))


def try_out(
    agent: Agent,
    game_names: Sequence[str] = (),
    only: Sequence[str] = (),
    keep: Path | None = None,
    sandbox: Level = DEFAULT,
) -> Iterator[Result]:
    """Check `agent` in these games (all it claims if none are named), and only by the checks named in `only`, if any.

    keep: a folder in which each check's game folders stay. sandbox: how its program is held. Raises UserError for a
    person, a game the agent does not play, and an unknown game or check.
    """
    checks = _chosen(agent, only)
    if agent.protocol == "human":
        raise UserError("A person is not checked.", "Name a program: `gomogo list agents` shows ours.")
    for name in game_names:
        games.rules(name)
        if not agent.plays(name):
            raise UserError(f"{agent.spec} does not play {name}.", f"It plays {', '.join(agent.games)}.")
    return _results(agent, game_names or claimed(agent), checks, keep, sandbox)


def _chosen(agent: Agent, only: Sequence[str]) -> list[Check]:
    every = CHECKS + PIPE_CHECKS.get(agent.protocol, ())
    known = {check.name: check for check in every}
    for name in only:
        if name not in known:
            raise UserError(f"There is no check called {name!r}.", nearest(name, known))
    return [check for check in every if not only or check.name in only]


def _results(
    agent: Agent, game_names: Sequence[str], checks: Sequence[Check], keep: Path | None, sandbox: Level
) -> Iterator[Result]:
    for name in game_names:
        with Trial(agent, name, keep, sandbox) as trial:
            for check in checks:
                result = _result(trial, check)
                yield result
                if result.verdict is Verdict.FAILED and check is CHECKS[0]:
                    break  # who does not start would fail all the others by the same fault


def _result(trial: Trial, check: Check) -> Result:
    since = time.monotonic()

    def result(verdict: Verdict, **more: str) -> Result:
        return Result(check.name, trial.game_name, check.proves, verdict, time.monotonic() - since, **more)

    trial.begin(check.name)
    try:
        note = check.run(trial)
    except LeftOut as why:
        return result(Verdict.LEFT_OUT, note=str(why))
    except Fault as fault:
        named = f"{shlex.quote(trial.agent.spec)} --game {trial.game_name} --only {check.name}"
        held = "" if trial.sandbox == DEFAULT else f" --sandbox {trial.sandbox}"
        see = f"gomogo agent check {named}{held} --keep look"
        return result(Verdict.FAILED, did=fault.did, expected=fault.expected, printed=fault.printed, see=see)
    return result(Verdict.PASSED, note=note or "")
