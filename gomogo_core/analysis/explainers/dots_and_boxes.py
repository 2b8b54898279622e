"""Explains an edge of Dots and Boxes by the boxes, chains and safe edges that it leaves.

Each statement is a fact on the board, or on the boards of a line of play that is named as such. The module knows
positions, but no search and no review. The terms are those of E. R. Berlekamp, The Dots-and-Boxes Game (2000).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from gomogo_core.analysis.explainers._explainer import Explainer, TeachingMark
from gomogo_core.drawing.colours import side_name
from gomogo_core.games.base import Move, Seat
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition, Edge
from gomogo_core.printable import count_with_noun
from gomogo_core.search.boxes.board import BoxesGeometry, geometry_of, one_bit_masks
from gomogo_core.search.boxes.chains import MIN_LONG_CHAIN, chain_through, find_captures, find_chains
from gomogo_core.search.boxes.giveaways import capturable_box_count, least_costly_edges

_SAFE_EDGE = "is safe, because no box has three sides"
_SAFE_SENTENCE_BEGINNING = "is safe, and leaves"
_LOOP_HANDOUT_BOXES = 4  # boxes that a player leaves to give the move away in a loop; in a chain, they are 2
_ALTHOUGH_CLAUSE = re.compile(", although .*")
_SHORT_CHAIN = 2  # boxes of a chain that can be opened so that the opponent cannot leave them, or so that they can


class OpenedChain(NamedTuple):
    """The first long chain or loop that a player opens in a line. moves_before: the moves of the line before it."""

    seat: Seat
    boxes: int
    moves_before: int


def first_opened_chain(position: DotsAndBoxesPosition, line: Sequence[str]) -> OpenedChain | None:
    """Return the first long chain or loop that a player opens in a line of legal moves; None if there is none.

    A player opens it by an edge after which the opponent can take at least three boxes in a row, although no box could
    be taken before.
    """
    geometry = geometry_of(position.game.rows, position.game.cols)
    for count, text in enumerate(line):
        move = position.game.parse(text)
        if position.outcome() is not None or position.why_illegal(move):
            return None
        after = position.play(move)
        taken_before, given = (
            capturable_box_count(geometry, geometry.free_edge_mask(one.drawn)) for one in (position, after)
        )
        if given >= MIN_LONG_CHAIN and not taken_before:
            return OpenedChain(position.to_move, given, count)
        position = after
    return None


class _Endgame(NamedTuple):
    """The first position of a line in which a player must open a chain. chains: the boxes of each, in ascending order.

    boxes_taken: the boxes that each player has by then.
    """

    seat: Seat
    chains: tuple[int, ...]
    boxes_taken: tuple[int, ...]


def _endgame_sentences(
    position: DotsAndBoxesPosition, move: str, line: Sequence[str], answers: Sequence[str], *, is_proved: bool
) -> list[str]:
    """Return a sentence on the difference between the lines after two edges, if the difference helps a learner.

    Without such a difference, the sentence has the results of both lines. If the lines do not reach the end of the
    game, it names the best answer to the played edge; there is no sentence without an answer.
    """
    manner = "With best play" if is_proved else "As far as the search sees"
    after_better, after_played = _first_endgame(position, line), _first_endgame(position, (move, *answers))
    if after_better is not None and after_played is not None:
        if after_better.seat != after_played.seat:
            better_words, played_words = (_endgame_words(position, one) for one in (after_better, after_played))
            return [f"{manner} after {line[0]}, {better_words}; after {move}, {played_words}."]
        if difference := _endgame_difference(position, move, line[0], after_better, after_played):
            side = side_name(position, after_better.seat)
            return [f"{manner}, {side} must open a chain first after both edges. {difference}."]
    results = [_final_boxes(position, moves) for moves in (line, (move, *answers))]
    results_in_words = [f"{own} to {other}" for own, other in filter(None, results)]
    if len(results_in_words) == len(results):
        better_result, played_result = results_in_words
        side = side_name(position, position.to_move)
        return [f"{manner}, {side} ends with {better_result} after {line[0]}, and with {played_result} after {move}."]
    return [f"{manner}, {answers[0]} answers {move}."] if answers else []


def _endgame_difference(
    position: DotsAndBoxesPosition, move: str, better_move: str, after_better: _Endgame, after_played: _Endgame
) -> str:
    """Compare two endgames in which the same player must open a chain, in a sentence without a full stop.

    Returns a difference in the number of long chains, or an advantage of the better edge in boxes; else an empty text.
    """
    better_count, played_count = (
        sum(length >= MIN_LONG_CHAIN for length in endgame.chains) for endgame in (after_better, after_played)
    )
    if better_count != played_count:
        better_words = count_with_noun(better_count, "long chain") if better_count else "no long chain"
        definition = f"({MIN_LONG_CHAIN} boxes or more)"
        return f"{better_move} leaves {better_words} {definition}, and {move} leaves {played_count or 'none'}"
    better_lead, played_lead = (
        _lead(endgame.boxes_taken, position.to_move) for endgame in (after_better, after_played)
    )
    if better_lead <= played_lead:
        return ""
    side = side_name(position, position.to_move)
    return (
        f"By then, {side} {_lead_words(better_lead)} after {better_move}, but {_lead_words(played_lead)} after {move}"
    )


def _lead_words(lead: int) -> str:
    return (
        f"{'leads' if lead > 0 else 'trails'} by {count_with_noun(abs(lead), 'box', 'boxes')}" if lead else "is level"
    )


def _lead(boxes: Sequence[int], seat: Seat) -> int:
    """Return the lead of one of two players in boxes."""
    return 2 * boxes[seat - 1] - sum(boxes)


def _final_boxes(position: DotsAndBoxesPosition, line: Sequence[str]) -> tuple[int, int] | None:
    """Return the boxes of the player to move, and of the opponent, at the end of a line; None if the game continues."""
    mover = position.to_move
    for text in line:
        move = position.game.parse(text)
        if position.outcome() is not None or position.why_illegal(move):
            return None
        position = position.play(move)
    if position.outcome() is None:
        return None
    return position.scores[mover - 1], position.scores[2 - mover]


def _first_endgame(position: DotsAndBoxesPosition, line: Sequence[str]) -> _Endgame | None:
    """Return the first position of a line in which no edge is safe and no box can be taken; None if there is none."""
    geometry = geometry_of(position.game.rows, position.game.cols)
    for text in line:
        move = position.game.parse(text)
        if position.outcome() is not None or position.why_illegal(move):
            return None
        position = position.play(move)
        free_edges = geometry.free_edge_mask(position.drawn)
        takeable, in_chains, _ = geometry.boxes_by_degree(free_edges)
        if position.outcome() is None and not takeable and not _safe_edges(geometry, free_edges):
            chains = sorted(chain.length for chain in find_chains(geometry, free_edges, in_chains))
            return _Endgame(position.to_move, tuple(chains), tuple(position.scores))
    return None


def _endgame_words(position: DotsAndBoxesPosition, endgame: _Endgame) -> str:
    """Return a clause such as "Blue must open one of 3 chains (1, 2 and 4 boxes) with the score Blue 0, Orange 2"."""
    side, sizes = side_name(position, endgame.seat), list(map(str, endgame.chains))
    if len(sizes) == 1:
        words = f"{side} must open a chain of {count_with_noun(endgame.chains[0], 'box', 'boxes')}"
    else:
        words = f"{side} must open one of {len(sizes)} chains ({', '.join(sizes[:-1])} and {sizes[-1]} boxes)"
    return f"{words} with the score {_score_words(position, endgame)}" if any(endgame.boxes_taken) else words


def _score_words(position: DotsAndBoxesPosition, endgame: _Endgame) -> str:
    """Return the boxes that the players have, such as "Blue 0, Orange 2"."""
    counts = [f"{side_name(position, seat)} {count}" for seat, count in enumerate(endgame.boxes_taken, 1)]
    return ", ".join(counts)


def long_chain_sentence(position: DotsAndBoxesPosition, move: str, line: Sequence[str], answers: Sequence[str]) -> str:
    """Return a sentence about the players who open the first long chain in the best lines after both edges.

    If it is the same player after both edges, the sentence compares the boxes of the chain. The sentence is empty in
    three cases: if the players are unknown, if the better edge gains nothing by them, or if the edges themselves open
    the chains.
    """
    after_better, after_played = first_opened_chain(position, line), first_opened_chain(position, (move, *answers))
    if after_better is None or after_played is None or position.game.players != 2:
        return ""
    if not after_better.moves_before or not after_played.moves_before:
        return ""
    better_side, played_side = (side_name(position, one.seat) for one in (after_better, after_played))
    if after_better.seat == after_played.seat:
        gain = (after_better.boxes - after_played.boxes) * (1 if after_better.seat != position.to_move else -1)
        sizes = f"{after_better.boxes} boxes after {line[0]}, but {after_played.boxes} after {move}"
        return f"In the best lines, {better_side} opens the first long chain: {sizes}." if gain > 0 else ""
    better_words = f"{better_side} opens the first long chain ({after_better.boxes} boxes) after {line[0]}"
    return f"In the best lines, {better_words}, but {played_side} ({after_played.boxes} boxes) after {move}."


def _safe_edges(geometry: BoxesGeometry, free_edge_mask: int) -> list[int]:
    """Return the free edges that give no box away, as one-bit masks."""
    _, _, many_free_sides = geometry.boxes_by_degree(free_edge_mask)
    return [
        edge
        for edge in one_bit_masks(free_edge_mask)
        if all(box & many_free_sides for box in geometry.boxes_beside[edge])
    ]


def describe_edge(position: DotsAndBoxesPosition, move: Edge, other_move: Edge) -> str:
    """Describe an edge by the boxes, chains and safe edges that it leaves, for a comparison with another edge.

    Each part is a fact on the board, not an estimate. other_move: the edge with which it is compared.
    """
    next_position = position.play(move)
    effect = position.describe_effect(move)
    if next_position.outcome() is not None:
        return effect
    geometry = geometry_of(position.game.rows, position.game.cols)
    before, after = (geometry.free_edge_mask(one.drawn) for one in (position, next_position))
    takeable, given = (capturable_box_count(geometry, free_edges) for free_edges in (before, after))
    if effect:
        side, boxes = side_name(position, position.to_move), effect.partition(" and moves again")[0]
        if given:
            return f"{boxes}, and {side} moves again"
        if safe_count := len(_safe_edges(geometry, after)):
            return f"{boxes}, and {side} must draw one of {_safe_words(safe_count)} next"
        return f"{boxes}, but then no edge is safe, and {side} must open a chain"
    if takeable:
        return _leaving_words(geometry, before, next_position, given)
    if given:
        other_after = geometry.free_edge_mask(position.play(other_move).drawn)
        other_given = capturable_box_count(geometry, other_after)
        reason = ""
        if safe_count := len(_safe_edges(geometry, before)):
            if not other_given:
                reason = f", although {count_with_noun(safe_count, 'edge is', 'edges are')} safe"
        else:
            fewest = capturable_box_count(geometry, before ^ least_costly_edges(geometry, before)[0])
            if given == fewest:
                reason = "" if given == _SHORT_CHAIN else ", the fewest possible"
            elif other_given < given:
                reason = f", although {fewest} would be the fewest possible"
        return f"{_opening_words(geometry, before, before ^ after, given)}{reason}"
    safe_edges = _safe_edges(geometry, after)
    count_words = count_with_noun(len(safe_edges), "safe edge")
    if not safe_edges:
        is_last = len(_safe_edges(geometry, before)) == 1
        subject = "is the last safe edge" if is_last else "leaves no safe edge"
        return f"{subject}, so the next player must open a chain"
    if position.game.players == 2 and _are_independent(geometry, after, safe_edges):
        is_even = len(safe_edges) % 2 == 0
        result = "so the next player runs out of them first" if is_even else "and the next player draws the last one"
        return f"leaves {count_words}, {result}"
    return f"{_SAFE_SENTENCE_BEGINNING} {count_words}"


def describe_worse_edge(position: DotsAndBoxesPosition, move: str, better_move: str) -> str:
    """Describe an edge as `describe_edge` does, to explain why another one is better.

    The text is empty if the edge is safe and leaves safe edges, which explains nothing.
    """
    words = describe_edge(position, position.game.parse(move), position.game.parse(better_move))
    return "" if words.startswith(_SAFE_SENTENCE_BEGINNING) else words


def _leaving_words(geometry: BoxesGeometry, before: int, next_position: DotsAndBoxesPosition, given: int) -> str:
    """Describe an edge that takes no box although boxes can be taken. before: the mask of the free edges before it.

    next_position: the position after the edge. given: the number of boxes that the next player can take.
    """
    after = geometry.free_edge_mask(next_position.drawn)
    captures = find_captures(geometry, after, geometry.boxes_by_degree(after)[0])
    rest = captures.free_edge_mask_after
    has_refused = given == find_captures(geometry, before, geometry.boxes_by_degree(before)[0]).min_handout
    name = " (a double-cross)" if has_refused else ""
    boxes = f"the box at {next_position.closing_and_giving_edges()[0][0]}" if given == 1 else f"{given} boxes"
    leaves = f"leaves {boxes} to the next player{name}"
    if not geometry.boxes_left(rest) or captures.min_handout:  # the next player may leave boxes, too
        return leaves
    if safe_count := len(_safe_edges(geometry, rest)):
        them = "it" if given == 1 else "them"
        return f"{leaves}, who takes {them} and then must draw one of {_safe_words(safe_count)}"
    return f"{leaves}, who must then open the next chain"


def _opening_words(geometry: BoxesGeometry, before: int, edge: int, given: int) -> str:
    """Describe an edge that gives boxes away. before: the mask of the free edges before the edge."""
    if given == 1:
        return "lets the next player take 1 box"
    if given == _SHORT_CHAIN:
        return _short_chain_words(geometry, before, edge)
    after = before ^ edge
    is_loop = find_captures(geometry, after, geometry.boxes_by_degree(after)[0]).min_handout == _LOOP_HANDOUT_BOXES
    return f"opens a {'loop' if is_loop else 'chain'} of {given} boxes"


def _safe_words(count: int) -> str:
    return count_with_noun(count, "safe edge")


def _short_chain_words(geometry: BoxesGeometry, before: int, edge: int) -> str:
    """Describe an edge that gives two boxes away, and whether the next player can leave them.

    The middle edge of a chain of two boxes divides it, so that each box must be taken alone (a hard-hearted handout).
    After an edge at an end of the chain, the next player may draw the edge at the other end and leave both boxes: a
    double-cross.
    before: the mask of the free edges before the edge.
    """
    after = before ^ edge
    capturable = geometry.boxes_by_degree(after)[0]
    min_handout = find_captures(geometry, after, capturable).min_handout
    chains = [
        chain_through(geometry, before, box)
        for box in geometry.boxes_beside[edge]
        if (before & geometry.sides[box]).bit_count() == _SHORT_CHAIN
    ]
    if len(chains) == 2 and all(chain.boxes == capturable and not chain.is_loop for chain in chains):
        return "divides a chain of 2 boxes, so that the next player cannot leave them (a hard-hearted handout)"
    if min_handout == _SHORT_CHAIN:
        return "opens a chain of 2 boxes at its end, so that the next player can leave them (a double-cross)"
    return "lets the next player take 2 boxes"


def _are_independent(geometry: BoxesGeometry, free_edge_mask: int, safe_edges: Sequence[int]) -> bool:
    """Return whether all of these safe edges stay safe until they are drawn, in whatever order."""
    return all(
        sum(1 for edge in safe_edges if edge & sides) <= max(0, (free_edge_mask & sides).bit_count() - 2)
        for sides in geometry.sides.values()
    )


class BoxesExplainer(Explainer[DotsAndBoxesPosition]):
    """Explains edges by boxes, chains and safe edges."""

    def line_reason(self, position: DotsAndBoxesPosition, move: Move) -> str:
        """Return the boxes that the first edge of a line takes or gives away, or the safe edges that it leaves."""
        return describe_edge(position, move, move) if isinstance(move, Edge) else ""

    def _compare_moves(
        self,
        position: DotsAndBoxesPosition,
        move: str,
        line: Sequence[str],
        answers: Sequence[str],
        *,
        is_proved: bool,
    ) -> tuple[str, str]:
        """Return the reason for the first edge of a line, as a predicate, and sentences about the edge that was played.

        If no difference between both edges is known, the reason is empty and there are no sentences. Besides the edges
        themselves, the sentences compare the players who open the first long chain in both lines, since the other
        player then has control. Otherwise they compare the chains that are left after the last safe edge.
        """
        better, played = position.game.parse(line[0]), position.game.parse(move)
        reason, harm = describe_edge(position, better, played), describe_edge(position, played, better)
        are_safe = all(words.startswith(_SAFE_SENTENCE_BEGINNING) for words in (reason, harm))
        is_alike = reason == harm or are_safe
        if is_alike:
            reason = harm = ""
        reason = _ALTHOUGH_CLAUSE.sub(", which pays later", reason)  # the better edge gives boxes away for a reason
        sentences = [f"{move} {harm}."] if harm else []
        if control := long_chain_sentence(position, move, line, answers):
            # if the chains are known, the number of safe edges explains nothing more
            sentences = [*(sentence for sentence in sentences if _SAFE_SENTENCE_BEGINNING not in sentence), control]
        elif is_alike and position.game.players == 2 and move != line[0]:
            sentences += _endgame_sentences(position, move, line, answers, is_proved=is_proved)
            if are_safe and not sentences:
                sentences.append("Both edges are safe.")
        return reason, " ".join(sentences)

    def _facts(
        self, position_before: DotsAndBoxesPosition, move: Move, position_after: Any, idea: str
    ) -> Iterator[str]:
        """Yield a fact about the boxes that the edge gives away, or facts about the safe edges."""
        if sum(position_after.scores) > sum(position_before.scores) or position_after.outcome() is not None:
            return
        geometry = geometry_of(position_before.game.rows, position_before.game.cols)
        free_before, free_edges = (geometry.free_edge_mask(one.drawn) for one in (position_before, position_after))
        if given_boxes := capturable_box_count(geometry, free_edges):
            earlier_count = capturable_box_count(geometry, free_before)
            if given_boxes <= earlier_count:
                yield _leaving_words(geometry, free_before, position_after, given_boxes)
                return
            if earlier_count:
                yield f"lets the next player take {count_with_noun(given_boxes, 'box', 'boxes')}"
                return
            words = _opening_words(geometry, free_before, free_before ^ free_edges, given_boxes)
            safe_count = len(_safe_edges(geometry, free_before))
            safe_words = f"although {count_with_noun(safe_count, 'edge is', 'edges are')} safe"
            yield f"{words}, {safe_words if safe_count else 'because no edge is safe'}"
            return
        yield _SAFE_EDGE
        # the number of safe edges is left out, because drawing one of them makes others unsafe
        if not _safe_edges(geometry, free_edges):
            is_last = len(_safe_edges(geometry, free_before)) == 1
            yield f"{'was the last safe edge' if is_last else 'leaves no safe edge'}: the next one opens a chain"

    def teaching_marks(self, position: DotsAndBoxesPosition) -> Iterator[TeachingMark]:
        """Yield marks for the edges that close a box, and for those that give one away."""
        closing_edges, giving_edges = position.closing_and_giving_edges()
        yield from (TeachingMark(str(edge), "closes") for edge in closing_edges)
        yield from (TeachingMark(str(edge), "gives") for edge in giving_edges)

    def teaching_label(self, position: DotsAndBoxesPosition) -> str:
        """Return the label for the marks of edges."""
        return "Show open boxes"


EXPLAINER = BoxesExplainer()
