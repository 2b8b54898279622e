"""Solve a position by the compiled solver of its game where there is one, else by gomogo_core.search.solve.

Without the extra `engines`, and on boards that are too large for the compiled solver, the other one is used.
"""

from __future__ import annotations

import threading
import time
from typing import Any

from gomogo_core.engines import compiling
from gomogo_core.games.base import Position
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.search.solve import ProofTooLarge, Solution
from gomogo_core.search.solve import solve as solve_plainly
from gomogo_core.search.solving.games import dots_and_boxes

__all__ = ["solve"]

_PACKAGE = "gomogo_core.engines.boxes"
MOST_SAFE = 36  # edges that give nothing away: 4 × 4 boxes have so many, and take minutes


def solve(position: Position, *, megabytes: float, seconds: float | None = None) -> Solution:
    """Solve `position`, for two players, within the given memory and time. Raises UserError as `search.solve` does."""
    if isinstance(position, DotsAndBoxesPosition) and position.game.players == 2 and megabytes >= dots_and_boxes.LEAST:
        rows, cols = position.game.rows, position.game.cols
        if compiling.has_numba() and dots_and_boxes.safe_edges(position) <= MOST_SAFE:
            module = compiling.load(_PACKAGE)
            if module.can_solve(rows, cols):
                return _boxes(module, position, megabytes, seconds)
    return solve_plainly(position, megabytes=megabytes, seconds=seconds)


def _boxes(module: Any, position: DotsAndBoxesPosition, megabytes: float, seconds: float | None) -> Solution:
    game, began = position.game, time.monotonic()
    solver = module.BoxesSolver(game.rows, game.cols, megabytes)
    found: list[tuple[int, list[int]]] = []

    def search() -> None:
        try:
            with solver.until(None if seconds is None else began + seconds):
                found.append(solver.best(position.drawn))
        except module.Stopped:
            pass

    thread = threading.Thread(target=search)  # compiled code would not let an interrupt from the keyboard through
    thread.start()
    try:
        thread.join()
    finally:
        solver.interrupt()
        thread.join()
    if not found:
        raise ProofTooLarge(
            f"{game.name} is not solved within {seconds:g} seconds: {solver.nodes:,} positions were visited.",
            "Allow it more time, or take a smaller board or a later position.",
        )
    (ahead, edges), (one, other) = found[0], position.scores
    here = ahead if position.to_move == 1 else -ahead
    best = tuple(game.edges[edge] for edge in edges)
    took = time.monotonic() - began
    return Solution(one - other + here, None, best, True, here, solver.nodes, took)
