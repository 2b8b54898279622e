"""The 3 × 3 patterns of the playouts: hane, cuts, and moves at the edge.

They are those of S. Gelly, Y. Wang, R. Munos and O. Teytaud, Modification of UCT with patterns in Monte-Carlo Go
(2006), written by hand and not learnt. Each pattern applies to both colours and in all eight orientations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gomogo_core.engines.go.array_layout import BLACK, EMPTY, WALL, WHITE

# The eight neighbours of a point, row by row: x and o are the two colours, X is anything except x, O anything except o
# (the edge included), e is an empty point, # the edge, and ? anything.
PATTERNS = (
    "xox ee ???",  # hane that encloses
    "xoe ee ?e?",  # hane without a cut
    "xo? xe Xe?",  # hane against two stones
    "eoe xe eee",  # diagonal attachment
    "xo? oO ?O?",  # cut that is not protected
    "xo? ox ???",  # cut that is peeped at
    "?x? oo OOO",  # push between two stones
    "ox? Oo ???",  # keima cut
    "xe? oe ###",  # chase along the edge
    "ox? xo ###",  # block of a cut at the edge
    "?x? Xo ###",  # block of a connection at the edge
    "?xO XX ###",  # descent
    "?ox xo ###",  # cut at the edge
)
_SYMBOLS = {
    "x": (BLACK,),
    "o": (WHITE,),
    "e": (EMPTY,),
    "#": (WALL,),
    "X": (EMPTY, WHITE, WALL),
    "O": (EMPTY, BLACK, WALL),
    "?": (EMPTY, BLACK, WHITE, WALL),
}
_ROTATION = (5, 3, 0, 6, 1, 7, 4, 2)  # the eight neighbours after a quarter turn
_MIRRORING = (2, 1, 0, 4, 3, 7, 6, 5)
_COLOUR_SWAP = (EMPTY, WHITE, BLACK, WALL)


def pattern_table() -> Any:
    """Return uint32 words with one bit for each neighbourhood, which is 1 if a pattern matches it.

    A neighbourhood is a number with two bits for each neighbour, in the order of array_layout.NEIGHBOUR_OFFSETS.
    """
    table = np.zeros(1 << 16, np.uint8)
    for pattern in PATTERNS:
        allowed_colours = [_SYMBOLS[sign] for sign in pattern.replace(" ", "")]
        codes = [0]
        for orientation in range(8):
            codes = [0]
            for i, colours in enumerate(allowed_colours):
                codes = [code | colour << 2 * i for code in codes for colour in colours]
            codes_array = np.array(codes)
            table[codes_array] = 1
            swapped = np.zeros_like(codes_array)
            for i in range(8):
                swapped |= np.array(_COLOUR_SWAP)[codes_array >> 2 * i & 3] << 2 * i
            table[swapped] = 1
            permutation = _MIRRORING if orientation == 3 else _ROTATION
            allowed_colours = [allowed_colours[i] for i in permutation]
    return np.packbits(table.reshape(-1, 32), axis=1, bitorder="little").view(np.uint32).ravel()
