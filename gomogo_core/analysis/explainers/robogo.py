"""Explains moves of Robogo by rows, which win, and then by captures and liberties."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gomogo_core.analysis.explainers._rows import RowExplainer, distance_words
from gomogo_core.analysis.explainers._stones import StonesExplainer, stone_facts
from gomogo_core.games.base import Move
from gomogo_core.games.boards.points import Point
from gomogo_core.games.robogo import RobogoPosition
from gomogo_core.games.stones.rules import COLOURS
from gomogo_core.printable import count_with_noun


class RobogoExplainer(RowExplainer[RobogoPosition], StonesExplainer[RobogoPosition]):
    """Explains moves of Robogo."""

    def _other_facts(
        self, position_before: RobogoPosition, move: Point, position_after: Any, *, has_facts: bool
    ) -> Iterator[str]:
        """Yield the stones that a move puts into atari. If there are no such stones and no facts about rows, yield the
        effects on chains, or else the place of the stone.
        """
        if atari := _atari_fact(position_before, move, position_after):
            yield atari
        if not atari and not has_facts:
            yield from list(stone_facts(position_before, move, position_after, "")) or [
                distance_words(position_before, move)
            ]


EXPLAINER = RobogoExplainer()


def _atari_fact(position_before: RobogoPosition, move: Move, position_after: RobogoPosition) -> str:
    """Return the fact that a stone puts stones of the opponent into atari; empty if it does not."""
    if not position_before.game.captures or not isinstance(move, Point):
        return ""
    geometry, board, opponent = position_before.game.bit_geometry, position_after.board, 3 - position_before.to_move
    neighbours = geometry.neighbour_masks[geometry.index_of[move]] & board.stone_mask(opponent)
    count = sum(
        stones.bit_count() for stones, liberties, _ in board.chains_of(neighbours) if liberties.bit_count() == 1
    )
    return f"puts {count_with_noun(count, f'{COLOURS[opponent]} stone')} into atari" if count else ""
