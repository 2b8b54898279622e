"""The winner, and the number of plies: proved by and/or search, depth by depth, with a transposition table.

The module does not depend on games; it sees positions as states (state.py). Each proof decides whether a seat can force
a win within n plies. The answer "yes" is final in every game, and the answer "no" holds for n plies. A proof that a
seat can *never* force a win must follow every line to its end. If a position repeats in a line, the line is endless;
the proof then raises `EndlessGame`, and graph.py is used instead. Results that were stored before remain valid, because
they depend on finite lines only. V. Allis, Searching for Solutions in Games and Artificial Intelligence (1994), ch. 1,
describes and/or search.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from enum import Enum
from typing import NamedTuple

from gomogo_core.games.base import Move, Seat
from gomogo_core.search.solving.budget import Budget
from gomogo_core.search.solving.state import NEVER, UNLIMITED_PLIES, ProofState


class ProofResult(Enum):
    """The answer to whether a seat can force a win within a number of plies."""

    YES = "yes"
    NOT_YET = "not within this number of plies"
    NEVER = "not within any number of plies"


class EndlessGame(Exception):
    """A position has repeated, so lines can continue forever."""


class _ProofBounds(NamedTuple):
    """The facts that are proved for one seat: no win within `plies_without_win` plies, but a win within
    `plies_with_win` plies. `move_to_try` is the move to try first.
    """

    plies_without_win: int
    plies_with_win: int
    move_to_try: Move | None


_NO_BOUNDS = _ProofBounds(0, NEVER + 1, None)
_NO_ANSWERS = (ProofResult.NOT_YET, ProofResult.NEVER)


class WinProver:
    """Proves wins of either seat, and stores the proofs."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._stored_proofs: tuple[dict[Hashable, _ProofBounds], ...] = ({}, {}, {})  # index: the seat
        self._current_line: set[Hashable] = set()

    def prove_win(self, seat: Seat, state: ProofState, plies: int) -> ProofResult:
        """Return whether `seat` can force a win from `state` within `plies` plies, which may be UNLIMITED_PLIES.

        Raises EndlessGame, ProofTooLarge, or BudgetSpent.
        """
        try:
            return self._prove_win(seat, state, plies)
        finally:
            self._current_line.clear()

    def _prove_win(self, seat: Seat, state: ProofState, plies: int) -> ProofResult:
        self.budget.count_node()
        if (certain_result := state.certain_result()) is not None:
            if certain_result.winner != seat:
                return ProofResult.NEVER
            return ProofResult.YES if certain_result.plies <= plies else ProofResult.NOT_YET
        if (min_plies_to_win := state.min_plies_to_win(seat)) > plies:
            return _NO_ANSWERS[min_plies_to_win >= NEVER]
        key, bounds_by_key = state.key(), self._stored_proofs[seat]
        plies_without_win, plies_with_win, move_to_try = bounds_by_key.get(key, _NO_BOUNDS)
        if plies >= plies_with_win:
            return ProofResult.YES
        if plies <= plies_without_win:
            return _NO_ANSWERS[plies_without_win >= NEVER]
        if plies < UNLIMITED_PLIES:
            answer, move = self._prove_by_moves(seat, state, plies - 1, move_to_try)
        else:
            if key in self._current_line:
                raise EndlessGame
            self._current_line.add(key)
            self.budget.check_depth(len(self._current_line))
            answer, move = self._prove_by_moves(seat, state, UNLIMITED_PLIES, move_to_try)
            self._current_line.discard(key)
        if key not in bounds_by_key:
            self.budget.count_stored_position(key)
        if answer is ProofResult.YES:
            plies_with_win = plies
        else:
            plies_without_win = NEVER if answer is ProofResult.NEVER else plies
        bounds_by_key[key] = _ProofBounds(plies_without_win, plies_with_win, move or move_to_try)
        return answer

    def _prove_by_moves(
        self, seat: Seat, state: ProofState, plies_left: int, move_to_try: Move | None
    ) -> tuple[ProofResult, Move | None]:
        """Return the answer, and the move that proves it, if one move is enough for the proof.

        One winning move proves a win of its player; a proof that there is no win needs all moves.
        """
        is_attacker = state.to_move == seat
        answer = ProofResult.NEVER if is_attacker else ProofResult.YES
        for move in with_first_move(state.moves(), move_to_try):
            result = self._prove_win(seat, state.state_after(move), plies_left)
            if is_attacker:
                if result is ProofResult.YES:
                    return result, move
                if result is ProofResult.NOT_YET:
                    answer = result
            elif result is not ProofResult.YES:
                return result, move
        return answer, None


def with_first_move(moves: Sequence[Move], first: Move | None) -> Sequence[Move]:
    """Return `moves`, with `first` before the others if it is one of them."""
    return moves if first is None or first not in moves else [first, *(move for move in moves if move != first)]
