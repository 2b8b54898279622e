"""Dots and Boxes, compiled: perfect play, and playouts if the end is too far away for perfect play.

Read in this order:

    layout.py    the arrays of numbers that are a board and a search
    board.py     free edges as two masks; safe edges, chains, captures
    search.py    alpha-beta search with a transposition table
    engine.py    all of it behind one class, `BoxesSolver`
    playouts.py  Monte Carlo tree search of larger positions
    player.py    a player: perfect where the solver ends in time, by playouts before

Import it by `gomogo_core.engines.compiling.load`, which looks after the cache of compiled code.
"""

from __future__ import annotations

from gomogo_core.engines.boxes.engine import BoxesSolver, Stopped, can_solve
from gomogo_core.engines.boxes.player import BoxesPlayer, warm

__all__ = ["BoxesPlayer", "BoxesSolver", "Stopped", "can_solve", "warm"]
