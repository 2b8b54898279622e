"""The command `gomogo tune`: tune numeric options of an agent, and test the tuned agent against the old one.

The module handles options, messages and the store; tournaments/tuning.py computes the steps.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gomogo import complete
from gomogo.options import TimeControlFinder, game_options, store_option, time_options
from gomogo.run_options import RunSettings, add_worker_options, choose_name_and_seed
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game
from tournaments.worker_choice import WorkerOptions

if TYPE_CHECKING:
    from gomogo_core.records.store import Run, Store
    from tournaments.sprt_match import SprtMatch
    from tournaments.tuning import Fractions, Tuning, TuningPlan

_DEFAULT_ELO1 = 20.0
_TEST_SUFFIX = "-test"  # ends the name of the run that tests the tuned agent


@click.command(short_help="Tune numeric options of an agent by games.")
@click.argument("agent", shell_complete=complete.agents)
@click.argument("ranges", nargs=-1, metavar="NAME=LOW..HIGH ...")
@game_options("agent")
@time_options
@click.option("--iterations", type=click.IntRange(1, 100_000), default=100, show_default=True, help="Number of steps.")
@click.option("--pairs", type=click.IntRange(1, 1000), default=4, show_default=True, help="Pairs of games per step.")
@click.option(
    "--openings",
    metavar="random:N|balanced|none|FILE",
    help='Opening moves. Default: "balanced" if the agent is an engine, else "random:4".',
)
@click.option("--seed", type=int, help="Seed of the steps and of random openings. Default: a random seed.")
@click.option(
    "--test-games",
    type=click.IntRange(min=0),
    default=2000,
    show_default=True,
    help="Maximum number of games of the final test; 0 for no test.",
)
@click.option(
    "--elo1", type=float, default=_DEFAULT_ELO1, show_default=True, help="Gain in Elo that the test must detect."
)
@add_worker_options
@click.option("--name", help="Name of the tuning. A stored tuning of this name continues.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@store_option
def command(
    agent: str,
    ranges: tuple[str, ...],
    game: Game,
    controls: TimeControlFinder,
    iterations: int,
    pairs: int,
    openings: str | None,
    seed: int | None,
    test_games: int,
    elo1: float,
    worker_options: WorkerOptions,
    name: str | None,
    as_json: bool,
    store: str | None,
) -> None:
    """Tune numeric options of AGENT, each within a range, with games of AGENT against itself.

    In each step, two versions of AGENT with slightly different options play pairs of games, and the options move
    towards the better version (SPSA). At the end, a sequential test plays the tuned AGENT against the old one. If the
    tuning has a --name, the same command continues it after an interruption.
    """
    from gomogo.commands._run import play_games, print_run_end
    from gomogo_core.records.aggregates import ranked_games
    from gomogo_core.records.store import Store
    from tournaments.tuning import iteration_scores

    if game.seats != 2:
        raise UserError(f"{game.name} is for {game.seats} players.", "Choose a game for two players.")
    step_settings: dict[str, Any] = {"openings": openings, "iterations": iterations, "pairs": pairs}
    _plan_tuning(agent, ranges, game, controls, step_settings, name, seed, ()).check()  # before the store is created
    with Store.open(store) as opened_store:
        plan = _plan_tuning(agent, ranges, game, controls, step_settings, name, seed, opened_store.runs())
        tuning, settings = plan.tuning, RunSettings(worker_options)
        resume_hint = f"Run the same command{'' if name else f' with --name {plan.spec.name} added'} to continue."
        run_result = play_games(
            plan,
            opened_store,
            settings,
            summary=lambda: tuning.summary(plan.steps or tuning.compute_steps({})),
            resume_hint=resume_hint,
        )
        if not run_result.progress.is_complete:
            print_run_end(run_result.progress, opened_store.address, resume_hint)
        results = plan.schedule_results(ranked_games(opened_store, run_result.run_state.stored_run))
        steps = tuning.compute_steps(iteration_scores(results, tuning.pairs))
        click.echo(tuning.summary(steps), err=True)
        tuned_values = tuning.mean_of_later_half(steps)
        sprt_match = None
        if test_games and tuning.spec_with_values(tuned_values) != tuning.spec_with_values(steps[0]):
            sprt_match = _test_tuned_agent(plan, tuned_values, test_games, elo1, opened_store, settings, resume_hint)
    click.echo(
        json.dumps(_tuning_json(tuning, tuned_values, sprt_match), indent=2)
        if as_json
        else _tuning_summary(tuning, tuned_values, sprt_match)
    )


def _plan_tuning(
    agent: str,
    ranges: tuple[str, ...],
    game: Game,
    controls: TimeControlFinder,
    settings: dict[str, Any],
    name: str | None,
    seed: int | None,
    runs: Iterable[Run],
) -> TuningPlan:
    """Return the plan of a tuning. A tuning that continues a stored run has the seed of this run.

    name: None for a new name, made of the agent's name. seed: None for a random seed. runs: the stored runs.
    """
    from gomogo_core import catalogue
    from tournaments.spec import TimeSettings, spec_from_values
    from tournaments.tuning import Tuning, TuningPlan, parse_tuned_option

    agent_to_tune = catalogue.agent(agent)
    if not ranges:
        known_options = (
            ", ".join(f"{option} ({value:g})" for option, value in agent_to_tune.numeric_options.items()) or "none"
        )
        raise UserError(
            f"The options to tune are missing. {agent_to_tune.name} has the numeric options: {known_options}.",
            "Write NAME=LOW..HIGH for each option to tune.",
        )
    options = tuple(parse_tuned_option(agent_to_tune, text) for text in ranges)
    if len({option.name for option in options}) < len(options):
        raise UserError("An option is named twice.", "Give each option one range.")
    name, seed = choose_name_and_seed(name, seed, f"tune-{agent_to_tune.name}", runs)
    tuning = Tuning(agent, options, settings["iterations"], settings["pairs"], seed)
    spec = spec_from_values(
        {
            "name": name,
            "game": game.name,
            "options": game.options,
            "agents": [agent, agent],
            "games_per_pair": 2 * tuning.iterations * tuning.pairs,
            "openings": settings["openings"],
            "seed": seed,
        },
        "The tuning",
    )
    from msgspec.structs import replace

    return TuningPlan(
        replace(spec, time=TimeSettings.from_time_control(controls([agent_to_tune.name], [agent_to_tune])[0])),
        Path(),
        tuning,
    )


def _test_tuned_agent(
    plan: TuningPlan,
    tuned_values: Fractions,
    games: int,
    elo1: float,
    store: Store,
    settings: RunSettings,
    resume_hint: str,
) -> SprtMatch:
    """Play the tuned agent against the old one until the sequential test is decided. Return the test."""
    from msgspec.structs import replace

    from gomogo.commands._run import play_games, print_run_end
    from tournaments.plan import Plan
    from tournaments.sprt import Sprt

    spec = replace(
        plan.spec,
        name=plan.spec.name + _TEST_SUFFIX,
        agents=(
            plan.tuning.spec_with_values(tuned_values),
            plan.tuning.spec_with_values(plan.tuning.compute_steps({})[0]),
        ),
        games_per_pair=games,
        openings=plan.openings_setting or "none",
        seed=plan.spec.seed + 1,  # so that the openings differ from those of the tuning
    )
    run = play_games(Plan(spec, Path(), sprt=Sprt.create(0.0, elo1)), store, settings, resume_hint=resume_hint)
    progress, sprt_match = run.progress, run.sprt_match
    assert sprt_match is not None
    if not progress.is_complete and not sprt_match.is_decided:
        print_run_end(progress, store.address, resume_hint)
    return sprt_match


def _is_tuned_agent_stronger(sprt_match: SprtMatch | None) -> bool:
    from tournaments.sprt import ACCEPT_H1

    return sprt_match is not None and sprt_match.verdict.verdict == ACCEPT_H1


def _tuning_summary(tuning: Tuning, tuned_values: Fractions, sprt_match: SprtMatch | None) -> str:
    start_values = tuning.compute_steps({})[0]
    lines = [
        f"{option.name}: {option.spec_text_at(start_value)} → {option.spec_text_at(tuned_value)}"
        for option, start_value, tuned_value in zip(tuning.options, start_values, tuned_values, strict=True)
    ]
    if sprt_match is not None:
        lines.append(f"Tuned against old: {sprt_match.summary()}")
    if _is_tuned_agent_stronger(sprt_match):
        lines.append(f"By the test, the tuned agent is stronger: {tuning.spec_with_values(tuned_values)}")
    elif sprt_match is not None:
        lines.append("The test does not show that the tuned agent is stronger. Keep the old one.")
    elif tuning.spec_with_values(tuned_values) == tuning.spec_with_values(start_values):
        lines.append("The tuned values equal the old ones.")
    else:
        lines.append(f"Not tested: {tuning.spec_with_values(tuned_values)}")
    return "\n".join(lines)


def _tuning_json(tuning: Tuning, tuned_values: Fractions, sprt_match: SprtMatch | None) -> dict[str, Any]:
    return {
        "schema": 1,
        "agent": tuning.agent,
        "tuned": tuning.spec_with_values(tuned_values),
        "options": [
            {
                "name": option.name,
                "low": option.low,
                "high": option.high,
                "start": option.start,
                "tuned": float(option.spec_text_at(fraction)),
            }
            for option, fraction in zip(tuning.options, tuned_values, strict=True)
        ],
        "iterations": tuning.iterations,
        "games": 2 * tuning.iterations * tuning.pairs,
        "gained": _is_tuned_agent_stronger(sprt_match),
        "sprt": None if sprt_match is None else sprt_match.as_json(),
    }
