"""Capture Go: the first player to capture `target` stones wins.

The game is also called Atari Go. Many people learn Go with target 1. The game needs no ko rule: a board can recur only
after captures, so the number of captures grows until somebody wins.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

from gomogo_core.games.base import Outcome, Reason, option
from gomogo_core.games.stones.text import StonesGameWithDiagrams, StonesPositionWithDiagrams
from gomogo_core.printable import count_with_noun


class CaptureGo(StonesGameWithDiagrams):
    """Go without territory and ko. The first player with `target` or more captures wins.

    After two passes, the player with more captures wins.
    """

    name: ClassVar[str] = "capture_go"

    target: int = option(1, "number of captured stones that wins", low=1, high=625)


class CaptureGoPosition(StonesPositionWithDiagrams):
    """A position of Capture Go."""

    __slots__ = ()
    game: CaptureGo

    def _extra_key_part(self) -> Hashable:
        return self.captures

    def _find_outcome(self) -> Outcome | None:
        first_captures, second_captures = self.captures
        if first_captures != second_captures and (
            max(first_captures, second_captures) >= self.game.target or self.passes >= 2
        ):
            detail = f"by {count_with_noun(abs(first_captures - second_captures), 'capture')}"
            return Outcome.won_by(1 if first_captures > second_captures else 2, Reason.CAPTURES, detail)._replace(
                scores=(first_captures, second_captures)
            )
        if self.passes >= 2:
            return Outcome.draw(Reason.TWO_PASSES, "two passes")._replace(scores=(first_captures, second_captures))
        return self._outcome_without_legal_move()

    def explain_closeness_to_win(self) -> list[str]:
        """Return the number of captures of each player, and the number that wins."""
        first_captures, second_captures = self.captures
        target = count_with_noun(self.game.target, "capture")
        return [f"Captures: black {first_captures}, white {second_captures}. The first player with {target} wins."]


CaptureGo.position_class = CaptureGoPosition
GAME = CaptureGo
