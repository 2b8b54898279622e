"""Play a series between agents and say who is better.

Knows options; a match is a tournament of one pairing, planned and played by `tournaments`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gomogo.commands._options import (
    Controls,
    Workplace,
    game_options,
    log_option,
    store_option,
    time_options,
    workplace_options,
)
from gomogo.commands._sprt_words import SprtCommand
from gomogo_core.errors import UserError, there_are
from gomogo_core.games.base import Game
from gomogo_core.play.clock import TimeControl

if TYPE_CHECKING:
    from gomogo_core.catalogue import Agent
    from gomogo_core.records.store import Run
    from tournaments.plan import Plan
    from tournaments.spec import TournamentSpec
    from tournaments.sprt import Sprt

_GAMES = 20
_WRONG = 0.05  # how often either hypothesis may be accepted wrongly
_MOST_TESTED = 20_000  # games of a test: those that last longer ask for a difference too small to find


@click.command(cls=SprtCommand, short_help="Play a series between agents.")
@click.argument("agents", nargs=-1, required=True, metavar="AGENT AGENT ...")
@click.option("-n", "--games", type=click.IntRange(min=1), help="How many games, 20 if not given; with --sprt at most.")
@game_options("agents")
@time_options
@click.option("--openings", default="", metavar="random:N|FILE", help="Moves on the board before the agents think.")
@click.option("--openings-plies", type=click.IntRange(1, 1000), metavar="N", help="Take N moves of each line of FILE.")
@click.option("--seed", type=int, help="For openings and agents that draw lots; left out, another each time.")
@click.option(
    "--illegal",
    type=click.Choice(["forfeit", "retry"]),
    default="forfeit",
    show_default=True,
    help="What becomes of an illegal move: it loses, or it is refused while the clock runs on.",
)
@click.option("--max-moves", type=click.IntRange(min=1), metavar="N", help="After N moves a game is a draw.")
@click.option(
    "--agree",
    type=(click.FloatRange(min=0, min_open=True), click.IntRange(min=1)),
    metavar="SCORE MOVES",
    help="End a game once both report so large a score, of opposite signs, for so many moves in a row.",
)
@click.option(
    "--sprt", nargs=2, metavar="elo0=E elo1=E", help="Play until it is shown which of the two is true (normalized Elo)."
)
@click.option("--alpha", type=float, help=f"With --sprt: how often elo1 may be accepted wrongly; {_WRONG}.")
@click.option("--beta", type=float, help=f"With --sprt: how often elo0 may be accepted wrongly; {_WRONG}.")
@log_option
@workplace_options
@click.option("--name", help="What the match is called; one of that name goes on where it was.")
@click.option("--extend", is_flag=True, help="Let the match of that name ask for something else from now on.")
@click.option("--replay-doubtful", is_flag=True, help="Play games again that were lost on time on a busy machine.")
@click.option("--reasons", "by_reason", is_flag=True, help="Print by which reasons games were won, drawn and lost.")
@click.option("--json", "as_json", is_flag=True, help="Print the table as JSON.")
@store_option
def command(
    agents: Sequence[str],
    games: int | None,
    game: Game,
    controls: Controls,
    openings: str,
    openings_plies: int | None,
    seed: int | None,
    illegal: str,
    max_moves: int | None,
    agree: tuple[float, int] | None,
    sprt: tuple[str, str] | None,
    alpha: float | None,
    beta: float | None,
    log: Path | None,
    workplace: Workplace,
    name: str | None,
    extend: bool,
    replay_doubtful: bool,
    by_reason: bool,
    as_json: bool,
    store: str | None,
) -> None:
    """Play AGENT against AGENT; each has each seat equally often, from the same openings.

    With --sprt the match is a sequential test of the first agent against the second: it ends as soon as its pairs of
    games say which hypothesis is true. Every game is stored as it ends. A killed match goes on by the same command if
    it has a --name.
    """
    from gomogo.commands._run import play_run
    from gomogo_core.records.store import Store
    from tournaments.spec import convert

    if len(agents) != game.seats:
        raise UserError(
            f"{game.name} is for {game.seats} players, and {there_are(len(agents))}.", f"Name {game.seats} agents."
        )
    if sprt is None and (alpha is not None or beta is not None):
        raise UserError("--alpha and --beta are for --sprt.", "Write --sprt elo0=0 elo1=10 too, or leave them out.")
    if replay_doubtful and name is None:
        raise UserError("--replay-doubtful is for a match that was played before.", "Name it: --name NAME.")
    test = _test(sprt, alpha, beta, game) if sprt else None
    spec = convert(
        {
            "name": "match" if name is None else name,
            "game": game.name,
            "options": game.options,
            "agents": list(agents),
            "games_per_pair": games or (_MOST_TESTED if test else _GAMES),
            "openings": openings,
            "openings_plies": openings_plies,
            "illegal": illegal,
            "adjudicate": {"moves": max_moves, **_agreement(agree)},
        },
        "The match",
    )
    _planned(spec, controls, name, seed, ()).check()  # before a store is made
    with Store.open(store) as opened:
        plan = _planned(spec, controls, name, seed, opened.runs())
        added = "" if name else f" with --name {plan.spec.name} added"
        goes_on = f"The same command{added} goes on."
        play_run(
            plan,
            opened,
            workplace=workplace,
            live=opened.folder / "live",
            log=log,
            extend=extend,
            replay_doubtful=replay_doubtful,
            sprt=test,
            goes_on=goes_on,
            by_reason=by_reason,
            as_json=as_json,
        )


def _agreement(asked: tuple[float, int] | None) -> dict[str, float]:
    return {} if asked is None else {"score": asked[0], "agree": asked[1]}


def _test(words: tuple[str, str], alpha: float | None, beta: float | None, game: Game) -> Sprt:
    """The test that `elo0=0 elo1=10` asks for. Raises UserError."""
    from tournaments.sprt import Sprt

    given = dict(word.split("=", 1) for word in words if "=" in word)
    try:
        elo0, elo1 = float(given["elo0"]), float(given["elo1"])
    except (KeyError, ValueError):
        raise UserError(f"--sprt {' '.join(words)} names no two hypotheses.", "Write --sprt elo0=0 elo1=10.") from None
    if game.seats != 2:
        raise UserError(f"--sprt is for two players, and {game.seats} play.", "Leave it out.")
    return Sprt.of(elo0, elo1, _WRONG if alpha is None else alpha, _WRONG if beta is None else beta)


def _planned(
    spec: TournamentSpec,
    controls: Controls,
    name: str | None,
    seed: int | None,
    runs: Iterable[Run],
) -> Plan:
    """The match with its times, a name and a seed; both are those of the run that it goes on with, if it does."""
    from msgspec.structs import replace

    from tournaments.plan import Plan

    here = Path()
    agents = Plan(spec, here).agents
    names = Plan(spec, here).names
    known = {run.name: run for run in runs}
    if name is None:
        together = "-".join(names)[:70]
        name = next(n for i in range(1, len(known) + 2) if (n := f"{together}-{i}") not in known)
    if seed is None:
        seed = known[name].asked["seed"] if name in known else int.from_bytes(os.urandom(4))
    return Plan(replace(spec, name=name, seed=seed, **_times(spec.agents, agents, controls(names, agents))), here)


def _times(specs: Sequence[str], agents: Sequence[Agent], controls: Sequence[TimeControl]) -> dict[str, object]:
    """The times as a tournament says them: one for all, and odds for those that differ, or might by their own specs."""
    from tournaments.spec import Time

    odds = dict(zip(specs, controls, strict=True))
    if any(odds[spec] != control for spec, control in zip(specs, controls, strict=True)):
        raise UserError(
            "An agent that plays itself cannot have two different times.",
            "Copy it to a file of another name, or give both the same time.",
        )
    return {
        "time": Time.of(controls[0]),
        "odds": {
            spec: Time.of(odds[spec])
            for spec, agent in zip(specs, agents, strict=True)
            if agent.control is not None or odds[spec] != controls[0]
        },
    }
