"""Playouts of Dots and Boxes: players take boxes, draw safe edges in random order, and then give chains away.

Edges are numbered as in games/dots_and_boxes.py. Players choose their edges from a random order, as beginners do.
"""

from __future__ import annotations

from gomogo_core.games.base import Move, Seat
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition, Edge
from gomogo_core.search.node import Node, PositionNode
from gomogo_core.search.playouts import Playout, RandomNumber, rewards_of_scores

RAVE = False  # an edge that closes a box later may give a box away now


def run_playout(node: Node, random_number: RandomNumber) -> Playout:
    """Draw all edges: first edges that close boxes, then safe edges, then edges that give boxes away."""
    assert isinstance(node, PositionNode)
    assert isinstance(node.position, DotsAndBoxesPosition)
    return _PlayoutBoard(node.position).play(random_number)


class _PlayoutBoard:
    """The edges of a board during a playout. `sides` is the number of drawn sides of each box."""

    def __init__(self, position: DotsAndBoxesPosition) -> None:
        self.position, self.game = position, position.game
        self.drawn, self.seat, self.scores = position.drawn, position.to_move, list(position.scores)
        self.sides = [(self.drawn & box).bit_count() for box in self.game.boxes]
        self.moves: list[tuple[Seat, Move]] = []

    def play(self, random_number: RandomNumber) -> Playout:
        edge_effects, sides = self.game.edge_effects, self.sides
        for number, count in enumerate(sides):
            if count == 3:
                self._take_box(number)
        edges_left = [edge for i, edge in enumerate(self.game.edges) if not self.drawn >> i & 1]
        for i in range(len(edges_left) - 1, 0, -1):
            j = int(random_number() * (i + 1))
            edges_left[i], edges_left[j] = edges_left[j], edges_left[i]
        unsafe_edges = []
        for edge in edges_left:  # an edge that is not safe now will never be safe
            for _, box in edge_effects[edge][1]:
                if sides[box] > 1:
                    unsafe_edges.append(edge)
                    break
            else:
                self._draw(edge)
                self._pass_turn()
        for edge in unsafe_edges:
            if not self.drawn & edge_effects[edge][0]:
                boxes = self._draw(edge)
                self._pass_turn()
                for box in boxes:
                    self._take_box(box)
        is_present = [seat not in self.position.departed for seat in range(1, len(self.scores) + 1)]
        return Playout(rewards_of_scores(self.scores, is_present), self.moves)

    def _draw(self, edge: Edge) -> list[int]:
        """Draw an edge, and return the boxes that now lack only one side."""
        mask, boxes = self.game.edge_effects[edge]
        self.drawn |= mask
        self.moves.append((self.seat, edge))
        takeable_boxes = []
        for _, box in boxes:
            self.sides[box] += 1
            if self.sides[box] == 4:
                self.scores[self.seat - 1] += 1
            elif self.sides[box] == 3:
                takeable_boxes.append(box)
        return takeable_boxes

    def _take_box(self, box: int) -> None:
        """Close `box`, and then one after the other each box that the edge just drawn leaves with one open side."""
        while self.sides[box] == 3:
            open_side = self.game.boxes[box] & ~self.drawn
            takeable_boxes = self._draw(self.game.edges[open_side.bit_length() - 1])
            if not takeable_boxes:
                break
            box = takeable_boxes[0]

    def _pass_turn(self) -> None:
        """Pass the turn to the next seat that has not left."""
        self.seat = self.seat % len(self.scores) + 1
        while self.seat in self.position.departed:
            self.seat = self.seat % len(self.scores) + 1
