"""The value of one player's stones in a window of a line: lengths, open ends, and winning places.

Uses one window at a time, as text: "1" an own stone, "0" an empty point. The window's borders (an opponent's stone or
the edge) are not written. No board, no turns.
"""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple


class RowShape(NamedTuple):
    """The winning rows: `line` stones in a row, and whether a longer row wins too."""

    line: int
    longer: bool
    weights: tuple[int, ...] = (0, 200, 120, 40, 12, 3)  # by the number of stones a row lacks, for each open end

    def won_by(self, length: int) -> bool:
        """Return whether a row of `length` stones wins."""
        return length == self.line or (self.longer and length > self.line)

    def weight(self, length: int) -> int:
        """Return the value of a row of `length` stones for each open end; 0 if it has won or can never win.

        A four is worth less than twice a three. If its owner is to move, a four wins at once, which needs no weight; if
        the opponent is to move, the four costs the opponent one stone. Nine scales, flatter and steeper, scored 35 to
        51 % against this one, in 80 games or more each at 0.1 s per move.
        """
        missing = self.line - length
        return 0 if length == 0 or missing <= 0 else self.weights[missing] if missing < len(self.weights) else 1


def window_value(stretch: str, row: RowShape) -> int:
    """Return the sum over the rows in `stretch`: the weight of the length times the number of open ends, 0 to 2.

    A window that cannot hold a winning row is dead.
    """
    if len(stretch) < row.line:
        return 0
    first, *others = weights = [row.weight(len(stones)) for stones in stretch.split("0")]
    return 2 * sum(weights) - first - (others or weights)[-1]


class WindowChange(NamedTuple):
    """The effect of one more stone on an empty place of a window.

    gain: the increase of `window_value` by an own stone. loss: its decrease by an opponent's stone. wins: whether an
    own stone wins. fours: the number of places, at most two, where the new row can win next. One is a closed four, or a
    broken one such as 11011; two are an open four.
    """

    gain: int
    loss: int
    wins: bool
    fours: int


def changes(stretch: str, row: RowShape) -> list[WindowChange | None]:
    """Return the effect of a stone on each place of `stretch`; None on an occupied or useless place."""
    size = len(stretch)
    if size < row.line:
        return [None] * size
    before, after = _ending(stretch), _ending(stretch[::-1])[::-1]
    found: list[WindowChange | None] = []
    now, left = window_value(stretch, row), 0  # left: the value of the rows that end before this place
    for place, sign in enumerate(stretch):
        if sign == "1":
            found.append(None)
            continue
        a, b = before[place], after[place]  # the lengths of the rows on both sides
        open_a, open_b = place > a, place + b + 1 < size
        worth_a, worth_b = row.weight(a) * (open_a + 1), row.weight(b) * (1 + open_b)
        left += worth_a
        made = a + 1 + b
        stays_left = left - row.weight(a) if place >= row.line else 0
        stays_right = now - left - row.weight(b) if size - place > row.line else 0
        fours = (open_a and row.won_by(before[place - a - 1] + 1 + made)) + (
            open_b and row.won_by(made + 1 + after[place + b + 1])
        )
        gain = row.weight(made) * (open_a + open_b) - worth_a - worth_b
        found.append(WindowChange(gain, now - stays_left - stays_right, row.won_by(made), fours))
    return found


def _ending(stretch: str) -> list[int]:
    """Return, for each place, the length of the row that ends just before it."""
    return list(accumulate(stretch[:-1], lambda stones, sign: stones + 1 if sign == "1" else 0, initial=0))
