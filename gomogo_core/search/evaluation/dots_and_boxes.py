"""Dots and Boxes in a search: owned and capturable boxes, and the edges worth a look.

Uses positions and their chains (search/boxes/), no method of search.

With two players, a player takes all capturable boxes at once, except the end of a chain, which it may hand out
instead. Of the edges of one chain the search tries only one, since the opponent gets the whole chain in any case: E.
Berlekamp, J. Conway and R. Guy, Winning Ways for your Mathematical Plays (1982), ch. 16. With more players, the value
of handing out depends on the next player: there the search tries every edge that captures.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from gomogo_core.games.base import Move, Position
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.search.boxes.board import BoxBits, bits, board
from gomogo_core.search.boxes.chains import captures, chains, give_away_edge
from gomogo_core.search.node import Node, PositionNode

LEAD = 2.0  # the value of a clear lead


def node(position: Position, ply: int = 0) -> Node:
    """Return the node of `position`, `ply` plies from the root."""
    assert isinstance(position, DotsAndBoxesPosition)
    return BoxesNode(position, evaluate, ply)


def evaluate(position: Position) -> Sequence[float]:
    """Return the boxes of each seat, including for the mover those that it can capture now."""
    assert isinstance(position, DotsAndBoxesPosition)
    geometry = board(position.game.rows, position.game.cols)
    free = geometry.free(position.drawn)
    scores: list[float] = [*position.scores]
    if one := geometry.degrees(free)[0]:
        scores[position.to_move - 1] += captures(geometry, free, one).boxes
    return scores


class BoxesNode(PositionNode):
    """A position of Dots and Boxes in a search."""

    __slots__ = ()
    position: DotsAndBoxesPosition

    def moves(self) -> Sequence[Move]:
        """Return captures; else safe edges; then the shortest chains to give away."""
        game = self.position.game
        geometry = board(game.rows, game.cols)
        free = geometry.free(self.position.drawn)
        found = candidate_edges(geometry, free, two_players=game.players == 2)
        named = dict(zip(geometry.edges, game.edges, strict=True))
        return [named[edge] for edge in found]

    def natural_moves(self) -> Sequence[Move]:
        """Return every undrawn edge."""
        return tuple(self.position.moves())

    def play(self, move: Move) -> BoxesNode:
        """Return the node after `move`."""
        return BoxesNode(self.position.play(move), self.evaluation, self.ply + 1)

    def key(self) -> Hashable:
        """Return the edges, the turn, and the number of boxes of each seat; their positions no longer matter."""
        position = self.position
        return position.drawn, position.to_move, position.scores, position.away

    def describe_move(self, move: Move) -> str | None:
        """Describe the captures of the move."""
        return self.position.describe_effect(move) or None


def candidate_edges(geometry: BoxBits, free: int, *, two_players: bool) -> list[int]:
    """Return edges, one of which is the best, as bits of `geometry`, the likely first."""
    one, two, more = geometry.degrees(free)
    if one and two_players:
        what = captures(geometry, free, one)
        return [what.take, what.hand_out] if what.hand_out else [what.take]
    if one:
        taking = [free & geometry.sides[box] for box in bits(one)]
        return [*dict.fromkeys(taking), *(edge for edge in bits(free) if edge not in taking)]
    shortest_first = sorted(chains(geometry, free, two))
    return [*bits(geometry.safe(free, more)), *(give_away_edge(geometry, chain) for chain in shortest_first)]
