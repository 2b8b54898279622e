"""Chains, loops and captures: a position as strings and coins.

The module sees one position at a time, as a mask of free edges; it does not depend on turns or values. In the dual of
the board a box is a coin. A free edge is a string that ties a coin to its neighbour or, at the rim, to the ground.
Drawing an edge cuts its string. A *chain* is a row of boxes with two free edges each. It ends at the ground or at a
*joint*, a box with more than two free edges. Source: E. R. Berlekamp, J. H. Conway and R. K. Guy, Winning Ways for your
Mathematical Plays (1982), ch. 16.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gomogo_core.search.boxes.board import GROUND, BoxesGeometry, one_bit_masks

MIN_LONG_CHAIN = 3  # the least number of boxes of a long chain
# the number of boxes that a player can hand out at the end of a half-open run, and of a closed run
HALF_OPEN_HANDOUT, CLOSED_HANDOUT = 2, 4


class Chain(NamedTuple):
    """A chain or a loop.

    `length` is the number of boxes, `boxes` their mask, and `edges` the mask of all their free edges. `end_joints`
    holds the joint at each end, or GROUND. For a loop, it holds one box of the loop twice.
    """

    length: int
    boxes: int
    edges: int
    end_joints: tuple[int, int]
    is_loop: bool


def chain_through(board: BoxesGeometry, free_edge_mask: int, box: int) -> Chain:
    """Return the chain or loop of `box`, which has two free edges."""
    sides, other_box = board.sides, board.other_box
    pair = free_edge_mask & sides[box]
    first = pair & -pair
    length, edges, boxes, end_joints = 1, 0, box, []
    for edge in (first, pair ^ first):
        next_box = box
        while True:
            edges |= edge
            next_box ^= other_box[edge]
            if next_box == box:
                return Chain(length, boxes, edges, (box, box), True)
            if next_box == GROUND:
                break
            next_edges = free_edge_mask & sides[next_box] ^ edge
            if next_edges & next_edges - 1:
                break
            length += 1
            boxes |= next_box
            edge = next_edges
        end_joints.append(next_box)
    return Chain(length, boxes, edges, (end_joints[0], end_joints[1]), False)


def give_away_edge(board: BoxesGeometry, chain: Chain) -> int:
    """Return an edge that gives `chain` away. In a chain of two boxes it is the middle edge, so that the opponent
    cannot hand the boxes back.
    """
    edges_between_boxes = (edge for edge in one_bit_masks(chain.edges) if len(board.boxes_beside[edge]) == 2)
    inner_edges = (edge for edge in edges_between_boxes if not board.other_box[edge] & ~chain.boxes)
    return next(inner_edges, chain.edges & -chain.edges)


def find_chains(board: BoxesGeometry, free_edge_mask: int, chain_box_mask: int) -> list[Chain]:
    """Return every chain and loop of a position without captures.

    `chain_box_mask` is the mask of the boxes with two free edges.
    """
    chains_found = []
    while chain_box_mask:
        chain = chain_through(board, free_edge_mask, chain_box_mask & -chain_box_mask)
        chains_found.append(chain)
        chain_box_mask &= ~chain.boxes
    return chains_found


def independent_chain_of(board: BoxesGeometry, free_edge_mask: int, box: int) -> Chain | None:
    """Return the chain or loop of `box`, which has two free edges, if it touches no joint, else None."""
    sides, other_box = board.sides, board.other_box
    edges = free_edge_mask & sides[box]
    first = edges & -edges
    length, boxes = 1, box
    for edge in (first, edges ^ first):
        next_box = box ^ other_box[edge]
        while next_box:
            if next_box == box:
                return Chain(length, boxes, edges, (box, box), True)
            next_edges = free_edge_mask & sides[next_box] ^ edge
            if next_edges & next_edges - 1:
                return None
            length += 1
            boxes |= next_box
            edges |= next_edges
            edge = next_edges
            next_box ^= other_box[edge]
    return Chain(length, boxes, edges, (GROUND, GROUND), False)


class CaptureRun(NamedTuple):
    """A run of boxes that can be captured one after the other.

    `capturing_edges` are in order; each captures one box. A closed run ends at another capturable box, so
    its last edge captures two boxes. `end_joint` is the joint at the end of a half-open run, or GROUND.
    """

    length: int
    capturing_edges: Sequence[int]
    is_closed: bool
    end_joint: int

    @property
    def handout(self) -> int:
        """The number of boxes that the mover can hand out: 2 for a half-open run, 4 for a closed run, 0 for a run that
        is too short.
        """
        min_length = CLOSED_HANDOUT if self.is_closed else HALF_OPEN_HANDOUT
        return min_length if self.length >= min_length else 0


def capture_run_from(board: BoxesGeometry, free_edge_mask: int, box: int) -> CaptureRun:
    """Return the run that begins at `box`, which has one free edge."""
    edge, edges, length, next_box = free_edge_mask & board.sides[box], [], 1, box
    while True:
        edges.append(edge)
        next_box ^= board.other_box[edge]
        if next_box == GROUND:
            return CaptureRun(length, edges, False, GROUND)
        next_edges = free_edge_mask & board.sides[next_box] ^ edge
        if not next_edges:
            return CaptureRun(length + 1, edges, True, next_box)
        if next_edges & next_edges - 1:
            return CaptureRun(length, edges, False, next_box)
        length += 1
        edge = next_edges


class Captures(NamedTuple):
    """The captures that the mover can make in a row.

    `boxes` is the largest number of captured boxes. `min_handout` is the least number of boxes that the mover can leave
    to the opponent instead: 2, 4, or 0 if that is impossible. `free_edge_mask_after` holds the free edges after all
    captures. `next_edge` is an edge to draw next, if the mover does not hand boxes out now. `hand_out_edge` is the edge
    that hands boxes out, or 0 while `next_edge` must be drawn first.
    """

    boxes: int
    min_handout: int
    free_edge_mask_after: int
    next_edge: int
    hand_out_edge: int


def find_captures(board: BoxesGeometry, free_edge_mask: int, capturable_box_mask: int) -> Captures:
    """Return the captures of a position in which the boxes of `capturable_box_mask`, at least one, have one free edge.

    The mover loses nothing by first taking all other boxes. So the function considers only the last two boxes of one
    half-open run or, without such a run, the last four boxes of a closed run.
    """
    box_count, edges_left = 0, free_edge_mask
    while capturable := board.boxes_by_degree(edges_left)[0]:
        run = capture_run_from(board, edges_left, capturable & -capturable)
        box_count += run.length
        edges_left &= ~sum(run.capturing_edges)
    min_handout, next_edge, hand_out_edge = 0, 0, 0
    for box in one_bit_masks(capturable_box_mask):
        first_edge, run = _capture_other_runs(board, free_edge_mask, box)
        if not next_edge or (run.handout and not 0 < min_handout <= run.handout):
            min_handout = run.handout
            next_edge = first_edge or run.capturing_edges[0]
            is_last = not first_edge and min_handout == run.length
            hand_out_edge = run.capturing_edges[1] if is_last and min_handout else 0
        if min_handout == HALF_OPEN_HANDOUT:
            break
    return Captures(box_count, min_handout, edges_left, next_edge, hand_out_edge)


def _capture_other_runs(board: BoxesGeometry, free_edge_mask: int, box: int) -> tuple[int, CaptureRun]:
    """Capture all boxes of the other runs. Return the first edge of these captures, or 0 if there is no other run, and
    the run that then begins at `box`.
    """
    first_edge = 0
    while True:
        own_run = capture_run_from(board, free_edge_mask, box)
        other_boxes = board.boxes_by_degree(free_edge_mask)[0] & ~box
        if own_run.is_closed:
            other_boxes &= ~own_run.end_joint
        if not other_boxes:
            return first_edge, own_run
        other_run = capture_run_from(board, free_edge_mask, other_boxes & -other_boxes)
        first_edge = first_edge or other_run.capturing_edges[0]
        free_edge_mask &= ~sum(other_run.capturing_edges)
