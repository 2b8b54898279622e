"""Plays a planned run for a command, displays its progress, and prints the table and the end of the run.

The module connects the plan, the store and the runner. The commands `match`, `tournament` and `tune` make the plan.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

import click

from gomogo.commands._progress import create_display, played_games_text
from gomogo.run_options import RunSettings
from gomogo.text.standings_table import games_text, standings_output
from gomogo_core.catalogue import Agent
from gomogo_core.engines import compiling
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game
from gomogo_core.printable import count_with_noun
from gomogo_core.processes.run_folder import dead_run_folders
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.store import DEFAULT_STORE, Store
from tournaments.crash_streaks import CrashStreaks
from tournaments.plan import Plan
from tournaments.progress import RunProgress, StopRequest
from tournaments.run_state import RunState
from tournaments.runner import Runner
from tournaments.sprt_match import SprtMatch
from tournaments.standings import Standings
from tournaments.task import GameTask
from tournaments.worker_choice import create_workers

_EXIT_VOID_GAMES, _EXIT_INTERRUPTED = 1, 3  # exit codes
_MIN_GAMES_TO_COMPARE = 4  # in runs with fewer games, repeated games cause no warning
_RESUME_HINT = "Run the same command to continue."


class PlayedRun(NamedTuple):
    """A run after its runner has stopped. sprt_match: the match with its statistical test, or None."""

    run_state: RunState
    standings: Standings
    progress: RunProgress
    sprt_match: SprtMatch | None
    crash_streaks: CrashStreaks


def play_and_print(
    plan: Plan,
    store: Store,
    settings: RunSettings,
    *,
    resume_hint: str = _RESUME_HINT,
    repeat_hint: str = "",
    max_crashes_in_a_row: int | None = None,
) -> None:
    """Play the remaining games of a plan as `play_games` does, and print its table. Exits with code 3 on an
    interrupt. repeat_hint: a sentence that tells the user how to play the same games once more. Raises UserError if a
    player crashes in `max_crashes_in_a_row` games in a row.
    """
    run_result = play_games(plan, store, settings, resume_hint=resume_hint, max_crashes_in_a_row=max_crashes_in_a_row)
    output = standings_output(
        run_result.standings, settings.as_json, stdout_width(), run_result.sprt_match, by_reason=settings.by_reason
    )
    click.echo(output)
    games, different = run_result.progress.games_by_this_runner, len(run_result.progress.move_sequence_hashes)
    # with equal agents, both games of a pair are the same
    if games >= _MIN_GAMES_TO_COMPARE and 2 * different < games:
        click.echo(
            f"These {games} games are only {count_with_noun(different, 'different game')}, so the result means little. "
            'Let the games begin differently, for example with the openings "random:4".',
            err=True,
        )
    if run_result.crash_streaks.limit_sentence:
        raise UserError(
            run_result.crash_streaks.limit_sentence,
            f"See its output: `gomogo game show last --why{_store_option_text(store.address)}`. Then run the same "
            "command again.",
        )
    print_run_end(
        run_result.progress,
        store.address,
        "" if run_result.sprt_match and run_result.sprt_match.is_decided else resume_hint,
        repeat_hint,
    )


def play_games(
    plan: Plan,
    store: Store,
    settings: RunSettings,
    *,
    summary: Callable[[], str] | None = None,
    resume_hint: str = _RESUME_HINT,
    max_crashes_in_a_row: int | None = None,
) -> PlayedRun:
    """Play the remaining games of a plan.

    settings: the command's options, which override the plan's settings. summary: a function that returns the text below
    the table of a run without a test. resume_hint: a sentence that tells the user how to play the remaining games.
    max_crashes_in_a_row: the number of games in a row that a player may lose by crashes before the run stops; None for
    no limit. Raises UserError if another process plays the run, or if the stored run has other settings.
    """
    if plan.spec.games_per_pair % plan.game.seats and not plan.tournament_format.balances_seats:
        click.echo(
            f"With {games_text(plan.spec.games_per_pair)} per pair, the agents do not play each seat equally often.",
            err=True,
        )
    _warn_of_uncompiled_engines(plan.agents, plan.game)
    live_folder = store.folder / "live"
    if plan.has_human and settings.worker_options.cluster:
        raise UserError("A human at this terminal cannot play on a cluster.", "Leave out --cluster.")
    _remove_leftovers()
    with RunState(plan, store, allows_changes=settings.allows_changes) as state:
        if settings.replay_doubtful:
            _print_voided_games(state.void_doubtful_games())
        sprt_match = state.sprt_match()

        crash_streaks = CrashStreaks(max_crashes_in_a_row)

        def is_decided(game: PlayedGame, task: GameTask) -> bool:
            decided = sprt_match is not None and sprt_match.add_game(game, task)
            return crash_streaks.add_game(game) or decided

        def recompute_test() -> None:
            if sprt_match:
                sprt_match.reset(state.scores_with_pair_numbers())

        test_summary = sprt_match.summary if sprt_match else summary
        with create_display(state.standings, human_plays=plan.has_human, test_state=test_summary) as display:
            try:
                with closing(
                    create_workers(state, settings.worker_options, live_folder=live_folder, log_folder=settings.log)
                ) as workers:
                    runner = Runner(
                        state,
                        workers,
                        live_folder=live_folder,
                        on_progress=display,
                        may_stop_early=is_decided,
                        on_games_voided=recompute_test,
                    )
                    progress = runner.progress if sprt_match and sprt_match.is_decided else runner.play()
            except UserError as error:  # for example, an agent cannot be built, or the disk of the store is full
                if state.delete_if_unplayed():  # nothing was played, so the next run may have other settings
                    raise
                raise UserError(error.problem, f"{error.remedy} {resume_hint}") from error
        standings = state.standings()
        if progress.stop_request in (StopRequest.FINISH_RUNNING_GAMES, StopRequest.INTERRUPT_RUNNING_GAMES):
            state.delete_if_unplayed()  # deletes a run that was interrupted before its first game
    return PlayedRun(state, standings, progress, sprt_match, crash_streaks)


def _warn_of_uncompiled_engines(agents: Iterable[Agent], game: Game) -> None:
    """Print a warning with the agents that play weaker moves at first, because their engine is not compiled.

    There is no warning for an agent whose engine does not play this game, since it plays without the engine.
    """
    if not compiling.has_numba() or not any(agent.engine_package for agent in agents):
        return
    from gomogo_core.analysis.engine_analysts import engine_package  # loads searches, which few matches need

    package = engine_package(game)
    names = [agent.name for agent in agents if agent.engine_package == package]
    if package is not None and names and not compiling.is_compiled(package):
        click.echo(
            f"The engines of these agents are not compiled, so the agents play weaker at first: {', '.join(names)}. "
            "Run `gomogo warm` before the games.",
            err=True,
        )


def _print_voided_games(count: int) -> None:
    subject = {0: "No game was", 1: "1 game was"}.get(count, f"{count} games were")
    consequence = f" and {'is' if count == 1 else 'are'} played again" * bool(count)
    click.echo(f"{subject} lost on time while the machine was busy{consequence}.", err=True)


def stdout_width() -> int | None:
    """Return the width of the terminal in characters; None if standard output is not a terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _store_option_text(store_name: str) -> str:
    """Return the option that a command for this store needs, after a blank; empty for the default store."""
    return "" if store_name == DEFAULT_STORE else f" --store {store_name}"


