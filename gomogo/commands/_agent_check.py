"""How the results of an agent's checks are shown, a line or two each.

Knows results; plays nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import click

from gomogo_core.conformance.agent_suite import Result, Verdict
from gomogo_core.drawing.text import visible

_WIDTH = 10
_SIGNS = {Verdict.PASSED: "passed", Verdict.FAILED: "FAILED", Verdict.LEFT_OUT: "left out"}


def show(result: Result) -> None:
    """Print one result as it is known. What an agent printed is a stranger's text, and shown so."""
    note = f" ({visible(result.note)})" if result.note else ""
    click.echo(f"{_SIGNS[result.verdict]:<{_WIDTH}}{result.game}: {result.check}: {result.proves}{note}")
    if result.verdict is Verdict.FAILED:
        for line in _explained(result):
            click.echo(" " * _WIDTH + line)


def _explained(result: Result) -> list[str]:
    printed = [f"  {visible(line)}" for line in result.printed.splitlines()]
    return [
        visible(result.did),
        f"Expected: {result.expected}",
        *(["The last it printed:", *printed] if printed else []),
        f"See it again: {visible(result.see)}",
    ]


def summary(results: Sequence[Result]) -> str:
    """How many checks passed, and how many not."""
    counts = [
        f"{count} {verdict}" for verdict in Verdict if (count := sum(result.verdict is verdict for result in results))
    ]
    return f"{len(results)} check{'s' * (len(results) != 1)}: {', '.join(counts)}."


def plain(result: Result) -> dict[str, Any]:
    """The result as values that JSON can carry."""
    return {**asdict(result), "verdict": result.verdict.value, "seconds": round(result.seconds, 3)}
