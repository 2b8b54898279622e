"""A position in a search: its moves and its value.

The module does not depend on a particular game or method of search. PositionNode wraps any Position with an evaluation;
a game that needs speed has its own class of nodes (evaluation/gomoku.py).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple, TypeAlias

from gomogo_core.games.base import Move, Outcome, Position, Seat

# the value of a win at the root; each ply to the win subtracts 1, so the shortest win is the best
WIN_VALUE = 1_000_000
# A value above this number is a certain win, and a value below its negative a certain loss. Evaluations are between.
CERTAIN_THRESHOLD = WIN_VALUE - 10_000
INFINITY = 2 * WIN_VALUE

Evaluation: TypeAlias = Callable[[Position], Sequence[float]]  # returns a value for each seat in an unfinished game


class BestChild(NamedTuple):
    """The best of a node's children, found without playing them one by one.

    `value` is for the mover: exact between alpha and beta, else a bound beyond them. `move` is the best move if the
    value is exact, else None. `compared_count` is the number of children that were compared.
    """

    value: float
    move: Move | None
    compared_count: int

    def better_child(self, value: float, move: Move, compared_count: int) -> BestChild:
        """Return the better of this child and the child after `move`, as the best of `compared_count` children."""
        return BestChild(*max((self.value, self.move), (value, move), key=lambda child: child[0]), compared_count)


class Node(ABC):
    """A position in a search. Nodes are immutable: `child_after` returns a new node.

    `to_move` is the seat to move; seats do not alternate in every game. `ply` is the number of moves from the root.
    `is_over` tells whether the game has ended.
    """

    __slots__ = ()

    to_move: Seat
    ply: int
    is_over: bool

    @abstractmethod
    def moves(self) -> Sequence[Move]:
        """Return the moves to search, the most promising first; one of the best moves is among them."""

    def moves_in_game_order(self) -> Sequence[Move]:
        """Return the moves in the game's own order, including those that `moves` leaves out as useless."""
        return self.moves()

    def sensible_moves(self) -> Sequence[Move] | None:
        """Return the moves that can make sense; None if the game has no senseless moves."""
        return None

    @abstractmethod
    def child_after(self, move: Move) -> Node:
        """Return the node after `move`, which must be legal."""

    @abstractmethod
    def value(self) -> float:
        """Return the static value for the mover in a game for two: the evaluation, or the result after the end."""

    @abstractmethod
    def values_by_seat(self) -> tuple[float, ...]:
        """Return the value for each player, by seat."""

    @abstractmethod
    def key(self) -> Hashable:
        """Return a key for transposition tables: equal positions have equal keys, whatever moves led to them."""

    @abstractmethod
    def certain_value(self) -> float | None:
        """Return the value if it is certain, because the game is over or a forced win is visible; else None."""

    def best_child(self, alpha: float, beta: float) -> BestChild | None:
        """Return the best child, if the node finds it faster than by playing each move; else None."""
        return None

    def forcing_moves(self) -> Sequence[Move]:
        """Return the moves that leave the opponent a single answer; empty if there are none."""
        return ()

    def only_move(self) -> Move | None:
        """Return the only move that does not lose at once, if the node can tell without search; else None."""
        return None

    def defences(self) -> Sequence[Move] | None:
        """Return every move that may prevent the opponent's threatened win, the best first; None if there is no threat.

        A win is threatened if it would follow within a few plies.
        """
        return None

    def describe_move(self, move: Move) -> str | None:
        """Describe the effect of `move` in a few words ("blocks a four"); return None if there is nothing to say."""
        return None


def win_in(ply: int) -> float:
    """Return the value of a win at `ply`."""
    return WIN_VALUE - ply


def plies_to_end(value: float) -> int | None:
    """Return the number of plies from the root to the game's end if `value` is a certain win or loss, else None."""
    return round(WIN_VALUE - abs(value)) if abs(value) > CERTAIN_THRESHOLD else None


def advantage(value: float, clear_lead: float) -> float:
    """Return a value as a number from -1, a certain loss, to 1, a certain win.

    clear_lead: the scale of `value`. A position with the value `clear_lead` is won in about 73 of 100 games.
    """
    return math.copysign(1.0, value) if abs(value) > CERTAIN_THRESHOLD else math.tanh(value / (2 * clear_lead))


class PositionNode(Node):
    """A node that wraps a position of any game, with an evaluation."""

    __slots__ = ("_outcome", "evaluation", "is_over", "ply", "position", "to_move")

    def __init__(self, position: Position, evaluation: Evaluation, ply: int = 0) -> None:
        self.position = position
        self.evaluation = evaluation
        self.ply = ply
        self.to_move = position.to_move
        self._outcome = position.outcome()
        self.is_over = self._outcome is not None

    def moves(self) -> Sequence[Move]:
        """Return every legal move, in the game's order."""
        return tuple(self.position.moves())

    def child_after(self, move: Move) -> PositionNode:
        """Return the node after `move`."""
        return PositionNode(self.position.play(move), self.evaluation, self.ply + 1)

    def value(self) -> float:
        """Return the mover's value minus the opponent's, or the result of a finished game."""
        values = self.values_by_seat()
        own_value = values[self.to_move - 1]
        return own_value if self.is_over else own_value - (sum(values) - own_value) / (len(values) - 1)

    def values_by_seat(self) -> tuple[float, ...]:
        """Return the evaluation for each seat, or the result."""
        if self._outcome is not None:
            return result_values(self._outcome, self.ply)
        return tuple(self.evaluation(self.position))

    def certain_value(self) -> float | None:
        """Return the result of a finished game; else None."""
        return self.value() if self.is_over else None

    def key(self) -> Hashable:
        """Return the game's own key, and the player to move."""
        return self.position.key(), self.to_move


def result_values(outcome: Outcome, ply: int) -> tuple[float, ...]:
    """Return the value of a finished game by seat: `win_in(ply)` for the winner, its negative for the last seat, 0 for
    a draw.

    With three or more seats, the value of a middle rank depends on the numbers of seats above and below it.
    """
    ranks = outcome.ranks
    beaten = (sum((other_rank > rank) - (other_rank < rank) for other_rank in ranks) for rank in ranks)
    return tuple(win_in(ply) * balance / max(1, len(ranks) - 1) for balance in beaten)
