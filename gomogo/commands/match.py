"""The command `gomogo match`: play a series between agents and estimate which is stronger.

The module handles options; a match is a tournament of one pairing, which `tournaments` plans and plays.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gomogo import complete
from gomogo.commands._sprt_option import SprtCommand
from gomogo.options import (
    POSITIVE,
    TimeControlFinder,
    game_options,
    illegal_option,
    pace_option,
    store_option,
    time_options,
)
from gomogo.run_options import RunSettings, choose_name_and_seed, run_options
from gomogo_core.errors import UserError, there_are_text
from gomogo_core.games.base import Game
from gomogo_core.play.clock import TimeControl

if TYPE_CHECKING:
    from gomogo_core.catalogue import Agent
    from gomogo_core.records.store import Run, Store
    from tournaments.plan import Plan
    from tournaments.spec import TournamentSpec
    from tournaments.sprt import Sprt

_DEFAULT_GAME_COUNT = 20
_MAX_CRASHES_IN_A_ROW = 5  # games in a row that a player may lose by crashes before the match stops
_DEFAULT_ERROR_RATE = 0.05  # the default of --alpha and --beta
_MAX_SPRT_GAMES = 20_000  # a difference that needs more games is too small to be tested


@click.command(cls=SprtCommand, short_help="Play a series between agents.")
@click.argument("agents", nargs=-1, required=True, metavar="AGENT AGENT ...", shell_complete=complete.agents)
@click.option("-n", "--games", type=POSITIVE, help="Number of games, 20 by default; with --sprt the maximum.")
@game_options("agents")
@time_options
@click.option(
    "--openings",
    metavar="random:N|balanced|none|FILE",
    help="Opening moves placed before the agents play. Default between engines: balanced, or random:4 in games without "
    "balanced openings. Default for other agents: none.",
)
@click.option(
    "--openings-plies", type=click.IntRange(1, 1000), metavar="N", help="Use the first N moves of each line of FILE."
)
@click.option("--seed", type=int, help="Seed of random openings and random agents. Default: a random seed.")
@illegal_option
@pace_option
@click.option("--max-moves", type=POSITIVE, metavar="N", help="Declare a draw after N moves.")
@click.option(
    "--agree",
    type=(click.FloatRange(min=0, min_open=True), POSITIVE),
    metavar="SCORE MOVES",
    help="Award a win when both agents report at least this score for the same player for MOVES moves in a row.",
)
@click.option(
    "--sprt",
    nargs=2,
    metavar="elo0=E elo1=E",
    help="Play until a test decides between two hypotheses (normalized Elo).",
)
@click.option(
    "--alpha",
    type=float,
    help=f"With --sprt: the probability of wrongly accepting elo1, by default {_DEFAULT_ERROR_RATE}.",
)
@click.option(
    "--beta",
    type=float,
    help=f"With --sprt: the probability of wrongly accepting elo0, by default {_DEFAULT_ERROR_RATE}.",
)
@click.option("--name", help="Name of the match. A stored match of this name continues.")
@run_options
@store_option
def command(
    agents: Sequence[str],
    games: int | None,
    game: Game,
    controls: TimeControlFinder,
    openings: str | None,
    openings_plies: int | None,
    seed: int | None,
    illegal: str,
    classic_pace: bool,
    max_moves: int | None,
    agree: tuple[float, int] | None,
    sprt: tuple[str, str] | None,
    alpha: float | None,
    beta: float | None,
    name: str | None,
    settings: RunSettings,
    store: str | None,
) -> None:
    """Play AGENT against AGENT. Each agent has each seat equally often, with the same openings.

    With --sprt the match is a sequential test of the first agent against the second: it ends as soon as the test
    accepts a hypothesis. Every game is stored when it ends. If the match has a --name, the same command continues it
    after an interruption.
    """
    from gomogo.commands._run import play_and_print
    from gomogo_core.records.store import Store
    from tournaments.spec import spec_from_values

    if len(agents) != game.seats:
        raise UserError(
            f"{game.name} is for {game.seats} players, and {there_are_text(len(agents))}.", f"Name {game.seats} agents."
        )
    if sprt is None and (alpha is not None or beta is not None):
        raise UserError("--alpha and --beta need --sprt.", "Add --sprt elo0=0 elo1=10, or leave them out.")
    if settings.replay_doubtful and name is None:
        raise UserError("--replay-doubtful needs a stored match.", "Name the match: --name NAME.")
    sprt_test = _read_sprt(sprt, alpha, beta, game) if sprt else None
    spec = spec_from_values(
        {
            "name": "match" if name is None else name,
            "game": game.name,
            "options": game.options,
            "agents": list(agents),
            "games_per_pair": games or (_MAX_SPRT_GAMES if sprt_test else _DEFAULT_GAME_COUNT),
            "openings": openings,
            "openings_plies": openings_plies,
            "illegal": illegal,
            "classic_pace": classic_pace,
            "adjudicate": {"moves": max_moves, **({"score": agree[0], "agree": agree[1]} if agree else {})},
        },
        "The match",
    )
    _plan_match(spec, controls, name, seed, (), sprt_test).check()  # before the store is created
    with Store.open(store) as opened_store:
        plan = _plan_match(spec, controls, name, seed, opened_store.runs(), sprt_test)
        if not settings.allows_changes:
            _check_unchanged_programs(plan, opened_store)
        repeat = f"--seed {plan.spec.seed} --name {shlex.quote(plan.spec.name)}"
        name_note = "" if name else f" with --name {plan.spec.name} added"
        resume_hint = f"Run the same command{name_note} to continue."
        play_and_print(
            plan,
            opened_store,
            settings,
            resume_hint=resume_hint,
            repeat_hint=f"To repeat this match, add {repeat} and name another --store.",
            max_crashes_in_a_row=_MAX_CRASHES_IN_A_ROW,
        )


def _check_unchanged_programs(plan: Plan, store: Store) -> None:
    """Raise UserError if the files of an agent have changed since its last game in this match."""
    run = store.find_run(plan.spec.name)
    if run is None or (last_game := store.last_game_of(run)) is None:
        return
    hashes = dict(zip(plan.display_names, plan.agent_hashes, strict=True))
    for name, earlier_hash in zip(last_game.names, last_game.hashes, strict=False):
        if hashes.get(name, earlier_hash) != earlier_hash:
            raise UserError(
                f"{name} has changed since its last game in the match {run.name!r}.",
                "Give the match with the new version another --name, or mix both versions: --extend.",
            )


def _read_sprt(words: tuple[str, str], alpha: float | None, beta: float | None, game: Game) -> Sprt:
    """Return the test with the hypotheses `elo0=... elo1=...`. Raises UserError if they are invalid."""
    from tournaments.sprt import Sprt

    parameters = dict(word.split("=", 1) for word in words if "=" in word)
    try:
        elo0, elo1 = float(parameters["elo0"]), float(parameters["elo1"])
    except (KeyError, ValueError):
        raise UserError(
            f"--sprt {' '.join(words)} does not have two hypotheses.", "Write --sprt elo0=0 elo1=10."
        ) from None
    if game.seats != 2:
        raise UserError(f"--sprt needs a game for two players, and {game.name} has {game.seats}.", "Leave it out.")
    return Sprt.create(
        elo0, elo1, _DEFAULT_ERROR_RATE if alpha is None else alpha, _DEFAULT_ERROR_RATE if beta is None else beta
    )


def _plan_match(
    spec: TournamentSpec,
    controls: TimeControlFinder,
    name: str | None,
    seed: int | None,
    runs: Iterable[Run],
    sprt: Sprt | None,
) -> Plan:
    """Return the plan of a match, with its time controls, name and seed. A match that continues a stored run has the
    seed of this run.

    name: None for a new name, made of the agents' names. seed: None for a random seed. runs: the stored runs. sprt: the
    test that ends the match, or None.
    """
    from msgspec.structs import replace

    from tournaments.plan import Plan

    current_folder = Path()
    agents = Plan(spec, current_folder).agents
    names = Plan(spec, current_folder).display_names
    name, seed = choose_name_and_seed(name, seed, "-".join(names)[:70], runs)
    return Plan(
        replace(spec, name=name, seed=seed, **_tournament_times(spec.agents, agents, controls(names, agents))),
        current_folder,
        sprt=sprt,
    )


def _tournament_times(
    specs: Sequence[str], agents: Sequence[Agent], controls: Sequence[TimeControl]
) -> dict[str, object]:
    """Return the keys `time` and `odds` of a tournament file; `odds` has the agents whose time control differs."""
    from tournaments.spec import TimeSettings

    odds = dict(zip(specs, controls, strict=True))
    if any(odds[spec] != control for spec, control in zip(specs, controls, strict=True)):
        raise UserError(
            "An agent that plays against itself cannot have two different time controls.",
            "Copy the agent to a file with another name, or use one time control.",
        )
    return {
        "time": TimeSettings.from_time_control(controls[0]),
        "odds": {
            spec: TimeSettings.from_time_control(odds[spec])
            for spec, agent in zip(specs, agents, strict=True)
            if agent.own_time_control is not None or odds[spec] != controls[0]
        },
    }
