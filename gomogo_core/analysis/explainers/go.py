"""Explains moves of Go by the facts about stones, and passes by the dead stones that they leave."""

from __future__ import annotations

from gomogo_core.analysis.explainers._stones import StonesExplainer
from gomogo_core.games.go import GoPosition
from gomogo_core.games.stones.rules import COLOURS, PASS, GoFamilyPosition
from gomogo_core.printable import count_with_noun
from gomogo_core.search.playouts.dead_stones import dead_stones


class GoExplainer(StonesExplainer):
    """Explains moves of Go."""

    def _describe_harm(self, position: GoFamilyPosition, move: str, answer: str) -> str:
        if position.game.parse(move) is not PASS:
            return super()._describe_harm(position, move, answer)
        assert isinstance(position, GoPosition)
        opponent = 3 - position.to_move
        if not (dead_points := dead_stones(position.play(PASS))[opponent]):
            return super()._describe_harm(position, move, answer)
        stones = count_with_noun(len(dead_points), f"dead {COLOURS[opponent]} stone")
        verb, object_ = ("is", "it") if len(dead_points) == 1 else ("are", "them")
        return (
            f"If both players pass while {stones} {verb} on the board, every stone counts as alive: "
            f"capture {object_} first."
        )


EXPLAINER = GoExplainer()
