"""Prints the results of an agent's checks. The module runs no check."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import click

from gomogo_core.conformance.agent_suite import CheckResult, CheckVerdict
from gomogo_core.drawing.text import printable

_VERDICT_WIDTH = 10
# the fields whose names in JSON differ from those of CheckResult
_JSON_FIELDS = {
    "output": "printed",
    "requirement": "proves",
    "behaviour": "did",
    "repeat_command": "see",
}
_VERDICT_WORDS = {CheckVerdict.PASSED: "passed", CheckVerdict.FAILED: "FAILED", CheckVerdict.LEFT_OUT: "left out"}


class ResultPrinter:
    """Prints results one after another. The full text of a fault is printed only for the first check that finds it."""

    def __init__(self) -> None:
        self._checks_by_fault: dict[str, list[CheckResult]] = {}  # for each fault, the failed checks that found it

    def print_result(self, result: CheckResult) -> None:
        """Print the result of one check. Control characters in an agent's output are escaped."""
        checks = []
        if result.verdict is CheckVerdict.FAILED:
            checks = self._checks_by_fault.setdefault(_fault_identity(result), [])
            checks.append(result)
        _print_result(result, "" if len(checks) < 2 else f"the same fault as in {checks[0].game}: {checks[0].check}")

    def print_repeated_faults(self) -> None:
        """Print a line for each fault that failed several checks."""
        for first, *repetitions in self._checks_by_fault.values():
            if repetitions:
                by_game: dict[str, list[str]] = {}
                for result in repetitions:
                    by_game.setdefault(result.game, []).append(result.check)
                checks_text = "; ".join(f"{game}: {', '.join(checks)}" for game, checks in by_game.items())
                click.echo(f"The same fault as in {first.game}: {first.check} is in {checks_text}.")


def _fault_identity(result: CheckResult) -> str:
    """Return a text that is equal for equal faults in different checks.

    The text is the traceback at the end of the output or, if there is none, the behaviour without the position and
    without numbers.
    """
    if "Traceback" in result.output:
        return result.output[result.output.rindex("Traceback") :]
    return re.sub(r"\d+(\.\d+)?", "", result.behaviour.rpartition(", it ")[2])


def _print_result(result: CheckResult, repetition_note: str) -> None:
    note = f" ({printable(result.note)})" if result.note else ""
    click.echo(
        f"{_VERDICT_WORDS[result.verdict]:<{_VERDICT_WIDTH}}{result.game}: {result.check}: {result.requirement}{note}"
    )
    if repetition_note:
        click.echo(" " * _VERDICT_WIDTH + repetition_note)
    elif result.verdict is CheckVerdict.FAILED:
        for line in _fault_lines(result):
            click.echo(" " * _VERDICT_WIDTH + line)


def _fault_lines(result: CheckResult) -> list[str]:
    output_lines = [f"  {printable(line)}" for line in result.output.splitlines()]
    return [
        printable(result.behaviour),
        f"Expected: {result.expected}",
        *(["End of its output:", *output_lines] if output_lines else []),
        f"To repeat this check: {printable(result.repeat_command)}",
    ]


def verdict_counts_sentence(results: Sequence[CheckResult]) -> str:
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
    return {_JSON_FIELDS.get(name, name): value for name, value in values.items()}
