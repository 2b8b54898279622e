"""Exact solution of Gomoku: a state that stores the missing points of each row.

The state supports only the plain rule, `line` or more in a row. With `exact`, `renju` or an opening, the proof uses the
game's own positions. Three ideas make this state faster than the game's own positions:

- A row with stones of both colours is dead; any other is living, since a player can still complete it. A point on no
  living row is never tried: it is no better than any other, since one more stone never hurts its owner.
- A player is safe if two empty points can be assigned to each living row of the opponent, and no point to two rows.
  When the opponent takes one of the two points, the player takes the other. A. Hales and R. Jewett, Regularity and
  Positional Games, Trans. AMS 106 (1963).
- Turned and mirrored boards count as one state, since the rule has no direction. This saves time while stones are few.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cache

from gomogo_core.games.base import Move, Position, Seat
from gomogo_core.games.boards.points import Point, point_board
from gomogo_core.games.gomoku import EMPTY, GomokuPosition
from gomogo_core.search.solving.state import NEVER, NOBODY, ProofState, ProvenResult

_MAX_STONES_FOR_SYMMETRY = 8  # boards with at most this many stones share one key with their mirror images
_URGENCY_FACTOR = 5  # each stone on a living row multiplies the urgency of its missing points by this factor


def state(position: Position) -> ProofState | None:
    """Return the state of `position`, if only the plain rule applies; else None."""
    assert isinstance(position, GomokuPosition)
    game = position.game
    if game.exact or game.renju or position.is_before_colour_choice:
        return None
    first_stones, second_stones = (
        sum(1 << i for i, colour in enumerate(position.cells) if colour != EMPTY and position.seat_of(colour) == seat)
        for seat in (1, 2)
    )
    rows = row_masks(game.size, game.line)
    missing_points = (
        [row & ~first_stones for row in rows if not row & second_stones],
        [row & ~second_stones for row in rows if not row & first_stones],
    )
    outcome = position.outcome()
    winner = None if outcome is None else outcome.winner or NOBODY
    return RowsState(game.size, game.line, (first_stones, second_stones), missing_points, position.to_move, winner)


@cache
def row_masks(size: int, line: int) -> tuple[int, ...]:
    """Return the mask of each winning row: `line` adjacent points in one of four directions.

    The point in column x and row y is bit `y · size + x`.
    """
    masks = set()
    for line_points in point_board(size, size).lines:
        point_numbers = range(line_points.start, line_points.stop, line_points.step)
        starts = range(len(point_numbers) - line + 1)
        masks |= {sum(1 << i for i in point_numbers[start : start + line]) for start in starts}
    return tuple(sorted(masks))


class RowsState(ProofState):
    """The stones of each seat as a mask, and the missing points of each of its living rows.

    `winner` is the seat with a complete row, NOBODY for a full board, None while the game goes on.
    """

    __slots__ = (
        "_certain_result", "_min_plies_to_win", "_stopping_point", "line", "missing_points", "size", "stones",
        "to_move",
    )  # fmt: skip

    def __init__(
        self,
        size: int,
        line: int,
        stones: tuple[int, int],
        missing_points: tuple[list[int], list[int]],
        to_move: Seat,
        winner: Seat | None,
    ) -> None:
        self.size, self.line, self.stones, self.missing_points = size, line, stones, missing_points
        self.to_move = to_move
        self._certain_result = ProvenResult(winner, 0) if winner is not None else self._find_certain_result()

    def _find_certain_result(self) -> ProvenResult | None:
        """Return the result if a row lacks one point, two rows cannot both be stopped, or no row is living.

        Return None if it is not certain.
        """
        mover = self.to_move
        if _last_missing_points(self.missing_points[mover - 1]):
            return ProvenResult(mover, 1)
        self._stopping_point = _last_missing_points(self.missing_points[2 - mover])
        if self._stopping_point & (self._stopping_point - 1):
            return ProvenResult(3 - mover, 2)
        self._min_plies_to_win = self._count_min_plies_to_win(1), self._count_min_plies_to_win(2)
        return ProvenResult(NOBODY, 0) if self._min_plies_to_win == (NEVER, NEVER) else None

    def _count_min_plies_to_win(self, seat: Seat) -> int:
        """Return a lower bound of the plies that `seat` needs to win, or NEVER if the opponent is safe."""
        missing_points = self.missing_points[seat - 1]
        empty_count = self.size * self.size - (self.stones[0] | self.stones[1]).bit_count()
        if 2 * len(missing_points) <= empty_count and _rows_have_pairs(missing_points):
            return NEVER
        return 2 * min(map(int.bit_count, missing_points)) - (seat == self.to_move)

    def certain_result(self) -> ProvenResult | None:
        """Return the result if it is certain, else None."""
        return self._certain_result

    def min_plies_to_win(self, seat: Seat) -> int:
        """Return the number of plies that `seat` needs to complete the row with the fewest missing points."""
        return self._min_plies_to_win[seat - 1]

    def key(self) -> Hashable:
        """Return a key with the board and the player to move; mirror images with few stones share a key."""
        first_stones, second_stones = self.stones
        if (first_stones | second_stones).bit_count() <= _MAX_STONES_FOR_SYMMETRY:
            first_stones, second_stones = _least_image(self.size, first_stones, second_stones)
        return first_stones, second_stones, self.to_move

    def moves(self) -> Sequence[Move]:
        """Return the only point that stops the opponent's row, or else the empty points of all living rows, the most
        urgent first.
        """
        masks = [self._stopping_point]
        if not self._stopping_point:
            urgency: dict[int, int] = {}
            for rows in self.missing_points:
                for missing_points in rows:
                    row_urgency = _URGENCY_FACTOR ** (self.line - missing_points.bit_count())
                    while missing_points:
                        point = missing_points & -missing_points
                        missing_points ^= point
                        urgency[point] = urgency.get(point, 0) + row_urgency
            masks = sorted(urgency, key=urgency.__getitem__, reverse=True)
        points = point_board(self.size, self.size).points
        return [points[mask.bit_length() - 1] for mask in masks]

    def state_after(self, move: Move) -> RowsState:
        """Return the state after a stone on `move`."""
        assert isinstance(move, Point)
        bit = 1 << (move.row - 1) * self.size + move.column - 1
        first_stones, second_stones = self.stones
        if self.to_move == 1:
            stones = first_stones | bit, second_stones
            missing_points = (
                [row & ~bit for row in self.missing_points[0]],
                [row for row in self.missing_points[1] if not row & bit],
            )
        else:
            stones = first_stones, second_stones | bit
            missing_points = (
                [row for row in self.missing_points[0] if not row & bit],
                [row & ~bit for row in self.missing_points[1]],
            )
        is_full = (first_stones | second_stones | bit).bit_count() == self.size * self.size
        winner = self.to_move if 0 in missing_points[self.to_move - 1] else NOBODY if is_full else None
        return RowsState(self.size, self.line, stones, missing_points, 3 - self.to_move, winner)


def _last_missing_points(missing_points: list[int]) -> int:
    """Return the mask of the points that are the only missing point of a row."""
    missing = 0
    for row in missing_points:
        if not row & (row - 1):
            missing |= row
    return missing


def _rows_have_pairs(missing_points: list[int]) -> bool:
    """Return whether two points can be assigned to each row, none to two rows, by augmenting paths.

    Rows that lack the same points count once. H. Kuhn, The Hungarian Method for the Assignment Problem, Naval Research
    Logistics 2 (1955).
    """
    rows, union = set(missing_points), 0
    for row in rows:
        union |= row
    if 2 * len(rows) > union.bit_count():
        return False
    owner: dict[int, int] = {}
    taken_points = tried = 0

    def assign_point_to_row(row: int) -> int:
        """Assign a free point to `row`, or that of a row which can get another point; return 0 if there is none."""
        nonlocal tried
        if free := row & ~tried & ~taken_points:
            point = free & -free
            owner[point] = row
            return point
        while points_left := row & ~tried:
            point = points_left & -points_left
            tried |= point
            if owner[point] != row and (freed_point := assign_point_to_row(owner[point])):
                owner[point] = row
                return freed_point
        return 0

    for row in sorted(rows, key=int.bit_count):
        for _ in range(2):
            tried = 0
            if not (assigned_point := assign_point_to_row(row)):
                return False
            taken_points |= assigned_point
    return True


def _least_image(size: int, first_mask: int, second_mask: int) -> tuple[int, int]:
    """Return the least of the eight images of two players' stones: equal for turned and mirrored boards."""
    first_points, second_points = _point_numbers(first_mask), _point_numbers(second_mask)
    return min(
        (sum(1 << image[i] for i in first_points), sum(1 << image[i] for i in second_points))
        for image in point_board(size, size).symmetric_numbers
    )


def _point_numbers(mask: int) -> list[int]:
    numbers = []
    while mask:
        numbers.append((mask & -mask).bit_length() - 1)
        mask &= mask - 1
    return numbers
