"""A compiled solver for Capture Go in which the first capture wins, on boards of up to 28 points.

    search.py  and/or search with a transposition table, on bit masks
    solver.py  the class `CaptureGoSolver`, which takes positions of gomogo_core.games and a time limit

It is a package of its own, so that a change of the Go engine, which compiles slowly, does not compile this solver
again. Import it by `gomogo_core.engines.compiling.load`.
"""

from __future__ import annotations

from gomogo_core.engines.capture_go.solver import CaptureGoSolver, can_solve, compile_functions
from gomogo_core.engines.stop_flag import SearchStopped

__all__ = ["CaptureGoSolver", "SearchStopped", "can_solve", "compile_functions"]
