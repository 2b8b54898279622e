"""A position of Robogo and its rows, which are updated after each stone.

The module contains no method of search and no order of moves. Rows are those of Gomoku (gomoku_node.py), but stones can
be captured. The position of the game has the rules of stones. _robogo_threats.py has the effects of captures on rows.

The mover certainly wins if it can complete a row with a stone that stays on the board. No ko rule forbids that stone,
because a board with a row ends the game when it first occurs. The mover certainly loses if the opponent can complete a
row next and no move stops all such rows. Four kinds of moves may stop a row: a stone on the point that completes it, a
capture, a stone on the last liberty of that point, and the second of two consecutive passes. The mover wins in three
plies if one of its stones leads to such a loss of the opponent.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Self

from gomogo_core.games.base import Move
from gomogo_core.games.robogo import RobogoPosition
from gomogo_core.games.stones.board import BLACK
from gomogo_core.games.stones.rules import PASS
from gomogo_core.search.evaluation._robogo_geometry import RobogoGeometry
from gomogo_core.search.evaluation._robogo_threats import (
    Liberties,
    liberties_of,
    points_of_two_stone_win,
    points_that_may_stop_win,
    stays_on_board,
)
from gomogo_core.search.evaluation.gomoku_lines import FULL_LANE, LANE_BITS, first_point
from gomogo_core.search.evaluation.gomoku_node import GomokuNode
from gomogo_core.search.node import win_in

_UNKNOWN = float("nan")  # marks a value that is not computed yet; NaN is the only value that differs from itself
_NO_STONES = Liberties((0, 0, 0), 0, 0)


class _PositionWithoutOutcome(RobogoPosition):
    """A position that does not look for its outcome, because the node finds the outcome faster from its own rows."""

    __slots__ = ()

    def _find_outcome(self) -> None:
        return None


class RobogoBaseNode(GomokuNode):
    """A position of Robogo with its rows and its certain values; RobogoNode adds the moves.

    `position` holds the board, the passes and ko. `empty_lanes` has full lanes for the empty points.
    """

    __slots__ = (
        "_certain_cache", "_changed_line_numbers", "_liberties_cache", "_stopping_points_cache", "empty_lanes",
        "geometry", "position",
    )  # fmt: skip

    geometry: RobogoGeometry
    position: RobogoPosition
    _changed_line_numbers: Collection[int]
    _certain_cache: float | None
    _stopping_points_cache: int | None
    _liberties_cache: Liberties | None
    empty_lanes: int

    @classmethod
    def from_robogo_position(cls, position: RobogoPosition, geometry: RobogoGeometry) -> Self:
        """Return the node of `position`, as the root of a search, computed from the whole board."""
        node = cls()
        node.geometry, node.board_lines, node.parent, node.ply = geometry, geometry.board_lines, None, 0
        board = position.board
        node.position = _PositionWithoutOutcome(
            position.game, board, position.to_move, position.moves_played, position.passes, position.captures,
            position.previous_board_key, position.earlier_boards, position.last,
        )  # fmt: skip
        values = [0] * len(node.board_lines.lines)
        for number, point_index in enumerate(geometry.bit_of_lane):
            if colour := board.colour(point_index):
                for k, part in node.board_lines.lines_through[colour][number]:
                    values[k] += part
        node.line_scores = [line[value] for line, value in zip(node.board_lines.lines, values, strict=True)]
        node._sum_line_scores()
        node.nearby_lanes = geometry.lanes_near(board.black_mask | board.white_mask)
        node.empty_lanes = geometry.lanes_of_mask(board.empty_mask)
        outcome = position.outcome()
        node._set_outcome(is_over=outcome is not None, winner=(outcome.winner or 0) if outcome else 0)
        return node

    def _set_outcome(self, *, is_over: bool, winner: int) -> None:
        self.colour = self.to_move = self.position.to_move
        self.is_over, self.winner = is_over, winner
        self._certain_cache, self._stopping_points_cache, self._liberties_cache = _UNKNOWN, None, None

    def child_after(self, move: Move) -> Self:
        """Return the node after `move`."""
        node = type(self)()
        node.geometry, node.board_lines, node.parent, node.ply = self.geometry, self.board_lines, self, self.ply + 1
        node.position = self.position.play(move)  # type: ignore[assignment]
        node._gains_by_colour, winner = [0, None, None], 0
        if move is PASS:
            node.line_scores, node.score, node.threats = self.line_scores, self.score, self.threats
            node.nearby_lanes, node.empty_lanes = self.nearby_lanes, self.empty_lanes
            node._changed_line_numbers = ()
        else:
            number = self.board_lines.number_of[move]  # type: ignore[index]
            node._update_rows(self, number)
            completes_row = self.threats & self.board_lines.win_masks_at[self.colour][number]
            if completes_row and not node.position.board.self_captured_mask:
                winner = self.colour
        node._set_outcome(is_over=winner != 0, winner=winner)
        if not winner:
            node._set_end_without_row()
        return node

    def _update_rows(self, before: RobogoBaseNode, lane_number: int) -> None:
        """Compute the rows from those of the node `before`, for a stone on lane `lane_number` and its captures."""
        geometry, lanes, board, colour = self.geometry, self.board_lines, self.position.board, before.colour
        parts: Sequence[tuple[int, int]] = lanes.lines_through[colour][lane_number]
        self._changed_line_numbers = lanes.line_numbers_through[lane_number]
        self.empty_lanes = before.empty_lanes & ~(FULL_LANE << LANE_BITS * lane_number)
        if board.captured_mask or board.self_captured_mask:
            parts = [*parts]
            for stones, stone_colour in ((board.captured_mask, 3 - colour), (board.self_captured_mask, colour)):
                for point_index in geometry.bit_geometry.point_indices_in(stones):
                    parts += geometry.removal_changes[stone_colour][geometry.lane_number_of_bit[point_index]]
            self._changed_line_numbers = {k for k, _ in parts}
        elif board.black_mask and board.white_mask:
            self.nearby_lanes = before.nearby_lanes | geometry.lanes_near_lane[lane_number]
        # after captures, or where one colour has no stones, compute the neighbourhood of all stones again
        if board.captured_mask or board.self_captured_mask or not (board.black_mask and board.white_mask):
            self.nearby_lanes = geometry.lanes_near(board.black_mask | board.white_mask)
            self.empty_lanes |= geometry.lanes_of_mask(board.captured_mask | board.self_captured_mask)
        self.line_scores = lines = before.line_scores.copy()
        score, threats = before.score, before.threats
        for k, part in parts:
            old = lines[k]
            lines[k] = new = lanes.lines[k][old.code + part]
            score += new.score - old.score
            threats += new.threats - old.threats
        self.score, self.threats = score, threats

    def _set_end_without_row(self) -> None:
        """Set `is_over` and `winner` if the game has ended without a row."""
        position, game = self.position, self.position.game
        if position.passes >= 2 or (game.max_moves is not None and position.moves_played >= game.max_moves):
            self.is_over = True
        elif not game.passing and not (position.board.empty_mask and position.legal_mask):
            self.is_over = True
            self.winner = 3 - self.colour if position.board.empty_mask else 0

    def _changed_lines(self) -> Collection[int]:
        return self._changed_line_numbers

    # Certain values

    def certain_value(self) -> float | None:
        """Return the value if the game is over, or if a case of the module's docstring makes it certain; else None."""
        if self._certain_cache != self._certain_cache:
            self._certain_cache = self._certain_value()
        return self._certain_cache

    def _certain_value(self) -> float | None:
        if self.is_over:
            return 0 if not self.winner else win_in(self.ply) if self.winner == self.colour else -win_in(self.ply)
        if not self.threats & self.geometry.deciding_threats[self.colour]:
            return None
        if self.winning_points(self.colour):
            return win_in(self.ply + 1)
        stopping = self.stopping_points()
        if stopping is not None:
            return None if stopping or self.position.pass_ends_game else -win_in(self.ply + 2)
        return win_in(self.ply + 3) if self.find_winning_move() is not None else None

    def winning_points(self, colour: int) -> list[int]:
        """Return the bits of the points where a stone of `colour` completes a row and stays on the board."""
        win_lanes = self.threats & self.board_lines.win_masks[colour]
        if not win_lanes:
            return []
        board = self.position.board
        point_indices = [self.geometry.bit_of_lane[number] for number in _lane_numbers(win_lanes)]
        if not self.geometry.captures:
            return point_indices
        return [point_index for point_index in point_indices if stays_on_board(board, colour, point_index)]

    def stopping_points(self) -> int | None:
        """Return the mask of the points that may stop all rows that the opponent can complete; None if there is no such
        row.

        After any other stone, and after a pass that does not end the game, the opponent wins.
        """
        if self._stopping_points_cache is not None:
            return self._stopping_points_cache
        opponent, board, stopping = 3 - self.colour, self.position.board, self.geometry.bit_geometry.full_mask
        wins = self.winning_points(opponent) if self.has_moves_left(2) else ()
        if not wins:
            return None
        for point_index in wins:
            if self.geometry.captures:
                stopping &= points_that_may_stop_win(self.geometry, board, opponent, point_index)
            else:
                stopping &= board.bit_geometry.masks[point_index]
        self._stopping_points_cache = stopping & self.position.legal_mask
        return self._stopping_points_cache

    def liberties(self) -> Liberties:
        """Return the liberties of the chains, if stones can be captured."""
        if self._liberties_cache is None:
            self._liberties_cache = liberties_of(self.position.board) if self.geometry.captures else _NO_STONES
        return self._liberties_cache

    def find_winning_move(self) -> Move | None:
        """Return a move whose rows the opponent cannot stop, if neither player can complete a row now; else None."""
        lanes, geometry, board = self.board_lines, self.geometry, self.position.board
        two_four_lanes = self.threats & lanes.two_four_masks[self.colour]
        if not two_four_lanes or self.threats & lanes.win_masks[3 - self.colour] or not self.has_moves_left(3):
            return None
        legal = self.position.legal_mask
        for number in _lane_numbers(two_four_lanes):
            point_index = geometry.bit_of_lane[number]
            if (
                legal >> point_index & 1
                and points_of_two_stone_win(geometry, board, self.colour, point_index) is not None
            ):
                return lanes.points[number]
        return None

    def defence_lanes(self) -> int | None:
        """Return full lanes for all moves that may prevent the opponent's winning move; None if there is no such win.

        After any other move the opponent completes a row within four plies.
        """
        lanes, geometry, position, opponent = self.board_lines, self.geometry, self.position, 3 - self.colour
        dangers = self.threats & lanes.two_four_masks[opponent]
        win_masks = lanes.win_masks[opponent] | lanes.win_masks[self.colour]
        if not dangers or self.threats & win_masks or self.position.pass_ends_game or not self.has_moves_left(4):
            return None
        defence_mask = geometry.bit_geometry.full_mask
        for number in _lane_numbers(dangers):
            point_index = geometry.bit_of_lane[number]
            if geometry.captures and not (
                stays_on_board(position.board, opponent, point_index)
                and self._never_forbidden_by_ko(opponent, point_index)
            ):
                continue
            stopping = points_of_two_stone_win(geometry, position.board, opponent, point_index)
            defence_mask &= geometry.bit_geometry.full_mask if stopping is None else stopping
        if defence_mask == geometry.bit_geometry.full_mask:
            return None
        if geometry.captures:
            defence_mask |= self.liberties().capturing_masks[self.colour]
        own_four_lanes = lanes.fill_nonzero_lanes(self.threats & lanes.four_masks[self.colour])
        return geometry.lanes_of_mask(defence_mask) | own_four_lanes

    def _never_forbidden_by_ko(self, colour: int, point_index: int) -> bool:
        """Return whether ko cannot forbid a later stone of `colour` on `point_index` that captures nothing."""
        position, length = self.position, self.geometry.bit_geometry.length
        if position.earlier_boards is None or position.captures == (0, 0):  # without captures, no board occurs twice
            return True
        stones = position.board.stone_mask(colour) | 1 << point_index
        boards = (board_number >> 1 for board_number in position.earlier_boards.board_numbers)
        return all((board & (1 << length) - 1 if colour == BLACK else board >> length) != stones for board in boards)

    def has_moves_left(self, move_count: int) -> bool:
        """Return whether the move limit allows `move_count` more moves."""
        max_moves = self.position.game.max_moves
        return max_moves is None or self.position.moves_played + move_count <= max_moves


def _lane_numbers(lanes: int) -> Iterator[int]:
    """Yield the numbers of the lanes that are not 0."""
    while lanes:
        number = first_point(lanes)
        yield number
        lanes &= ~(FULL_LANE << LANE_BITS * number)
