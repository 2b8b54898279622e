"""Write an agent, check it, run it for a referee.

Handles options and the display of verdicts; the suite and the templates of new agents are in other modules.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import click

from gomogo import complete
from gomogo.command_group import CommandGroup
from gomogo.options import pace_option, sandbox_option
from gomogo_core import games
from gomogo_core.catalogue import agent
from gomogo_core.errors import UserError
from gomogo_core.processes.limits import Level

STARTERS_PLAY = "gomoku"


@click.group(cls=CommandGroup, short_help="Write an agent, check it, run it for a referee.")
def command() -> None:
    """Write an agent, check it, or run it for a referee started by hand."""


@command.command()
@click.argument("name")
@click.option(
    "--game",
    "game_name",
    metavar="G",
    help="The only game it plays. Default: every game.",
    shell_complete=complete.games,
)
@click.option("--folder", is_flag=True, help="Write a folder with an agent.toml, for a program in any language.")
@click.option("--language", metavar="L", help="Copy the starter in this language into a folder; it plays Gomoku.")
@click.option("--pipes", is_flag=True, help="With --language: play by pipes instead of files.")
def new(name: str, game_name: str | None, folder: bool, language: str | None, pipes: bool) -> None:
    """Write a bot that runs: NAME.py here, or with --folder or --language a folder NAME."""
    from gomogo.commands.agent.starters import starter_folder
    from gomogo.commands.agent.templates import write_agent

    if game_name is not None:
        games.rules(game_name)
    if pipes and language is None:
        raise UserError("--pipes needs --language.", "Name it: --language python --pipes.")
    if language is not None and game_name not in (None, STARTERS_PLAY):
        raise UserError(
            f"The starters play {STARTERS_PLAY}, not {game_name}.",
            f"Leave out --game, and change it to {game_name}; or leave out --language for a Python bot that plays it.",
        )
    begun = None if language is None else starter_folder(language)
    written = write_agent(Path.cwd(), name, game_name, folder=folder, starter=begun, pipes=pipes)
    click.echo(written)
    click.echo(f"Check it with `gomogo agent check {written}`, play it with `gomogo play {written}`.", err=True)


@command.command()
@click.argument("spec", metavar="[AGENT]", required=False, shell_complete=complete.agents)
@click.option(
    "--game",
    "game_names",
    multiple=True,
    metavar="G",
    help="Check this game only. Default: every game the agent claims.",
    shell_complete=complete.games,
)
@click.option("--only", multiple=True, metavar="CHECK", help="Run this check only.")
@click.option(
    "--keep", type=click.Path(file_okay=False, path_type=Path), metavar="DIR", help="Keep the games in this folder."
)
@click.option(
    "--show-me",
    "misdeed",
    is_flag=False,
    flag_value="",
    metavar="MISDEED",
    help="Play a program with this fault against AGENT or random_mover. Without MISDEED, list the faults.",
)
@pace_option
@sandbox_option()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def check(
    spec: str | None,
    game_names: tuple[str, ...],
    only: tuple[str, ...],
    keep: Path | None,
    misdeed: str | None,
    classic_pace: bool,
    sandbox: Level,
    as_json: bool,
) -> None:
    """Play AGENT through every check for agents and print the failures. Exit code 1 if a check failed."""
    if misdeed is not None:
        if game_names or only or keep is not None or classic_pace:
            raise UserError("--show-me takes no other check option.", "Leave the other options out.")
        _show_me(misdeed, spec or "random_mover", sandbox, as_json)
        return
    if spec is None:
        raise UserError("The command names no agent to check.", "Name one: gomogo agent check alpha_beta")
    from gomogo.commands.agent.check_words import count_results, print_result, result_json
    from gomogo_core.conformance.agent_suite import CheckVerdict, check_agent

    if keep is not None and keep.exists() and any(keep.iterdir()):
        raise UserError(f"The folder {keep} is not empty.", "Name an empty folder, or one that does not exist yet.")
    results = []
    found = agent(spec)
    found = replace(found, classic_pace=classic_pace or found.classic_pace)
    for result in check_agent(found, game_names, only, keep, sandbox):
        results.append(result)
        if not as_json:
            print_result(result)
    failed = any(result.verdict is CheckVerdict.FAILED for result in results)
    if as_json:
        told = {"schema": 1, "agent": spec, "passed": not failed, "checks": [result_json(result) for result in results]}
        click.echo(json.dumps(told, indent=2))
    else:
        click.echo(count_results(results))
    raise click.exceptions.Exit(1 if failed else 0)


def _show_me(name: str, spec: str, sandbox: Level, as_json: bool) -> None:
    from gomogo.commands.agent.misbehaving import list_faults, play_fault, print_fault, print_fault_list
    from gomogo_core.conformance.misbehaving.cases import find

    if not name:
        if as_json:
            click.echo(json.dumps({"schema": 1, "misdeeds": list_faults()}, indent=2))
        else:
            print_fault_list()
        return
    deed = find(name)
    told = play_fault(deed, agent(spec), sandbox)
    if as_json:
        click.echo(json.dumps({"schema": 1, "misdeed": name, "does": deed.does, "played": told}, indent=2))
    else:
        print_fault(deed, told)
    raise click.exceptions.Exit(0 if all(one["right"] for one in told) else 1)


@command.command()
@click.argument("spec", metavar="AGENT", shell_complete=complete.agents)
@click.option("--team", metavar="TEAM", help="Name of the team. Default: the agent's own name.")
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    metavar="DIR",
    help="The referee's folder. Default: this folder.",
)
def run(spec: str, team: str | None, folder: Path) -> None:
    """Run AGENT in this folder as a team, for a referee started by hand: python referee.py TEAM1 TEAM2."""
    from gomogo.commands.agent.shared_folder import run_as_agent

    run_as_agent(agent(spec), team, folder)
