"""What one player's stones are worth in a stretch of a line: length and open ends, and where they win.

Knows one stretch at a time, as text: "1" an own stone, "0" an empty point; what bounds it (an opponent's stone or
the edge) is not written. No board, no turns.
"""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple


class Row(NamedTuple):
    """What wins: `line` stones in a row, and whether a longer row wins too."""

    line: int
    longer: bool
    weights: tuple[int, ...] = (0, 200, 120, 40, 12, 3)  # by the number of stones a row lacks, for each open end

    def won_by(self, length: int) -> bool:
        """Whether a row of `length` stones wins."""
        return length == self.line or (self.longer and length > self.line)

    def weight(self, length: int) -> int:
        """What a row of `length` stones is worth for each of its open ends; one that has won, or never can, nothing.

        A four is worth less than twice a three: with the move it wins at once, which no weight has to say, and without
        it it costs the opponent one stone. Nine scales, flatter and steeper, scored 35 to 51 % against this one, in 80
        games or more each at 0.1 s a move.
        """
        missing = self.line - length
        return 0 if length == 0 or missing <= 0 else self.weights[missing] if missing < len(self.weights) else 1


def worth(stretch: str, row: Row) -> int:
    """The sum over the rows of stones in `stretch`: weight of the length × open ends (none: dead, one: closed, two).

    A stretch that cannot hold a winning row is dead.
    """
    if len(stretch) < row.line:
        return 0
    first, *others = weights = [row.weight(len(stones)) for stones in stretch.split("0")]
    return 2 * sum(weights) - first - (others or weights)[-1]


class Change(NamedTuple):
    """What one stone more would do on an empty place of a stretch.

    gain: what an own stone would add to `worth`. loss: what an opponent's would take from it. wins: whether an own
    stone wins. fours: at how many places, none, one or two, the row that it makes could be made to win next: one is a
    closed four, or a broken one such as 11011; two are an open four.
    """

    gain: int
    loss: int
    wins: bool
    fours: int


def changes(stretch: str, row: Row) -> list[Change | None]:
    """What a stone would change on each place of `stretch`; None where one stands, or none can ever win."""
    size = len(stretch)
    if size < row.line:
        return [None] * size
    before, after = _ending(stretch), _ending(stretch[::-1])[::-1]
    found: list[Change | None] = []
    now, left = worth(stretch, row), 0  # left: the worth of the rows that end before this place
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
        found.append(Change(gain, now - stays_left - stays_right, row.won_by(made), fours))
    return found


def _ending(stretch: str) -> list[int]:
    """For each place, how many stones stand in a row just before it."""
    return list(accumulate(stretch[:-1], lambda stones, sign: stones + 1 if sign == "1" else 0, initial=0))
