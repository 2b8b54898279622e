"""Solve a game: what it is worth when nobody errs, and every move that keeps that.

Knows positions of any game, and chooses the method in solving/: who wins and how soon, or the margin where the game
counts scores; a game may bring a way of its own.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from itertools import count

from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, Position
from gomogo_core.search.solving.budget import MEGABYTES, Budget, Spent, TooLarge
from gomogo_core.search.solving.games import module, state_of
from gomogo_core.search.solving.graph import Graph
from gomogo_core.search.solving.margins import Margins
from gomogo_core.search.solving.solution import Solution
from gomogo_core.search.solving.state import EVER, NOBODY, Decided, NoMargin, State
from gomogo_core.search.solving.wins import Answer, Endless, Proof

__all__ = ["Solution", "TooLarge", "solve"]

FIRST_LOOK = 1_000_000  # nodes times moves spent on wins in few plies, before anything is said of the size: seconds


def solve(
    position: Position,
    *,
    megabytes: float = MEGABYTES,
    seconds: float | None = None,
    now: Callable[[], float] = time.monotonic,
) -> Solution:
    """Solve `position`, for two players, in so much memory and time.

    Raises TooLarge (a UserError), at once where there is no hope, or when memory or time are used up; UserError for
    more than two players, and where a game that counts scores can go on for ever.
    """
    game = position.game
    if game.seats != 2:
        raise UserError(
            f"{game.name} for {game.seats} players has no solution: what one should do depends on whom another helps.",
            "Solve it for 2 players.",
        )
    budget = Budget(_called(game), megabytes, seconds, now)
    found = _solve(position, budget)
    return found._replace(nodes=budget.nodes, seconds=budget.seconds)


def _called(game: Game) -> str:
    """The game with those of its options that are not as usual: "gomoku (size 5, line 4)"."""
    changed = ", ".join(f"{name} {str(value).lower()}" for name, value in game.changed.items())
    return f"{game.name} ({changed})" if changed else game.name


def _solve(position: Position, budget: Budget) -> Solution:
    own = module(position.game.name)
    if own is not None and hasattr(own, "solve"):
        solution: Solution = own.solve(position, budget)
        return solution
    if "scores" in position.facts():
        try:
            return _by_margin(position, budget)
        except NoMargin:  # it can end by something else than the score: then only who wins is defined
            pass
    try:
        return _by_proof(position, budget)
    except Endless:
        return _by_graph(position, budget)


def _by_margin(position: Position, budget: Budget) -> Solution:
    """The margin, and the moves that lead to it: each of the others is only shown to be worse."""
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
    except Endless:
        raise UserError(
            f"{budget.name} can go on for ever, and a game without end has no margin.",
            "Solve it with a rule that ends it, a superko or a cap on moves.",
        ) from None


def _by_proof(position: Position, budget: Budget) -> Solution:
    """Who wins, by questions to a Proof. Raises Endless where positions return."""
    proof, root = Proof(budget), state_of(position)
    decided = root.decided() or _first_look(proof, position, root) or _decide(proof, position, root)
    mover = root.to_move

    def keeps(after: State) -> bool:
        """Whether a move to `after` keeps what the position is worth."""
        if decided.winner == NOBODY:
            return proof.wins(3 - mover, after, EVER) is Answer.NEVER
        if decided.winner == mover:
            return proof.wins(mover, after, decided.plies - 1) is Answer.YES
        return proof.wins(3 - mover, after, decided.plies - 2) is not Answer.YES

    return _solution(position, decided, keeps)


def _by_graph(position: Position, budget: Budget) -> Solution:
    """Who wins where positions return, from all that can be reached."""
    root = state_of(position)
    graph = Graph(root, budget)
    decided = graph.result(root)
    kept = decided if decided.winner == NOBODY else Decided(decided.winner, decided.plies - 1)
    return _solution(position, decided, lambda after: graph.result(after) == kept)


def _solution(position: Position, decided: Decided, keeps: Callable[[State], bool]) -> Solution:
    best = tuple(move for move in position.moves() if keeps(state_of(position.play(move))))
    if decided.winner == NOBODY:
        return Solution(0, None, best)
    return Solution(1 if decided.winner == 1 else -1, decided.plies, best)


def _first_look(proof: Proof, position: Position, root: State) -> Decided | None:
    """Who wins, if that is seen in few plies: depth by depth while it takes few nodes and leads to new positions."""
    budget = proof.budget
    budget.until = budget.nodes + FIRST_LOOK // sum(1 for _ in position.moves())
    kept = idle = plies = 0
    try:
        while idle < 2:  # a ply further the one cannot win, two plies further the other
            idle = idle + 1 if budget.kept == kept > 0 else 0
            kept, plies = budget.kept, plies + 1
            if (decided := _within(proof, root, plies)) is not None:
                return decided
    except Spent:
        pass
    finally:
        budget.until = math.inf
    return None


def _within(proof: Proof, root: State, plies: int) -> Decided | None:
    """Who wins in so many plies, and not in fewer; NOBODY where it is proved that nobody ever does; else None."""
    answers = [proof.wins(seat, root, plies) for seat in (1, 2)]
    if Answer.YES in answers:
        return Decided(1 + answers.index(Answer.YES), plies)
    return Decided(NOBODY, 0) if answers == [Answer.NEVER] * 2 else None


def _decide(proof: Proof, position: Position, root: State) -> Decided:
    """Who wins at all, and then how soon."""
    _check_size(position, proof.budget)
    for seat in (root.to_move, 3 - root.to_move):
        if proof.wins(seat, root, EVER) is Answer.YES:
            return next(Decided(seat, plies) for plies in count(1) if proof.wins(seat, root, plies) is Answer.YES)
    return Decided(NOBODY, 0)


def _check_size(position: Position, budget: Budget) -> None:
    moves = sum(1 for _ in position.moves())
    budget.check_size(moves, position.facts().get("moves_left", EVER))
