"""Plays any legal move that does not fill an eye of its own, and passes when there is none.

    python agents/go_random.py TEAM

Two eyes keep stones alive for ever, and who fills them loses them. An eye is what gomogo_core/search/go/eyes.py takes
for one. With this one rule even random games come to an end with areas to count.
"""

from __future__ import annotations

import _path  # noqa: F401  (lets the file run from a clone that is not installed)

from gomogo_core.games._stones import StonesPosition
from gomogo_core.games.base import Move
from gomogo_core.search.go.manners import any_harmless
from gomogo_core.wire.agent_clock import AgentClock

GAMES = ("go", "capture_go", "robogo")
KEEP_RUNNING = True  # one process may play many games: nothing of a game that is over is kept


def choose(position: StonesPosition, clock: AgentClock) -> Move:
    """Any legal move but into its own eyes."""
    return any_harmless(position)


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
