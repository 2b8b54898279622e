"""The command `gomogo list`: list games, agents, levels, protocols or tournament formats.

Each game, agent, protocol and format describes itself.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any

import click

from gomogo import complete
from gomogo_core import catalogue, games
from gomogo_core.drawing.text import printable
from gomogo_core.errors import UserError
from gomogo_core.levels import levels_of_game
from gomogo_core.protocols import protocols_by_name

ListEntry = dict[str, Any]


@click.command(short_help="List games, agents, levels, protocols or formats.")
@click.argument("kind", type=click.Choice(["games", "agents", "levels", "protocols", "formats"]))
@click.option("--game", metavar="G", help="List only entries for this game.", shell_complete=complete.games)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(kind: str, game: str | None, as_json: bool) -> None:
    """Print a line for each game (with its options), agent, level, protocol or tournament format."""
    if game is not None:
        games.rules(game)
    functions_by_kind: dict[str, Callable[[str | None], list[ListEntry]]] = {
        "games": _game_entries,
        "agents": _agent_entries,
        "levels": _level_entries,
        "protocols": _protocol_entries,
        "formats": _format_entries,
    }
    entries = functions_by_kind[kind](game)
    if as_json:
        click.echo(json.dumps({"schema": 1, kind: entries}, indent=2))
        return
    width = max(len(entry["name"]) for entry in entries) + 2
    for entry in entries:
        restriction = f" (only {', '.join(entry['games'])})" if entry.get("games") else ""
        click.echo(f"{entry['name']:<{width}}{printable(entry['about'])}{restriction}")
        for option in entry.get("options", ()):
            click.echo(
                f"  -o {option['name']}={str(option['default']).casefold()}  {_value_range(option)}: {option['about']}"
            )


def _game_entries(game_name: str | None) -> list[ListEntry]:
    return [
        {"name": name, "about": _first_doc_line(games.rules(name)), "options": _option_entries(name)}
        for name in games.names()
        if game_name in (None, name)
    ]


def _first_doc_line(documented_object: object) -> str:
    return (inspect.getdoc(documented_object) or "").partition("\n")[0]


def _option_entries(name: str) -> list[ListEntry]:
    defaults = games.load(name).options
    return [
        {
            "name": spec.name,
            "default": defaults[spec.name],
            "low": spec.low,
            "high": spec.high,
            "values": [True, False] if isinstance(defaults[spec.name], bool) else list(spec.choices),
            "about": spec.description,
        }
        for spec in games.rules(name).declared_options
    ]


def _value_range(option: ListEntry) -> str:
    """Describe the values of an option: "5 to 26", "0 or more", "none, swap or swap2"."""
    if option["values"]:
        values_text = [str(value).casefold() for value in option["values"]]
        return f"{', '.join(values_text[:-1])} or {values_text[-1]}"
    if option["high"] is not None:
        return f"{option['low']} to {option['high']}"
    return "any number" if option["low"] is None else f"{option['low']} or more"


def _agent_entries(game_name: str | None) -> list[ListEntry]:
    entries = [_agent_entry(name) for name in catalogue.agents()]
    return [entry for entry in entries if game_name is None or not entry["games"] or game_name in entry["games"]]


def _agent_entry(name: str) -> ListEntry:
    try:
        agent = catalogue.agent(name)
    except UserError as error:  # an agent that cannot be loaded is listed with the error
        return {"name": name, "about": error.problem, "games": []}
    return {"name": name, "about": agent.summary, "games": list(agent.games)}


def _level_entries(game_name: str | None) -> list[ListEntry]:
    return [
        {
            "name": f"{game} {level.number}",
            "about": f"{level.title}: {level.description} Agent: {level.spec}, {level.seconds:g} s a move",
            "game": game,
            "level": level.number,
            "title": level.title,
            "agent": level.spec,
            "seconds": level.seconds,
            "description": level.description,
        }
        for game in games.names()
        if game_name in (None, game)
        for level in levels_of_game(game)
    ]


def _protocol_entries(_: str | None) -> list[ListEntry]:
    return [{"name": name, "about": protocol.summary} for name, protocol in protocols_by_name().items()]


def _format_entries(_: str | None) -> list[ListEntry]:
    from tournaments.formats import FORMATS

    return [{"name": name, "about": tournament_format.summary} for name, tournament_format in FORMATS.items()]
