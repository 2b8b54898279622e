"""Dots and Boxes in a search: owned and capturable boxes, and the edges to search.

The module uses positions and their chains (search/boxes/), but no method of search.

With two players, a player takes all capturable boxes at once, except the end of a chain, which it may hand out instead.
Of the edges of one chain the search tries only one, since the opponent gets the whole chain in any case: E. Berlekamp,
J. Conway and R. Guy, Winning Ways for your Mathematical Plays (1982), ch. 16. With more players, the value of handing
boxes out depends on the next player, so the search tries every edge that captures.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from gomogo_core.games.base import Move, Position
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.search.boxes.board import BoxesGeometry, geometry_of, one_bit_masks
from gomogo_core.search.boxes.chains import find_captures, find_chains, give_away_edge
from gomogo_core.search.node import Node, PositionNode

CLEAR_LEAD = 2.0  # the value of a clear lead, in the unit of this evaluation


def node(position: Position) -> Node:
    """Return the node of `position`, as the root of a search."""
    assert isinstance(position, DotsAndBoxesPosition)
    return BoxesNode(position, evaluate)


def evaluate(position: Position) -> Sequence[float]:
    """Return the number of boxes of each seat; the boxes that the mover can capture now count as the mover's."""
    assert isinstance(position, DotsAndBoxesPosition)
    geometry = geometry_of(position.game.rows, position.game.cols)
    free_edge_mask = geometry.free_edge_mask(position.drawn)
    scores: list[float] = [*position.scores]
    if degree_one := geometry.boxes_by_degree(free_edge_mask)[0]:
        scores[position.to_move - 1] += find_captures(geometry, free_edge_mask, degree_one).boxes
    return scores


class BoxesNode(PositionNode):
    """A position of Dots and Boxes in a search."""

    __slots__ = ()
    position: DotsAndBoxesPosition

    def moves(self) -> Sequence[Move]:
        """Return the edges that capture a box; else the safe edges, and then an edge of each chain, shortest first."""
        game = self.position.game
        geometry = geometry_of(game.rows, game.cols)
        free_edge_mask = geometry.free_edge_mask(self.position.drawn)
        edges = candidate_edges(geometry, free_edge_mask, two_players=game.players == 2)
        edge_by_bit = dict(zip(geometry.edges, game.edges, strict=True))
        return [edge_by_bit[edge] for edge in edges]

    def moves_in_game_order(self) -> Sequence[Move]:
        """Return every undrawn edge."""
        return tuple(self.position.moves())

    def child_after(self, move: Move) -> BoxesNode:
        """Return the node after `move`."""
        return BoxesNode(self.position.play(move), self.evaluation, self.ply + 1)

    def key(self) -> Hashable:
        """Return a key with the edges, the player to move and the scores; the owners of the boxes do not matter."""
        position = self.position
        return position.drawn, position.to_move, position.scores, position.departed

    def describe_move(self, move: Move) -> str | None:
        """Describe the boxes that the move takes, or return None."""
        return self.position.describe_effect(move) or None


def candidate_edges(geometry: BoxesGeometry, free_edge_mask: int, *, two_players: bool) -> list[int]:
    """Return edges as bits of `geometry`, the most promising first; one of them is a best move."""
    degree_one, degree_two, degree_many = geometry.boxes_by_degree(free_edge_mask)
    if degree_one and two_players:
        captures_now = find_captures(geometry, free_edge_mask, degree_one)
        return [edge for edge in (captures_now.next_edge, captures_now.hand_out_edge) if edge]
    if degree_one:
        capturing_edges = [free_edge_mask & geometry.sides[box] for box in one_bit_masks(degree_one)]
        return list(dict.fromkeys([*capturing_edges, *one_bit_masks(free_edge_mask)]))
    shortest_first = sorted(find_chains(geometry, free_edge_mask, degree_two))
    return [
        *one_bit_masks(geometry.safe_edges(free_edge_mask, degree_many)),
        *(give_away_edge(geometry, chain) for chain in shortest_first),
    ]
