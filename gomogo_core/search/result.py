"""The result of a search.

The module depends on no method of search.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from gomogo_core.games.base import Game, Move
from gomogo_core.games.boards import Place
from gomogo_core.search.node import advantage, plies_to_end

_PERCENT = 50  # percentage points of win chance per unit of advantage
_DEVIATION_OF_ONE_PLAYOUT = 2.5
_MAX_ESTIMATE = 0.9999  # the largest advantage that is not certain
_MAX_REPORTED_LINE = 12  # the largest number of moves of a variation in a report


def playout_deviation(count: float, advantage: float = 0.0, clear_lead: float = 1.0) -> float:
    """Return the standard deviation of the advantage in Go between searches of `count` playouts with different seeds.

    It is larger than the error of the playouts alone, because the trees differ: docs/why/searching.md has the
    measurement. advantage: the advantage that the search found, from -1 to 1. clear_lead: the value of a clear lead; if
    it is less than 1, the value also has the expected lead, which raises the deviation.
    """
    scale = min(1.0, clear_lead)
    limited = max(-_MAX_ESTIMATE, min(advantage, _MAX_ESTIMATE))
    of_playouts = math.tanh(scale * math.atanh(limited))  # the share of won playouts minus that of lost ones
    slope = (2 - scale) / scale * (1 - limited**2) / (1 - of_playouts**2)
    return slope * _DEVIATION_OF_ONE_PLAYOUT / math.sqrt(count)


class ScoredLine(NamedTuple):
    """A value, from the mover's view, and the moves that lead to it."""

    value: float
    variation: tuple[Move, ...]


class ExpectedEnd(NamedTuple):
    """The expected end of a game of points: means over the playouts of a search, or the end with perfect play.

    lead: the first player's lead in points, komi included. error: the standard error of the lead. owners: the owner of
    each place, from 1 for the first player to -1 for the second; empty for the end of perfect play.
    """

    lead: float
    error: float
    owners: Mapping[Place, float]


class PositionAnalysis(NamedTuple):
    """The best moves of a position at one moment of a search.

    `lines` have different first moves, the best first. `depth`, `nodes` and `seconds` mean the same as in SearchResult.
    `move_values` maps each evaluated move to its value, and may contain more moves than `lines`. All values are for the
    mover and in the same unit. `clear_lead` is the value of a clear lead in that unit. `has_ranked_lines` tells whether
    the order of `lines` is more reliable than their values, as in a search by playouts, in which a move with few
    playouts may have a high value by chance. `expected_end` is None if the search does not report it. `leads` maps
    moves to the first player's expected or proved lead in points after them, komi included; it is empty if the search
    does not report it. `playouts` maps moves to the numbers of playouts that began with them; it is empty for a search
    without playouts. `reasons` maps some moves to the reasons for them, each as the end of a sentence that begins with
    the move. `missed_captures` are sentences on captures that the first line misses, or does not prevent.
    """

    lines: tuple[ScoredLine, ...]
    depth: int
    nodes: int
    seconds: float
    move_values: Mapping[Move, float] = MappingProxyType({})
    clear_lead: float = 1.0
    has_ranked_lines: bool = False
    expected_end: ExpectedEnd | None = None
    leads: Mapping[Move, float] = MappingProxyType({})
    playouts: Mapping[Move, int] = MappingProxyType({})
    reasons: Mapping[Move, str] = MappingProxyType({})
    missed_captures: tuple[str, ...] = ()

    def is_uncertain(self, line: ScoredLine) -> bool:
        """Return whether the value of a line is mostly chance, because its first move has few playouts."""
        return self.has_ranked_lines and line.variation[0] not in self.move_values and plies_to_end(line.value) is None

    def shown_lead(self, seat: int) -> float:
        """Return the first player's expected lead in points for users; 0 if the game is about even, or if no lead is
        known.

        seat: the player to move. The mean lead includes the playouts of bad moves and those after a lost fight. So the
        lead and the win chance of the first line can favour different players. Then neither of them determines the
        leader, and the game counts as about even. It also counts as about even if the lead is smaller than its standard
        error.
        """
        if (end := self.expected_end) is None or abs(end.lead) < end.error:
            return 0.0
        return self.consistent_lead(end.lead, self.lines[0].value, seat)

    def consistent_lead(self, lead: float, value: float, seat: int) -> float:
        """Return the first player's `lead` if the win chance favours the same player, else 0.

        value: the value of the same line for `seat`, the player to move. At a chance of 50 % no lead is known.
        """
        advantage_in_percent = round(_PERCENT * advantage(value, self.clear_lead))
        return lead if advantage_in_percent * (lead if seat == 1 else -lead) > 0 else 0.0


class SearchResult(NamedTuple):
    """The chosen move with its value, and the statistics of the search.

    `value` is for the mover; `plies_to_end(value)` tells whether it is a certain win or loss. `depth` is the number of
    fully searched plies, and `nodes` the number of visited positions. `variation` is the principal variation, which
    begins with `move`. In a tree search, `shares` holds some moves with their shares of the visits.
    `unvisited_positions` counts positions that a node compared all at once without a visit. `earlier_value` is the
    value at the depth before, or the evaluation if there was none; None for a search without depths.
    """

    move: Move
    value: float
    depth: int
    nodes: int
    variation: tuple[Move, ...]
    seconds: float
    shares: tuple[tuple[Move, float], ...] = ()
    unvisited_positions: int = 0
    earlier_value: float | None = None

    def analysis(self, game: Game) -> dict[str, Any]:
        """Return the analysis that an agent reports by `AgentClock.tell`."""
        return {
            "score": round(self.value, 3),
            "line": [game.format(move) for move in self.variation[:_MAX_REPORTED_LINE]],
            "values": {game.format(move): share for move, share in self.shares},
        }
