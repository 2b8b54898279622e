"""A group of commands whose help shows whole sentences, where click would cut them short.

Defines no command.
"""

from __future__ import annotations

import click


class CommandGroup(click.Group):
    """A group of commands whose list shows the whole first sentence of each help text."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a line or more for each command."""
        commands = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        lines = [(name, found.get_short_help_str(limit=10_000)) for name, found in commands if found is not None]
        with formatter.section("Commands"):
            formatter.write_dl(lines)
