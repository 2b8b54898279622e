"""Removes the stones that do not matter to a puzzle on a board of stones, so that it looks like a problem in a book.

The module knows positions only: the caller proves that a simpler position still has the same answer.
"""

from __future__ import annotations

from collections.abc import Callable

from gomogo_core.games.stones.board import StoneBoard
from gomogo_core.games.stones.rules import GoFamilyGame, GoFamilyPosition

_RADII = range(2, 7)  # distances within which all stones are kept at first


def position_of_stones(game: GoFamilyGame, board: StoneBoard, to_move: int) -> GoFamilyPosition:
    """Return the position with the stones of a board, without earlier moves: no point is forbidden by ko."""
    return game.position_class(game, StoneBoard.of(game.bit_geometry, board.black_mask, board.white_mask), to_move)


def simplify(
    position: GoFamilyPosition, focus: int, fixed: int, has_same_answer: Callable[[GoFamilyPosition], bool]
) -> GoFamilyPosition:
    """Return the position without each stone whose removal keeps the answer.

    First all stones that are far from the fight are removed at once, then chains, then single stones, beginning with
    the farthest. focus: the mask of the points of the fight. fixed: the mask of the stones to keep. has_same_answer:
    whether a position is still the same puzzle.
    """
    geometry = position.game.bit_geometry

    def position_without(removed: int) -> GoFamilyPosition | None:
        board = position.board
        kept_board = StoneBoard.of(geometry, board.black_mask & ~removed, board.white_mask & ~removed)
        candidate = position_of_stones(position.game, kept_board, position.to_move)
        return candidate if has_same_answer(candidate) else None

    zones = [focus]
    while zones[-1] != geometry.full_mask:
        zones.append((zones[-1] | geometry.neighbours_of(zones[-1])) & geometry.full_mask)

    def distance(mask: int) -> int:
        return next(number for number, zone in enumerate(zones) if mask & zone)

    for radius in _RADII:
        near = zones[min(radius, len(zones) - 1)]
        if simpler := position_without(~(near | fixed)):
            position = simpler
            break
    while True:
        former_position, board = position, position.board
        chains = [mask for colour in (board.black_mask, board.white_mask) for mask in geometry.groups(colour)]
        stones = [1 << i for mask in chains for i in geometry.point_indices_in(mask)]
        for mask in sorted((*chains, *stones), key=distance, reverse=True):
            if not mask & (fixed | position.board.empty_mask) and (simpler := position_without(mask)):
                position = simpler
        if position is former_position:
            return position
