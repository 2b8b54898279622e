"""Proves the results of edges in Dots and Boxes, and finds the decisions and the technique in a turn.

The module uses positions and exact search, but no puzzle and no words. The terms are those of E. R. Berlekamp, The
Dots-and-Boxes Game (2000).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from gomogo_core.analysis.explainers.dots_and_boxes import first_opened_chain
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition, Edge
from gomogo_core.search.boxes.board import geometry_of
from gomogo_core.search.boxes.chains import CLOSED_HANDOUT, HALF_OPEN_HANDOUT, find_captures
from gomogo_core.search.boxes.exact import ExactSearch
from gomogo_core.search.boxes.giveaways import least_costly_edges
from gomogo_core.search.limits import OutOfLimits, SearchLimits

_MEGABYTES = 60  # for the tables of one proof, which are dropped after it


class AvailableCaptures(NamedTuple):
    """The captures of a position. boxes: the boxes that the player to move can take in a row. handout: the boxes that
    the player can leave to the opponent instead of taking all; 0 if it cannot.
    """

    boxes: int
    handout: int


@lru_cache(maxsize=2000)
def boxes_after_edges(position: DotsAndBoxesPosition) -> Mapping[Edge, int]:
    """Return the boxes that the player to move has at the end of the game after each legal edge, with best play."""
    geometry, seat = geometry_of(position.game.rows, position.game.cols), position.to_move
    search, counts = ExactSearch(geometry, megabytes=_MEGABYTES), dict[Edge, int]()
    for edge in position.game.board.undrawn_edges(position.drawn):
        after = position.play(edge)
        own_rest = _mover_boxes_left(search, geometry.free_edge_mask(after.drawn))
        if after.to_move != seat:
            own_rest = position.game.box_count - sum(after.scores) - own_rest
        counts[edge] = after.scores[seat - 1] + own_rest
    return counts


def boxes_if_small(position: DotsAndBoxesPosition, max_nodes: int) -> int | None:
    """Return the boxes that the player to move has at the end of the game, with best play; None if the proof is larger
    than `max_nodes`.
    """
    geometry = geometry_of(position.game.rows, position.game.cols)
    search = ExactSearch(geometry, SearchLimits(nodes=max_nodes), megabytes=_MEGABYTES)
    try:
        own_rest = _mover_boxes_left(search, geometry.free_edge_mask(position.drawn))
    except OutOfLimits:
        return None
    return position.scores[position.to_move - 1] + own_rest


def _mover_boxes_left(search: ExactSearch, free_edge_mask: int) -> int:
    """Return the number of open boxes that the player to move gets. Raises OutOfLimits."""
    return (search.board.boxes_left(free_edge_mask) + search.value(free_edge_mask)) // 2


def boxes_at_end(position: DotsAndBoxesPosition) -> int:
    """Return the boxes that the player to move has at the end of the game, with best play."""
    if position.outcome() is not None:
        return position.scores[position.to_move - 1]
    return max(boxes_after_edges(position).values())


def best_edges(position: DotsAndBoxesPosition) -> list[Edge]:
    """Return every edge that leads to the best result; those that close a box come first, as a player expects."""
    counts = boxes_after_edges(position)
    most_boxes = max(counts.values())
    best = [edge for edge, count in counts.items() if count == most_boxes]
    return sorted(best, key=lambda edge: not position.describe_effect(edge))


def best_line(position: DotsAndBoxesPosition) -> tuple[str, ...]:
    """Return best moves to the end of the game: the first one of `best_edges` at each turn."""
    line = list[str]()
    while position.outcome() is None:
        edge = best_edges(position)[0]
        line.append(position.game.format(edge))
        position = position.play(edge)
    return tuple(line)


def captures_of(position: DotsAndBoxesPosition) -> AvailableCaptures:
    """Return the boxes that the player to move can take in a row."""
    geometry = geometry_of(position.game.rows, position.game.cols)
    free_edges = geometry.free_edge_mask(position.drawn)
    if not (capturable := geometry.boxes_by_degree(free_edges)[0]):
        return AvailableCaptures(0, 0)
    captures = find_captures(geometry, free_edges, capturable)
    return AvailableCaptures(captures.boxes, captures.min_handout)


def safe_edges(position: DotsAndBoxesPosition) -> list[Edge]:
    """Return the edges that neither close a box nor give one away."""
    unsafe_edges = {edge for edges in position.closing_and_giving_edges() for edge in edges}
    return [edge for edge in position.game.board.undrawn_edges(position.drawn) if edge not in unsafe_edges]


def tempting_edges(position: DotsAndBoxesPosition) -> list[Edge]:
    """Return the edges that close a box; without such edges, those after which the opponent can take the fewest boxes.

    A beginner chooses among them.
    """
    geometry = geometry_of(position.game.rows, position.game.cols)
    masks = least_costly_edges(geometry, geometry.free_edge_mask(position.drawn))
    return [position.game.edges[geometry.number_of[mask]] for mask in masks]


def wrong_tempting_edges(position: DotsAndBoxesPosition) -> list[Edge]:
    """Return the tempting edges that do not lead to the best result. The player has a decision if there are some."""
    best = best_edges(position)
    return [edge for edge in tempting_edges(position) if edge not in best]


def first_decision(position: DotsAndBoxesPosition, line: Sequence[str], *, in_turn: bool) -> int | None:
    """Return the index of the first move in a line of best moves at which the first player to move has a decision.

    in_turn: whether to look only at the first turn. Returns None if there is no decision.
    """
    seat = position.to_move
    for index, text in enumerate(line):
        if position.to_move == seat:
            if wrong_tempting_edges(position):
                return index
        elif in_turn:
            return None
        position = position.play(position.game.parse(text))
    return None


def possible_techniques(position: DotsAndBoxesPosition) -> set[str]:
    """Return the techniques that the turn may need by the look of the board, without a proof."""
    captures = captures_of(position)
    if captures.boxes:
        return {"double_cross", "loop", "take"} if captures.handout else set()
    return {"control", "sacrifice"} if safe_edges(position) else {"open"}


def technique_of(position: DotsAndBoxesPosition, line: Sequence[str]) -> str:
    """Return the technique of the first turn of a line of best moves: one of BOXES_THEMES, or an empty text.

    It follows from the boxes that the player can take or leave, from the safe edges, and from the players who open the
    first long chain in the best lines.
    """
    if captures_of(position).boxes:
        return _capturing_technique(position, line)
    safe, best = safe_edges(position), best_edges(position)
    if not safe:
        return "open"
    if not set(best) & set(safe):
        return "sacrifice"
    if set(best) <= set(safe) and _chain_opener(position, line) == 3 - position.to_move:
        wrong_lines = [
            (position.game.format(edge), *best_line(position.play(edge))) for edge in safe if edge not in best
        ]
        if wrong_lines and all(_chain_opener(position, wrong_line) == position.to_move for wrong_line in wrong_lines):
            return "control"
    return ""


def _chain_opener(position: DotsAndBoxesPosition, line: Sequence[str]) -> int | None:
    """Return the seat that opens the first long chain in a line."""
    opened = first_opened_chain(position, line)
    return None if opened is None else opened.seat


def _capturing_technique(position: DotsAndBoxesPosition, line: Sequence[str]) -> str:
    could_leave, seat = False, position.to_move
    for text in line:
        captures, after = captures_of(position), position.play(position.game.parse(text))
        could_leave = could_leave or bool(captures.handout)
        if after.outcome() is not None:
            return ""
        if after.to_move != seat:
            if not captures.boxes:
                return "take" if could_leave else ""
            if captures.handout == captures_of(after).boxes == captures.boxes:
                return {HALF_OPEN_HANDOUT: "double_cross", CLOSED_HANDOUT: "loop"}.get(captures.handout, "")
            return ""
        position = after
    return ""
