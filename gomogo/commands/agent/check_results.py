"""Prints the results of an agent's checks. Runs no check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import click

from gomogo_core.conformance.agent_suite import CheckResult, CheckVerdict
from gomogo_core.drawing.text import printable

_WIDTH = 10
_JSON_NAMES = {
    "output": "printed",
    "requirement": "proves",
    "behaviour": "did",
    "repeat_command": "see",
}  # if they differ from the fields
_SIGNS = {CheckVerdict.PASSED: "passed", CheckVerdict.FAILED: "FAILED", CheckVerdict.LEFT_OUT: "left out"}


def print_result(result: CheckResult) -> None:
    """Print the result of one check. Control characters in an agent's output are escaped."""
    note = f" ({printable(result.note)})" if result.note else ""
    click.echo(f"{_SIGNS[result.verdict]:<{_WIDTH}}{result.game}: {result.check}: {result.requirement}{note}")
    if result.verdict is CheckVerdict.FAILED:
        for line in _fault_lines(result):
            click.echo(" " * _WIDTH + line)


def _fault_lines(result: CheckResult) -> list[str]:
    printed = [f"  {printable(line)}" for line in result.output.splitlines()]
    return [
        printable(result.behaviour),
        f"Expected: {result.expected}",
        *(["End of its output:", *printed] if printed else []),
        f"To repeat this check: {printable(result.repeat_command)}",
    ]


def count_results(results: Sequence[CheckResult]) -> str:
    """Return a sentence with the numbers of checks by verdict."""
    counts = [
        f"{count} {verdict}"
        for verdict in CheckVerdict
        if (count := sum(result.verdict is verdict for result in results))
    ]
    return f"{len(results)} check{'s' * (len(results) != 1)}: {', '.join(counts)}."


def result_json(result: CheckResult) -> dict[str, Any]:
    """Return the result as JSON values."""
    values = {**asdict(result), "verdict": result.verdict.value, "seconds": round(result.seconds, 3)}
    return {_JSON_NAMES.get(name, name): value for name, value in values.items()}
