"""Positions of Go, Capture Go and Robogo as a network sees them: a stack of planes of zeros and ones.

Uses the stones, but no network. Needs NumPy. The last move of the policy is the pass, after the points row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gomogo_core.games.base import Move
from gomogo_core.games.stones.rules import PASS, StonesGame, StonesPosition

PLANES = 8
OWN, OTHER, BOARD, FORBIDDEN = 0, 1, 2, 7


def stone_planes(positions: Sequence[StonesPosition]) -> Any:
    """Return uint8 planes of shape (positions, 8, rows, columns), by the mover's view.

    Own stones, the opponent's, ones; own chains with one liberty, and with two; the opponent's such chains; and the
    empty points where the rules forbid a stone.
    """
    plane = positions[0].game.plane
    length = (plane.length + 7) // 8
    packed = bytearray()
    for position in positions:
        board, mover = position.board, position.to_move
        own, other = board.stones(mover), board.stones(3 - mover)
        masks = [own, other, plane.full, 0, 0, 0, 0, board.empty & ~position.legal]
        for first, stones in ((3, own), (5, other)):
            for chain, liberties, _ in board.chains_of(stones) if position.game.captures else ():
                count = liberties.bit_count()
                if count <= 2:
                    masks[first + (count == 2)] |= chain
        for mask in masks:
            packed += mask.to_bytes(length, "little")
    bits = np.unpackbits(np.frombuffer(packed, np.uint8).reshape(-1, length), axis=1, bitorder="little")
    shape = (len(positions), PLANES, plane.rows, plane.stride)
    return bits[:, : plane.length].reshape(shape)[..., : plane.columns]


def move_index(game: StonesGame) -> Callable[[Move], int]:
    """Return the function from a move of the game to its place in the policy."""
    numbers: dict[Any, int] = {**game.board.number, PASS: game.board.area}
    return numbers.__getitem__
