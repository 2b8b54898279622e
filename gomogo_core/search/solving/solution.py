"""The solution of a position.

Needs no method of solving.
"""

from __future__ import annotations

from typing import NamedTuple

from gomogo_core.games.base import Move


class Solution(NamedTuple):
    """The result of perfect play from a position.

    value: 1 if the first player wins, 0 for a draw, -1 if the second player wins. In games with scores `margin` is set:
    the first player's final score minus the second's. plies: the length of the game, in which the winner hurries and
    the loser delays; None for a draw, for a margin, and if only the winner is proved. best: every best move of the
    mover: the quickest wins or the slowest losses, or without plies all that keep the value; none after the end.
    from_here: the part of a margin that is still open, if players keep points once won (boxes); else None. nodes:
    positions visited. seconds: time taken. undecided: moves that are not proved to keep or lose the value.
    """

    value: float
    plies: int | None
    best: tuple[Move, ...]
    margin: bool = False
    from_here: float | None = None
    nodes: int = 0
    seconds: float = 0.0
    undecided: tuple[Move, ...] = ()
