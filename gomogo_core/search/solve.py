"""Solve a game: its value under perfect play, and every move that keeps this value.

The module chooses a method from solving/ for a position of any game; a game may have a method of its own. In a game
with scores, the solution is the margin; in any other game, the winner and the number of plies.
"""

from __future__ import annotations

import math
import operator
import time
from collections.abc import Callable
from itertools import count

from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, Position
from gomogo_core.search.solving.budget import DEFAULT_MEGABYTES, Budget, BudgetSpent, ProofTooLarge
from gomogo_core.search.solving.games import proof_state, solver_module
from gomogo_core.search.solving.graph import PositionGraph
from gomogo_core.search.solving.margins import MarginSolver
from gomogo_core.search.solving.solution import Solution
from gomogo_core.search.solving.state import NOBODY, UNLIMITED_PLIES, NoMargin, ProofState, ProvenResult
from gomogo_core.search.solving.wins import EndlessGame, ProofResult, WinProver

__all__ = ["ProofTooLarge", "Solution", "solve"]

SHALLOW_PROOF_EFFORT = 1_000_000  # nodes × legal moves of the first, shallow proof, which takes a few seconds


def solve(
    position: Position,
    *,
    megabytes: float = DEFAULT_MEGABYTES,
    seconds: float | None = None,
    now: Callable[[], float] = time.monotonic,
) -> Solution:
    """Solve `position`, for two players, within the given memory and time.

    Raises ProofTooLarge (a UserError) at once if the proof is too large, or later when memory or time are used up.
    Raises UserError for more than two players, and if a game with scores can continue forever.
    """
    game = position.game
    if game.seats != 2:
        raise UserError(
            f"{game.name} for {game.seats} players has no solution: the best move depends on other players.",
            "Solve it for 2 players.",
        )
    budget = Budget(_name_with_options(game), megabytes, seconds, now)
    result = _solve(position, budget)
    return result._replace(nodes=budget.nodes, seconds=budget.seconds)


def _name_with_options(game: Game) -> str:
    """Return the game's name with the options that differ from their defaults: "gomoku (size 5, line 4)"."""
    changed = ", ".join(f"{name} {str(value).lower()}" for name, value in game.non_default_options.items())
    return f"{game.name} ({changed})" if changed else game.name


def _solve(position: Position, budget: Budget) -> Solution:
    module = solver_module(position.game.name)
    if module is not None and hasattr(module, "solve"):
        solution: Solution = module.solve(position, budget)
        return solution
    if "scores" in position.facts():
        try:
            return _solve_by_margin(position, budget)
        except NoMargin:  # the game can end without scores: then only the winner is defined
            pass
    try:
        return _solve_by_proof(position, budget)
    except EndlessGame:
        return _solve_by_graph(position, budget)


def _solve_by_margin(position: Position, budget: Budget) -> Solution:
    """Return the margin, and the moves that lead to it. For a worse move, a bound on its margin is enough."""
    margins, root = MarginSolver(budget), proof_state(position)
    try:
        _check_size(position, budget)
        value = margins.first_seat_margin(root)
        if root.to_move == 1:
            window = math.nextafter(value, -math.inf), value
        else:
            window = value, math.nextafter(value, math.inf)
        margins_of_moves = (
            (move, margins.first_seat_margin(proof_state(position.play(move)), *window)) for move in position.moves()
        )
        is_best = operator.ge if root.to_move == 1 else operator.le
        best_moves = (move for move, margin in margins_of_moves if is_best(margin, value))
        return Solution(value, None, tuple(best_moves), is_margin=True)
    except EndlessGame:
        raise UserError(
            f"{budget.name} can continue forever, and a game without an end has no margin.",
            "Solve it with a rule that ends the game, such as superko or a move cap.",
        ) from None


