"""A position of Robogo in a search: the moves to search, their order, and descriptions of them.

The module contains no method of search; _robogo_rows.py has the rows and the certain values. gomoku_lines.py defines
lanes; a full lane has all bits set.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import compress

from gomogo_core.games.base import Move
from gomogo_core.games.stones.board import BLACK, WHITE
from gomogo_core.games.stones.rules import PASS
from gomogo_core.printable import count_with_noun
from gomogo_core.search.evaluation._robogo_rows import RobogoBaseNode
from gomogo_core.search.evaluation._robogo_threats import points_with_few_empty_neighbours
from gomogo_core.search.evaluation.gomoku_lines import FULL_LANE, LANE_BITS
from gomogo_core.search.evaluation.gomoku_node import number_word
from gomogo_core.search.go.passing import sensible_moves
from gomogo_core.search.node import INFINITY, BestChild, win_in

_ATARI_VALUE = 60  # value of an opponent's stone in atari; a row that lacks two stones is worth 120 for each open end
_CAPTURE_BONUS = 100  # value of a capture in the order of moves, in addition to the stone's gain in rows
# if this number of empty points have empty neighbours, the opponent has a move after every move
_MIN_SAFE_EMPTY_POINTS = 12
_MAX_STONES_FOR_SYMMETRY = 2  # up to this number of stones, mirror images of moves are removed
_NOT_COMPUTED: list[Move] = []


class RobogoNode(RobogoBaseNode):
    """A position, its rows, and its moves."""

    __slots__ = ("_defences",)

    _defences: list[Move] | None

    def _set_outcome(self, *, is_over: bool, winner: int) -> None:
        super()._set_outcome(is_over=is_over, winner=winner)
        self._defences = _NOT_COMPUTED

    def moves(self) -> Sequence[Move]:
        """Return the moves near stones, without mirror images of other moves.

        The moves that matter most to both players come first.

        If a stone wins, return only that stone. If the opponent threatens a win, return only the moves that may prevent
        it.
        """
        if wins := self.winning_points(self.colour):
            return [self.geometry.bit_geometry.points[wins[0]]]
        if (stopping := self.stopping_points()) and (
            stopping_lanes := self.geometry.lanes_of_mask(stopping) & self.nearby_lanes
        ):
            moves = self._points_sorted_by_gain(stopping_lanes)
            return [*moves, PASS] if self.position.pass_ends_game else moves
        if defences := self.defences():
            return defences
        moves = self._without_mirror_images(self._points_sorted_by_gain(self._playable_lanes()))
        return [*moves, PASS] if self.position.game.passing else moves

    def moves_in_game_order(self) -> Sequence[Move]:
        """Return the moves near stones, row by row, then a pass."""
        lanes = self.board_lines
        moves: list[Move] = list(compress(lanes.points, lanes.unpack(self._playable_lanes())))
        return [*moves, PASS] if self.position.game.passing else moves

    def sensible_moves(self) -> Sequence[Move]:
        """Return the moves without own eyes, and without a pass while a stone is safe from capture."""
        return sensible_moves(self.position)

    def _playable_lanes(self) -> int:
        """Return full lanes for the legal points near stones, or for all legal points if none is near."""
        board, legal, geometry = self.position.board, self.position.legal_mask, self.geometry
        lanes = self.empty_lanes & self.nearby_lanes
        for point_index in geometry.bit_geometry.point_indices_in(board.empty_mask & ~legal):
            lanes &= ~(FULL_LANE << LANE_BITS * geometry.lane_number_of_bit[point_index])
        return lanes or geometry.lanes_of_mask(legal)

    def _points_sorted_by_gain(self, candidates: int) -> list[Move]:
        """Return the points of the full lanes `candidates`, ordered by both sides' gains in rows and captures."""
        lanes, geometry = self.board_lines, self.geometry
        lane_gains = list(lanes.unpack((self.gains(BLACK) + self.gains(WHITE)) & candidates))
        _, by_black, by_white = self.liberties().capturing_masks
        for point_index in geometry.bit_geometry.point_indices_in(by_black | by_white):
            if lane_gains[number := geometry.lane_number_of_bit[point_index]]:
                lane_gains[number] += _CAPTURE_BONUS
        sorted_numbers = sorted(compress(range(lanes.area), lane_gains), key=lane_gains.__getitem__, reverse=True)
        return [lanes.points[number] for number in sorted_numbers]

    def _without_mirror_images(self, moves: list[Move]) -> list[Move]:
        """Remove moves that are mirror images of others, while few stones are on the board."""
        geometry, position = self.geometry, self.position
        stones = position.board.black_mask | position.board.white_mask
        if stones.bit_count() > _MAX_STONES_FOR_SYMMETRY or position.captures != (0, 0):
            return moves
        stone_indices = geometry.bit_geometry.point_indices_in(stones)
        stone_numbers = [geometry.lane_number_of_bit[point_index] for point_index in stone_indices]
        images = [image for image in geometry.symmetries if all(image[number] == number for number in stone_numbers)]
        first_moves: dict[int, Move] = {}
        for move in moves:
            number = self.board_lines.number_of[move]  # type: ignore[index]
            first_moves.setdefault(min(image[number] for image in images), move)
        return list(first_moves.values())

    def only_move(self) -> Move | None:
        """Return the only move that prevents a win by the opponent's next stone, if the mover cannot win; else None."""
        stopping = self.stopping_points()
        if not stopping or stopping & (stopping - 1):
            return None
        if self.position.pass_ends_game or self.winning_points(self.colour):
            return None
        return self.geometry.bit_geometry.points[stopping.bit_length() - 1]

    def forcing_moves(self) -> Sequence[Move]:
        """Return the points where a stone makes a four. If the opponent has a four, the stone must also stop it."""
        four_lanes = self.board_lines.fill_nonzero_lanes(self.threats & self.board_lines.four_masks[self.colour])
        stopping = self.stopping_points() if four_lanes else None
        if stopping is not None:
            four_lanes &= self.geometry.lanes_of_mask(stopping)
        return self._points_sorted_by_gain(four_lanes & self._playable_lanes()) if four_lanes else ()

    def defences(self) -> Sequence[Move] | None:
        """Return the defences against a stone that makes unstoppable rows: points of the rows, captures, own fours."""
        if self._defences is _NOT_COMPUTED:
            lanes = self.defence_lanes()
            self._defences = None if lanes is None else self._points_sorted_by_gain(lanes & self._playable_lanes())
        return self._defences

    def value(self) -> float:
        """Return the certain value, or an estimate from the rows and the stones in atari of both players."""
        certain = self.certain_value()
        return self._estimate() if certain is None else certain

    def _estimate(self) -> int:
        score = self.score + _ATARI_VALUE * self.liberties().atari_balance
        return score if self.colour == BLACK else -score

    def best_child(self, alpha: float, beta: float) -> BestChild | None:
        """Return the best child: captures and fours one by one, all other moves at once.

        Returns None if a player can complete a row, or if any move may end the game.
        """
        lanes, colour, threats = self.board_lines, self.colour, self.threats
        if threats & (lanes.win_masks[colour] | lanes.win_masks[3 - colour]) or self._may_end_next_move():
            return None
        if (winning := self.find_winning_move()) is not None:
            return BestChild(win_in(self.ply + 3), winning, 1)
        if threats & lanes.two_four_masks[3 - colour]:
            return self._best_defence(beta) if self.defences() is not None else None
        quiet_lanes, score = self._playable_lanes(), self._estimate()
        tactical_lanes = self._tactical_lanes() & quiet_lanes
        quiet_lanes ^= tactical_lanes
        best_child = BestChild(-INFINITY, None, 0)
        for compared_count, move in enumerate(compress(lanes.points, lanes.unpack(tactical_lanes)), 1):
            value = -self.child_after(move).value()
            best_child = best_child.better_child(value, move, compared_count)
            if value >= beta:
                return best_child
        if self.position.game.passing and score > best_child.value:
            best_child = BestChild(score, PASS, best_child.compared_count + 1)
        child_count = best_child.compared_count + quiet_lanes.bit_count() // LANE_BITS
        if quiet_lanes:
            gains, score = self.gains(colour) & quiet_lanes, score - lanes.zero_gain_lane
            if self._any_lane_reaches(gains, beta - score):
                return BestChild(beta, None, child_count)
            if self._any_lane_reaches(gains, max(best_child.value, alpha) + 1 - score):
                lane_gains = lanes.unpack(gains)
                highest_gain = max(lane_gains)
                return BestChild(score + highest_gain, lanes.points[lane_gains.index(highest_gain)], child_count)
        if best_child.value > alpha:
            return best_child._replace(compared_count=child_count)
        return BestChild(alpha, None, child_count)

    def _tactical_lanes(self) -> int:
        """Return full lanes for the points with effects other than rows: captures, rescues, a lack of liberties."""
        if not self.geometry.captures:
            return 0
        geometry, board, lanes = self.geometry, self.position.board, self.board_lines
        crowded_points = points_with_few_empty_neighbours(board)
        tactical_lanes = geometry.lanes_of_mask(self.liberties().liberties_of_short_chains | crowded_points)
        if fours := self.threats & lanes.four_masks[self.colour]:  # these may be fours that the opponent cannot stop
            threat_lanes = 0
            for point_index in geometry.bit_geometry.point_indices_in(crowded_points):
                threat_lanes |= lanes.same_row_lanes[geometry.lane_number_of_bit[point_index]]
            tactical_lanes |= lanes.fill_nonzero_lanes(fours) & threat_lanes
        return tactical_lanes

    def _may_end_next_move(self) -> bool:
        """Return whether the next move may end the game without a row."""
        position = self.position
        if position.game.passing:
            return position.passes > 0 or not self.has_moves_left(2)
        empty_mask = position.board.empty_mask
        points_with_empty_neighbour = empty_mask & self.geometry.bit_geometry.neighbours_of(empty_mask)
        return points_with_empty_neighbour.bit_count() < _MIN_SAFE_EMPTY_POINTS or not self.has_moves_left(2)

    def key(self) -> Hashable:
        """Return a key with the board, the player to move, passes, number of moves, and the points that ko forbids now.

        The key leaves out later effects of superko, which are rare: they need a cycle of more than two captures. With
        all earlier boards in the key, positions that are reached by different moves would hardly ever have equal keys.
        """
        position = self.position
        return position.board.key, self.colour, position.passes, position.moves_played, position.ko_mask()

    def describe_move(self, move: Move) -> str | None:
        """Describe the rows that the move makes and blocks, and the stones that it captures and saves, the most
        important first.
        """
        if move is PASS:
            return "ends the game as a draw" if self.position.pass_ends_game else None
        child, point_index = self.child_after(move), self.geometry.bit_geometry.index_of[move]  # type: ignore[index]
        board_before, board_after = self.position.board, child.position.board
        if board_after.self_captured_mask:
            return f"gives up {count_with_noun(board_after.self_captured_mask.bit_count(), 'stone')}"
        sentences = [super().describe_move(move)]
        if child.winner or not self.geometry.captures:
            return sentences[0]
        if board_after.captured_mask:
            sentences.append(f"captures {count_with_noun(board_after.captured_mask.bit_count(), 'stone')}")
            opponent_wins = self.winning_points(3 - self.colour)
            if opponent_wins and point_index not in opponent_wins and not child.winning_points(child.colour):
                length_text = number_word(self.board_lines.winning_length - 1)
                sentences = [f"{sentences[1]} and breaks a {length_text}", sentences[0]]
        joined_stones = board_before.stone_mask(self.colour) & board_after.chain(point_index)[0]
        joined_chains = board_before.chains_of(joined_stones)
        saved_count = sum(len(places) for _, liberties, places in joined_chains if liberties.bit_count() == 1)
        if saved_count and board_after.chain(point_index)[1].bit_count() > 1:
            sentences.append(f"saves {count_with_noun(saved_count, 'stone')} from capture")
        return " and ".join(part for part in sentences if part) or None
