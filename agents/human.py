"""You: asks at this terminal for each move, and helps until there is a legal one.

    python agents/human.py TEAM       beside a referee in the same folder
    gomogo play AGENT                 against one agent, with undo, save and a record of your games

The questions are those of `gomogo play`; what only it can do, taking back and saving, says so here.
"""

from __future__ import annotations

import _path  # noqa: F401  (lets the file run from a clone that is not installed)

from gomogo_core.drawing.text import picture
from gomogo_core.games.base import Game, Move, Position
from gomogo_core.protocols.terminal import Console, RefereedPerson
from gomogo_core.search import hint
from gomogo_core.wire.agent_clock import AgentClock

_person = RefereedPerson(Console(), picture, hint)


def prepare(game: Game) -> None:
    """Say that it is not our turn yet."""
    _person.wait()


def choose(position: Position, clock: AgentClock) -> Move:
    """Ask the person."""
    return _person.move(position, clock)


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
