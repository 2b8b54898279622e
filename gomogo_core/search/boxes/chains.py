"""Chains, loops and captures: a position as strings and coins.

Uses one position at a time, as free edges, but no turns, no values. In the dual of the board a box is a coin. A free
edge is the string that ties it to its neighbour or, at the rim, to the ground; drawing an edge cuts a string. A *chain*
is a row of boxes with two free edges each; it ends at the ground or at *joints*, boxes with more. E. R. Berlekamp, J.
H. Conway and R. K. Guy, Winning Ways for your Mathematical Plays (1982), ch. 16.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gomogo_core.search.boxes.board import GROUND, BoxBits, bits

LONG = 3  # the least number of boxes of a long chain; its opener may get back all but two of them, or all
HALF_OPEN, CLOSED = 2, 4  # the number of last boxes of a chain, and of a loop, that a player can hand out


class Chain(NamedTuple):
    """A chain or a loop. length: the number of boxes; boxes: their mask; edges: the mask of all their free edges.

    ends: the joints at its ends, or GROUND; of a loop, one of its boxes.
    """

    length: int
    boxes: int
    edges: int
    ends: tuple[int, int]
    loop: bool


def chain_through(board: BoxBits, free: int, box: int) -> Chain:
    """Return the chain or loop of `box`, which has two free edges."""
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


def give_away_edge(board: BoxBits, chain: Chain) -> int:
    """Return an edge that gives `chain` away: in a chain of two boxes the middle edge, so that the opponent cannot
    hand them back.
    """
    inside = (edge for edge in bits(chain.edges) if len(board.beside[edge]) == 2)
    inner = (edge for edge in inside if not board.beyond[edge] & ~chain.boxes)
    return next(inner, chain.edges & -chain.edges)


def chains(board: BoxBits, free: int, two: int) -> list[Chain]:
    """Return every chain and loop of a position without captures; `two`: the boxes with two free edges."""
    found = []
    while two:
        chain = chain_through(board, free, two & -two)
        found.append(chain)
        two &= ~chain.boxes
    return found


def untouched_chain(board: BoxBits, free: int, box: int) -> Chain | None:
    """Return the chain or loop of `box`, which has two free edges, if it ends at no joint; else None."""
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


class CaptureRun(NamedTuple):
    """A run of boxes that can be captured one after the other.

    edges: in that order; each captures one box. The last edge of a half-open run captures one box, and the last of a
    closed run, which ends at another capturable box, two. end: the joint at the end of a half-open run, or GROUND.
    """

    length: int
    edges: Sequence[int]
    closed: bool
    end: int

    @property
    def offered_boxes(self) -> int:
        """Return how many boxes it can hand out: two of a half-open run, four of a closed one, or 0."""
        least = CLOSED if self.closed else HALF_OPEN
        return least if self.length >= least else 0


def run_from(board: BoxBits, free: int, box: int) -> CaptureRun:
    """Return the run that begins at `box`, which has one free edge."""
    edge, edges, length, here = free & board.sides[box], [], 1, box
    while True:
        edges.append(edge)
        here ^= board.beyond[edge]
        if here == GROUND:
            return CaptureRun(length, edges, False, GROUND)
        onwards = free & board.sides[here] ^ edge
        if not onwards:
            return CaptureRun(length + 1, edges, True, here)
        if onwards & onwards - 1:
            return CaptureRun(length, edges, False, here)
        length += 1
        edge = onwards


class Captures(NamedTuple):
    """The captures that the mover can make in a row.

    boxes: the largest number. kept: the least number of them that the mover can hand out instead: 2, 4, or 0 for none.
    rest: the free edges after all captures. take: an edge to draw next, whether or not the mover hands boxes out.
    hand_out: the edge that hands out, or 0 while `take` comes first.
    """

    boxes: int
    kept: int
    rest: int
    take: int
    hand_out: int


def captures(board: BoxBits, free: int, single: int) -> Captures:
    """Return the captures; `single` are the boxes with a single free edge, at least one.

    It is enough to hand out the last two boxes of one half-open run or, if there is none, the last four of a closed
    one. The mover loses nothing by taking all others first.
    """
    total, rest = 0, free
    while capturable := board.degrees(rest)[0]:
        run = run_from(board, rest, capturable & -capturable)
        total += run.length
        rest &= ~sum(run.edges)
    kept, take, hand_out = 0, 0, 0
    for box in bits(single):
        first, run = _left_for_last(board, free, box)
        if not take or (run.offered_boxes and not 0 < kept <= run.offered_boxes):
            kept = run.offered_boxes
            take = first or run.edges[0]
            last = not first and kept == run.length
            hand_out = run.edges[1] if last and kept else 0
        if kept == HALF_OPEN:
            break
    return Captures(total, kept, rest, take, hand_out)


def _left_for_last(board: BoxBits, free: int, box: int) -> tuple[int, CaptureRun]:
    """Return the run from `box` after all other captures, and the edge that captures the first of those, or 0."""
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
