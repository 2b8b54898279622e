"""How the results of an agent's checks are shown, a line or two each.

Knows results; plays nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import click

from gomogo_core.conformance.agent_suite import CheckResult, CheckVerdict
from gomogo_core.drawing.text import printable

_WIDTH = 10
_SIGNS = {CheckVerdict.PASSED: "passed", CheckVerdict.FAILED: "FAILED", CheckVerdict.LEFT_OUT: "left out"}


def show(result: CheckResult) -> None:
    """Print one result as it is known. What an agent printed is a stranger's text, and shown so."""
    note = f" ({printable(result.note)})" if result.note else ""
    click.echo(f"{_SIGNS[result.verdict]:<{_WIDTH}}{result.game}: {result.check}: {result.proves}{note}")
    if result.verdict is CheckVerdict.FAILED:
        for line in _explained(result):
            click.echo(" " * _WIDTH + line)


def _explained(result: CheckResult) -> list[str]:
    printed = [f"  {printable(line)}" for line in result.printed.splitlines()]
    return [
        printable(result.did),
        f"Expected: {result.expected}",
        *(["The last it printed:", *printed] if printed else []),
        f"See it again: {printable(result.see)}",
    ]


def summary(results: Sequence[CheckResult]) -> str:
    """How many checks passed, and how many not."""
    counts = [
        f"{count} {verdict}"
        for verdict in CheckVerdict
        if (count := sum(result.verdict is verdict for result in results))
    ]
    return f"{len(results)} check{'s' * (len(results) != 1)}: {', '.join(counts)}."


def plain(result: CheckResult) -> dict[str, Any]:
    """The result as values that JSON can carry."""
    return {**asdict(result), "verdict": result.verdict.value, "seconds": round(result.seconds, 3)}
