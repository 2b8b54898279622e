"""A good move for a human, with a sentence about its effect and the chance to win.

The module uses positions and results of searches, but no user interface.
"""

from __future__ import annotations

from typing import NamedTuple

from gomogo_core.analysis.move_explanations import describe_effects
from gomogo_core.games.base import Move, Position
from gomogo_core.search.node import advantage, plies_to_end


class Hint(NamedTuple):
    """A move, and the reason for it: the rest of a sentence that begins with the move."""

    move: Move
    why: str


def hint_from(position: Position, move: Move, value: float, lead: float) -> Hint:
    """Return the hint for a position.

    move: the best move. value: its value, for the mover. lead: the value of a clear lead, in the same unit.
    """
    effects = describe_effects(position, move)
    if (plies := plies_to_end(value)) is None:
        chance = round(50 + 50 * advantage(value, lead))
        # a search cannot be certain without a proof
        return Hint(move, f"{effects}; your chance to win is about {min(max(chance, 1), 99)} %")
    if value < 0:
        return Hint(move, f"{effects} and holds out longest: the game is lost in {plies} moves")
    return Hint(move, f"{effects} and wins{'' if plies <= 1 else f' in {plies} moves'}")
