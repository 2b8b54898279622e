"""Perfect play of Dots and Boxes, compiled.

Read in this order:

    layout.py    the arrays of numbers that are a board and a search
    board.py     free edges as two masks; safe edges, chains, captures
    search.py    alpha-beta search with a transposition table
    engine.py    all of it behind one class, `BoxesSolver`

Import it by `gomogo_core.engines.compiling.load`, which looks after the cache of compiled code.
"""

from __future__ import annotations

from gomogo_core.engines.boxes.engine import BoxesSolver, Stopped, can_solve, warm

__all__ = ["BoxesSolver", "Stopped", "can_solve", "warm"]
