"""Run a student's build command: in its own folder, isolated like its program, with a time limit and its own log.

Knows programs; no game.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from gomogo_core.arena import run_build
from gomogo_core.catalogue import Agent
from gomogo_core.errors import UserError
from gomogo_core.processes.limits import Level


@dataclass(frozen=True)
class SubmissionBuild:
    """The result of a build. fault: the reason of its failure, a sentence, or empty. log: its output."""

    fault: str
    log: str
    seconds: float


def build(agent: Agent, sandbox: Level, limit: float) -> SubmissionBuild:
    """Run an agent's build command for at most `limit` seconds, and end all its processes."""
    since = time.monotonic()
    try:
        built = run_build(agent, sandbox, limit)
    except (OSError, UserError) as fault:
        return SubmissionBuild(f"`{agent.build}` cannot be started: {fault}", "", 0.0)
    why = "" if built.well else f"`{agent.build}` {built.ended or f'took more than {limit:g} s'}."
    return SubmissionBuild(why, built.printed, time.monotonic() - since)
