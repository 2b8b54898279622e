"""The winner in games with repetitions: all reachable positions, solved from the end backwards.

The module does not depend on games; it sees positions as states (state.py). A position is won if a move leads to a
position that is lost for the opponent. It is lost if every move leads to a position that is won for the opponent. All
other positions are draws: each player can avoid a loss forever. Retrograde analysis: K. Thompson, Retrograde Analysis
of Certain Endgames, ICCA Journal 9 (1986).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable

from gomogo_core.games.base import Seat
from gomogo_core.search.solving.budget import Budget
from gomogo_core.search.solving.state import NOBODY, ProofState, ProvenResult


class PositionGraph:
    """All positions that are reachable from a state, with their results. The constructor may raise ProofTooLarge."""

    def __init__(self, root: ProofState, budget: Budget) -> None:
        self._results: dict[Hashable, ProvenResult] = {}
        predecessors: dict[Hashable, list[Hashable]] = {}
        open_move_counts: dict[Hashable, int] = {}  # for each position, the number of its moves that have no result yet
        movers: dict[Hashable, Seat] = {}
        ends_by_plies: dict[int, list[Hashable]] = {}
        waiting = [root]
        predecessors[root.key()] = []
        while waiting:
            state = waiting.pop()
            key = state.key()
            budget.count_node()
            budget.count_stored_position(key)
            movers[key] = state.to_move
            if (certain_result := state.certain_result()) is not None:
                self._results[key] = certain_result
                ends_by_plies.setdefault(certain_result.plies, []).append(key)
                continue
            moves = state.moves()
            open_move_counts[key] = len(moves)
            for move in moves:
                next_state = state.state_after(move)
                next_key = next_state.key()
                if next_key not in predecessors:
                    predecessors[next_key] = []
                    waiting.append(next_state)
                predecessors[next_key].append(key)
        self._solve(predecessors, open_move_counts, movers, ends_by_plies)

    def result(self, state: ProofState) -> ProvenResult:
        """Return the winner and the plies from `state`, which must be reachable from the root; NOBODY for a draw."""
        return self._results.get(state.key(), ProvenResult(NOBODY, 0))

    def _solve(
        self,
        predecessors: dict[Hashable, list[Hashable]],
        open_move_counts: dict[Hashable, int],
        movers: dict[Hashable, Seat],
        ends_by_plies: dict[int, list[Hashable]],
    ) -> None:
        """Compute all results backwards in order of plies, so that wins are the shortest and losses the longest."""
        queue: deque[Hashable] = deque()
        plies = 0
        while queue or ends_by_plies:
            queue.extend(ends_by_plies.pop(plies, ()))
            for _ in range(len(queue)):
                key = queue.popleft()
                winner = self._results[key].winner
                for previous_key in predecessors[key] if winner != NOBODY else ():
                    if previous_key in self._results:
                        continue
                    open_move_counts[previous_key] -= 1
                    if winner == movers[previous_key] or not open_move_counts[previous_key]:
                        self._results[previous_key] = ProvenResult(winner, plies + 1)
                        queue.append(previous_key)
            plies += 1
