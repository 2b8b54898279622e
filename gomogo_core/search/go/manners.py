"""What every sensible player of stones keeps to: it leaves its own eyes alone, and passes where a pass wins.

Knows positions of Go, Capture Go and Robogo.
"""

from __future__ import annotations

import random

from gomogo_core.games._stones import PASS, StonesPosition
from gomogo_core.games.base import Move
from gomogo_core.search.go.eyes import eyes


def harmless(position: StonesPosition) -> int:
    """The mask of the points where the mover may place a stone and fills no eye of its own."""
    return position.legal & ~eyes(position.board, position.to_move)


def any_harmless(position: StonesPosition, among: int = -1) -> Move:
    """A random move that fills no eye of the mover's; PASS when there is none, any legal one where none may pass.

    among: the mask of the points to choose from.
    """
    points = harmless(position) & among
    if not points:
        if position.game.passing:
            return PASS
        points = position.legal
    return random.choice(position.game.plane.listed(points))


def wins_by_passing(position: StonesPosition) -> bool:
    """Whether a pass ends the game now, and wins it."""
    if not position.game.passing:
        return False
    outcome = position.play(PASS).outcome()
    return outcome is not None and outcome.winner == position.to_move
