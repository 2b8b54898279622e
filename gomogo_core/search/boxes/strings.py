"""Chains and loops, and what can be captured: a position seen as strings and coins.

Knows one position at a time, as free edges; no turns, no values. In the dual of the board a box is a coin and a free
edge the string that ties it to its neighbour or, at the rim, to the ground; drawing an edge cuts a string. A *chain* is
a row of boxes with two free edges each; it ends at the ground or at *joints*, boxes with more. E. R. Berlekamp, J. H.
Conway and R. K. Guy, Winning Ways for your Mathematical Plays (1982), ch. 16.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gomogo_core.search.boxes.board import GROUND, Board, bits

LONG = 3  # boxes from which on a chain is long: who opens it may get back all but two of it, or all
HALF_OPEN, CLOSED = 2, 4  # boxes that can be handed out at the end of a chain, and of a loop


class Chain(NamedTuple):
    """A chain or a loop. length: how many boxes; boxes: their mask; edges: that of all their free edges.

    ends: the joints where it ends, or GROUND; of a loop one of its boxes.
    """

    length: int
    boxes: int
    edges: int
    ends: tuple[int, int]
    loop: bool


def chain_through(board: Board, free: int, box: int) -> Chain:
    """The chain or loop that `box`, which has two free edges, belongs to."""
    sides, beyond = board.sides, board.beyond
    pair = free & sides[box]
    first = pair & -pair
    length, edges, boxes, ends = 1, 0, box, []
    for edge in (first, pair ^ first):
        here = box
        while True:
            edges |= edge
            here ^= beyond[edge]
            if here == box:
                return Chain(length, boxes, edges, (box, box), True)
            if here == GROUND:
                break
            onwards = free & sides[here] ^ edge
            if onwards & onwards - 1:
                break
            length += 1
            boxes |= here
            edge = onwards
        ends.append(here)
    return Chain(length, boxes, edges, (ends[0], ends[1]), False)


def given_away(board: Board, chain: Chain) -> int:
    """An edge of `chain` that gives it away: of two boxes the middle one, so that they cannot be handed back."""
    inside = (edge for edge in bits(chain.edges) if len(board.beside[edge]) == 2)
    inner = (edge for edge in inside if not board.beyond[edge] & ~chain.boxes)
    return next(inner, chain.edges & -chain.edges)


def chains(board: Board, free: int, two: int) -> list[Chain]:
    """Every chain and loop of a position in which nothing can be captured; `two`: the boxes with two free edges."""
    found = []
    while two:
        chain = chain_through(board, free, two & -two)
        found.append(chain)
        two &= ~chain.boxes
    return found


def untouched(board: Board, free: int, box: int) -> Chain | None:
    """The chain or loop of `box`, which has two free edges, if it ends at no joint; else None."""
    sides, beyond = board.sides, board.beyond
    edges = free & sides[box]
    first = edges & -edges
    length, boxes = 1, box
    for edge in (first, edges ^ first):
        here = box ^ beyond[edge]
        while here:
            if here == box:
                return Chain(length, boxes, edges, (box, box), True)
            onwards = free & sides[here] ^ edge
            if onwards & onwards - 1:
                return None
            length += 1
            boxes |= here
            edges |= onwards
            edge = onwards
            here ^= beyond[edge]
    return Chain(length, boxes, edges, (GROUND, GROUND), False)


class Run(NamedTuple):
    """Boxes that can be captured one after the other. edges: in that order, each captures one box; the last that of a
    half-open run one and the last of a closed run, which ends at a box that can be captured too, two.

    end: the joint at which a half-open run ends, or GROUND.
    """

    length: int
    edges: Sequence[int]
    closed: bool
    end: int

    @property
    def kept(self) -> int:
        """How many of its boxes can be handed out: two of a half-open run, four of a closed one, if it has them."""
        least = CLOSED if self.closed else HALF_OPEN
        return least if self.length >= least else 0


def run_from(board: Board, free: int, box: int) -> Run:
    """The run that begins at `box`, which has one free edge."""
    edge, edges, length, here = free & board.sides[box], [], 1, box
    while True:
        edges.append(edge)
        here ^= board.beyond[edge]
        if here == GROUND:
            return Run(length, edges, False, GROUND)
        onwards = free & board.sides[here] ^ edge
        if not onwards:
            return Run(length + 1, edges, True, here)
        if onwards & onwards - 1:
            return Run(length, edges, False, here)
        length += 1
        edge = onwards


class Captures(NamedTuple):
    """What the mover can capture in a row.

    boxes: how many at most. kept: how many of them can be handed out instead, the least that can: 2, 4, or 0 for none.
    rest: the free edges once all are captured. take: an edge to draw next, whether or not some are to be handed out.
    hand_out: the edge that hands out, or 0 while `take` comes first.
    """

    boxes: int
    kept: int
    rest: int
    take: int
    hand_out: int


def captures(board: Board, free: int, one: int) -> Captures:
    """What can be captured, where `one` are the boxes with a single free edge, at least one.

    It is enough to hand out the last two boxes of one half-open run or, where there is none, the last four of a closed
    one: all others may as well be taken first.
    """
    total, rest = 0, free
    while capturable := board.degrees(rest)[0]:
        run = run_from(board, rest, capturable & -capturable)
        total += run.length
        rest &= ~sum(run.edges)
    kept, take, hand_out = 0, 0, 0
    for box in bits(one):
        first, run = _left_for_last(board, free, box)
        if not take or (run.kept and not 0 < kept <= run.kept):
            kept = run.kept
            take = first or run.edges[0]
            last = not first and kept == run.length
            hand_out = run.edges[1] if last and kept else 0
        if kept == HALF_OPEN:
            break
    return Captures(total, kept, rest, take, hand_out)


def _left_for_last(board: Board, free: int, box: int) -> tuple[int, Run]:
    """The run from `box` when all others have been captured, and the edge that captures the first of those, or 0."""
    first = 0
    while True:
        mine = run_from(board, free, box)
        others = board.degrees(free)[0] & ~box
        if mine.closed:
            others &= ~mine.end
        if not others:
            return first, mine
        other = run_from(board, free, others & -others)
        first = first or other.edges[0]
        free &= ~sum(other.edges)
