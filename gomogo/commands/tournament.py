"""The command `gomogo tournament`: run a tournament from its TOML file; show, check or stop one.

The module handles options and messages; the package `tournaments` plays.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gomogo import complete
from gomogo.command_group import CommandGroup
from gomogo.commands._find_run import find_run, open_store_of_run
from gomogo.options import FOLDER_PATH, reasons_option, store_option
from gomogo.run_options import RunSettings, run_options
from gomogo_core.errors import UserError
from gomogo_core.games.base import Reason

if TYPE_CHECKING:
    from gomogo_core.records.store import Store


@click.group(cls=CommandGroup, short_help="Run, show, check or stop a tournament; list its results.")
def command() -> None:
    """Run a tournament from a TOML file with agents, game, format and limits; show, check or stop it."""


_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_csv_option = click.option("--csv", "as_csv", is_flag=True, help="Print CSV for a spreadsheet, with a header line.")
_file_argument = click.argument("file", type=click.Path(path_type=Path, readable=False))  # the reader raises UserError
_submissions_option = click.option(
    "--submissions",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Add students' submissions from this folder: one folder or zip file each.",
)
_RESUME_HINT = "Run the same command to continue; for a match, add --name {}."
_run_argument = click.argument("selector", metavar="[NAME|FILE]", required=False, shell_complete=complete.runs)


@command.command()
@_file_argument
@_submissions_option
@click.option(
    "--grades",
    type=FOLDER_PATH,
    metavar="DIR",
    help="Folder for the grades of --submissions. Default: NAME-grades beside the store.",
)
@run_options
@store_option
def run(file: Path, submissions: Path | None, grades: Path | None, settings: RunSettings, store: str | None) -> None:
    """Play the tournament of FILE, and print the table.

    Each game is stored when it ends, in gomogo.db beside FILE or in --store. Run the same command to continue. After
    Ctrl-C the running games are finished; a second Ctrl-C drops them. With --submissions, each folder or zip file in
    DIR is also a player: it is built, checked, played and graded. The next run repeats this for changed submissions
    only.
    """
    from gomogo.commands._run import play_and_print, store_name_for_file
    from gomogo_core.records.store import Store
    from tournaments.plan import Plan
    from tournaments.spec import read_spec

    spec = read_spec(file)
    if grades is not None and submissions is None:
        raise UserError("--grades needs --submissions.", "Name the folder of submissions: --submissions DIR.")
    if submissions is not None:
        from gomogo.commands._course import play_course
        from tournaments.submissions.course import CoursePlan

        course = CoursePlan(spec, file.parent)
        course.check()
        with Store.open(store_name_for_file(file, store)) as opened_store:
            play_course(course, opened_store, submissions, grades, settings)
        return
    plan = Plan(spec, file.parent)
    plan.check()
    with Store.open(store_name_for_file(file, store)) as opened_store:
        play_and_print(plan, opened_store, settings)


@command.command()
@_run_argument
@click.option("--cross", is_flag=True, help="Also print a crosstable: wins, draws and losses against each player.")
@reasons_option
@_json_option
@_csv_option
@store_option
def show(selector: str | None, cross: bool, by_reason: bool, as_json: bool, as_csv: bool, store: str | None) -> None:
    """Print the current table of a tournament or match. Without a name, list all tournaments and matches.

    The command finds NAME in the store of this folder, or in --store. For a FILE, it uses the store beside the file.
    """
    from gomogo.commands._progress import played_games_text
    from gomogo.commands._run import stdout_width
    from gomogo.text.run_csv import players_csv
    from gomogo.text.standings_table import standings_output
    from gomogo_core.printable import count_with_noun, printable
    from gomogo_core.records.live_format import live_games
    from tournaments.sprt_match import load_sprt_match
    from tournaments.standings import compute_standings

    _check_one_format(as_json=as_json, as_csv=as_csv)
    with open_store_of_run(selector, store) as opened_store:
        if as_csv:
            run = find_run(opened_store, selector)
            click.echo(players_csv(compute_standings(opened_store, run)), nl=False)
            return
        if selector is None:
            _list_runs(opened_store, as_json=as_json)
            return
        run = find_run(opened_store, selector)
        standings, sprt_match = compute_standings(opened_store, run), load_sprt_match(opened_store, run)
        output = standings_output(
            standings, as_json, stdout_width(), sprt_match, with_crosstable=cross, by_reason=by_reason
        )
        click.echo(output)
        running_games = [game for game in live_games(opened_store.folder / "live") if game.run == run.name]
        stored_games = opened_store.count_games(run)
        is_in_progress = stored_games != run.planned_games and opened_store.is_run_being_played(run.name)
        click.echo(
            f"\n{played_games_text(stored_games, run.planned_games)}{', in progress' * is_in_progress}.", err=True
        )
        for game in running_games if is_in_progress else []:
            moves = count_with_noun(game.move_count, "move")
            click.echo(f"{' against '.join(map(printable, game.names))}: {moves} so far", err=True)


@command.command()
@_run_argument
@_json_option
@_csv_option
@store_option
def results(selector: str | None, as_json: bool, as_csv: bool, store: str | None) -> None:
    """List the games of a tournament or match with their results and keys. Default: the latest."""
    from gomogo.text.run_csv import games_csv
    from gomogo_core.drawing.text import printable
    from gomogo_core.records.aggregates import game_rows

    _check_one_format(as_json=as_json, as_csv=as_csv)
    with open_store_of_run(selector, store) as opened:
        rows = game_rows(opened, find_run(opened, selector))
    if as_csv:
        click.echo(games_csv(rows), nl=False)
        return
    if as_json:
        games = [
            {
                "key": row.key,
                "players": list(row.names),
                "winner": None if row.winner is None else row.names[row.winner - 1],
                "reason": row.reason,
                "moves": row.plies,
                "started": row.started,
                "seconds": row.duration,
            }
            for row in rows
        ]
        click.echo(json.dumps({"schema": 1, "games": games}, indent=2))
        return
    lines = []
    for row in rows:
        names = [printable(name) for name in row.names]
        result = "drawn" if row.winner is None else f"{names[row.winner - 1]} won"
        ending = f"{result}, ended by {Reason(row.reason).ended_by}, {row.plies} moves"
        lines.append(f"{row.key[:8]}  {' against '.join(names)}: {ending}\n")
    click.echo("".join(lines), nl=False)  # in one call, since each call flushes the output


@command.command()
@_file_argument
@_submissions_option
@_json_option
@store_option
def check(file: Path, submissions: Path | None, as_json: bool, store: str | None) -> None:
    """Check FILE, start its agents that need no build, and print the plan. Plays no game."""
    from gomogo.commands._check_starts import check_agents_start
    from gomogo.commands._run import store_name_for_file
    from gomogo.text.standings_table import games_text
    from gomogo_core.catalogue import check_program
    from gomogo_core.drawing.text import printable
    from tournaments.plan import Plan
    from tournaments.run_state import check_stored_settings
    from tournaments.spec import read_spec

    spec = read_spec(file)
    if submissions is not None:
        from gomogo.commands._course_check import check_course
        from tournaments.submissions.course import CoursePlan

        course = CoursePlan(spec, file.parent)
        course.check()
        check_stored_settings(course, store_name_for_file(file, store))
        check_course(course, store_name_for_file(file, store), submissions, as_json=as_json)
        return
    plan = Plan(spec, file.parent)
    plan.check()
    check_stored_settings(plan, store_name_for_file(file, store))
    for agent in plan.agents:
        if agent.command and not agent.build_command:
            check_program(agent)
    check_agents_start(plan)
    games = plan.count_games()
    if as_json:
        click.echo(
            json.dumps({"schema": 1, **plan.settings, "games": games, "fingerprint": plan.fingerprint}, indent=2)
        )
        return
    spec = plan.spec
    options = ", ".join(f"{key} {value}" for key, value in plan.game.options.items())
    format_name = spec.format.replace("_", " ") + (
        f" of {plan.settings['rounds']} rounds" if "rounds" in plan.settings else ""
    )
    games_line = (
        "games without end"
        if games is None
        else f"{games_text(games)}{' at least' * plan.tournament_format.results_can_add_games}"
    )
    click.echo(f"{spec.name}: {games_line} of {spec.game} ({options})")
    opening_note = f" (their first {spec.openings_plies} moves)" if spec.openings_plies else ""
    move_limit_note = f", a draw after {spec.adjudicate.moves} moves" if spec.adjudicate.moves else ""
    click.echo(
        f"{format_name}, {games_text(spec.games_per_pair)} a pair, openings {plan.openings_setting or 'none'}"
        f"{opening_note}{move_limit_note}"
    )
    for name, agent, control in zip(plan.display_names, plan.agents, plan.time_controls, strict=True):
        limits = {"a move": control.per_move, "a game": control.total}
        time_text = ", ".join(f"{seconds:g} s {period}" for period, seconds in limits.items() if seconds is not None)
        click.echo(f"  {printable(name)}: {printable(agent.summary or agent.spec)} ({time_text or 'no limit'})")
    for refusal in plan.folder_scan.refusal_sentences:
        click.echo(f"  {printable(refusal)}")
    click.echo(f"Results go to {store_name_for_file(file, store)}.")


@command.command()
@_run_argument
@store_option
def stop(selector: str | None, store: str | None) -> None:
    """Ask the process that plays a tournament or match to finish its games and stop. Default: the latest."""
    from gomogo.commands._progress import played_games_text

    with open_store_of_run(selector, store) as opened_store:
        run = find_run(opened_store, selector)
        if not opened_store.is_run_being_played(run.name):
            stored_text = played_games_text(opened_store.count_games(run), run.planned_games)
            raise UserError(
                f"{run.name} is not in progress. {stored_text} are stored.",
                "`gomogo tournament show` lists tournaments and matches.",
            )
        opened_store.request_stop(run)
    click.echo(f"{run.name} finishes its running games and stops. {_RESUME_HINT.format(run.name)}", err=True)


def _check_one_format(*, as_json: bool, as_csv: bool) -> None:
    if as_json and as_csv:
        raise UserError("--json and --csv cannot be used together.", "Use one of them.")


def _list_runs(store: Store, *, as_json: bool) -> None:
    from gomogo.commands._progress import played_games_text

    runs: list[dict[str, Any]] = [
        {
            "name": run.name,
            "games": stored_games,
            "planned": run.planned_games,
            "started": run.started,
            "playing": stored_games != run.planned_games and store.is_run_being_played(run.name),
        }
        for run in store.runs()
        for stored_games in (store.count_games(run),)
    ]
    if as_json:
        click.echo(json.dumps({"schema": 1, "runs": runs}, indent=2))
        return
    for run in runs:
        click.echo(
            f"{run['name']}: {played_games_text(run['games'], run['planned'])}{', in progress' * bool(run['playing'])}"
        )
