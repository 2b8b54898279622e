"""Solve a game: its value under perfect play, and every move that keeps this value.

Uses positions of any game, and chooses the method in solving/: the winner and the number of plies, or the margin in
games with scores; a game may have a method of its own.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from itertools import count

from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, Position
from gomogo_core.search.solving.budget import MEGABYTES, Budget, BudgetSpent, ProofTooLarge
from gomogo_core.search.solving.games import module, state_of
from gomogo_core.search.solving.graph import Graph
from gomogo_core.search.solving.margins import Margins
from gomogo_core.search.solving.solution import Solution
from gomogo_core.search.solving.state import EVER, NOBODY, Decided, NoMargin, ProofState
from gomogo_core.search.solving.wins import EndlessGame, Proof, ProofResult

__all__ = ["ProofTooLarge", "Solution", "solve"]

FIRST_LOOK = 1_000_000  # nodes times moves that are spent on short wins before the size is estimated: it takes seconds


def solve(
    position: Position,
    *,
    megabytes: float = MEGABYTES,
    seconds: float | None = None,
    now: Callable[[], float] = time.monotonic,
) -> Solution:
    """Solve `position`, for two players, within the given memory and time.

    Raises ProofTooLarge (a UserError) at once if the proof is hopeless, or when memory or time are used up. Raises
    UserError for more than two players, and if a game with scores can go on forever.
    """
    game = position.game
    if game.seats != 2:
        raise UserError(
            f"{game.name} for {game.seats} players has no solution: the best move depends on other players.",
            "Solve it for 2 players.",
        )
    budget = Budget(_name_with_options(game), megabytes, seconds, now)
    found = _solve(position, budget)
    return found._replace(nodes=budget.nodes, seconds=budget.seconds)


def _name_with_options(game: Game) -> str:
    """Return the game's name with the options that differ from their defaults: "gomoku (size 5, line 4)"."""
    changed = ", ".join(f"{name} {str(value).lower()}" for name, value in game.non_default_options.items())
    return f"{game.name} ({changed})" if changed else game.name


def _solve(position: Position, budget: Budget) -> Solution:
    own = module(position.game.name)
    if own is not None and hasattr(own, "solve"):
        solution: Solution = own.solve(position, budget)
        return solution
    if "scores" in position.facts():
        try:
            return _by_margin(position, budget)
        except NoMargin:  # the game can end without scores: then only the winner is defined
            pass
    try:
        return _by_proof(position, budget)
    except EndlessGame:
        return _by_graph(position, budget)


def _by_margin(position: Position, budget: Budget) -> Solution:
    """Return the margin, and the moves that lead to it; a move that is worse needs only a bound."""
    margins, root = Margins(budget), state_of(position)
    try:
        _check_size(position, budget)
        value = margins.margin(root)
        if root.to_move == 1:
            window = math.nextafter(value, -math.inf), value
        else:
            window = value, math.nextafter(value, math.inf)
        after = ((move, margins.margin(state_of(position.play(move)), *window)) for move in position.moves())
        best = (move for move, margin in after if (margin >= value if root.to_move == 1 else margin <= value))
        return Solution(value, None, tuple(best), margin=True)
    except EndlessGame:
        raise UserError(
            f"{budget.name} can go on forever, and a game without end has no margin.",
            "Solve it with a rule that ends the game, such as superko or a move cap.",
        ) from None


def _by_proof(position: Position, budget: Budget) -> Solution:
    """Return the winner, by questions to a Proof. Raises EndlessGame if positions can repeat."""
    proof, root = Proof(budget), state_of(position)
    decided = root.certain_result() or _try_shallow_proof(proof, position, root) or _decide(proof, position, root)
    mover = root.to_move

    def keeps_value(after: ProofState) -> bool:
        """Return whether a move to `after` keeps the value of the position."""
        if decided.winner == NOBODY:
            return proof.wins(3 - mover, after, EVER) is ProofResult.NEVER
        if decided.winner == mover:
            return proof.wins(mover, after, decided.plies - 1) is ProofResult.YES
        return proof.wins(3 - mover, after, decided.plies - 2) is not ProofResult.YES

    return _solution(position, decided, keeps_value)


def _by_graph(position: Position, budget: Budget) -> Solution:
    """Return the winner in a game with repetitions, from all reachable positions."""
    root = state_of(position)
    graph = Graph(root, budget)
    decided = graph.result(root)
    kept = decided if decided.winner == NOBODY else Decided(decided.winner, decided.plies - 1)
    return _solution(position, decided, lambda after: graph.result(after) == kept)


def _solution(position: Position, decided: Decided, keeps: Callable[[ProofState], bool]) -> Solution:
    best = tuple(move for move in position.moves() if keeps(state_of(position.play(move))))
    if decided.winner == NOBODY:
        return Solution(0, None, best)
    return Solution(1 if decided.winner == 1 else -1, decided.plies, best)


def _try_shallow_proof(proof: Proof, position: Position, root: ProofState) -> Decided | None:
    """Return the winner of a short game, searched depth by depth while this takes few nodes and finds new positions."""
    budget = proof.budget
    budget.until = budget.nodes + FIRST_LOOK // sum(1 for _ in position.moves())
    kept = idle = plies = 0
    try:
        while idle < 2:  # one seat cannot win one ply deeper, the other cannot win two plies deeper
            idle = idle + 1 if budget.kept == kept > 0 else 0
            kept, plies = budget.kept, plies + 1
            if (decided := _winner_in(proof, root, plies)) is not None:
                return decided
    except BudgetSpent:
        pass
    finally:
        budget.until = math.inf
    return None


def _winner_in(proof: Proof, root: ProofState, plies: int) -> Decided | None:
    """Return the winner in exactly this many plies; NOBODY if neither seat can ever win; else None."""
    answers = [proof.wins(seat, root, plies) for seat in (1, 2)]
    if ProofResult.YES in answers:
        return Decided(1 + answers.index(ProofResult.YES), plies)
    return Decided(NOBODY, 0) if answers == [ProofResult.NEVER] * 2 else None


def _decide(proof: Proof, position: Position, root: ProofState) -> Decided:
    """Return the winner first, and then the number of plies."""
    _check_size(position, proof.budget)
    for seat in (root.to_move, 3 - root.to_move):
        if proof.wins(seat, root, EVER) is ProofResult.YES:
            return next(Decided(seat, plies) for plies in count(1) if proof.wins(seat, root, plies) is ProofResult.YES)
    return Decided(NOBODY, 0)


def _check_size(position: Position, budget: Budget) -> None:
    moves = sum(1 for _ in position.moves())
    budget.check_size(moves, position.facts().get("moves_left", EVER))
