"""Explains moves of Go, Capture Go and Robogo by the chains, the liberties and the territory of both players."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from gomogo_core.analysis.explainers._explainer import Explainer, TeachingMark, best_point_words, join_facts
from gomogo_core.analysis.go_reasons import CUT_THREAT, cut_fact, stone_reason, stone_threat, stones_in_danger
from gomogo_core.games.base import Move, Seat
from gomogo_core.games.boards.points import Point
from gomogo_core.games.stones.board import BLACK, WHITE, StoneBoard
from gomogo_core.games.stones.rules import COLOURS, PASS, GoFamilyPosition
from gomogo_core.printable import count_with_noun
from gomogo_core.search.result import ExpectedEnd

_MAX_URGENT_LIBERTIES = 3  # an explanation mentions an opponent's chain with at most this number of liberties


StonesPositionT = TypeVar("StonesPositionT", bound=GoFamilyPosition)


class StonesExplainer(Explainer[StonesPositionT]):
    """Explains stones with liberties, and passes."""

    prefers_facts = True

    def _describe_benefit(self, position: StonesPositionT, line: Sequence[str], answer: str) -> str:
        """Return a teacher's reason, which comes first, or else the benefit of a move in any game.

        In Go, a stone in atari or with few liberties is no benefit: it matters only if the reading finds a capture.
        """
        move = position.game.parse(line[0])
        if reason := stone_reason(position, move, is_benefit=True):
            return _for_spectators(position, reason.removesuffix(CUT_THREAT))
        if not position.game.scores_places or not isinstance(move, Point):
            return super()._describe_benefit(position, line, answer)
        facts = list(_territory_facts(position.board, position.play(move).board, position.to_move))
        return join_facts(facts) or (best_point_words(position) if answer == line[0] else "")

    def _describe_idea(self, position: StonesPositionT, move: Move) -> str:
        """Return a teacher's reason for a stone, or else the description by the evaluation."""
        return _for_spectators(position, stone_reason(position, move)) or super()._describe_idea(position, move)

    def _describe_threat(self, position: StonesPositionT, move: Move) -> str:
        if position.game.scores_places:
            return stone_threat(position, move)
        return super()._describe_threat(position, move) or cut_fact(position, move, position.to_move)

    def _facts(self, position_before: StonesPositionT, move: Move, position_after: Any, idea: str) -> Iterator[str]:
        if move is not PASS:
            return stone_facts(position_before, move, position_after, idea)
        return iter(()) if idea else _passing_facts(position_before, position_after)

    def teaching_marks(self, position: StonesPositionT) -> Iterator[TeachingMark]:
        """Yield marks for chains, liberties, atari and territory, if stones can be captured."""
        if position.game.captures:
            yield from _chain_marks(position)
            yield from _territory_marks(position)

    def teaching_label(self, position: StonesPositionT) -> str:
        """Return the label for the marks of chains."""
        return "Show liberties" if position.game.captures else ""

    def _hint_effects(self, position: StonesPositionT, move: Move, end: ExpectedEnd | None) -> str:
        """Return the effects of a stone as a teacher names them."""
        if not isinstance(move, Point):
            return super()._hint_effects(position, move, end)
        owners = None if end is None else end.owners
        return stone_reason(position, move, owners=owners) or self.describe_effects(position, move)

    def _hint_warning(self, position: StonesPositionT, move: Move) -> str:
        return stones_in_danger(position, move)


def _for_spectators(position: GoFamilyPosition, reason: str) -> str:
    """Return a reason with the name of the colour in place of "you"."""
    return reason.replace("your ", f"{COLOURS[position.to_move]}'s ")