def print_run_end(
    progress: RunProgress, store_name: str, resume_hint: str = _RESUME_HINT, repeat_hint: str = ""
) -> None:
    """Print the number of stored games, and the store that has them. Exits with code 3 after an interrupt, 1 if games
    could not be played.

    store_name: the name of the store in messages. resume_hint: a sentence that tells the user how to play the remaining
    games. repeat_hint: a sentence that tells the user how to play the same games once more.
    """
    is_single = (progress.played_games if progress.planned_games is None else progress.planned_games) == 1
    count_text = played_games_text(progress.played_games, progress.planned_games)
    text = f"{count_text} {'is' if is_single else 'are'} in {store_name}."
    if progress.void_games:
        text += f" {progress.void_games} could not be played. {resume_hint}"
    elif not progress.is_complete and resume_hint:
        text += f" {resume_hint}"
    if progress.played_games:
        text += f" `gomogo replay last{_store_option_text(store_name)}` replays the last one."
        text += f" {repeat_hint}" * bool(repeat_hint)
    click.echo(f"\n{text}", err=True)
    if (
        progress.stop_request in (StopRequest.FINISH_RUNNING_GAMES, StopRequest.INTERRUPT_RUNNING_GAMES)
        and not progress.is_complete
    ):
        raise click.exceptions.Exit(_EXIT_INTERRUPTED)
    if progress.void_games:
        raise click.exceptions.Exit(_EXIT_VOID_GAMES)


def _remove_leftovers() -> None:
    """Remove processes and folders that killed runs have left behind, and print the number of processes."""
    if not dead_run_folders():
        return
    from gomogo.commands._leftovers import find_leftovers_of_dead_runs

    ended_processes = 0
    for leftover in find_leftovers_of_dead_runs():
        with suppress(OSError):  # another runner may be removing the same leftovers
            leftover.remove()
            ended_processes += leftover.kind == "process"
    if ended_processes:
        plural = "es" * (ended_processes > 1)
        click.echo(
            f"Ended {ended_processes} process{plural} of earlier runs that were killed and could not clean up.",
            err=True,
        )


def store_name_for_file(path: Path, store: str | None) -> str:
    """Return the name of the store for a tournament file. store: the store that the user has chosen; None for
    `gomogo.db` beside the file.
    """
    return store or os.fspath(path.parent / DEFAULT_STORE)
