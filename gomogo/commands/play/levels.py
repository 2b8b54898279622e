"""The option --level of `gomogo play`: finds the level to play, and adds its agents as opponents.

The module uses the levels and the store of results. It prints nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from gomogo_core import levels
from gomogo_core.catalogue import Agent, agent
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game
from gomogo_core.level_names import (
    STRONGEST,
    WEAKEST,
    level_of_player,
    level_player_name,
    level_title,
    parse_level_number,
)
from gomogo_core.levels import Level
from gomogo_core.play.clock import TimeControl

if TYPE_CHECKING:
    from gomogo_core.records.store import Store

AUTO = "auto"


def read_level(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Return the value of --level, as AUTO or the number of a level. Raises a usage error if it is not a level."""
    if value is None or value.casefold() == AUTO:
        return value and AUTO
    number = parse_level_number(value)
    if number is None:
        names = ", ".join(map(level_title, range(WEAKEST, STRONGEST + 1)))
        raise click.BadParameter(
            f"{value!r} is not a level: choose {WEAKEST} to {STRONGEST}, one of {names}, or {AUTO}."
        )
    return str(number)


def current_level(requested: str, game: Game, store: Store | None) -> tuple[Level, str]:
    """Return the level to play, and a sentence about it. store: the store with the human's results, which only the
    level "auto" needs; or None.
    """
    if requested != AUTO:
        level = levels.levels_of_game(game.name)[int(requested) - 1]
        return level, f"{level.label}: {level.description}"
    if store is None:
        return levels.advised_level(game.name, ())
    from gomogo_core.records.level_results import local_user_results

    return levels.advised_level(game.name, local_user_results(store, game.name))


def add_level_opponents(human_specs: Sequence[str], game: Game, level: Level) -> tuple[Agent, ...]:
    """Return the humans, or one human if none is named, and opponents of a level for the other seats.

    human_specs: the specs of the humans. Raises UserError for a spec that is not a human, or if no seat is free.
    """
    humans = [agent(spec) for spec in human_specs or ("human",)]
    for human in humans:
        if not human.is_human:
            raise UserError(
                f"--level already chooses the opponent, but the command also names {human.spec}.",
                "Leave out --level, or the agent.",
            )
    free_seats = game.seats - len(humans)
    if free_seats < 1:
        raise UserError(
            f"{game.name} is for {game.seats} players, so no seat is free for the opponent of --level.",
            "Name fewer players, or leave out --level.",
        )
    return (*humans, *[level.opponent()] * free_seats)


def restore_level_name(agent: Agent, name: str) -> Agent:
    """Return an agent of a saved game. name: the player's name in that game. If it is the name of a level, the agent
    gets it, so that the game counts for the level.
    """
    number = level_of_player(name)
    return agent if number is None else replace(agent, name=level_player_name(number))


def level_time_control(game: Game, name: str, control: TimeControl) -> TimeControl:
    """Return the time control of the player with this name. A level has a time per move of its own; all other players
    have `control`.
    """
    number = level_of_player(name)
    return (
        control if number is None else replace(control, per_move=levels.levels_of_game(game.name)[number - 1].seconds)
    )
