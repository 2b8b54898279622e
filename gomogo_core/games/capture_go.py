"""Capture Go: the first player to capture `target` stones wins.

The game is also called atari-go. Many people learn Go with target 1. No ko rule is needed: a repetition costs a player
stones, so the captures grow and the game ends.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

from gomogo_core.games.base import Outcome, Reason, option
from gomogo_core.games.stones.rules import StonesGame, StonesPosition


class CaptureGo(StonesGame):
    """Go without territory and ko: the first whose captures reach `target` wins; after two passes, most captures."""

    name: ClassVar[str] = "capture_go"

    target: int = option(1, "captured stones that win", low=1, high=625)


class CaptureGoPosition(StonesPosition):
    """A position of Capture Go."""

    __slots__ = ()
    game: CaptureGo

    def _other_state(self) -> Hashable:
        return self.captures

    def _judge(self) -> Outcome | None:
        one, other = self.captures
        if one != other and (max(one, other) >= self.game.target or self.passes >= 2):
            margin = abs(one - other)
            detail = f"by {margin} capture{'s' * (margin != 1)}"
            return Outcome.won_by(1 if one > other else 2, Reason.CAPTURES, detail)._replace(scores=(one, other))
        if self.passes >= 2:
            return Outcome.draw(Reason.TWO_PASSES, "two passes")._replace(scores=(one, other))
        return self._outcome_without_moves()

    def explain_score(self) -> list[str]:
        """Return the number of captures of each player, and the number that wins."""
        one, other = self.captures
        target = self.game.target
        return [f"Captured: black {one}, white {other}; {target} win{'s' * (target == 1)}."]


CaptureGo.position = CaptureGoPosition
GAME = CaptureGo
