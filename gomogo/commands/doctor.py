"""The command `gomogo doctor`: check that games can be played on this machine.

The module prints the results; `_machine.py` and `_installation.py` make the checks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain

import click

from gomogo.commands._diagnosis import Diagnosis, Health
from gomogo.options import store_option


@click.command(short_help="Check this machine.")
@store_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(store: str | None, as_json: bool) -> None:
    """Check everything that games need from this machine. The exit code is 1 if a necessary check fails."""
    from gomogo.commands import _installation, _machine

    findings = []
    for finding in chain(_machine.check_machine(), _installation.check_installation(store), _check_leftovers()):
        findings.append(finding)
        if not as_json:
            click.echo(f"{finding.health:<10}{finding.part_name}: {finding.sentence}")
    fatal = any(finding.is_fatal for finding in findings)
    if as_json:
        findings_json = [{"name": name, "state": state, "words": sentence} for name, state, sentence, _ in findings]
        click.echo(json.dumps({"schema": 1, "works": not fatal, "findings": findings_json}, indent=2))
    raise click.exceptions.Exit(1 if fatal else 0)


def _check_leftovers() -> Iterator[Diagnosis]:
    from gomogo_core.processes.run_folder import dead_run_folders

    if folders := dead_run_folders():
        place = folders[0].parent
        sentence = f"{len(folders)} folders of runs that were killed, in {place}: `gomogo clean` removes them"
        yield Diagnosis("left-overs", Health.DEGRADED, sentence)
    else:
        yield Diagnosis("left-overs", Health.OK, "no folders of runs that were killed")
