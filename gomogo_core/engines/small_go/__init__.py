"""The solver of Go and Robogo on boards of up to 16 points, compiled.

    graph.py   all legal boards without mirror images, and the boards that a stone leads to
    bounds.py  the results that a player can force under every ko rule, ply by ply
    solver.py  the solver behind one class, `SmallGoSolver`, with positions of gomogo_core.games

Import it by `gomogo_core.engines.compiling.load`.
"""

from __future__ import annotations

from gomogo_core.engines.small_go.solver import Bounds, SmallGoSolver, Stopped, can_solve, megabytes, warm

__all__ = ["Bounds", "SmallGoSolver", "Stopped", "can_solve", "megabytes", "warm"]
