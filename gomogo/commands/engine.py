"""Make an agent an engine for Piskvork, Sabaki, GoGui and other programs.

Handles standard input and output; `gomogo_core.engine_servers` answers.
"""

from __future__ import annotations

import sys

import click

from gomogo import complete
from gomogo.options import game_options
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game

_MOST = 4096  # characters of a line that are read


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
    """Let AGENT answer the commands of another program, on standard input and output.

    Name the command line in Piskvork, Sabaki or GoGui. With gtp it begins with the game of --game; the board's size
    and komi are the other program's to set.
    """
    from gomogo_core import catalogue
    from gomogo_core.engine_servers.gomocup import GomocupServer
    from gomogo_core.engine_servers.gtp import GtpServer
    from gomogo_core.engine_servers.thinker import Thinker
    from gomogo_core.play.clock import TimeControl

    player = catalogue.agent(agent)
    name = "gomoku" if protocol == "gomocup" else game.name
    if player.is_human:
        raise UserError("A human cannot be an engine.", "Name a program: `gomogo list agents` shows ours.")
    if not player.plays(name):
        raise UserError(f"{agent} does not play {name}.", f"Choose --game: it plays {', '.join(player.games)}.")
    usual = player.time_control(TimeControl(per_move=seconds))
    with Thinker(player) as thinker:
        server = GomocupServer(thinker, usual) if protocol == "gomocup" else GtpServer(thinker, game, usual)
        while line := _read_line():
            if (said := server.answer(line)) is not None:
                sys.stdout.write(said)
                sys.stdout.flush()
            if server.is_over:
                return


def _read_line() -> str:
    """Return the next line, cut if it is longer than any command; empty at the end of the input."""
    line = sys.stdin.readline(_MOST)
    if line and not line.endswith("\n"):
        while (rest := sys.stdin.readline(_MOST)) and not rest.endswith("\n"):
            pass
    return line
