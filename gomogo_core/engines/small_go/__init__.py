"""A compiled solver for Go and Robogo on boards of up to 16 points.

    graph.py   all legal boards, one of each set of mirror images, and the boards after each stone
    bounds.py  the results that a player can force under every ko rule, ply by ply
    solver.py  the class `SmallGoSolver`, which takes positions of gomogo_core.games

Import it by `gomogo_core.engines.compiling.load`.
"""

from __future__ import annotations

from gomogo_core.engines.small_go.solver import Bounds, SmallGoSolver, can_solve, compile_functions, required_megabytes
from gomogo_core.engines.stop_flag import SearchStopped

__all__ = ["Bounds", "SearchStopped", "SmallGoSolver", "can_solve", "compile_functions", "required_megabytes"]
