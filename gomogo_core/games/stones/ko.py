"""The ko rules: the earlier boards that a move may not repeat.

The module uses boards, and ends no game. Under `simple` ko, a move may not repeat the board before the
opponent's move. Under `positional` ko, a move may not repeat any earlier board. Under `situational` ko, a move may not
repeat an earlier board with the same player to move. The rules compare whole boards, not hashes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gomogo_core.games.boards.points import Point
from gomogo_core.games.stones.board import BLACK, WHITE, StoneBoard


class EarlierBoards(NamedTuple):
    """All earlier boards of a game, for the superko rules.

    `is_situational` tells whether the rule is situational ko. `origin` is the first known board, `origin_colour` the
    colour to move there, and `origin_move_number` the number of moves before it. `moves` holds the moves since then,
    with None for a pass. `board_numbers` identifies each earlier board by a number (see `board_number`).
    `black_stone_counts` and `white_stone_counts` are strings with one character for each earlier board: its number of
    stones of one colour. A move can only repeat a board with the same numbers of stones, and `str.find` finds such
    boards quickly.
    """

    is_situational: bool
    origin: StoneBoard
    origin_colour: int
    origin_move_number: int
    moves: tuple[Point | None, ...]
    board_numbers: tuple[int, ...]
    black_stone_counts: str
    white_stone_counts: str

    @staticmethod
    def after_origin(origin: StoneBoard, colour: int, move_number: int, *, situational: bool) -> EarlierBoards:
        """Return the earlier boards of a game whose first known board is `origin`."""
        empty = EarlierBoards(situational, origin, colour, move_number, (), (), "", "")
        return empty.after_move(None, origin, empty.board_number(origin, colour))._replace(moves=())

    def board_number(self, board: StoneBoard, next_colour: int) -> int:
        """Return the number that identifies a board, together with the player to move if the rule is `situational`."""
        return board.key << 1 | (self.is_situational and next_colour == BLACK)

    def after_move(self, move: Point | None, board: StoneBoard, board_number: int) -> EarlierBoards:
        """Return the earlier boards after `move` has led to `board`, whose number is `board_number`."""
        situational, origin, colour, move_number, moves, numbers, black_stone_counts, white_stone_counts = self
        black, white = chr(board.black_mask.bit_count()), chr(board.white_mask.bit_count())
        # `moves + (move,)` copies the tuple once, and `(*moves, move)` would copy it twice
        moves, numbers = moves + (move,), numbers + (board_number,)  # noqa: RUF005
        return EarlierBoards(
            situational,
            origin,
            colour,
            move_number,
            moves,
            numbers,
            black_stone_counts + black,
            white_stone_counts + white,
        )

    def has_occurred(self, board: StoneBoard, board_number: int) -> bool:
        """Return whether `board`, whose number is `board_number`, is among the earlier boards."""
        count = chr(board.black_mask.bit_count())
        index = self.black_stone_counts.find(count)
        while index >= 0:
            if self.board_numbers[index] == board_number:
                return True
            index = self.black_stone_counts.find(count, index + 1)
        return False

    def keys_with_one_stone_more(self, board: StoneBoard, colour: int) -> list[int]:
        """Return the keys of the earlier boards that have one stone of `colour` more than `board`."""
        count = chr(board.stone_mask(colour).bit_count() + 1)
        counts = self.black_stone_counts if colour == BLACK else self.white_stone_counts
        next_is_black, keys = self.is_situational and colour == WHITE, []
        index = counts.find(count)
        while index >= 0:
            number = self.board_numbers[index]
            if number & 1 == next_is_black:
                keys.append(number >> 1)
            index = counts.find(count, index + 1)
        return keys

    def first_occurrence(self, board: StoneBoard, next_colour: int) -> int:
        """Return the number of moves after which `board` first occurred."""
        earlier, colour, wanted_number = self.origin, self.origin_colour, self.board_number(board, next_colour)
        for number, move in enumerate(self.moves, self.origin_move_number):
            if self.board_number(earlier, colour) == wanted_number:
                return number
            if move is not None:
                earlier = earlier.place_stone(colour, earlier.bit_geometry.index_of[move])
            colour = BLACK + WHITE - colour
        return self.origin_move_number + len(self.moves)


def repeating_points_mask(board: StoneBoard, colour: int, earlier_keys: Iterable[int]) -> int:
    """Return the mask of the points where a stone of `colour` would repeat a board whose key is in `earlier_keys`.

    Moves that remove the player's own stones do not count.
    """
    repeating_mask, own_stones, geometry = 0, board.stone_mask(colour), board.bit_geometry
    for key in earlier_keys:
        stones = key & (1 << geometry.length) - 1 if colour == BLACK else key >> geometry.length
        added_mask = own_stones ^ stones
        if (
            added_mask & (added_mask - 1) == 0
            and added_mask & board.empty_mask
            and board.place_stone(colour, added_mask.bit_length() - 1).key == key
        ):
            repeating_mask |= added_mask
    return repeating_mask
