"""The command `gomogo engine`: offer an agent as an engine for Piskvork, Sabaki, GoGui and other programs.

The module reads and writes lines; `gomogo_core.engine_servers` answers them.
"""

from __future__ import annotations

import sys

import click

from gomogo import complete
from gomogo.options import game_options
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game

_MAX_LINE_LENGTH = 4096  # characters


@click.command(short_help="Make an agent an engine for Piskvork, Sabaki, GoGui.")
@click.argument("agent", shell_complete=complete.agents)
@click.option("--protocol", type=click.Choice(["gomocup", "gtp"]), required=True, help="Protocol of the other program.")
@game_options("agent", {"size": 15})
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(min=0.01),
    default=5.0,
    show_default=True,
    help="Seconds per move until the other program sets a time.",
)
def command(agent: str, protocol: str, game: Game, seconds: float) -> None:
    """Run AGENT as an engine that answers commands on standard input and output.

    Enter this command line in Piskvork, Sabaki or GoGui. With gtp, the rules are those of --game until the other
    program sets board size and komi.
    """
    from gomogo_core import catalogue
    from gomogo_core.engine_servers.gomocup import GomocupServer
    from gomogo_core.engine_servers.gtp import GtpServer
    from gomogo_core.engine_servers.move_provider import MoveProvider
    from gomogo_core.play.clock import TimeControl

    player = catalogue.agent(agent)
    name = "gomoku" if protocol == "gomocup" else game.name
    if player.is_human:
        raise UserError("A human cannot be an engine.", "Name a program: `gomogo list agents` shows ours.")
    if not player.plays(name):
        raise UserError(f"{agent} does not play {name}.", f"Choose --game: it plays {', '.join(player.games)}.")
    default_control = player.time_control(TimeControl(per_move=seconds))
    with MoveProvider(player) as move_provider:
        server = (
            GomocupServer(move_provider, default_control)
            if protocol == "gomocup"
            else GtpServer(move_provider, game, default_control)
        )
        while line := _read_line():
            if (answer := server.answer(line)) is not None:
                sys.stdout.write(answer)
                sys.stdout.flush()
            if server.is_over:
                return


def _read_line() -> str:
    """Return the next line, cut to the maximum length; empty at the end of the input."""
    line = sys.stdin.readline(_MAX_LINE_LENGTH)
    if line and not line.endswith("\n"):
        while (line_part := sys.stdin.readline(_MAX_LINE_LENGTH)) and not line_part.endswith("\n"):
            pass
    return line
