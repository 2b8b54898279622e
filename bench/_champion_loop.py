"""A compiled loop for bench.champion, which places a stone on each empty point in turn and takes it back at once."""

from __future__ import annotations

from typing import Any

from numba import njit

from gomogo_core.engines.gomoku.array_layout import COLOUR, REACH, RECORD, SIZE, STRIDE
from gomogo_core.engines.gomoku.board import make, unmake


@njit(nogil=True)  # type: ignore[untyped-decorator,unused-ignore]
def place_and_take_back(s: Any, lines: Any, classes: Any, h: Any, pairs: int) -> int:
    """Place and take back at least `pairs` stones in the middle half of the board. Returns their number."""
    done = 0
    size = s[SIZE]
    while done < pairs:
        for row in range(size // 4, size - size // 4):
            for column in range(size // 4, size - size // 4):
                cell = (row + REACH) * STRIDE + column + REACH
                if s[cell * RECORD + COLOUR] == 0:
                    make(s, lines, classes, h, cell)
                    unmake(s, lines, classes, h)
                    done += 1
    return done
