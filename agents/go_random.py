"""Plays any legal move that does not fill an eye of its own, and passes if there is none.

python agents/go_random.py TEAM

Two eyes make stones safe forever, and a player who fills them loses the stones. gomogo_core/search/go/eyes.py defines
eyes. With this one rule, even random games end with areas that can be counted.
"""

from __future__ import annotations

import _path  # noqa: F401  (lets the file run from a clone without installation)

from gomogo_core.agent import AgentClock
from gomogo_core.games.base import Move
from gomogo_core.games.stones.rules import GoFamilyPosition
from gomogo_core.search.go.passing import random_harmless_move

GAMES = ("go", "capture_go", "robogo")
KEEP_RUNNING = True  # one process may play many games: no state survives a game


def choose(position: GoFamilyPosition, clock: AgentClock) -> Move:
    """Return any legal move except into own eyes."""
    return random_harmless_move(position)


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
