"""You: the program asks at this terminal for each move, and explains the rules until the move is legal.

python agents/human.py TEAM

Start it beside a referee in the same folder. The dialogue is the same as in `gomogo play AGENT`, but only `gomogo play`
can take back moves and save games.
"""

from __future__ import annotations

import _path  # noqa: F401  (lets the file run from a clone without installation)

from gomogo_core.agent import AgentClock
from gomogo_core.drawing.text import picture
from gomogo_core.games.base import Game, Move, Position
from gomogo_core.session.terminal import Console, RefereedHuman

_human = RefereedHuman(Console(), picture)


def prepare(game: Game) -> None:
    """Print that it is not the human's turn yet."""
    _human.announce_waiting()


def choose(position: Position, clock: AgentClock) -> Move:
    """Ask the human for a move."""
    return _human.ask_for_move(position, clock)


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
