"""Dots and Boxes as the search sees it: boxes had and boxes to be had, and which edges are worth a look.

Knows positions and their chains (search/boxes/), no method of search.

With two players what can be captured is taken at once, but for the end of a chain, which may be handed out instead; and
of the edges of one chain a single one is tried, since the other gets all of it whichever is drawn: E. Berlekamp, J.
Conway and R. Guy, Winning Ways for your Mathematical Plays (1982), ch. 16. Among more than two it depends on who comes
next what handing out is worth: there every edge that captures is looked at.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from gomogo_core.games.base import Move, Position
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.search.boxes.board import Board, bits, board
from gomogo_core.search.boxes.strings import captures, chains, given_away
from gomogo_core.search.node import Node, PositionNode


def node(position: Position, ply: int = 0) -> Node:
    """The node of `position`, `ply` plies from the root."""
    assert isinstance(position, DotsAndBoxesPosition)
    return BoxesNode(position, evaluate, ply)


def evaluate(position: Position) -> Sequence[float]:
    """The boxes of each seat, and to the mover's those that can be captured now."""
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
        """Captures; else safe edges; then the shortest chains to give away."""
        game = self.position.game
        geometry = board(game.rows, game.cols)
        free = geometry.free(self.position.drawn)
        found = worth_a_look(geometry, free, two_players=game.players == 2)
        named = dict(zip(geometry.edges, game.edges, strict=True))
        return [named[edge] for edge in found]

    def natural_moves(self) -> Sequence[Move]:
        """Every undrawn edge."""
        return tuple(self.position.moves())

    def play(self, move: Move) -> BoxesNode:
        """The node after `move`."""
        return BoxesNode(self.position.play(move), self.evaluation, self.ply + 1)

    def key(self) -> Hashable:
        """The edges, whose turn it is, and how many boxes each has: whose each is does not matter any more."""
        position = self.position
        return position.drawn, position.to_move, position.scores, position.away

    def why(self, move: Move) -> str | None:
        """What the move takes."""
        return self.position.told(move) or None


def worth_a_look(geometry: Board, free: int, *, two_players: bool) -> list[int]:
    """The edges of which one is the best, as bits of `geometry`, the likely first."""
    one, two, more = geometry.degrees(free)
    if one and two_players:
        what = captures(geometry, free, one)
        return [what.take, what.hand_out] if what.hand_out else [what.take]
    if one:
        taking = [free & geometry.sides[box] for box in bits(one)]
        return [*dict.fromkeys(taking), *(edge for edge in bits(free) if edge not in taking)]
    shortest_first = sorted(chains(geometry, free, two))
    return [*bits(geometry.safe(free, more)), *(given_away(geometry, chain) for chain in shortest_first)]
