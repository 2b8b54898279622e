"""Go, Capture Go and Robogo played on: any legal point but the own eyes, each as likely; a pass where there is none.

Knows positions of boards of stones. B. Bouzy and B. Helmstetter, Monte-Carlo Go Developments, Advances in Computer
Games 10 (2004): players who leave their eyes alone come to an end, and to areas that can be counted.
"""

from __future__ import annotations

from collections.abc import Sequence

from gomogo_core.games._board import Board
from gomogo_core.games._stones import PASS, StonesPosition
from gomogo_core.games.base import IllegalMove, Move, Seat
from gomogo_core.search.evaluation import counted
from gomogo_core.search.go.eyes import eyes, is_eye
from gomogo_core.search.node import Evaluation, Node, PositionNode
from gomogo_core.search.playouts import Chance, Playout, judged, rewards

LONGEST = 4  # times as many moves as the board has points; few games need more than two


class Usual:
    """The mean of black's margins at the end of the playouts of one search, as far as they went."""

    __slots__ = ("mean", "number")

    def __init__(self) -> None:
        self.mean, self.number = 0.0, 0

    def note(self, margin: float) -> None:
        """Count one more."""
        self.number += 1
        self.mean += (margin - self.mean) / self.number


class StonesNode(PositionNode):
    """A position in the tree: whoever is to move leaves their own eyes alone, and passes last.

    usual: the same for all nodes of a tree.
    """

    __slots__ = ("usual",)
    position: StonesPosition

    def __init__(self, position: StonesPosition, evaluation: Evaluation, ply: int = 0, usual: Usual | None = None):
        super().__init__(position, evaluation, ply)
        self.usual = Usual() if usual is None else usual

    def moves(self) -> Sequence[Move]:
        """Every legal point but the own eyes, then PASS; any legal move where that leaves none."""
        position = self.position
        points = position.game.plane.listed(position.legal & ~eyes(position.board, position.to_move))
        found: list[Move] = [*points, *([PASS] if position.game.passing else [])]
        return found or tuple(position.moves())

    def play(self, move: Move) -> StonesNode:
        """The node after `move`."""
        return type(self)(self.position.play(move), self.evaluation, self.ply + 1, self.usual)


def node(position: StonesPosition) -> Node:
    """The node of `position`, as the root of a tree."""
    return StonesNode(position, counted)


def play_out(node: Node, chance: Chance) -> Playout:
    """Play on to the end, and see who won."""
    assert isinstance(node, StonesNode)
    end, moves = play_on(node.position, chance)
    outcome = end.outcome()
    if outcome is None:  # it went on and on
        return Playout(judged(counted(end)), moves)
    if outcome.scores is not None:
        return Playout(rewards(outcome.scores), moves)
    first = 0.5 if outcome.winner is None else float(outcome.winner == 1)
    return Playout((first, 1 - first), moves)


def play_on(position: StonesPosition, chance: Chance) -> tuple[StonesPosition, list[tuple[Seat, Move]]]:
    """The position at the end of a random game from `position`, and its moves."""
    plane, moves = position.game.plane, list[tuple[Seat, Move]]()
    points, around, most = plane.points, plane.around, LONGEST * plane.grid.area
    free = list(plane.places(position.board.empty))
    known = position.game.captures and not position.game.suicide  # that a stone without liberties is refused
    while position.outcome() is None and len(moves) < most:
        mover, board = position.to_move, position.board
        own, other, empty, left = board.stones(mover), board.stones(3 - mover), board.empty, len(free)
        while left:
            k = int(chance() * left)
            i = free[k]
            near = around[i]
            if near & empty or not (is_eye(plane, own, other, i) or (known and no_liberty(board, own, i))):
                move: Move = points[i]
                try:
                    position = position.play(move)
                except IllegalMove:
                    pass
                else:
                    free[k] = free[-1]
                    free.pop()
                    if position.board.taken:
                        free.extend(plane.places(position.board.taken))
                    elif position.board.lost:
                        free.extend(plane.places(position.board.lost))
                    break
            left -= 1  # not this turn: it goes behind those that are still to be tried
            free[k], free[left] = free[left], i
        else:
            move = PASS if position.game.passing else next(position.moves())
            position = position.play(move)
            if move is not PASS:
                free = list(plane.places(position.board.empty))
        moves.append((mover, move))
    return position, moves


def no_liberty(board: Board, own: int, i: int) -> bool:
    """Whether a stone on the place `i`, which has no empty neighbour, would take nothing and have no liberty.

    own: the mask of the stones of its colour. To ask costs less than to be refused.
    """
    bit, ids, chains = board.plane.bits[i], board.ids, board.chains
    for j in board.plane.neighbours[i]:
        stones, liberties, _ = chains[ids[j]]
        if (liberties != bit) if stones & own else (liberties == bit):
            return False
    return True
