"""Capture Go: the first player to capture `target` stones wins.

The game is also called Atari Go. Many people learn Go with target 1. The game needs no ko rule: a board can recur only
after captures, so the number of captures grows until somebody wins.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

from gomogo_core.games.base import Outcome, Reason, option
from gomogo_core.games.stones.text import GoFamilyGameWithDiagrams, GoFamilyPositionWithDiagrams
from gomogo_core.printable import count_with_noun


class CaptureGo(GoFamilyGameWithDiagrams):
    """Go without territory and ko. The first player with `target` or more captures wins.

    After two passes, the player with more captures wins.
    """

    name: ClassVar[str] = "capture_go"

    target: int = option(1, "number of captured stones that wins", low=1, high=625)


class CaptureGoPosition(GoFamilyPositionWithDiagrams):
    """A position of Capture Go."""

    __slots__ = ()
    game: CaptureGo

    def _extra_key_part(self) -> Hashable:
        return self.captures

    def _find_outcome(self) -> Outcome | None:
        lead = self.captures[0] - self.captures[1]
        if self.passes < 2 and (not lead or max(self.captures) < self.game.target):
            return self._outcome_without_legal_move()
        if not lead:
            return Outcome((1, 1), Reason.TWO_PASSES, "two passes", self.captures)
        detail = f"by {count_with_noun(abs(lead), 'capture')}"
        return Outcome((1, 2) if lead > 0 else (2, 1), Reason.CAPTURES, detail, self.captures)

    def explain_closeness_to_win(self) -> list[str]:
        """Return the number of captures of each player, and the number that wins."""
        first_captures, second_captures = self.captures
        target = count_with_noun(self.game.target, "capture")
        return [f"Captures: black {first_captures}, white {second_captures}. The first player with {target} wins."]


CaptureGo.position_class = CaptureGoPosition
GAME = CaptureGo
