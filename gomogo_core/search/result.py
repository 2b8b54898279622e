"""What a search found.

Knows no method of search.
"""

from __future__ import annotations

from typing import NamedTuple

from gomogo_core.games.base import Move


class Found(NamedTuple):
    """A value, from the view of the one to move, and the moves that lead to it."""

    value: float
    variation: tuple[Move, ...]


class Result(NamedTuple):
    """A move and what it rests on.

    value: from the mover's view; `plies_to_end(value)` says when it is a certain win or loss. depth: plies searched in
    full. nodes: positions evaluated. variation: the principal variation, this move first. seconds: time taken.
    """

    move: Move
    value: float
    depth: int
    nodes: int
    variation: tuple[Move, ...]
    seconds: float
