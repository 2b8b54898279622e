"""Go with area, territory or stone scoring.

Sources: J. Tromp and B. Taylor, The Logical Rules of Go (1995), for area scoring and superko. No stone is considered
dead: after two passes, every stone on the board counts.
"""

from __future__ import annotations

from typing import Any, ClassVar

from gomogo_core.games.base import Move, Outcome, Reason, option
from gomogo_core.games.stones.board import BLACK, WHITE, StoneBoard
from gomogo_core.games.stones.rules import COLOURS, ko_option, move_cap_option
from gomogo_core.games.stones.text import GoFamilyGameWithDiagrams, GoFamilyPositionWithDiagrams, territory_sentences
from gomogo_core.printable import count_with_noun

NO_DEAD_STONES_REMINDER = "Every stone left on the board counts as alive: capture dead stones before you pass"
STANDING_SCORE = "If both pass now"  # the beginning of the sentence on the score of a game that goes on


class Go(GoFamilyGameWithDiagrams):
    """Players capture stones and enclose empty points. The player with more points wins.

    Two passes or the move limit end the game.
    """

    name: ClassVar[str] = "go"
    scores_places: ClassVar[bool] = True

    ko: str = ko_option("simple")
    scoring: str = option(
        "area", "what counts: stones, territory, or both (area)", choices=("area", "territory", "stone")
    )
    komi: float = option(0.0, "points added to white's score", low=-625, high=625, step=0.5)
    max_moves: int | None = move_cap_option()


class GoPosition(GoFamilyPositionWithDiagrams):
    """A position of Go."""

    __slots__ = ()
    game: Go

    def scores(self) -> tuple[float, float]:
        """Return the scores of black and white if the game ended now, including komi."""
        return score(self.board, self.game.scoring, self.game.komi)

    def _find_outcome(self) -> Outcome | None:
        at_move_cap = self.game.max_moves is not None and self.moves_played >= self.game.max_moves
        if self.passes < 2 and not at_move_cap:
            return self._outcome_without_legal_move()
        reason = Reason.SCORE if self.passes >= 2 else Reason.MOVE_CAP
        detail_of_cap = "" if self.passes >= 2 else f", after {self.moves_played} moves"
        black, white = self.scores()
        if black == white:
            return Outcome((1, 1), reason, f"equal scores{detail_of_cap}", (black, white))
        margin = abs(black - white)
        detail = f"by {margin:g} point{'s' * (margin != 1)}{detail_of_cap}"
        return Outcome((1, 2) if black > white else (2, 1), reason, detail, (black, white))

    def warning(self, move: Move) -> str | None:
        """Return a warning with the score if a pass may lose the game; it says that no stone is considered dead."""
        if (warning := super().warning(move)) is None:
            return None
        black, white = self.scores()
        return f"{warning} (black {black:g}, white {white:g}). {NO_DEAD_STONES_REMINDER}"

    def facts(self) -> dict[str, Any]:
        """Return the facts of all games of the Go family, and the scores that would count if the game ended now."""
        return {**super().facts(), "scores": list(self.scores())}

    def explain_closeness_to_win(self) -> list[str]:
        """List the scores and the territories once stones and territories cover half of the board; after the end, list
        how each score adds up, with a reminder that no stone is considered dead.
        """
        if self._outcome is not None:
            return [*self._sums_of_scores(), f"{NO_DEAD_STONES_REMINDER}."]
        stones, territories = self.board.black_mask | self.board.white_mask, self.board.territory_masks()
        if 2 * (stones | territories[0] | territories[1]).bit_count() < self.game.board.area:
            return []  # the game is still open, so these numbers would say nothing about the result
        black, white = self.scores()
        komi = f" (with a komi of {self.game.komi:g})" if self.game.komi else ""
        return [
            *territory_sentences(self),
            f"{STANDING_SCORE}, all stones alive: black {black:g}, white {white:g}{komi}.",
        ]

    def _sums_of_scores(self) -> list[str]:
        """Return one sentence for each player, such as "White 8.5: 1 stone + 0 territory + 7.5 komi."."""
        sentences = []
        for colour, total, territory in zip((BLACK, WHITE), self.scores(), self.board.territory_masks(), strict=True):
            stones = count_with_noun(self.board.stone_mask(colour).bit_count(), "stone")
            komi = self.game.komi if colour == WHITE else 0
            parts = [
                *([stones] if self.game.scoring != "territory" else []),
                *([f"{territory.bit_count()} territory"] if self.game.scoring != "stone" else []),
                *([f"{komi:g} komi"] if komi else []),
            ]
            sentences.append(f"{COLOURS[colour].capitalize()} {total:g}: {' + '.join(parts)}.")
        return sentences


def score(board: StoneBoard, scoring: str, komi: float) -> tuple[float, float]:
    """Return the points of black and white by the rule `scoring`, with komi for white.

    The territory of a player consists of the connected regions of empty points that touch stones of that player only.
    """
    black = white = 0
    if scoring != "territory":
        black, white = board.black_mask.bit_count(), board.white_mask.bit_count()
    if scoring != "stone":
        black_territory, white_territory = board.territory_masks()
        black, white = black + black_territory.bit_count(), white + white_territory.bit_count()
    return float(black), white + komi


Go.position_class = GoPosition
GAME = Go
