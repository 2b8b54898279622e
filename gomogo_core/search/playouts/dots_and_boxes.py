"""Dots and Boxes played on: boxes are taken, edges that give none away come next, in any order; then chains fall.

Knows masks of edges, as games/dots_and_boxes.py numbers them. A playout is a random order of the edges, from which the
moves are taken that any beginner would make.
"""

from __future__ import annotations

from gomogo_core.games.base import Move, Seat
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition, Edge
from gomogo_core.search.node import Node, PositionNode
from gomogo_core.search.playouts import Chance, Playout, rewards

RAVE = False  # an edge that closes a box later gives one away now


def play_out(node: Node, chance: Chance) -> Playout:
    """Draw the edges that are left: boxes first, then what is safe, then any, which gives boxes away."""
    assert isinstance(node, PositionNode)
    assert isinstance(node.position, DotsAndBoxesPosition)
    return _Drawing(node.position).play(chance)


class _Drawing:
    """The edges of a board as they are drawn. sides: of each box, how many are."""

    def __init__(self, position: DotsAndBoxesPosition) -> None:
        self.position, self.game = position, position.game
        self.drawn, self.seat, self.scores = position.drawn, position.to_move, list(position.scores)
        self.sides = [(self.drawn & box).bit_count() for box in self.game.boxes]
        self.moves: list[tuple[Seat, Move]] = []

    def play(self, chance: Chance) -> Playout:
        steps, sides = self.game.steps, self.sides
        for number, count in enumerate(sides):
            if count == 3:
                self._take(number)
        left = [edge for i, edge in enumerate(self.game.edges) if not self.drawn >> i & 1]
        for i in range(len(left) - 1, 0, -1):
            j = int(chance() * (i + 1))
            left[i], left[j] = left[j], left[i]
        unsafe = []
        for edge in left:  # what is not safe now never will be
            for _, box in steps[edge][1]:
                if sides[box] > 1:
                    unsafe.append(edge)
                    break
            else:
                self._draw(edge)
                self._next()
        for edge in unsafe:
            if not self.drawn & steps[edge][0]:
                boxes = self._draw(edge)
                self._next()
                for box in boxes:
                    self._take(box)
        there = [seat not in self.position.away for seat in range(1, len(self.scores) + 1)]
        return Playout(rewards(self.scores, there), self.moves)

    def _draw(self, edge: Edge) -> list[int]:
        """Draw an edge; the boxes that now want one side only."""
        mask, boxes = self.game.steps[edge]
        self.drawn |= mask
        self.moves.append((self.seat, edge))
        wanting = []
        for _, box in boxes:
            self.sides[box] += 1
            if self.sides[box] == 4:
                self.scores[self.seat - 1] += 1
            elif self.sides[box] == 3:
                wanting.append(box)
        return wanting

    def _take(self, box: int) -> None:
        """Close the box, and all that can be closed in turn."""
        while self.sides[box] == 3:
            open_side = self.game.boxes[box] & ~self.drawn
            following = self._draw(self.game.edges[open_side.bit_length() - 1])
            if not following:
                break
            box = following[0]

    def _next(self) -> None:
        """Pass the turn on, past those who left."""
        self.seat = self.seat % len(self.scores) + 1
        while self.seat in self.position.away:
            self.seat = self.seat % len(self.scores) + 1
