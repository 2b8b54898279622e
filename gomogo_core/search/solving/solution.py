"""What a solved position comes to.

Knows no method of solving.
"""

from __future__ import annotations

from typing import NamedTuple

from gomogo_core.games.base import Move


class Solution(NamedTuple):
    """What best play from a position leads to.

    value: 1, 0, -1 as the first player wins, nobody does, the second player wins; where the game counts scores,
    `margin` is set, and it is the first player's final score less the second's. plies: to that win, the winner hurrying
    and the loser holding out; None for a draw and for a margin. best: every best move of whoever is to move: of wins
    the quickest, of losses the latest; none once the game is over. from_here: what of a margin is still to be won,
    where points once won are kept (boxes); else None. nodes: positions looked at. seconds: time taken.
    """

    value: float
    plies: int | None
    best: tuple[Move, ...]
    margin: bool = False
    from_here: float | None = None
    nodes: int = 0
    seconds: float = 0.0
