"""`gomogo list`: every entry, with a line about it."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from click.testing import Result

from gomogo_core import catalogue, games
from gomogo_core.protocols import protocols_by_name
from tests.project._tracked import house_agents
from tournaments.formats import FORMATS

Gomogo = Callable[..., Result]


def test_games_are_listed_with_their_options_ranges_and_defaults(run: Gomogo) -> None:
    lines = run("list", "games").stdout.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("gomoku "))
    assert lines[at].split(None, 1)[1].startswith("Players place stones on empty points in turn")
    assert lines[at + 1] == "  -o size=15  5 to 26: points along each side"
    assert lines[at + 3] == "  -o exact=false  true or false: a longer row does not win"
    assert lines[at + 5] == "  -o opening=none  none, takeover, swap or swap2: rule for the first stones"


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("games", games.names()),
        ("agents", catalogue.agents()),
        ("protocols", tuple(protocols_by_name())),
        ("formats", tuple(FORMATS)),
    ],
)
def test_every_entry_is_listed_with_a_description(kind: str, names: tuple[str, ...], run: Gomogo) -> None:
    entries = json.loads(run("list", kind, "--json").stdout)[kind]
    assert tuple(entry["name"] for entry in entries) == names
    assert all(entry["about"] for entry in entries if kind != "agents" or entry["name"] in house_agents())
    lines = run("list", kind).stdout
    for entry in entries:
        assert f"{entry['name']} " in lines
        assert entry["about"] in lines


def test_json_lists_the_values_of_an_option(run: Gomogo) -> None:
    listed = json.loads(run("list", "games", "--json").stdout)["games"]
    options = next(game["options"] for game in listed if game["name"] == "gomoku")
    size, _, exact, _, opening = options
    assert (size["default"], size["low"], size["high"]) == (15, 5, 26)
    assert (exact["default"], exact["values"]) == (False, [True, False])
    assert opening["values"] == ["none", "takeover", "swap", "swap2"]


def test_an_unknown_list_is_a_usage_error(run: Gomogo) -> None:
    assert run("list", "gamse").exit_code == 2
