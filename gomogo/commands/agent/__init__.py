"""The command `gomogo agent`: write an agent, check it, or run it for a referee.

The module handles options; other modules of this package have the templates of new agents, and print the results.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import click

from gomogo import complete
from gomogo.command_group import CommandGroup
from gomogo.options import keep_option, pace_option, sandbox_option
from gomogo_core import games
from gomogo_core.catalogue import Agent, agent, agents, to_team_name
from gomogo_core.errors import UserError
from gomogo_core.processes.limits import SandboxLevel

STARTER_GAME = "gomoku"


@click.group(cls=CommandGroup, short_help="Write an agent, check it, run it for a referee.")
def command() -> None:
    """Write an agent, check it, or run it for a referee started by hand."""


@command.command()
@click.argument("name")
@click.option(
    "--game",
    "game_name",
    metavar="G",
    help="The only game that the agent plays. Default: every game.",
    shell_complete=complete.games,
)
@click.option("--folder", is_flag=True, help="Write a folder with an agent.toml, for a program in any language.")
@click.option(
    "--language", metavar="L", help="Copy the starter in this language, a bot that plays Gomoku, into a folder."
)
@click.option("--pipes", is_flag=True, help="With --language: communicate over pipes instead of files.")
def new(name: str, game_name: str | None, folder: bool, language: str | None, pipes: bool) -> None:
    """Write a working bot: a file NAME.py or, with --folder or --language, a folder NAME."""
    from gomogo.commands.agent.starters import starter_folder
    from gomogo.commands.agent.templates import write_agent

    if game_name is not None:
        games.rules(game_name)
    if pipes and language is None:
        raise UserError("--pipes needs --language.", "Name a language: --language python --pipes.")
    if language is not None and game_name not in (None, STARTER_GAME):
        raise UserError(
            f"The starters play {STARTER_GAME}, not {game_name}.",
            "Leave out --game and change the starter yourself, or leave out --language for a bot in Python.",
        )
    starter = None if language is None else starter_folder(language)
    path = write_agent(Path.cwd(), name, game_name, folder=folder, starter=starter, pipes=pipes)
    click.echo(path)
    click.echo(f"Check it with `gomogo agent check {path}`, play it with `gomogo play {path}`.", err=True)


@command.command()
@click.argument("spec", metavar="[AGENT]", required=False, shell_complete=complete.agents)
@click.option(
    "--game",
    "game_names",
    multiple=True,
    metavar="G",
    help="Check this game only. Default: every game that the agent declares.",
    shell_complete=complete.games,
)
@click.option("--only", multiple=True, metavar="CHECK", help="Run this check only.")
@keep_option("Keep the files of the games in this folder.")
@click.option(
    "--show-me",
    "fault",
    is_flag=False,
    flag_value="",
    metavar="FAULT",
    help="Play a program with this fault against AGENT or random_mover. Without FAULT, list the faults.",
)
@pace_option
@sandbox_option()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def check(
    spec: str | None,
    game_names: tuple[str, ...],
    only: tuple[str, ...],
    keep: Path | None,
    fault: str | None,
    classic_pace: bool,
    sandbox: SandboxLevel,
    as_json: bool,
) -> None:
    """Run all checks for agents on AGENT and print the results. The exit code is 1 if a check fails."""
    if fault is not None:
        if game_names or only or keep is not None or classic_pace:
            raise UserError("--show-me cannot be combined with the options of checks.", "Leave the other options out.")
        _show_fault(fault, spec or "random_mover", sandbox, as_json)
        return
    if spec is None:
        raise UserError("The name of an agent is missing.", "Name one: gomogo agent check alpha_beta")
    from gomogo.commands.agent.check_results import ResultPrinter, result_json, verdict_counts_sentence
    from gomogo_core.conformance.agent_suite import CheckVerdict, check_agent

    results, printer = [], ResultPrinter()
    exit_stack = ExitStack()
    checked_agent = _read_entry(spec, exit_stack)
    checked_agent = replace(checked_agent, classic_pace=classic_pace or checked_agent.classic_pace)
    try:
        for result in check_agent(checked_agent, game_names, only, keep, sandbox):
            results.append(result)
            if not as_json:
                printer.print_result(result)
    except KeyboardInterrupt:
        if not as_json:
            printer.print_repeated_faults()
            click.echo(f"So far: {verdict_counts_sentence(results)}")
        raise
    finally:
        exit_stack.close()
    failed = any(result.verdict is CheckVerdict.FAILED for result in results)
    if as_json:
        report = {
            "schema": 1,
            "agent": spec,
            "passed": not failed,
            "checks": [result_json(result) for result in results],
        }
        click.echo(json.dumps(report, indent=2))
    else:
        printer.print_repeated_faults()
        click.echo(verdict_counts_sentence(results))
    raise click.exceptions.Exit(1 if failed else 0)


def _read_entry(spec: str, exit_stack: ExitStack) -> Agent:
    """Return an agent of the catalogue, or the agent in an entry of a course: a zip, or a folder with a Python file.

    exit_stack: removes the copy of an entry when it closes.
    """
    entry = Path(spec)
    is_zip = entry.suffix.casefold() == ".zip" and entry.is_file()
    if spec in agents() or not (is_zip or (entry.is_dir() and not (entry / "agent.toml").exists())):
        return agent(spec)
    from tournaments.submissions.intake import base_name_of, unpack_submission

    program = exit_stack.enter_context(unpack_submission(entry))
    return replace(agent(str(program), to_team_name(base_name_of(entry))), spec=spec)


def _show_fault(name: str, spec: str, sandbox: SandboxLevel, as_json: bool) -> None:
    from gomogo.commands.agent.misbehaving import list_faults, play_fault, print_fault, print_fault_list
    from gomogo_core.conformance.misbehaving.cases import find_fault

    if not name:
        if as_json:
            click.echo(json.dumps({"schema": 1, "misdeeds": list_faults()}, indent=2))
        else:
            print_fault_list()
        return
    fault = find_fault(name)
    game_results = play_fault(fault, agent(spec), sandbox)
    if as_json:
        click.echo(
            json.dumps({"schema": 1, "misdeed": name, "does": fault.description, "played": game_results}, indent=2)
        )
    else:
        print_fault(fault, game_results)
    raise click.exceptions.Exit(0 if all(game_result["right"] for game_result in game_results) else 1)


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
    """Run AGENT in this folder, for a referee started by hand: python referee.py TEAM1 TEAM2."""
    from gomogo.commands.agent.shared_folder import run_as_agent

    run_as_agent(agent(spec), team, folder)
