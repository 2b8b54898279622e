"""A group of commands whose help says each in a whole sentence, where click would break off after some words.

Knows no command.
"""

from __future__ import annotations

import click


class CommandGroup(click.Group):
    """A group of commands, listed by the whole first sentences of what they do."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a line or more for each command."""
        commands = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        lines = [(name, found.get_short_help_str(limit=10_000)) for name, found in commands if found is not None]
        with formatter.section("Commands"):
            formatter.write_dl(lines)
