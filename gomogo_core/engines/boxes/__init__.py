"""A compiled engine for Dots and Boxes: perfect play, and playouts while the end is too far away for perfect play.

Read in this order:

    array_layout.py  the arrays of numbers that hold a board and a search
    board.py         free edges as two masks; safe edges, chains, captures
    search.py        alpha-beta search with a transposition table
    engine.py        `BoxesSolver`, the class that uses the search
    playouts.py      Monte Carlo tree search of larger positions
    player.py        `BoxesPlayer`, which plays perfectly if the search ends in time, else by playouts

Import it by `gomogo_core.engines.compiling.load`, which manages the cache of compiled code.
"""

from __future__ import annotations

from gomogo_core.engines.boxes.engine import BoxesSolver, can_solve
from gomogo_core.engines.boxes.player import BoxesPlayer, compile_functions
from gomogo_core.engines.stop_flag import SearchStopped

__all__ = ["BoxesPlayer", "BoxesSolver", "SearchStopped", "can_solve", "compile_functions"]
