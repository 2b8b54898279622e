"""The ko rules: which boards may not come back, and since when.

Knows boards; not what ends a game. `simple`: not the board before the opponent's move. `positional`: no earlier board.
`situational`: no earlier board with the same player to move. Boards are compared whole, not by hashes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gomogo_core.games._board import BLACK, WHITE, Board
from gomogo_core.games._grid import Point


class Past(NamedTuple):
    """All boards of a game so far, for the superko rules.

    origin: the board that the game, or this part of it, began with. colour: who moved first from there. number: of the
    moves before it. moves: those since, None for a pass. signs: of all boards so far (see `sign`); blacks, whites: how
    many stones of each colour stand on them, each count a character. A move adds one stone to its own colour: of that
    many there are few, and a search in a string finds them at once.
    """

    situational: bool
    origin: Board
    colour: int
    number: int
    moves: tuple[Point | None, ...]
    signs: tuple[int, ...]
    blacks: str
    whites: str

    @staticmethod
    def since(origin: Board, colour: int, number: int, *, situational: bool) -> Past:
        """The past of which nothing is known before `origin`."""
        none = Past(situational, origin, colour, number, (), (), "", "")
        return none.then(None, origin, none.sign(origin, colour))._replace(moves=())

    def sign(self, board: Board, next_colour: int) -> int:
        """The number that stands for a board, and for who moves next where that matters."""
        return board.key << 1 | (self.situational and next_colour == BLACK)

    def then(self, move: Point | None, board: Board, sign: int) -> Past:
        """The past after `move` has led to `board`, whose sign this is."""
        situational, origin, colour, number, moves, signs, blacks, whites = self
        black, white = chr(board.black.bit_count()), chr(board.white.bit_count())
        # a sum of tuples copies once, where `(*moves, move)` copies twice, at every move of a game
        moves, signs = moves + (move,), signs + (sign,)  # noqa: RUF005
        return Past(situational, origin, colour, number, moves, signs, blacks + black, whites + white)

    def holds(self, board: Board, sign: int) -> bool:
        """Whether the board, with that player to move where it matters, has been there before."""
        count = chr(board.black.bit_count())
        at = self.blacks.find(count)
        while at >= 0:
            if self.signs[at] == sign:
                return True
            at = self.blacks.find(count, at + 1)
        return False

    def one_stone_on(self, board: Board, colour: int) -> list[int]:
        """The keys of the earlier boards that one more stone of `colour` might bring back."""
        count = chr(board.stones(colour).bit_count() + 1)
        counts = self.blacks if colour == BLACK else self.whites
        turn, found = self.situational and colour == WHITE, []
        at = counts.find(count)
        while at >= 0:
            sign = self.signs[at]
            if sign & 1 == turn:
                found.append(sign >> 1)
            at = counts.find(count, at + 1)
        return found

    def when(self, board: Board, next_colour: int) -> int:
        """After how many moves of the game `board` first stood there."""
        earlier, colour, sign = self.origin, self.colour, self.sign(board, next_colour)
        for number, move in enumerate(self.moves, self.number):
            if self.sign(earlier, colour) == sign:
                return number
            if move is not None:
                earlier = earlier.put(colour, earlier.plane.place[move])
            colour = BLACK + WHITE - colour
        return self.number + len(self.moves)


def returning(board: Board, colour: int, earlier: Iterable[int]) -> int:
    """The mask of the points where a stone of `colour` would bring back one of the boards with these keys.

    Moves that take off their own stones are left out.
    """
    found, own, plane = 0, board.stones(colour), board.plane
    for key in earlier:
        stones = key & (1 << plane.length) - 1 if colour == BLACK else key >> plane.length
        added = own ^ stones
        if added & (added - 1) == 0 and added & board.empty and board.put(colour, added.bit_length() - 1).key == key:
            found |= added
    return found
