"""A group of subcommands whose help shows whole sentences as their descriptions, which click would shorten."""

from __future__ import annotations

import click


class CommandGroup(click.Group):
    """A group of subcommands whose help shows the whole first sentence of each subcommand's help."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the name and the description of each subcommand."""
        commands = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        lines = [(name, command.get_short_help_str(limit=10_000)) for name, command in commands if command is not None]
        with formatter.section("Commands"):
            formatter.write_dl(lines)
