"""Plays a planned run from the command line: locks it, shows its progress, prints the table and the end.

Handles plan, store and runner; the commands `match` and `tournament` make the plan.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

import click

from gomogo.commands._progress import display, progress_count
from gomogo.run_options import RunSettings
from gomogo.text.rounds import rounds_text
from gomogo.text.standings_json import standings_json
from gomogo.text.standings_table import crosstable_text, games_of, reasons_text, standings_text
from gomogo_core.errors import UserError
from gomogo_core.processes.run_folder import dead_run_folders
from gomogo_core.records.store import DEFAULT, Store
from tournaments.plan import Plan
from tournaments.progress import Progress, StopRequest
from tournaments.run_state import RunState, open_run
from tournaments.runner import Runner
from tournaments.sprt import Sprt
from tournaments.sprt_match import SprtMatch
from tournaments.standings import Standings
from tournaments.workplace import workers_for

_UNPLAYED, _INTERRUPTED = 1, 3  # exit codes
_GOES_ON = "Run the same command to continue."


class PlayedRun(NamedTuple):
    """A run after its runner has stopped. tested: its statistical test, if it has one."""

    state: RunState
    standings: Standings
    progress: Progress
    tested: SprtMatch | None


def play_run(
    plan: Plan,
    store: Store,
    settings: RunSettings,
    *,
    sprt: Sprt | None = None,
    goes_on: str = _GOES_ON,
) -> None:
    """Play the remaining games of a plan as `play_games` does, and print its table. Exits with 3 on an interrupt."""
    played = play_games(plan, store, settings, sprt=sprt, goes_on=goes_on)
    show_table(played.standings, as_json=settings.as_json, tested=played.tested, by_reason=settings.by_reason)
    print_end(played.progress, store.where, "" if played.tested and played.tested.decided else goes_on)


def play_games(
    plan: Plan,
    store: Store,
    settings: RunSettings,
    *,
    sprt: Sprt | None = None,
    summary: Callable[[], str] | None = None,
    goes_on: str = _GOES_ON,
) -> PlayedRun:
    """Play the remaining games of a plan.

    settings: if its workplace leaves the number of games at a time open, the plan decides it; if the plan does not
    either, one game per core is played. sprt: the test of the first player against the second; it ends the run when it
    is decided. summary: returns the text below the table, instead of the test's. goes_on: the sentence that tells the
    user how to play the remaining games. Raises UserError if another process plays the run, or if the stored run has
    other settings.
    """
    if plan.spec.games_per_pair % plan.game.seats and not plan.format.balances_seats:
        click.echo(
            f"{games_of(plan.spec.games_per_pair)} per pair cannot give every agent each seat equally often.", err=True
        )
    live = store.folder / "live"
    if plan.has_human and settings.workplace.cluster:
        raise UserError("A human at this terminal cannot play on a cluster.", "Leave out --cluster.")
    _clear_remains()
    with open_run(plan, store, extend=settings.extend) as state:
        if settings.replay_doubtful:
            _print_set_aside(state.void_doubtful_games())
        tested = state.sprt_match(sprt) if sprt else None

        def recount() -> None:
            if tested:
                tested.reset(state.pair_scores())

        told = tested.summary if tested else summary
        with display(state.standings, human_plays=plan.has_human, tested=told) as shown:
            try:
                with closing(workers_for(state, settings.workplace, live=live, log=settings.log)) as workers:
                    runner = Runner(
                        state,
                        workers,
                        live=live,
                        on_progress=shown,
                        is_decided=tested.add_game if tested else None,
                        on_games_voided=recount,
                    )
                    progress = runner.progress if tested and tested.decided else runner.play()
            except UserError as fault:  # an agent cannot be built, say, or the store's disk is full
                if state.withdraw():  # nothing was played, so the next run may have other settings
                    raise
                raise UserError(fault.what, f"{fault.remedy} {goes_on}") from fault
        result = state.standings()
        if progress.stop_request in (StopRequest.FINISH, StopRequest.DROP):
            state.withdraw()  # if it was interrupted before its first game
    return PlayedRun(state, result, progress, tested)


def _print_set_aside(doubtful: int) -> None:
    words = {0: "No game was", 1: "1 game was"}.get(doubtful, f"{doubtful} games were")
    again = f" and {'is' if doubtful == 1 else 'are'} played again" * bool(doubtful)
    click.echo(f"{words} lost on time on a busy machine{again}.", err=True)


def show_table(
    result: Standings,
    *,
    as_json: bool,
    tested: SprtMatch | None = None,
    cross: bool = False,
    by_reason: bool = False,
) -> None:
    """Print the table, or its JSON, and the result of a statistical test.

    cross: also print the cross table. by_reason: also count the reasons by which games ended.
    """
    if as_json:
        more = {"sprt": tested.as_json()} if tested else {}
        click.echo(json.dumps({**standings_json(result), **more}, indent=2))
        return
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    click.echo(standings_text(result, width))
    if result.rounds:
        click.echo(f"\n{rounds_text(result)}")
    if cross:
        click.echo(f"\n{crosstable_text(result)}")
    if by_reason:
        click.echo(f"\n{reasons_text(result)}")
    if tested:
        click.echo(f"\n{tested.summary()}")


def print_end(progress: Progress, place: str, goes_on: str = _GOES_ON) -> None:
    """Print where the games are stored. Exits with 3 after an interrupt, with 1 if games could not be played."""
    where = "" if place == DEFAULT else f" --store {place}"
    one = (progress.played if progress.planned is None else progress.planned) == 1
    words = f"{progress_count(progress.played, progress.planned)} {'is' if one else 'are'} in {place}."
    if progress.unplayed:
        words += f" {progress.unplayed} could not be played. {goes_on}"
    elif not progress.complete and goes_on:
        words += f" {goes_on}"
    if progress.played:
        words += f" `gomogo replay last{where}` steps through the last one."
    click.echo(f"\n{words}", err=True)
    if progress.stop_request in (StopRequest.FINISH, StopRequest.DROP) and not progress.complete:
        raise click.exceptions.Exit(_INTERRUPTED)
    if progress.unplayed:
        raise click.exceptions.Exit(_UNPLAYED)


def _clear_remains() -> None:
    """Remove the leftovers of killed runs, and report it."""
    if not dead_run_folders():
        return
    from gomogo.commands._leftovers import leftovers_of_dead_runs

    gone = Counter[str]()
    for leftover in leftovers_of_dead_runs():
        with suppress(OSError):  # another runner may be removing the same leftovers
            leftover.remove()
            gone[leftover.kind] += 1
    told = [f"{number} {_LEFT[kind][number > 1]}" for kind, number in gone.items()]
    if told:
        click.echo(f"Removed {' and '.join(told)} left behind by killed runs.", err=True)


_LEFT = {"process": ("process", "processes"), "folder": ("game folder", "game folders")}


def store_beside(path: Path, store: str | None) -> str:
    """Return the store for the results of a tournament file: the one named, else `gomogo.db` beside the file."""
    return store or os.fspath(path.parent / DEFAULT)
