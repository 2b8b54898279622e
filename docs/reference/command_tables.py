"""Writes the tables of options in commands.md, from the definitions of the options.

Run it after a change of an option: python docs/reference/command_tables.py. A test fails if the tables are out of date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click

from gomogo.cli import gomogo
from gomogo.one_game import game_test, referee

PAGE = Path(__file__).with_name("commands.md")
_HEAD = "| option | value | meaning |\n|---|---|---|\n"
_SECTION = re.compile(r"^### `(.*?)`\n.*?(?=^#{1,3} |\Z)", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(r"^\| option \|.*\n(?:\|.*\n)*", re.MULTILINE)


def _leaf_commands(group: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(group, click.Group):
        yield name, group
        return
    context = click.Context(group)
    for inner in group.list_commands(context):
        command = group.get_command(context, inner)
        assert command is not None
        yield from _leaf_commands(command, f"{name} {inner}")


def commands() -> dict[str, click.Command]:
    """Return all commands without subcommands, by their names on the command line, such as "gomogo agent new"."""
    return dict(_leaf_commands(gomogo, "gomogo")) | {"referee.py": referee, "gameTest.py": game_test}


def table(command: click.Command) -> str:
    """Return the Markdown table of a command's options; empty if it has none."""
    rows = [_row(option) for option in command.params if isinstance(option, click.Option)]
    return _HEAD + "".join(rows) if rows else ""


def _row(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in sorted([*option.opts, *option.secondary_opts], key=len))
    help_text = option.help or ""
    if option.show_default and not option.is_flag and option.default is not None:
        default = option.default
        help_text += f" Default: {default:g}." if isinstance(default, float) else f" Default: {default}."
    return f"| {names} | {_value(option)} | {help_text.replace('|', chr(92) + '|')} |\n"


def _value(option: click.Option) -> str:
    if option.is_flag:
        return ""
    if option.metavar:
        values = option.metavar.split("|")
    elif isinstance(option.type, click.Choice):
        values = [str(choice) for choice in option.type.choices]
    else:
        values = ["TEXT" if option.type is click.STRING else "N"]
    *first, last = values
    return f"{', '.join(first)} or {last}" if first else last


def with_current_tables(page: str) -> str:
    """Return the text of the page with up-to-date tables. A section without a table does not get one."""
    known = commands()
    return _SECTION.sub(lambda section: _TABLE.sub(lambda _: table(known[section[1]]), section[0], count=1), page)


if __name__ == "__main__":
    PAGE.write_text(with_current_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
