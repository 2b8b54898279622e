"""A compiled loop for bench.champion, which places a stone on each empty point in turn and takes it back at once."""

from __future__ import annotations

from typing import Any

from numba import njit

from gomogo_core.engines.gomoku.array_layout import BOARD_SIZE, BORDER_WIDTH, COLOUR, RECORD_SIZE, STRIDE
from gomogo_core.engines.gomoku.board import place_stone, remove_last_stone


@njit(nogil=True)
def place_and_take_back(arrays: Any, pairs: int) -> int:
    """Place and take back at least `pairs` stones in the middle half of the board. Returns their number."""
    placed_count, state = 0, arrays.state
    size = state[BOARD_SIZE]
    while placed_count < pairs:
        for row in range(size // 4, size - size // 4):
            for column in range(size // 4, size - size // 4):
                cell = (row + BORDER_WIDTH) * STRIDE + column + BORDER_WIDTH
                if state[cell * RECORD_SIZE + COLOUR] == 0:
                    place_stone(arrays, cell)
                    remove_last_stone(arrays)
                    placed_count += 1
    return placed_count
