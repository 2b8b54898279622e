"""A player of Dots and Boxes for two: perfect where the search ends in time, by playouts before.

Uses positions of the game and moments of time.monotonic().
"""

from __future__ import annotations

import random
import time
from typing import Any, NamedTuple

import numpy as np

from gomogo_core.engines import stop_flag
from gomogo_core.engines.boxes import board, playouts, search
from gomogo_core.engines.boxes.engine import BoxesSolver, Stopped
from gomogo_core.engines.boxes.layout import SEED, STOP
from gomogo_core.games.base import Move
from gomogo_core.games.dots_and_boxes import DotsAndBoxes, DotsAndBoxesPosition

EXACT = 48  # undrawn edges above which perfect play is not tried
EXACT_SHARE = 0.5  # of a move's time: after it the search of the rest gives up; its table helps the next move
_FIRST_LATE = 0.02  # seconds: how late an answer is expected to be, at first
_FORGET = 0.97  # of that expectation, kept from move to move
_NODES = 400_000  # of the tree: 40 MB
_MOST_PLAYOUTS = 1 << 40


class Guess(NamedTuple):
    """What playouts say: the position after the best move, the expected margin of the mover, the number of playouts."""

    after: tuple[int, ...]
    margin: float
    playouts: int


class BoxesPlayer:
    """Plays one game after another on one board, with its tables."""

    def __init__(self, game: DotsAndBoxes, memory_mb: float = 128) -> None:
        self.game = game
        self.solver = BoxesSolver(game.rows, game.cols, memory_mb)
        self.solver.table.fill(0)  # touches every page before the first clock starts
        self.tree = np.zeros((_NODES, playouts.NODE), np.int64)
        self.sums = np.zeros((_NODES, 2), np.float64)
        self.solver.state[SEED] = random.getrandbits(62) | 1
        self.late = _FIRST_LATE

    def choose(
        self, position: DotsAndBoxesPosition, stop_at: float, *, exact: int = EXACT, most_playouts: int = 0
    ) -> tuple[Move, dict[str, Any]]:
        """Return the move for `position`, and the arguments of AgentClock.tell for it; ready by `stop_at`.

        exact: the number of undrawn edges from which on perfect play is tried. most_playouts: 0 for no limit.

        The margin before `stop_at` learns: it grows at once with a late answer, and shrinks slowly.
        """
        margin = min(self.late, (stop_at - time.monotonic()) / 3)
        found = self._choose(position, stop_at - margin, exact, most_playouts)
        self.late = max(self.late * _FORGET, time.monotonic() - stop_at + margin)
        return found

    def _choose(
        self, position: DotsAndBoxesPosition, stop_at: float, exact: int, most_playouts: int
    ) -> tuple[Move, dict[str, Any]]:
        drawn, mover = position.drawn, position.to_move
        lead = position.scores[mover - 1] - position.scores[2 - mover]
        if len(undrawn := self.solver.undrawn(drawn)) <= exact:
            now = time.monotonic()
            try:
                with self.solver.until(now + (stop_at - now) * EXACT_SHARE):
                    value = self.solver.value(drawn)
                    edge = self._best(drawn, undrawn, value)
                return self.game.edges[edge], {"score": float(lead + value), "thoughts": "perfect play"}
            except Stopped:
                pass
        edge, guess = self._promising(drawn, lead, stop_at, most_playouts or _MOST_PLAYOUTS)
        return self.game.edges[edge], {"score": guess.margin, "thoughts": f"{guess.playouts} playouts"}

    def _best(self, drawn: int, undrawn: list[int], value: int) -> int:
        """Return a best edge, one that captures if there is one. Raises Stopped."""
        shuffled = random.sample(undrawn, len(undrawn))
        shuffled.sort(key=lambda edge: not self.solver.taken(drawn, edge))
        return next(edge for edge in shuffled if self.solver.reaches(drawn, edge, value))

    def _promising(self, drawn: int, lead: int, stop_at: float, most: int) -> tuple[int, Guess]:
        """Return the edge that playouts prefer. Captures come first; the last ones may be handed out."""
        solver = self.solver
        total, kept, h, v = solver.captures(drawn)
        guess = self._guess(h, v, lead + total, stop_at, most)
        if total == 0:
            edges = (edge for edge in solver.undrawn(drawn) if self._after(drawn | 1 << edge) == guess.after)
            edge = next(edges, -1)
            return edge if edge >= 0 else self._cheapest(drawn), guess
        captures = [edge for edge in solver.undrawn(drawn) if solver.taken(drawn, edge)]
        for edge in captures:  # those that leave the last ones
            after = solver.captures(drawn | 1 << edge)
            if after[1] == kept and after[0] + solver.taken(drawn, edge) == total:
                return edge, guess
        if kept == total and guess.margin - (lead + total) < -kept:
            for edge in set(solver.undrawn(drawn)) - set(captures):
                if solver.captures(drawn | 1 << edge) == (kept, 0, h, v):
                    return edge, guess
        return captures[0], guess

    def _guess(self, h: int, v: int, lead: int, stop_at: float, most: int) -> Guess:
        """Search a position without captures by playouts."""
        solver = self.solver
        g, s = solver.geometry.numbers, solver.state
        boxes = int(sum(board.degrees(g, s, np.uint64(h), np.uint64(v)))).bit_count()
        nh, nv, chains, loops, left = search.split(g, s, np.uint64(h), np.uint64(v), boxes)
        if boxes == 0:
            return Guess((), lead, 0)
        playouts.add(self.tree, self.sums, 0, nh, nv, chains, loops, left, lead)
        with stop_flag.set_at(stop_at, s, STOP):
            done = playouts.grow(g, s, solver.moves, self.tree, self.sums, most)
        s[STOP] = 0
        first, count = int(self.tree[0, playouts.FIRST]), int(self.tree[0, playouts.COUNT])
        best = max(range(first, first + count), key=lambda child: self.tree[child, playouts.VISITS], default=0)
        margin = -self.sums[0, playouts.MARGIN] / max(1, self.tree[0, playouts.VISITS])
        return Guess(tuple(map(int, self.tree[best, :4])), float(margin), int(done))

    def _after(self, drawn: int) -> tuple[int, ...] | None:
        """Return a position as a node of the tree, after all captures; None if some of them can be handed out."""
        solver = self.solver
        _, kept, h, v = solver.captures(drawn)
        if kept:
            return None
        found = search.split(solver.geometry.numbers, solver.state, np.uint64(h), np.uint64(v), 0)
        return tuple(int(np.int64(number)) for number in found[:4])

    def _cheapest(self, drawn: int) -> int:
        """Return the edge that lets the opponent capture the fewest boxes."""
        return min(self.solver.undrawn(drawn), key=lambda edge: self.solver.captures(drawn | 1 << edge)[0])


def warm() -> None:
    """Have every compiled function ready: all are compiled when they are defined."""
