"""Who wins, and in how many plies: proved by and/or search, depth by depth, with a memory.

Knows states only. One question at a time: can this seat force a win within so many plies? A win within so many plies
needs no rule about what comes after them, so that an answer of yes is final, in whatever game; an answer of no, for
that many. That it can *never* be forced, however many plies are asked for, is proved where every line was followed to
its end: positions that return would make such lines endless, so one that returns on its own line ends the proof with
`Endless`, and graph.py answers instead. What was remembered before then rests on finite lines alone, and stands.
V. Allis, Searching for Solutions in Games and Artificial Intelligence (1994), ch. 1, has and/or search.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from enum import Enum
from typing import NamedTuple

from gomogo_core.games.base import Move, Seat
from gomogo_core.search.solving.budget import Budget
from gomogo_core.search.solving.state import EVER, NEVER, State


class Answer(Enum):
    """Whether a win can be forced within so many plies."""

    YES = "yes"
    NOT_YET = "not within so many"
    NEVER = "not within any"


class Endless(Exception):
    """A position returns: lines can go on for ever."""


class _Known(NamedTuple):
    """What was proved of one seat's winning: not within `low` plies, but within `high`. first: to be tried first."""

    low: int
    high: int
    first: Move | None


_NOTHING = _Known(0, NEVER + 1, None)
_NO = (Answer.NOT_YET, Answer.NEVER)


class Proof:
    """Proves wins of either seat, and remembers what it has proved."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._known: tuple[dict[Hashable, _Known], ...] = ({}, {}, {})  # by seat
        self._line: set[Hashable] = set()

    def wins(self, seat: Seat, state: State, plies: int) -> Answer:
        """Whether `seat` can force a win from `state` within `plies`, EVER for any number.

        Raises Endless, TooLarge, or Spent.
        """
        try:
            return self._wins(seat, state, plies)
        finally:
            self._line.clear()

    def _wins(self, seat: Seat, state: State, plies: int) -> Answer:
        self.budget.spend()
        if (decided := state.decided()) is not None:
            if decided.winner != seat:
                return Answer.NEVER
            return Answer.YES if decided.plies <= plies else Answer.NOT_YET
        if (soonest := state.soonest(seat)) > plies:
            return _NO[soonest >= NEVER]
        key, known = state.key(), self._known[seat]
        low, high, first = known.get(key, _NOTHING)
        if plies >= high:
            return Answer.YES
        if plies <= low:
            return _NO[low >= NEVER]
        if plies < EVER:
            answer, move = self._try(seat, state, plies - 1, first)
        else:
            if key in self._line:
                raise Endless
            self._line.add(key)
            self.budget.check_depth(len(self._line))
            answer, move = self._try(seat, state, EVER, first)
            self._line.discard(key)
        if key not in known:
            self.budget.keep(key)
        if answer is Answer.YES:
            high = plies
        else:
            low = NEVER if answer is Answer.NEVER else plies
        known[key] = _Known(low, high, move or first)
        return answer

    def _try(self, seat: Seat, state: State, left: int, first: Move | None) -> tuple[Answer, Move | None]:
        """The answer, and the move that proves it: one is enough for whose question it is decided by."""
        attacks = state.to_move == seat
        answer = Answer.NEVER if attacks else Answer.YES
        for move in ordered(state.moves(), first):
            said = self._wins(seat, state.play(move), left)
            if attacks:
                if said is Answer.YES:
                    return said, move
                if said is Answer.NOT_YET:
                    answer = said
            elif said is not Answer.YES:
                return said, move
        return answer, None


def ordered(moves: Sequence[Move], first: Move | None) -> Sequence[Move]:
    """`moves`, `first` before the others if it is one of them."""
    return moves if first is None or first not in moves else [first, *(move for move in moves if move != first)]
