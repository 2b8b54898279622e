"""A good move for a human, with a sentence about its effect.

Knows positions and search; no user interface.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import NamedTuple

from gomogo_core.games.base import Move, Position
from gomogo_core.search import iterative_deepening
from gomogo_core.search.evaluation import node_of
from gomogo_core.search.limits import SearchLimits
from gomogo_core.search.node import plies_to_end
from gomogo_core.search.result import SearchResult


class Hint(NamedTuple):
    """A move, and a sentence with the reason, without the move's name."""

    move: Move
    why: str


def hint(position: Position, seconds: float, now: Callable[[], float] = monotonic) -> Hint:
    """Return the move to play, found in `seconds` at most. Raises ValueError if the game is over.

    >>> from gomogo_core import games
    >>> gomoku = games.load("gomoku")
    >>> move, why = hint(gomoku.replay("h8 a1 h9 a3 h7 a5 h6 a7".split()), 1.0)
    >>> gomoku.format(move), why
    ('h5', 'makes five in a row and wins')
    """
    result = iterative_deepening.search(position, SearchLimits(stop_at=now() + seconds, now=now))
    does = node_of(position).why(result.move)
    return Hint(result.move, f"{does} and {_outlook(result)}" if does else _outlook(result))


def _outlook(result: SearchResult) -> str:
    plies = plies_to_end(result.value)
    if plies is None:
        return f"looks best, read {result.depth} moves ahead" if result.depth else "looks best"
    if result.value > 0:
        return "wins" if plies <= 1 else f"wins in {plies} moves"
    return f"holds out longest: the game is lost in {plies} moves"
