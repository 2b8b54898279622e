"""Solves a position by the compiled solver of its game, or else by `gomogo_core.search.solve`.

`gomogo_core.search.solve` is written in Python. In Robogo and Go it runs first, because in a short game it also finds
the number of plies to the end. The compiled solver does not find this number. It also runs without the extra `engines`,
and on boards that are too large for the compiled solver.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from gomogo_core.engines import compiling
from gomogo_core.engines.stop_flag import SearchStopped
from gomogo_core.games.base import Position
from gomogo_core.games.capture_go import CaptureGoPosition
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.games.stones.rules import GoFamilyPosition
from gomogo_core.search.solve import ProofTooLarge, Solution
from gomogo_core.search.solve import solve as solve_in_python
from gomogo_core.search.solving.games import dots_and_boxes

__all__ = ["solve"]

# on boards of up to this many points, the Python solver ends before compiled code is loaded
_MAX_PYTHON_SOLVER_POINTS = 9
# the memory of the Python solver of Robogo and Go, which runs before the compiled solver
_PYTHON_SOLVER_MEGABYTES = 20.0
# with more safe edges, a search takes too long: 4 × 4 boxes have 36 safe edges and take minutes; twin edges count once
_MAX_SAFE_EDGES = 36


def solve(position: Position, *, megabytes: float, seconds: float | None = None) -> Solution:
    """Solve a position of a game for two, within the given memory and time. Raises UserError as `search.solve` does."""
    compiled_solver = _COMPILED_SOLVERS.get(position.game.name)
    if compiled_solver is not None and compiling.has_numba() and position.outcome() is None:
        solution = compiled_solver(position, megabytes, seconds)
        if solution is not None:
            return solution
    return solve_in_python(position, megabytes=megabytes, seconds=seconds)


def _solve_boxes(position: DotsAndBoxesPosition, megabytes: float, seconds: float | None) -> Solution | None:
    game = position.game
    is_small = game.players == 2 and dots_and_boxes.safe_edges(position) <= _MAX_SAFE_EDGES
    if not is_small or megabytes < dots_and_boxes.MIN_SEARCH_MEGABYTES:
        return None
    module: Any = compiling.load("gomogo_core.engines.boxes")
    if not module.can_solve(game.rows, game.cols):
        return None
    search_start = time.monotonic()
    solver = module.BoxesSolver(game.rows, game.cols, megabytes)

    def search() -> Any:
        with solver.search_limits(None if seconds is None else search_start + seconds):
            return solver.best_edges(position.drawn)

    lead_ahead, edges = _run_search(search, solver, position, seconds)
    first_score, second_score = position.scores
    lead = lead_ahead if position.to_move == 1 else -lead_ahead
    best_edges = tuple(game.edges[edge] for edge in edges)
    seconds_taken = time.monotonic() - search_start
    return Solution(first_score - second_score + lead, None, best_edges, True, lead, solver.nodes, seconds_taken)


def _solve_capture_go(position: CaptureGoPosition, megabytes: float, seconds: float | None) -> Solution | None:
    if position.game.board.area <= _MAX_PYTHON_SOLVER_POINTS:
        return None
    module: Any = compiling.load("gomogo_core.engines.capture_go")
    if not module.can_solve(position):
        return None
    search_start = time.monotonic()
    solver = module.CaptureGoSolver(position.game, megabytes)
    stop_at = None if seconds is None else search_start + seconds
    results = _run_search(lambda: solver.solve(position, stop_at), solver, position, seconds)
    value = {1: 1, 2: -1}.get(results.winner, 0)
    return Solution(
        value, results.plies, results.best_moves, nodes=solver.nodes, seconds=time.monotonic() - search_start
    )


def _solve_small_go(position: GoFamilyPosition, megabytes: float, seconds: float | None) -> Solution | None:
    """Solve a short game by the Python solver. For any other game, compute bounds that hold under every ko rule.

    Raises ProofTooLarge if the bounds of the value differ; the message states them.
    """
    if position.game.board.area <= _MAX_PYTHON_SOLVER_POINTS:
        return None
    search_start = time.monotonic()
    try:
        return solve_in_python(position, megabytes=min(megabytes, _PYTHON_SOLVER_MEGABYTES), seconds=seconds)
    except ProofTooLarge:
        pass
    module: Any = compiling.load("gomogo_core.engines.small_go")
    seconds_left = None if seconds is None else max(0.01, search_start + seconds - time.monotonic())
    if not module.can_solve(position) or module.required_megabytes(position.game) > megabytes:
        return solve_in_python(position, megabytes=megabytes, seconds=seconds_left)
    solver = module.SmallGoSolver(position.game)
    stop_at = None if seconds is None else search_start + seconds
    root_bounds, moves = _run_search(lambda: solver.solve(position, stop_at), solver, position, seconds)
    if root_bounds.low < root_bounds.high:
        between = f"from {root_bounds.low:g} to {root_bounds.high:g} for the first player"
        raise ProofTooLarge(
            f"{position.game.name} is not solved: the value is {between}.",
            "Take a smaller board or a later position.",
        )
    # A move is certainly best if its worst value reaches that of the position. The second player wants low values.
    is_first_player = position.to_move == 1
    best_moves = tuple(
        move for move, bounds in moves.items() if (bounds.low if is_first_player else bounds.high) == root_bounds.low
    )
    possible_moves = {move for move, bounds in moves.items() if bounds.low <= root_bounds.low <= bounds.high}
    undecided = tuple(move for move in moves if move in possible_moves and move not in best_moves)
    seconds_taken = time.monotonic() - search_start
    is_margin = position.game.scores_places
    return Solution(root_bounds.low, None, best_moves, is_margin, None, solver.nodes, seconds_taken, undecided)


def _run_search(search: Callable[[], Any], solver: Any, position: Position, seconds: float | None) -> Any:
    """Run a compiled search and return its result. Ctrl-C ends the search.

    Raises ProofTooLarge if the search did not finish.
    """
    results = list[Any]()

    def run() -> None:
        with suppress(SearchStopped):
            results.append(search())

    thread = threading.Thread(target=run)  # compiled code in the main thread would not react to Ctrl-C
    thread.start()
    try:
        thread.join()
    finally:
        solver.interrupt()
        thread.join()
    if not results:
        raise ProofTooLarge(
            f"{position.game.name} is not solved within {seconds:g} seconds: {solver.nodes:,} positions were visited.",
            "Allow it more time, or take a smaller board or a later position.",
        )
    return results[0]


# by the game's name; a solver returns None if it does not support the position
_COMPILED_SOLVERS: dict[str, Callable[[Any, float, float | None], Solution | None]] = {
    "capture_go": _solve_capture_go,
    "dots_and_boxes": _solve_boxes,
    "go": _solve_small_go,
    "robogo": _solve_small_go,
}