def stone_facts(
    position_before: GoFamilyPosition, move: Move, position_after: GoFamilyPosition, idea: str
) -> Iterator[str]:
    """Yield facts about the effects of a stone on chains of both colours and, where it counts, on territory.

    A stone without such an effect has no fact: the reader sees its liberties on the board.
    """
    if not position_before.game.captures or not isinstance(move, Point):
        return
    geometry, seat = position_before.game.bit_geometry, position_before.to_move
    place = geometry.index_of[move]
    if not position_after.board.chain(place)[0]:  # the position's `explain_move` describes the removed stones
        return
    if not idea:
        neighbours, board_before = geometry.neighbour_masks[place], position_before.board
        joined_chain_count = sum(1 for _ in board_before.chains_of(neighbours & board_before.stone_mask(seat)))
        if joined_chain_count > 1:
            yield f"connects {joined_chain_count} chains"
        pressed_chains = list(position_after.board.chains_of(neighbours & position_after.board.stone_mask(3 - seat)))
        if pressed_chains:
            target, liberties_left, _ = min(pressed_chains, key=lambda chain: chain[1].bit_count())
            if 1 < liberties_left.bit_count() <= _MAX_URGENT_LIBERTIES:
                chain_words = "a stone" if target.bit_count() == 1 else f"a chain of {target.bit_count()}"
                yield f"leaves {chain_words} of {COLOURS[3 - seat]} with {liberties_left.bit_count()} liberties"
    if (cut := cut_fact(position_before, move, seat)) and cut not in idea:
        yield cut
    if position_before.game.scores_places:
        yield from _territory_facts(position_before.board, position_after.board, seat)


def _territory_facts(board_before: StoneBoard, board_after: StoneBoard, seat: Seat) -> Iterator[str]:
    """Yield facts about the changes of both territories.

    If only one player has stones, this player owns the whole board, and the function yields nothing.
    """
    boards = (board_before, board_after)
    if all(board.black_mask and board.white_mask for board in boards):
        own_before, own_after = (board.territory_masks()[seat - 1].bit_count() for board in boards)
        other_before, other_after = (board.territory_masks()[2 - seat].bit_count() for board in boards)
        if own_after > own_before:
            yield f"surrounds {count_with_noun(own_after - own_before, 'more point')}"
        if other_after < other_before:
            lost_points = count_with_noun(other_before - other_after, "point")
            yield f"takes {lost_points} of {COLOURS[3 - seat]}'s territory away"


def _passing_facts(position_before: GoFamilyPosition, position_after: GoFamilyPosition) -> Iterator[str]:
    if position_after.outcome() is None:
        opponent_colour = COLOURS[3 - position_before.to_move]
        yield f"places no stone; if {opponent_colour} passes too, the game ends{_result_of_passing(position_after)}"
    else:
        yield "the second pass in a row ends the game"


def _result_of_passing(position: GoFamilyPosition) -> str:
    """Return the end of a sentence with the result of one more pass; empty if one more pass does not end the game."""
    outcome = position.play(PASS).outcome()
    if outcome is None:
        return ""
    if outcome.winner is None:
        return " as a draw"
    return f" and {COLOURS[outcome.winner]} wins {outcome.detail}"


def _chain_marks(position: GoFamilyPosition) -> Iterator[TeachingMark]:
    geometry, board = position.game.bit_geometry, position.board
    for colour in (BLACK, WHITE):
        for chain_mask, liberties, _ in board.chains_of(board.stone_mask(colour)):
            liberty_count = liberties.bit_count()
            for point in geometry.points_in(chain_mask):
                i = geometry.index_of[point]
                for j in geometry.neighbours[i]:
                    if j > i and chain_mask >> j & 1:
                        yield TeachingMark(str(point), "link", str(geometry.points_in(1 << j)[0]))
                if liberty_count == 1:
                    yield TeachingMark(str(point), "atari")
                yield TeachingMark(str(point), "liberties", str(liberty_count))


def _territory_marks(position: GoFamilyPosition) -> Iterator[TeachingMark]:
    for seat, points in position.territory().items():
        for point in points:
            yield TeachingMark(str(point), f"territory {'black' if seat == BLACK else 'white'}")
