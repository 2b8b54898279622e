"""Take-Away: a heap of matches; each takes one to three, and the last one wins. It has no board.

Known: a heap of a multiple of four is lost for the player to move.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import ClassVar

from gomogo_core.games.base import BadDiagram, Game, IllegalMove, Move, NotAMove, Outcome, Position, Reason, option


class TakeAway(Game):
    """Players take one, two or three matches in turn; the player who takes the last one wins."""

    name: ClassVar[str] = "take_away"

    matches: int = option(12, "matches in the heap", low=1, high=40)

    def start(self) -> TakeAwayPosition:
        """Return the whole heap."""
        return TakeAwayPosition(self, self.matches, 1)

    def parse(self, text: str) -> Move:
        """Parse a number of matches. Raises NotAMove."""
        word = text.strip()
        if word not in ("1", "2", "3"):
            raise NotAMove(text, "write 1, 2 or 3")
        return int(word)

    def format(self, move: Move) -> str:
        """Return the number."""
        return str(move)

    def from_diagram(self, text: str) -> TakeAwayPosition:
        """Parse a diagram. Raises BadDiagram."""
        heap, _, seat = text.strip().rpartition("\nto move: seat ")
        if seat not in ("1", "2") or set(heap) - set("|,") or heap.count("|") > self.matches:
            raise BadDiagram("The diagram shows no heap.", "Write a | for each match, then `to move: seat 1`.")
        return TakeAwayPosition(self, heap.count("|"), int(seat))


class TakeAwayPosition(Position):
    """A number of matches, and whose turn it is."""

    __slots__ = ("game", "left", "to_move")
    game: TakeAway

    def __init__(self, game: TakeAway, pebbles_left: int, to_move: int) -> None:
        self.game, self.left, self.to_move = game, pebbles_left, to_move

    def key(self) -> Hashable:
        """The matches, and whose turn it is."""
        return self.left, self.to_move

    def moves(self) -> Iterator[Move]:
        """Yield one to three, at most the number of matches."""
        yield from range(1, min(3, self.left) + 1)

    def why_illegal(self, move: Move) -> str | None:
        """Return the rule that forbids `move`, or None."""
        if not self.left:
            return "the game is over"
        if type(move) is not int or not 1 <= move <= 3:
            return f"{move} is not a number from 1 to 3"
        return None if move <= self.left else f"only {self.left} are left"

    def play(self, move: Move) -> TakeAwayPosition:
        """Return the position after `move`. Raises IllegalMove."""
        if problem := self.why_illegal(move):
            raise IllegalMove(problem)
        assert isinstance(move, int)
        return TakeAwayPosition(self.game, self.left - move, 3 - self.to_move)

    def outcome(self) -> Outcome | None:
        """Return the player who took the last match, or None."""
        return None if self.left else Outcome.won_by(3 - self.to_move, Reason.NO_MOVE, "the last match")

    def rows(self) -> tuple[str, ...]:
        """Return the matches, then commas in place of removed matches."""
        return ("|" * self.left + "," * (self.game.matches - self.left),)

    def diagram(self) -> str:
        """Return the heap, then the player to move."""
        return f"{self.rows()[0]}\nto move: seat {self.to_move}"


GAME = TakeAway
