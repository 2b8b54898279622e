"""A position in a search: its moves and its value.

Needs no particular game, and no method of search. There are two kinds: PositionNode wraps any Position with an
evaluation; a game that needs speed has its own class (evaluation/gomoku.py).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple, TypeAlias

from gomogo_core.games.base import Move, Outcome, Position, Seat

WIN = 1_000_000  # a win at the root; each ply further away costs 1, so the shortest win is the best
CERTAIN = WIN - 10_000  # values beyond it are wins, below its negative losses: evaluations must stay within
INFINITY = 2 * WIN

Evaluation: TypeAlias = Callable[[Position], Sequence[float]]  # a value for each seat, in an unfinished game


class BestChild(NamedTuple):
    """The best of a node's children, found without playing them one by one.

    value: from the mover's view, exact between alpha and beta, else a bound beyond them. move: the best move, if exact.
    compared: the number of children compared with the bounds.
    """

    value: float
    move: Move | None
    compared: int


class Node(ABC):
    """A position in a search. Immutable: `play` returns a new one.

    to_move: the seat to move; seats do not alternate in every game. ply: moves from the root. over: whether the game
    has ended.
    """

    __slots__ = ()

    to_move: Seat
    ply: int
    over: bool

    @abstractmethod
    def moves(self) -> Sequence[Move]:
        """Return the moves worth a look, the likely best first. No move left out is better than all of these."""

    def natural_moves(self) -> Sequence[Move]:
        """Return the same moves and those that `moves` proved useless, in the game's own order."""
        return self.moves()

    @abstractmethod
    def play(self, move: Move) -> Node:
        """Return the node after `move`, which must be legal."""

    @abstractmethod
    def value(self) -> float:
        """Return the value for the mover, against one opponent, without looking further."""

    @abstractmethod
    def values(self) -> tuple[float, ...]:
        """Return the value for each seat."""

    @abstractmethod
    def key(self) -> Hashable:
        """Return a value that is equal for equal positions, whatever moves led there; for transposition tables."""

    @abstractmethod
    def verdict(self) -> float | None:
        """Return the value if it is certain, because the game is over or the position shows a forced win; else None."""

    def best_child(self, alpha: float, beta: float) -> BestChild | None:
        """Return the best child, if the node finds it faster than by playing each move; else None."""
        return None

    def forcing_moves(self) -> Sequence[Move]:
        """Return the moves that leave the opponent a single answer, or none."""
        return ()

    def only_move(self) -> Move | None:
        """Return the only move that does not lose at once, if the position shows it; else None."""
        return None

    def defences(self) -> Sequence[Move] | None:
        """Return every move that may prevent a threatened win in few plies, best first; None without a threat."""
        return None

    def describe_move(self, move: Move) -> str | None:
        """Describe the effect of `move` in a few words ("blocks a four"), or return None."""
        return None


def win_in(ply: int) -> float:
    """Return the value of a win at `ply`."""
    return WIN - ply


def plies_to_end(value: float, ply: int = 0) -> int | None:
    """Return the number of plies from `ply` to the end, if `value` is a certain win or loss."""
    return round(WIN - abs(value)) - ply if abs(value) > CERTAIN else None


class PositionNode(Node):
    """Any game's position, with an evaluation."""

    __slots__ = ("_outcome", "evaluation", "over", "ply", "position", "to_move")

    def __init__(self, position: Position, evaluation: Evaluation, ply: int = 0) -> None:
        self.position = position
        self.evaluation = evaluation
        self.ply = ply
        self.to_move = position.to_move
        self._outcome = position.outcome()
        self.over = self._outcome is not None

    def moves(self) -> Sequence[Move]:
        """Return every legal move, in the game's order."""
        return tuple(self.position.moves())

    def play(self, move: Move) -> PositionNode:
        """Return the node after `move`."""
        return PositionNode(self.position.play(move), self.evaluation, self.ply + 1)

    def value(self) -> float:
        """Return the mover's value minus the opponent's, or the result of a finished game."""
        values = self.values()
        mine = values[self.to_move - 1]
        return mine if self.over else mine - (sum(values) - mine) / (len(values) - 1)

    def values(self) -> tuple[float, ...]:
        """Return the evaluation for each seat, or the result."""
        if self._outcome is not None:
            return result_values(self._outcome, self.ply)
        return tuple(self.evaluation(self.position))

    def verdict(self) -> float | None:
        """Return the result of a finished game; else None."""
        return self.value() if self.over else None

    def key(self) -> Hashable:
        """Return the game's own key, and the player to move."""
        return self.position.key(), self.to_move


def result_values(outcome: Outcome, ply: int) -> tuple[float, ...]:
    """Return the value of a game's end for each seat: `win_in(ply)` for a sole win, its negative for last, 0 for a tie.

    With more seats, a place between is worth the share of the others behind it.
    """
    ranks = outcome.ranks
    beaten = (sum((other > rank) - (other < rank) for other in ranks) for rank in ranks)
    return tuple(win_in(ply) * balance / max(1, len(ranks) - 1) for balance in beaten)
