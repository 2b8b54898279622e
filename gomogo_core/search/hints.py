"""A good move for a human, with a sentence about its effect.

The module uses positions and results of searches, but no user interface.
"""

from __future__ import annotations

from typing import NamedTuple

from gomogo_core.games.base import Move, Position
from gomogo_core.search.evaluation import node_of
from gomogo_core.search.node import plies_to_end
from gomogo_core.search.result import SearchResult


class Hint(NamedTuple):
    """A move, and the reason for it: the rest of a sentence that begins with the move."""

    move: Move
    why: str


def hint_from(position: Position, result: SearchResult) -> Hint:
    """Return the hint for a position whose search had this result."""
    does = node_of(position).describe_move(result.move)
    return Hint(result.move, f"{does} and {_outlook_words(result)}" if does else _outlook_words(result))


def _outlook_words(result: SearchResult) -> str:
    plies = plies_to_end(result.value)
    if plies is None:
        return f"looks best after a search {result.depth} moves deep" if result.depth else "looks best"
    if result.value > 0:
        return "wins" if plies <= 1 else f"wins in {plies} moves"
    return f"holds out longest: the game is lost in {plies} moves"
