"""The command `gomogo clean`: remove what dead runs have left behind.

The module handles options and messages; `_leftovers.py` finds the leftovers and removes them.
"""

from __future__ import annotations

import json
from pathlib import Path

import click

from gomogo.options import store_option


@click.command(short_help="Remove leftovers of dead runs.")
@click.option("--dry-run", is_flag=True, help="Print what would be removed, and remove nothing.")
@store_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(dry_run: bool, store: str | None, as_json: bool) -> None:
    """End the processes of runs that were killed, and remove their game folders, locks and live files.

    Also remove the records of single games in the temporary folder. They are there if the home folder was not writable.
    The command never affects a run in progress.
    """
    from gomogo.commands._leftovers import find_leftovers
    from gomogo_core.records.store import DEFAULT_STORE

    store_path = Path(DEFAULT_STORE if store is None or "://" in store else store)
    removed, remaining_count = [], 0
    for leftover in find_leftovers(store_path):
        try:
            if not dry_run:
                leftover.remove()
        except OSError as error:
            remaining_count += 1
            click.echo(
                f"{leftover.kind} {leftover.description}, remains: {(error.strerror or str(error)).lower()}", err=True
            )
            continue
        removed.append({"kind": leftover.kind, "what": leftover.description})
        if not as_json:
            click.echo(f"{'would remove' if dry_run else 'removed'} {leftover.kind} {leftover.description}")
    if as_json:
        click.echo(json.dumps({"schema": 1, "dry_run": dry_run, "removed": removed}, indent=2))
    elif not removed and not remaining_count:
        click.echo("There is nothing to clean.", err=True)
    raise click.exceptions.Exit(1 if remaining_count else 0)
