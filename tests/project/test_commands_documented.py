"""Every command says what it does, in its help and in docs/reference/commands.md."""

from __future__ import annotations

import re

import click
import pytest
from click.testing import CliRunner

from docs.reference import command_tables
from gomogo.cli import gomogo
from tests.project._pages import read_page

PAGE = "docs/reference/commands.md"


COMMANDS = command_tables.commands()
SECTIONS = dict(re.findall(r"^#{2,3} `(.*?)`\n(.*?)(?=^#{1,3} |\Z)", read_page(PAGE), re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_help_text(name: str) -> None:
    command = COMMANDS[name]
    output = CliRunner().invoke(command, ["--help"])
    assert output.exit_code == 0
    assert command.help, f"{name} has no docstring"
    assert re.fullmatch(r"[A-Z].*[.:;,]", command.help.splitlines()[0]), f"{name}: its first line is no sentence"
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, f"{name} does not say what {option.opts[-1]} does"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_reference_lists_every_option_of_a_command(name: str) -> None:
    assert name in SECTIONS, f"{PAGE} has no heading ### `{name}`"
    written = set(re.findall(r"`(--?[\w-]+)", SECTIONS[name]))
    option_names = {text for option in COMMANDS[name].params for text in (*option.opts, *option.secondary_opts)}
    option_names = {text for text in option_names if text.startswith("-")}
    assert option_names <= written, f"{PAGE} does not name {option_names - written} of {name}"
    assert written <= option_names | {"--help", "-h"}, (
        f"{PAGE} names {written - option_names}, which {name} does not have"
    )


def test_the_tables_of_options_are_up_to_date() -> None:
    page = read_page(PAGE)
    assert command_tables.with_current_tables(page) == page, "run python docs/reference/command_tables.py"


def test_the_reference_lists_exactly_the_commands() -> None:
    assert set(SECTIONS) == set(COMMANDS)


def test_the_first_help_names_every_command() -> None:
    output = CliRunner().invoke(gomogo, ["--help"]).stdout
    for name in COMMANDS:
        if name.startswith("gomogo "):
            assert re.search(rf"^  {re.escape(name.split()[1])}  +\w", output, re.MULTILINE), name
