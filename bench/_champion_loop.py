"""A compiled loop for bench.champion, which places a stone on each empty point in turn and takes it back at once."""

from __future__ import annotations

from typing import Any

from numba import njit

from gomogo_core.engines.gomoku.array_layout import BOARD_SIZE, BORDER_WIDTH, COLOUR, RECORD_SIZE, STRIDE
from gomogo_core.engines.gomoku.board import make, unmake


@njit(nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def place_and_take_back(s: Any, shape_table: Any, classes: Any, h: Any, pairs: int) -> int:
    """Place and take back at least `pairs` stones in the middle half of the board. Returns their number."""
    done = 0
    size = s[BOARD_SIZE]
    while done < pairs:
        for row in range(size // 4, size - size // 4):
            for column in range(size // 4, size - size // 4):
                cell = (row + BORDER_WIDTH) * STRIDE + column + BORDER_WIDTH
                if s[cell * RECORD_SIZE + COLOUR] == 0:
                    make(s, shape_table, classes, h, cell)
                    unmake(s, shape_table, classes, h)
                    done += 1
    return done
