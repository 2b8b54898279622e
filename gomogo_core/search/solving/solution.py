"""The solution of a position.

The module depends on no method of solving.
"""

from __future__ import annotations

from typing import NamedTuple

from gomogo_core.games.base import Move


class Solution(NamedTuple):
    """The result of perfect play from a position.

    `value` is 1 if the first player wins, 0 for a draw, -1 if the second player wins. If `is_margin` is true, `value`
    is the first player's final score minus the second's instead. `plies` is the number of moves to the end if the
    winner hurries and the loser delays. It is None for a draw, for a margin, and if only the winner is proved.
    `best_moves` holds every best move: the quickest wins or the slowest losses. If `plies` is None, it holds all moves
    that keep the value. In Dots and Boxes, `margin_from_here` is the margin of the boxes that are still open; in other
    games it is None. `nodes` counts the visited positions, and `seconds` is the duration of the proof. `undecided`
    holds the moves that are not proved to keep or to lose the value.
    """

    value: float
    plies: int | None
    best_moves: tuple[Move, ...]
    is_margin: bool = False
    margin_from_here: float | None = None
    nodes: int = 0
    seconds: float = 0.0
    undecided: tuple[Move, ...] = ()
