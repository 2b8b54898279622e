"""Lists the misbehaving programs, or plays one of them and prints the referee's verdict (`agent check --show-me`).

The programs and their expected verdicts are in `gomogo_core.conformance.misbehaving`.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import click

from gomogo_core.arena import Arena
from gomogo_core.catalogue import Agent
from gomogo_core.conformance.misbehaving.cases import FAULTS, Fault, FaultCase, FaultyAnswer
from gomogo_core.conformance.misbehaving.runner import play_case
from gomogo_core.drawing.text import printable
from gomogo_core.errors import UserError
from gomogo_core.processes.limits import DEFAULT_SANDBOX, SandboxLevel

_FAULTY_SEAT = 2  # the seat of the misbehaving program


def list_faults() -> list[dict[str, Any]]:
    """Return every fault with its description and its verdicts: for each protocol, the reason for a loss, or None."""
    return [
        {
            "name": fault.name,
            "does": fault.description,
            "expected": {protocol: fault.verdict_for_protocol(protocol) for protocol in fault.protocols},
        }
        for fault in FAULTS.values()
    ]


def print_fault_list() -> None:
    """Print every fault with its description."""
    width = max(map(len, FAULTS)) + 2
    for fault in FAULTS.values():
        click.echo(f"{fault.name:<{width}}{fault.description}")


def play_fault(fault: Fault, opponent: Agent, sandbox: SandboxLevel = DEFAULT_SANDBOX) -> list[dict[str, Any]]:
    """Play a program with a fault against an opponent, once in each of its protocols. Return the results.

    Raises UserError for a human opponent, and for the sandbox level "none".
    """
    if sandbox == "none":
        raise UserError(
            "A misbehaving program never runs without confinement.", "Use --sandbox limits or --sandbox bwrap."
        )
    if opponent.is_human:
        raise UserError("A misbehaving program plays against a program, not a human.", "Name a program, or no agent.")
    cases = [FaultCase(fault, protocol, _FAULTY_SEAT, FaultyAnswer.FIRST) for protocol in fault.protocols]
    with ThreadPoolExecutor(len(cases)) as pool:  # some of these programs wait for half a minute
        return list(pool.map(lambda case: _play_case(case, opponent, sandbox), cases))


def _play_case(case: FaultCase, opponent: Agent, sandbox: SandboxLevel) -> dict[str, Any]:
    with Arena(sandbox=sandbox) as arena:
        played_game = play_case(case, arena, opponent)
    outcome = played_game.game.outcome
    return {
        "protocol": case.protocol,
        "expected": None if case.expected_reason is None else case.expected_reason.value,
        "verdict": None if played_game.verdict is None else played_game.verdict.value,
        "evidence": played_game.evidence,
        "reason": outcome.reason.value,
        "void": outcome.is_void,
        "right": played_game.is_right(case),
        "seconds": round(played_game.verdict_delay_seconds, 3),
    }


def print_fault(fault: Fault, verdicts: list[dict[str, Any]]) -> None:
    """Print a fault, and the referee's verdict in each protocol."""
    click.echo(f"{fault.name}: {fault.description}")
    for verdict in verdicts:
        if verdict["void"]:
            result = f"the game is void ({_reason_text(verdict['reason'])})"
        elif verdict["verdict"] is None:
            result = f"no fault; the game ended by its rules ({_reason_text(verdict['reason'])})"
        else:
            evidence = printable(verdict["evidence"])
            result = f"lost, {_reason_text(verdict['verdict'])}, after {verdict['seconds']:.2f} s: {evidence}"
        correction = "" if verdict["right"] else f" WRONG: expected {_reason_text(verdict['expected'] or 'no fault')}."
        click.echo(f"  {verdict['protocol']:<9}{result}.{correction}")


def _reason_text(name: str) -> str:
    return name.replace("_", " ")
