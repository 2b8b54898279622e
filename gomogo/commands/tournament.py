"""Run a tournament from its file; show, check or stop one.

Knows options and words; what is played, and how, is the affair of `tournaments`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gomogo.commands._group import Group
from gomogo.commands._options import Workplace, log_option, store_option, workplace_options
from gomogo.commands._which_run import run_of, store_of
from gomogo_core.errors import UserError

if TYPE_CHECKING:
    from gomogo_core.records.store import Store


@click.group(cls=Group, short_help="Run, show, check or stop a tournament; list its results.")
def command() -> None:
    """Tournaments: who plays what, on which terms, is written in a TOML file."""


_reasons = click.option(
    "--reasons", "by_reason", is_flag=True, help="Print by which reasons games were won, drawn and lost."
)
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_file = click.argument("file", type=click.Path(path_type=Path, readable=False))  # who reads it says so in words
_submissions = click.option(
    "--submissions",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Play with what students have handed in: a folder or a zip each.",
)
_GOES_ON = "the same command goes on with it, for a match with --name {}."
_which = click.argument("which", metavar="[NAME|FILE]", required=False)


@command.command()
@_file
@workplace_options
@log_option
@click.option("--extend", is_flag=True, help="Go on though the file asks for something else than before.")
@click.option("--replay-doubtful", is_flag=True, help="Play games again that were lost on time on a busy machine.")
@_submissions
@click.option(
    "--grades",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="With --submissions: where grades go; left out, NAME-grades beside the store.",
)
@_reasons
@_json
@store_option
def run(
    file: Path,
    workplace: Workplace,
    log: Path | None,
    extend: bool,
    replay_doubtful: bool,
    submissions: Path | None,
    grades: Path | None,
    by_reason: bool,
    as_json: bool,
    store: str | None,
) -> None:
    """Play what FILE asks for, and print the table.

    Every game is stored as it ends, in gomogo.db beside FILE unless --store names another place. The same command
    goes on where it was. Ctrl-C finishes the running games, a second one drops them. With --submissions, each folder or
    zip in DIR is a player too: built, checked, played and graded, and on the next run only what has changed.
    """
    from gomogo.commands._run import play_run, store_beside
    from gomogo_core.records.store import Store
    from tournaments.plan import Plan
    from tournaments.spec import read

    spec = read(file)
    if grades is not None and submissions is None:
        raise UserError("--grades says where grades of submissions go.", "Name their folder: --submissions DIR.")
    if submissions is not None:
        from gomogo.commands._night import play_night

        with Store.open(store_beside(file, store)) as opened:
            play_night(
                spec,
                file.parent,
                opened,
                submissions,
                grades,
                workplace=workplace,
                log=log,
                extend=extend,
                replay_doubtful=replay_doubtful,
                by_reason=by_reason,
                as_json=as_json,
            )
        return
    plan = Plan(spec, file.parent)
    plan.check()
    with Store.open(store_beside(file, store)) as opened:
        play_run(
            plan,
            opened,
            workplace=workplace,
            live=opened.folder / "live",
            log=log,
            extend=extend,
            replay_doubtful=replay_doubtful,
            by_reason=by_reason,
            as_json=as_json,
        )


@command.command()
@_which
@click.option("--cross", is_flag=True, help="Print a crosstable too: who did what against whom.")
@_reasons
@_json
@store_option
def show(which: str | None, cross: bool, by_reason: bool, as_json: bool, store: str | None) -> None:
    """Print the table of a tournament or match as it stands; without a name, list all there are.

    A NAME is looked for in the store here, or in that of --store; a FILE names its own.
    """
    from gomogo.commands._progress import counted
    from gomogo.commands._run import show_table
    from gomogo_core.drawing.text import visible
    from gomogo_core.records.live import live_games
    from tournaments.standings import standings

    with store_of(which, store) as opened:
        if which is None:
            _list_runs(opened, as_json=as_json)
            return
        found = run_of(opened, which)
        show_table(standings(opened, found), as_json=as_json, cross=cross, by_reason=by_reason)
        games = [game for game in live_games(opened.folder / "live") if game.run == found.name]
        done = opened.count(found)
        played = done != found.planned and opened.is_played(found.name)
        click.echo(f"\n{counted(done, found.planned)}{', being played now' * played}.", err=True)
        for game in games if played else []:
            click.echo(
                f"{' against '.join(map(visible, game.names))}: {game.moves} move{'s' * (game.moves != 1)} so far",
                err=True,
            )


@command.command()
@_which
@_json
@store_option
def results(which: str | None, as_json: bool, store: str | None) -> None:
    """List the games of a tournament or match with their results and keys; without a name, of the latest."""
    from gomogo_core.drawing.text import visible
    from gomogo_core.records.tallies import game_rows

    with store_of(which, store) as opened:
        rows = game_rows(opened, run_of(opened, which))
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
        names = [visible(name) for name in row.names]
        won = "drawn" if row.winner is None else f"{names[row.winner - 1]} won"
        end = f"{won}, {row.reason.replace('_', ' ')}, {row.plies} moves"
        lines.append(f"{row.key[:8]}  {' against '.join(names)}: {end}\n")
    click.echo("".join(lines), nl=False)  # at once: each call flushes


@command.command()
@_file
@_submissions
@_json
@store_option
def check(file: Path, submissions: Path | None, as_json: bool, store: str | None) -> None:
    """Read FILE, find its agents, and say what would be built and played. Nothing is built or played."""
    from gomogo.commands._run import store_beside
    from gomogo_core.catalogue import check_program
    from gomogo_core.drawing.text import visible
    from tournaments.plan import Plan
    from tournaments.spec import read

    spec = read(file)
    if submissions is not None:
        from gomogo.commands._night_check import check_night

        check_night(spec, file.parent, store_beside(file, store), submissions, as_json=as_json)
        return
    plan = Plan(spec, file.parent)
    plan.check()
    for agent in plan.agents:
        if agent.command and not agent.build:
            check_program(agent)
    games = plan.games()
    if as_json:
        click.echo(json.dumps({"schema": 1, **plan.asked, "games": games, "fingerprint": plan.fingerprint}, indent=2))
        return
    spec = plan.spec
    options = ", ".join(f"{key} {value}" for key, value in plan.game.options.items())
    form = spec.format.replace("_", " ") + (f" of {plan.asked['rounds']} rounds" if "rounds" in plan.asked else "")
    told = "games without end" if games is None else f"{games} games{' at least' * plan.format.grows}"
    click.echo(f"{spec.name}: {told} of {spec.game} ({options})")
    cut = f" (their first {spec.openings_plies} moves)" if spec.openings_plies else ""
    capped = f", a draw after {spec.adjudicate.moves} moves" if spec.adjudicate.moves else ""
    click.echo(f"{form}, {spec.games_per_pair} games a pair, openings {spec.openings or 'none'}{cut}{capped}")
    for name, agent, control in zip(plan.names, plan.agents, plan.controls, strict=True):
        limits = {"a move": control.per_move, "a game": control.total}
        time = ", ".join(f"{seconds:g} s {what}" for what, seconds in limits.items() if seconds is not None)
        click.echo(f"  {visible(name)}: {visible(agent.about or agent.spec)} ({time or 'no limit'})")
    for why in plan.found.refused:
        click.echo(f"  {visible(why)}")
    click.echo(f"Results go to {store_beside(file, store)}.")


@command.command()
@_which
@store_option
def stop(which: str | None, store: str | None) -> None:
    """Ask the process that plays a tournament or match to finish its games and stop; without a name, the latest."""
    from gomogo.commands._progress import counted

    with store_of(which, store) as opened:
        found = run_of(opened, which)
        if not opened.is_played(found.name):
            raise UserError(
                f"{found.name} is not being played: {counted(opened.count(found), found.planned)} are done.",
                "`gomogo tournament show` lists what there is.",
            )
        opened.ask_to_stop(found)
    click.echo(f"{found.name} finishes its running games and stops; {_GOES_ON.format(found.name)}", err=True)


def _list_runs(store: Store, *, as_json: bool) -> None:
    from gomogo.commands._progress import counted

    runs: list[dict[str, Any]] = [
        {
            "name": run.name,
            "games": done,
            "planned": run.planned,
            "started": run.started,
            "playing": done != run.planned and store.is_played(run.name),
        }
        for run in store.runs()
        for done in (store.count(run),)
    ]
    if as_json:
        click.echo(json.dumps({"schema": 1, "runs": runs}, indent=2))
        return
    for run in runs:
        click.echo(
            f"{run['name']}: {counted(run['games'], run['planned'])}{', being played now' * bool(run['playing'])}"
        )
