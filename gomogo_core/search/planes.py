"""Converts the positions of a game to the input of a network: planes of zeros and ones.

The module uses positions, but no network, and needs NumPy. `network_encoding_of` returns the encoding of a game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gomogo_core.games.base import Move
from gomogo_core.games.dots_and_boxes import DotsAndBoxes, DotsAndBoxesPosition
from gomogo_core.games.gomoku import Gomoku, GomokuPosition
from gomogo_core.games.stones.rules import PASS, GoFamilyGame, GoFamilyPosition

PLANE_COUNT, GOMOKU_PLANE_COUNT = 8, 3
_OWN_PLANE, _OPPONENT_PLANE, _FORBIDDEN_PLANE = 0, 1, 7
_UNDRAWN_PLANE = 1


class NetworkEncoding(NamedTuple):
    """The encoding of a game for two as input and output of a network.

    `planes` is the number of planes. `encode` converts positions to uint8 planes of shape (positions, planes, rows,
    columns). `move_index_of` returns, for a game, the function from a move to its index in the policy. The policy has
    one number for each point of a plane, row by row, and then one for the pass if `has_pass`. `illegal_moves` converts
    planes to an array of shape (positions, rows, columns) that is true where no move is allowed.
    """

    planes: int
    encode: Callable[[Sequence[Any]], Any]
    move_index_of: Callable[[Any], Callable[[Move], int]]
    illegal_moves: Callable[[Any], Any]
    has_pass: bool


def network_encoding_of(name: str) -> NetworkEncoding:
    """Return the encoding of the game with this name: Gomoku, a game of stones such as Go, or Dots and Boxes."""
    if name == Gomoku.name:
        occupied = [_OWN_PLANE, _OPPONENT_PLANE]
        return NetworkEncoding(
            GOMOKU_PLANE_COUNT,
            gomoku_planes,
            gomoku_move_indexer,
            lambda planes: planes[:, occupied].any(1),
            has_pass=False,
        )
    if name == DotsAndBoxes.name:
        return NetworkEncoding(
            PLANE_COUNT, edge_planes, edge_indexer, lambda planes: planes[:, _UNDRAWN_PLANE] == 0, has_pass=False
        )
    illegal_planes = [_OWN_PLANE, _OPPONENT_PLANE, _FORBIDDEN_PLANE]
    return NetworkEncoding(
        PLANE_COUNT, stone_planes, stone_move_indexer, lambda planes: planes[:, illegal_planes].any(1), has_pass=True
    )


def gomoku_planes(positions: Sequence[GomokuPosition]) -> Any:
    """Return uint8 planes of shape (positions, 3, size, size): own stones, the opponent's stones, all ones."""
    size = positions[0].game.size
    joined = b"".join(position.cells for position in positions)
    cells = np.frombuffer(joined, np.uint8).reshape(len(positions), size, size)
    movers = np.array([position.colour for position in positions], np.uint8)[:, None, None]
    planes = np.ones((len(positions), GOMOKU_PLANE_COUNT, size, size), np.uint8)
    planes[:, _OWN_PLANE], planes[:, _OPPONENT_PLANE] = cells == movers, cells == 3 - movers
    return planes


def gomoku_move_indexer(game: Gomoku) -> Callable[[Move], int]:
    """Return the function from a point of the game to its index in the policy."""
    index_by_move: dict[Any, int] = game.board.number_of
    return index_by_move.__getitem__


def stone_planes(positions: Sequence[GoFamilyPosition]) -> Any:
    """Return uint8 planes of shape (positions, 8, rows, columns), from the mover's view.

    The planes are: own stones; the opponent's stones; all ones; own chains with one liberty; own chains with two
    liberties; the opponent's chains with one liberty; the opponent's chains with two liberties; and the empty points
    where the rules forbid a stone.
    """
    geometry = positions[0].game.bit_geometry
    byte_count = (geometry.length + 7) // 8
    packed = bytearray()
    for position in positions:
        board, mover = position.board, position.to_move
        own_stones, opponent_stones = board.stone_mask(mover), board.stone_mask(3 - mover)
        masks = [own_stones, opponent_stones, geometry.full_mask, 0, 0, 0, 0, board.empty_mask & ~position.legal_mask]
        for first_plane, stones in ((3, own_stones), (5, opponent_stones)):
            for chain, liberties, _ in board.chains_of(stones) if position.game.captures else ():
                count = liberties.bit_count()
                if count <= 2:
                    masks[first_plane + (count == 2)] |= chain
        for mask in masks:
            packed += mask.to_bytes(byte_count, "little")
    bits = np.unpackbits(np.frombuffer(packed, np.uint8).reshape(-1, byte_count), axis=1, bitorder="little")
    shape = (len(positions), PLANE_COUNT, geometry.rows, geometry.stride)
    return bits[:, : geometry.length].reshape(shape)[..., : geometry.columns]


def stone_move_indexer(game: GoFamilyGame) -> Callable[[Move], int]:
    """Return the function from a move of the game to its index in the policy."""
    index_by_move: dict[Any, int] = {**game.board.number_of, PASS: game.board.area}
    return index_by_move.__getitem__


def edge_planes(positions: Sequence[DotsAndBoxesPosition]) -> Any:
    """Return uint8 planes of shape (positions, 8, 2 · rows + 1, 2 · columns + 1), from the mover's view.

    Each point of a plane is a dot, an edge or a box. The planes are: drawn edges; undrawn edges; all ones; the mover's
    boxes; the opponent's boxes; boxes with two drawn sides; boxes with three drawn sides; and all ones if the number of
    undrawn edges is odd, else zeros.
    """
    game = positions[0].game
    board, count = game.board, len(positions)
    byte_count = (len(board.edges) + 7) // 8
    packed = np.frombuffer(b"".join(position.drawn.to_bytes(byte_count, "little") for position in positions), np.uint8)
    drawn_edges = np.unpackbits(packed.reshape(count, byte_count), axis=1, bitorder="little")[:, : len(board.edges)]
    owners = np.frombuffer(b"".join(position.owners for position in positions), np.uint8)
    owners = owners.reshape(count, game.rows, game.cols)
    movers = np.array([position.to_move for position in positions], np.uint8)[:, None, None]
    sides = drawn_edges[:, np.array(board.side_bits)].sum(2).reshape(owners.shape)
    planes = np.zeros((count, PLANE_COUNT, board.height * board.width), np.uint8)
    indices = np.array([row * board.width + column for row, column in map(board.picture_cell, range(len(board.edges)))])
    planes[:, 0, indices], planes[:, _UNDRAWN_PLANE, indices], planes[:, 2] = drawn_edges, 1 - drawn_edges, 1
    planes[:, 7] = (1 - drawn_edges).sum(1, keepdims=True) % 2
    board_planes = planes.reshape(count, PLANE_COUNT, board.height, board.width)
    for plane, boxes in zip(range(3, 7), (owners == movers, owners == 3 - movers, sides == 2, sides == 3), strict=True):
        board_planes[:, plane, 1::2, 1::2] = boxes
    return board_planes


def edge_indexer(game: DotsAndBoxes) -> Callable[[Move], int]:
    """Return the function from an edge to its index in the policy."""
    board = game.board
    index_by_move: dict[Any, int] = {}
    for edge, bit in board.index_of.items():
        row, column = board.picture_cell(bit)
        index_by_move[edge] = row * board.width + column
    return index_by_move.__getitem__
