"""Stones in atari: captures, and rescues.

The module looks only one move ahead; reading.py looks further.
"""

from __future__ import annotations

from collections.abc import Iterator

from gomogo_core.games.stones.board import BLACK, WHITE, Chain, StoneBoard


def chains_with_few_liberties(board: StoneBoard, colour: int, max_liberties: int) -> Iterator[Chain]:
    """Yield the chains of `colour` that have at most `max_liberties` liberties."""
    all_chains, stones = board.chains, board.stone_mask(colour)
    for number in set(board.chain_ids):
        if number >= 0:
            chain = all_chains[number]
            if chain[0] & stones and chain[1].bit_count() <= max_liberties:
                yield chain


def capturing_points(board: StoneBoard, colour: int) -> dict[int, int]:
    """Return each point where a stone of `colour` captures, with the mask of the stones that it captures there."""
    points: dict[int, int] = {}
    for stones, liberty, _ in chains_with_few_liberties(board, BLACK + WHITE - colour, 1):
        point_index = liberty.bit_length() - 1
        points[point_index] = points.get(point_index, 0) | stones
    return points


def rescuing_points(board: StoneBoard, colour: int) -> dict[int, int]:
    """Return each point where a stone of `colour` saves stones of its own from atari, with the mask of those stones.

    The stone extends their chain to two or more liberties, connects it to a chain with as many, or captures the
    attackers. The function looks one move ahead: the opponent may put the saved stones into atari again.
    """
    points: dict[int, int] = {}
    captures = capturing_points(board, colour)
    for stones, liberty, _ in chains_with_few_liberties(board, colour, 1):
        neighbour_mask = board.bit_geometry.neighbours_of(stones)
        saving_captures = (point_index for point_index, captured in captures.items() if captured & neighbour_mask)
        for point_index in {liberty.bit_length() - 1, *saving_captures}:
            if escapes_atari(board, colour, point_index, stones):
                points[point_index] = points.get(point_index, 0) | stones
    return points


def escapes_atari(board: StoneBoard, colour: int, point_index: int, chain_mask: int) -> bool:
    """Return whether the chain `chain_mask` has two or more liberties after a stone of `colour` on a point."""
    next_board = board.place_stone(colour, point_index)
    if next_board.self_captured_mask & chain_mask:
        return False
    return next_board.chain(chain_mask.bit_length() - 1)[1].bit_count() > 1


def points_safe_from_atari(board: StoneBoard, colour: int, point_mask: int) -> int:
    """Return the mask of those points in `point_mask` where a stone of `colour` would have two or more liberties."""
    safe_mask = 0
    for point_index in board.bit_geometry.point_indices_in(point_mask):
        free_neighbours = board.bit_geometry.neighbour_masks[point_index] & board.empty_mask
        if free_neighbours.bit_count() > 1 or escapes_atari(board, colour, point_index, 1 << point_index):
            safe_mask |= 1 << point_index
    return safe_mask
