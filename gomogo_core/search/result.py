"""What a search found.

Knows no method of search.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from gomogo_core.games.base import Game, Move

_LINE = 12  # moves of a variation that are told


class Found(NamedTuple):
    """A value, from the view of the one to move, and the moves that lead to it."""

    value: float
    variation: tuple[Move, ...]


class Result(NamedTuple):
    """A move and what it rests on.

    value: from the mover's view; `plies_to_end(value)` says when it is a certain win or loss. depth: plies searched in
    full. nodes: positions evaluated. variation: the principal variation, this move first. seconds: time taken. shares:
    how much of the search went to each of some moves, where that tells how good they are.
    """

    move: Move
    value: float
    depth: int
    nodes: int
    variation: tuple[Move, ...]
    seconds: float
    shares: tuple[tuple[Move, float], ...] = ()

    def said(self, game: Game) -> dict[str, Any]:
        """What an agent tells of it by `AgentClock.tell`."""
        return {
            "score": round(self.value, 3),
            "line": [game.format(move) for move in self.variation[:_LINE]],
            "values": {game.format(move): share for move, share in self.shares},
        }
