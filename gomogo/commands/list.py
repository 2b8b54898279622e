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
from gomogo_core.levels import levels
from gomogo_core.protocols import protocols

Entry = dict[str, Any]


@click.command(short_help="List games, agents, levels, protocols or formats.")
@click.argument("kind", type=click.Choice(["games", "agents", "levels", "protocols", "formats"]))
@click.option("--game", metavar="G", help="List only entries for this game.", shell_complete=complete.games)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(kind: str, game: str | None, as_json: bool) -> None:
    """Print a line for each game (with its options), agent, level, protocol or tournament format."""
    if game is not None:
        games.rules(game)
    kinds: dict[str, Callable[[str | None], list[Entry]]] = {
        "games": _game_entries,
        "agents": _agent_entries,
        "levels": _level_entries,
        "protocols": _protocol_entries,
        "formats": _format_entries,
    }
    entries = kinds[kind](game)
    if as_json:
        click.echo(json.dumps({"schema": 1, kind: entries}, indent=2))
        return
    width = max(len(entry["name"]) for entry in entries) + 2
    for entry in entries:
        only = f" (only {', '.join(entry['games'])})" if entry.get("games") else ""
        click.echo(f"{entry['name']:<{width}}{printable(entry['about'])}{only}")
        for option in entry.get("options", ()):
            click.echo(
                f"  -o {option['name']}={str(option['default']).casefold()}  {_value_range(option)}: {option['about']}"
            )


def _game_entries(only: str | None) -> list[Entry]:
    return [
        {"name": name, "about": _first_line(games.rules(name)), "options": _option_entries(name)}
        for name in games.names()
        if only in (None, name)
    ]


def _first_line(documented: object) -> str:
    return (inspect.getdoc(documented) or "").partition("\n")[0]


def _option_entries(name: str) -> list[Entry]:
    usual = games.load(name).options
    return [
        {
            "name": spec.name,
            "default": usual[spec.name],
            "low": spec.low,
            "high": spec.high,
            "values": [True, False] if isinstance(usual[spec.name], bool) else list(spec.choices),
            "about": spec.description,
        }
        for spec in games.rules(name).declared_options
    ]


def _value_range(option: Entry) -> str:
    """Describe the values of an option: "5 to 26", "0 or more", "none, swap or swap2"."""
    if option["values"]:
        words = [str(value).casefold() for value in option["values"]]
        return f"{', '.join(words[:-1])} or {words[-1]}"
    if option["high"] is not None:
        return f"{option['low']} to {option['high']}"
    return "any number" if option["low"] is None else f"{option['low']} or more"


def _agent_entries(game: str | None) -> list[Entry]:
    entries = [_agent_entry(name) for name in catalogue.agents()]
    return [entry for entry in entries if game is None or not entry["games"] or game in entry["games"]]


def _agent_entry(name: str) -> Entry:
    try:
        found = catalogue.agent(name)
    except UserError as broken:  # an agent that cannot be loaded is listed with the error
        return {"name": name, "about": broken.problem, "games": []}
    return {"name": name, "about": found.summary, "games": list(found.games)}


def _level_entries(only: str | None) -> list[Entry]:
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
        if only in (None, game)
        for level in levels(game)
    ]


def _protocol_entries(_: str | None) -> list[Entry]:
    return [{"name": name, "about": protocol.summary} for name, protocol in protocols().items()]


def _format_entries(_: str | None) -> list[Entry]:
    from tournaments.formats import FORMATS

    return [{"name": name, "about": form.summary} for name, form in FORMATS.items()]
