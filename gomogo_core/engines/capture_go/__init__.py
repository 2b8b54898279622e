"""The solver of Capture Go in which the first capture wins, on boards of up to 28 points, compiled.

    search.py  and/or search with a transposition table, on bit masks
    solver.py  the solver behind one class, `CaptureGoSolver`, with clocks and positions of gomogo_core.games

It is a package of its own so that a change of the Go engine, which takes long to compile, does not compile it again.
Import it by `gomogo_core.engines.compiling.load`.
"""

from __future__ import annotations

from gomogo_core.engines.capture_go.solver import CaptureGoSolver, Stopped, can_solve, warm

__all__ = ["CaptureGoSolver", "Stopped", "can_solve", "warm"]