def _solve_by_proof(position: Position, budget: Budget) -> Solution:
    """Return the winner and the number of plies, by and/or search. Raises EndlessGame if positions can repeat."""
    prover, root = WinProver(budget), proof_state(position)
    proven_result = (
        root.certain_result()
        or _try_shallow_proof(prover, position, root)
        or _prove_winner_and_plies(prover, position, root)
    )
    mover = root.to_move

    def keeps_value(next_state: ProofState) -> bool:
        """Return whether a move to `next_state` keeps the value of the position."""
        if proven_result.winner == NOBODY:
            return prover.prove_win(3 - mover, next_state, UNLIMITED_PLIES) is ProofResult.NEVER
        if proven_result.winner == mover:
            return prover.prove_win(mover, next_state, proven_result.plies - 1) is ProofResult.YES
        return prover.prove_win(3 - mover, next_state, proven_result.plies - 2) is not ProofResult.YES

    return _solution(position, proven_result, keeps_value)


def _solve_by_graph(position: Position, budget: Budget) -> Solution:
    """Return the winner in a game with repetitions, by solving all reachable positions."""
    root = proof_state(position)
    graph = PositionGraph(root, budget)
    proven_result = graph.result(root)
    result_after_best_move = (
        proven_result if proven_result.winner == NOBODY else ProvenResult(proven_result.winner, proven_result.plies - 1)
    )
    return _solution(position, proven_result, lambda next_state: graph.result(next_state) == result_after_best_move)


def _solution(position: Position, proven_result: ProvenResult, keeps_value: Callable[[ProofState], bool]) -> Solution:
    best_moves = tuple(move for move in position.moves() if keeps_value(proof_state(position.play(move))))
    if proven_result.winner == NOBODY:
        return Solution(0, None, best_moves)
    return Solution(1 if proven_result.winner == 1 else -1, proven_result.plies, best_moves)


def _try_shallow_proof(prover: WinProver, position: Position, root: ProofState) -> ProvenResult | None:
    """Return the winner of a short game, by search to increasing depths, or None if that takes too many nodes."""
    budget = prover.budget
    budget.node_limit = budget.nodes + SHALLOW_PROOF_EFFORT // sum(1 for _ in position.moves())
    stored_count = idle_depths = plies = 0
    try:
        while idle_depths < 2:  # two depths in a row without a new position: no seat can win at any depth
            idle_depths = idle_depths + 1 if budget.stored == stored_count > 0 else 0
            stored_count, plies = budget.stored, plies + 1
            if (proven_result := _winner_in_plies(prover, root, plies)) is not None:
                return proven_result
    except BudgetSpent:
        pass
    finally:
        budget.node_limit = math.inf
    return None


def _winner_in_plies(prover: WinProver, root: ProofState, plies: int) -> ProvenResult | None:
    """Return the winner in exactly `plies` plies, NOBODY if neither seat can ever win, or None if it is not decided."""
    answers = [prover.prove_win(seat, root, plies) for seat in (1, 2)]
    if ProofResult.YES in answers:
        return ProvenResult(1 + answers.index(ProofResult.YES), plies)
    return ProvenResult(NOBODY, 0) if answers == [ProofResult.NEVER] * 2 else None


def _prove_winner_and_plies(prover: WinProver, position: Position, root: ProofState) -> ProvenResult:
    """Find the winner first, and then the number of plies, which is cheaper to prove once the winner is known."""
    _check_size(position, prover.budget)
    for seat in (root.to_move, 3 - root.to_move):
        if prover.prove_win(seat, root, UNLIMITED_PLIES) is ProofResult.YES:
            proved_plies = (plies for plies in count(1) if prover.prove_win(seat, root, plies) is ProofResult.YES)
            return ProvenResult(seat, next(proved_plies))
    return ProvenResult(NOBODY, 0)


def _check_size(position: Position, budget: Budget) -> None:
    move_count = sum(1 for _ in position.moves())
    budget.check_size(move_count, position.facts().get("moves_left", UNLIMITED_PLIES))
