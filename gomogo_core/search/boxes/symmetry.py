"""The symmetries of a board as functions on masks of edges. A square has eight symmetries, any other rectangle four.

The module does not depend on turns or on the values of positions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from itertools import product
from typing import TypeAlias

from gomogo_core.games.base import MAX_CACHED_BOARDS
from gomogo_core.search.boxes.board import BoxesGeometry, one_bit_masks

_BYTE_VALUES = 256

# for each byte of a mask: a list of masks, the images of the byte's 256 values
ByteMap: TypeAlias = tuple[tuple[int, ...], ...]


class Symmetries:
    """Maps free edges to their mirror images."""

    def __init__(self, board: BoxesGeometry) -> None:
        self.board = board
        self._byte_count = (2 * board.half_width + 7) // 8
        images = {tuple(symmetry(edge) for edge in board.edges) for symmetry in _symmetry_functions(board)}
        self._byte_maps = [self._byte_map(dict(zip(board.edges, image, strict=True))) for image in sorted(images)]

    def mirror_images(self, free_edge_mask: int) -> list[int]:
        """Return every mirror image of `free_edge_mask`, including itself, each in the form of `draw_lowest_twins`."""
        parts, draw_lowest_twins = free_edge_mask.to_bytes(self._byte_count, "little"), self.board.draw_lowest_twins
        pairs_by_image = (zip(byte_map, parts, strict=True) for byte_map in self._byte_maps)
        return [draw_lowest_twins(sum([images[part] for images, part in pairs])) for pairs in pairs_by_image]

    def least_mirror_image(self, free_edge_mask: int) -> int:
        """Return the least of the mirror images, which represents all of them."""
        return min(self.mirror_images(free_edge_mask))

    def _byte_map(self, image_of_edge: dict[int, int]) -> ByteMap:
        def image_of(mask: int) -> int:
            return sum(image_of_edge.get(bit, 0) for bit in one_bit_masks(mask))

        shifts = range(0, 8 * self._byte_count, 8)
        return tuple(tuple(image_of(value << shift) for value in range(_BYTE_VALUES)) for shift in shifts)


@lru_cache(maxsize=MAX_CACHED_BOARDS)
def symmetries_of(board: BoxesGeometry) -> Symmetries:
    """Return the cached Symmetries of `board`."""
    return Symmetries(board)


def _symmetry_functions(board: BoxesGeometry) -> list[Callable[[int], int]]:
    """Return each symmetry as a function from an edge to an edge."""
    stride, half_width, rows, cols = board.stride, board.half_width, board.rows, board.cols

    def image_of(edge: int, flips_rows: bool, flips_columns: bool, swaps_axes: bool) -> int:
        number = edge.bit_length() - 1
        is_vertical = number >= half_width
        row, col = divmod(number - half_width if is_vertical else number, stride)
        if flips_rows:  # a vertical edge is in a row of boxes; a horizontal edge is between two rows
            row = rows - is_vertical - row
        if flips_columns:
            col = cols - (not is_vertical) - col
        if swaps_axes:
            row, col, is_vertical = col, row, not is_vertical
        return 1 << row * stride + col + half_width * is_vertical

    switches = product((False, True), (False, True), (False, True) if rows == cols else (False,))
    return [
        partial(image_of, flips_rows=flips_rows, flips_columns=flips_columns, swaps_axes=swaps_axes)
        for flips_rows, flips_columns, swaps_axes in switches
    ]
