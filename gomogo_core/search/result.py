"""The result of a search.

Needs no method of search.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from gomogo_core.games.base import Game, Move

_LINE = 12  # moves of a variation in a report


class ScoredLine(NamedTuple):
    """A value, from the mover's view, and the moves that lead to it."""

    value: float
    variation: tuple[Move, ...]


class PositionAnalysis(NamedTuple):
    """The best moves of a position at one moment of a search.

    lines: each with a different first move, the best first. depth, nodes, seconds: as in SearchResult. values: of more
    moves, if the search knows them: from the mover's view, in the unit of the lines' values. lead: the value of a clear
    lead, in that unit.
    """

    lines: tuple[ScoredLine, ...]
    depth: int
    nodes: int
    seconds: float
    values: Mapping[Move, float] = MappingProxyType({})
    lead: float = 1.0


class SearchResult(NamedTuple):
    """The chosen move, and the reasons for it.

    value: from the mover's view; `plies_to_end(value)` tells whether it is a certain win or loss. depth: fully searched
    plies. nodes: positions visited. variation: the principal variation, with this move first. seconds: time taken.
    shares: the share of the search for some moves, if that measures their quality. compared: positions compared in
    bulk, in addition to those visited.
    """

    move: Move
    value: float
    depth: int
    nodes: int
    variation: tuple[Move, ...]
    seconds: float
    shares: tuple[tuple[Move, float], ...] = ()
    compared: int = 0

    def analysis(self, game: Game) -> dict[str, Any]:
        """Return the values that an agent reports by `AgentClock.tell`."""
        return {
            "score": round(self.value, 3),
            "line": [game.format(move) for move in self.variation[:_LINE]],
            "values": {game.format(move): share for move, share in self.shares},
        }
