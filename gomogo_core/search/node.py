"""A position as the search sees it: what may be played, and what it is worth.

Knows no particular game, and no method of search. Two kinds: PositionNode makes one of any Position and an
evaluation; a game that wants speed brings its own (evaluation/gomoku.py).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple, TypeAlias

from gomogo_core.games.base import Move, Outcome, Position, Seat

WIN = 1_000_000  # a game won at the root; each ply further away it is worth 1 less, so the shortest win is the best
CERTAIN = WIN - 10_000  # a value beyond this is a win, or below its negative a loss: evaluations must stay within
INFINITY = 2 * WIN

Evaluation: TypeAlias = Callable[[Position], Sequence[float]]  # what each seat has, by seat, in an unfinished game


class Reply(NamedTuple):
    """The best of a node's children, found without playing them one by one.

    value: from the mover's view, exact between alpha and beta, else a bound beyond them. move: where it is exact.
    evaluated: how many children were.
    """

    value: float
    move: Move | None
    evaluated: int


class Node(ABC):
    """A position in a search. Immutable: `play` gives another one.

    to_move: the seat whose move it is; not every game's seats take turns. ply: moves from the root.
    over: whether the game has ended.
    """

    __slots__ = ()

    to_move: Seat
    ply: int
    over: bool

    @abstractmethod
    def moves(self) -> Sequence[Move]:
        """The moves worth a look, the likely best first. None of those left out is better than all of these."""

    def natural_moves(self) -> Sequence[Move]:
        """The same moves and all that `moves` could prove useless, in the game's own order."""
        return self.moves()

    @abstractmethod
    def play(self, move: Move) -> Node:
        """The node after `move`, which must be legal."""

    @abstractmethod
    def value(self) -> float:
        """What the position is worth to the one to move, against one opponent, without looking further."""

    @abstractmethod
    def values(self) -> tuple[float, ...]:
        """What the position is worth to each seat."""

    @abstractmethod
    def key(self) -> Hashable:
        """What makes two positions the same for a transposition table, whatever the moves that led there."""

    @abstractmethod
    def verdict(self) -> float | None:
        """The value where it is certain: the game is over, or the position shows a forced win; else None."""

    def best_child(self, alpha: float, beta: float) -> Reply | None:
        """The best child's value, where the node can tell it faster than by playing each move; else None."""
        return None

    def forcing_moves(self) -> Sequence[Move]:
        """The moves that leave the opponent a single answer, or none."""
        return ()

    def only_move(self) -> Move | None:
        """The one move that does not lose at once, where the position shows that; else None."""
        return None

    def defences(self) -> Sequence[Move] | None:
        """Where the opponent threatens to win in few plies: every move that may prevent it, best first; else None."""
        return None

    def why(self, move: Move) -> str | None:
        """A few words on what `move` does ("blocks a four"), or None where there is nothing to say."""
        return None


def win_in(ply: int) -> float:
    """The value of a game won `ply` plies from the root."""
    return WIN - ply


def plies_to_end(value: float, ply: int = 0) -> int | None:
    """How many plies the winner needs from `ply`, if `value` is a certain win or loss."""
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
        """Every legal move, in the game's order."""
        return tuple(self.position.moves())

    def play(self, move: Move) -> PositionNode:
        """The node after `move`."""
        return PositionNode(self.position.play(move), self.evaluation, self.ply + 1)

    def value(self) -> float:
        """What the mover has less what the opponent has; a finished game's own result."""
        values = self.values()
        mine = values[self.to_move - 1]
        return mine if self.over else mine - (sum(values) - mine) / (len(values) - 1)

    def values(self) -> tuple[float, ...]:
        """What the evaluation says of each seat, or the result."""
        if self._outcome is not None:
            return result_values(self._outcome, self.ply)
        return tuple(self.evaluation(self.position))

    def verdict(self) -> float | None:
        """The result, once there is one."""
        return self.value() if self.over else None

    def key(self) -> Hashable:
        """The game's own key, and who is to move."""
        return self.position.key(), self.to_move


def result_values(outcome: Outcome, ply: int) -> tuple[float, ...]:
    """What the end of a game is worth to each seat: a win alone `win_in(ply)`, the last place its negative, a tie 0.

    With more seats a place between is worth the share of the others it leaves behind.
    """
    ranks = outcome.ranks
    beaten = (sum((other > rank) - (other < rank) for other in ranks) for rank in ranks)
    return tuple(win_in(ply) * balance / max(1, len(ranks) - 1) for balance in beaten)
