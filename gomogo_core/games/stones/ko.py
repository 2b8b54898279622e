"""The ko rules: the earlier boards that a move may not repeat.

Uses boards, but not the end of a game. `simple`: not the board before the opponent's move. `positional`: no earlier
board. `situational`: no earlier board with the same player to move. Whole boards are compared, not hashes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gomogo_core.games.boards.points import Point
from gomogo_core.games.stones.board import BLACK, WHITE, StoneBoard


class EarlierBoards(NamedTuple):
    """All earlier boards of a game, for the superko rules.

    origin: the board at the start of the game, or of this part of it. colour: the player to move there. number: the
    number of moves before it. moves: those since, None for a pass. signs: one number per earlier board (see `sign`).
    blacks, whites: the numbers of stones of each colour on them, each number as one character. A move adds one stone of
    its own colour. Few boards have that number of stones, and a search in a string finds them at once.
    """

    situational: bool
    origin: StoneBoard
    colour: int
    number: int
    moves: tuple[Point | None, ...]
    signs: tuple[int, ...]
    blacks: str
    whites: str

    @staticmethod
    def after_origin(origin: StoneBoard, colour: int, number: int, *, situational: bool) -> EarlierBoards:
        """Return the past of a game whose boards before `origin` are unknown."""
        none = EarlierBoards(situational, origin, colour, number, (), (), "", "")
        return none.after_move(None, origin, none.board_number(origin, colour))._replace(moves=())

    def board_number(self, board: StoneBoard, next_colour: int) -> int:
        """Return the number of a board, which includes the player to move under `situational`."""
        return board.key << 1 | (self.situational and next_colour == BLACK)

    def after_move(self, move: Point | None, board: StoneBoard, sign: int) -> EarlierBoards:
        """Return the past after `move` has led to `board`, which has this sign."""
        situational, origin, colour, number, moves, signs, blacks, whites = self
        black, white = chr(board.black.bit_count()), chr(board.white.bit_count())
        # a sum of tuples copies once, but `(*moves, move)` copies twice, at every move of a game
        moves, signs = moves + (move,), signs + (sign,)  # noqa: RUF005
        return EarlierBoards(situational, origin, colour, number, moves, signs, blacks + black, whites + white)

    def has_occurred(self, board: StoneBoard, sign: int) -> bool:
        """Return whether this board, with this player to move under `situational`, has occurred before."""
        count = chr(board.black.bit_count())
        at = self.blacks.find(count)
        while at >= 0:
            if self.signs[at] == sign:
                return True
            at = self.blacks.find(count, at + 1)
        return False

    def one_stone_on(self, board: StoneBoard, colour: int) -> list[int]:
        """Return the keys of the earlier boards that one more stone of `colour` might repeat."""
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

    def moves_before(self, board: StoneBoard, next_colour: int) -> int:
        """Return the number of moves after which `board` first occurred."""
        earlier, colour, sign = self.origin, self.colour, self.board_number(board, next_colour)
        for number, move in enumerate(self.moves, self.number):
            if self.board_number(earlier, colour) == sign:
                return number
            if move is not None:
                earlier = earlier.put(colour, earlier.plane.place[move])
            colour = BLACK + WHITE - colour
        return self.number + len(self.moves)


def returning(board: StoneBoard, colour: int, earlier: Iterable[int]) -> int:
    """Return the mask of the points where a stone of `colour` would repeat one of the boards with these keys.

    Moves that remove their own stones are left out.
    """
    found, own, plane = 0, board.stones(colour), board.plane
    for key in earlier:
        stones = key & (1 << plane.length) - 1 if colour == BLACK else key >> plane.length
        added = own ^ stones
        if added & (added - 1) == 0 and added & board.empty and board.put(colour, added.bit_length() - 1).key == key:
            found |= added
    return found
