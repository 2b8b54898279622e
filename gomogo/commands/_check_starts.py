"""Checks that the agents of a tournament start, for `gomogo tournament check`. The module plays no game."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from gomogo_core.arena import Arena
from gomogo_core.catalogue import Agent
from gomogo_core.drawing.text import printable
from gomogo_core.errors import UserError
from gomogo_core.play.events import GameSetup
from tournaments.plan import Plan

_MAX_SIMULTANEOUS_STARTS = 4  # may exceed the number of cores, since a starting agent mostly waits
# a program that does not report when it is loaded counts as started if it has not crashed in these seconds
_STARTUP_SECONDS = 2.0
_MAX_CHECKED_AGENTS = 64  # starting more agents would take minutes


def check_agents_start(plan: Plan) -> None:
    """Start each program of the plan that needs no build. Raises a UserError that names those that do not start."""
    programs = dict[tuple[str, ...], Agent]()
    for agent in plan.agents:
        if agent.command and not agent.build_command and not agent.is_human:
            programs.setdefault(agent.command, agent)
    checked_agents = list(itertools.islice(programs.values(), _MAX_CHECKED_AGENTS))
    shares = [
        checked_agents[first::_MAX_SIMULTANEOUS_STARTS]
        for first in range(min(_MAX_SIMULTANEOUS_STARTS, len(checked_agents)))
    ]
    with ThreadPoolExecutor(max(1, len(shares))) as threads:
        failures = [
            failure
            for share_failures in threads.map(lambda share: _find_start_failures(plan, share), shares)
            for failure in share_failures
        ]
    if failures:
        raise UserError(" ".join(failures), "`gomogo agent check AGENT` finds the faults of an agent.")


def _find_start_failures(plan: Plan, agents: Sequence[Agent]) -> list[str]:
    """Return one sentence for each agent that does not reach its first turn."""
    failures, seat_count = [], plan.game.seats
    with Arena(sandbox=plan.spec.sandbox) as arena:
        for agent in agents:
            names = (agent.name, *(f"opponent{seat}" for seat in range(2, seat_count + 1)))
            setup = GameSetup(plan.game, names, (plan.spec.time.to_time_control(),) * seat_count, seed=plan.spec.seed)
            player = arena.seat_agent(agent, setup, 1)
            failure, deadline = player.await_ready(), time.monotonic() + _STARTUP_SECONDS
            while failure is None and not agent.says_ready and time.monotonic() < deadline:
                failure = player.exit_failure()
                time.sleep(0.02)
            if failure:
                failures.append(f"{printable(agent.name)} does not start: {printable(failure.evidence)}.")
            arena.release_agent()
    return failures
