"""Robogo: a row of stones wins, and captures as in Go can break a row.

All rules of Go apply, except scoring. By default, only horizontal and vertical rows win. A row counts only after the
captured stones are removed.
"""

from __future__ import annotations

from typing import ClassVar

from gomogo_core.games import _completion_hints
from gomogo_core.games.base import BadOption, Outcome, Reason, option
from gomogo_core.games.boards.points import Point
from gomogo_core.games.stones.board import BLACK, WHITE
from gomogo_core.games.stones.rules import ko_option, move_cap_option, side_option
from gomogo_core.games.stones.text import GoFamilyGameWithDiagrams, GoFamilyPositionWithDiagrams


class Robogo(GoFamilyGameWithDiagrams):
    """Go in which the first horizontal or vertical row of `line` stones wins.

    Two passes in a row are a draw.
    """

    name: ClassVar[str] = "robogo"

    size: int = option(9, "points along each side", low=3, high=19)
    rows: int = side_option(9, "rows of points", high=19)
    cols: int = side_option(9, "points in a row", high=19)
    line: int = option(
        5,
        "stones in a row that win",
        low=2,
        high=19,
        default_from=lambda chosen_options: _default_line(max(chosen_options["rows"], chosen_options["cols"])),
        default_formula="5, or 4 on a board smaller than 7; never more than the longer side",
    )
    diagonals: bool = option(False, "diagonal rows win too")
    captures: bool = option(True, "stones without liberties are captured, as in Go")
    ko: str = ko_option("positional")
    max_moves: int | None = move_cap_option()

    def check_options(self) -> None:
        """Refuse a row longer than the board."""
        if self.line > max(self.rows, self.cols):
            raise BadOption(
                f"line {self.line} is too long: a board of {self.rows} × {self.cols} has no such row.",
                f"Try line={max(self.rows, self.cols)} or less, or a larger board.",
            )

    @property
    def row_steps(self) -> tuple[int, ...]:
        """The distance in bits between neighbouring stones of a row, for each direction in which a row wins."""
        stride = self.bit_geometry.stride
        return (1, stride, stride + 1, stride - 1) if self.diagonals else (1, stride)


def _default_line(longer_side: int) -> int:
    return min(longer_side, 4 if longer_side < 7 else 5)


class RobogoPosition(GoFamilyPositionWithDiagrams):
    """A position of Robogo."""

    __slots__ = ()
    game: Robogo

    def _find_outcome(self) -> Outcome | None:
        for colour in (3 - self.to_move, self.to_move):  # a board from a diagram may already contain a row
            if row_mask(self.board.stone_mask(colour), self.game.row_steps, self.game.line):
                return Outcome.won_by(colour, Reason.LINE, f"{self.game.line} in a row")
        if self.passes >= 2:
            return Outcome.draw(Reason.TWO_PASSES, "two passes")
        if self.game.max_moves is not None and self.moves_played >= self.game.max_moves:
            return Outcome.draw(Reason.MOVE_CAP, f"{self.moves_played} moves")
        if not self.game.passing and not self.board.empty_mask:
            return Outcome.draw(Reason.BOARD_FULL, "board full")
        return self._outcome_without_legal_move()

    def explain_closeness_to_win(self) -> list[str]:
        """List the points where one more stone completes a row."""
        if self._outcome is not None:
            return []
        sentences, game = [], self.game
        for colour, colour_name in ((BLACK, "Black"), (WHITE, "White")):
            stones = self.board.stone_mask(colour)
            points = [
                str(point)
                for point in game.bit_geometry.points_in(self.board.empty_mask)
                if row_mask(
                    stones | game.bit_geometry.masks[game.bit_geometry.index_of[point]], game.row_steps, game.line
                )
                and (colour != self.to_move or self.why_illegal(point) is None)
            ]
            sentences += _completion_hints.completion_sentences(colour_name, game.line, points)
        return sentences

    def winning_places(self) -> tuple[Point, ...]:
        """Return the points of the winning row; () if there is none."""
        if self._outcome is None or self._outcome.winner is None or self._outcome.reason is not Reason.LINE:
            return ()
        stones = self.board.stone_mask(BLACK if self._outcome.winner == 1 else WHITE)
        return tuple(self.game.bit_geometry.points_in(row_mask(stones, self.game.row_steps, self.game.line)))


def row_mask(stone_mask: int, steps: tuple[int, ...], row_length: int) -> int:
    """Return the mask of the stones in rows of at least `row_length`, in the first direction that has such a row.

    >>> row_mask(0b111, (1,), 3), row_mask(0b1011, (1,), 3)
    (7, 0)
    """
    for step in steps:
        row_starts = stone_mask
        for _ in range(row_length - 1):
            row_starts &= row_starts >> step
        if row_starts:
            for _ in range(row_length - 1):
                row_starts |= row_starts << step
            return row_starts
    return 0


Robogo.position_class = RobogoPosition
GAME = Robogo
