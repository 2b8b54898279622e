"""Tactical playouts of Go and Capture Go: capture and rescue stones in atari, then answer shapes, else play at random.

Playouts apply simple ko only; the tree handles superko. Players never fill their own eyes, and pass only if they have
no other move. A playout first looks near the last move: S. Gelly, Y. Wang, R. Munos and O. Teytaud, Modification of UCT
with Patterns in Monte-Carlo Go (INRIA, RR-6062, 2006).
"""

from __future__ import annotations

from gomogo_core.games.base import Move, Seat
from gomogo_core.games.boards.points import Point
from gomogo_core.games.stones.board import BLACK, WHITE
from gomogo_core.games.stones.rules import PASS, GoFamilyPosition
from gomogo_core.search.go.eyes import is_eye
from gomogo_core.search.go.shapes import shape_test
from gomogo_core.search.playouts import RandomNumber
from gomogo_core.search.playouts._mutable_board import MutableBoard
from gomogo_core.search.playouts.stones import MAX_MOVES_PER_POINT

ATARI_PROBABILITY = 0.9  # probability that a player answers an atari
SHAPE_PROBABILITY = 0.9  # else, the probability that a player completes a pattern next to the last stone
LARGE_CHAIN = 9  # the neighbours of a chain with this many stones or more are not examined: that takes too long


class TacticalPlayout:
    """A playout from a position.

    `captures` counts the captured stones of each seat. `moves` lists the moves in order, each with its seat. `last` is
    the point of the stone before the playout, or -1.
    """

    def __init__(self, position: GoFamilyPosition, random_number: RandomNumber) -> None:
        self.board = MutableBoard(position.board)
        self.board.ko_point = position.ko_mask().bit_length() - 1
        self.mover, self.passes, self.random_number = position.to_move, position.passes, random_number
        self.captures = list(position.captures)
        self.is_shape = shape_test(position.game.bit_geometry)
        self.moves: list[tuple[Seat, Move]] = []
        self.last = -1
        if isinstance(position.last, Point):
            self.last = position.game.bit_geometry.index_of[position.last]
            self.board.set_last_stone(self.last)
        self.free_points = list(position.game.bit_geometry.point_indices_in(position.board.empty_mask))
        self.max_moves = MAX_MOVES_PER_POINT * position.game.bit_geometry.point_board.area
        if position.game.max_moves is not None:
            self.max_moves = min(self.max_moves, position.game.max_moves - position.moves_played)

    def play(self, target: int | None = None) -> None:
        """Play until two passes, the limit of moves, or the capture of `target` stones by a player."""
        points, free_points, moves, board = self.board.bit_geometry.points, self.free_points, self.moves, self.board
        last_point = self.last
        while self.passes < 2 and len(moves) < self.max_moves:
            mover = self.mover
            self.mover = BLACK + WHITE - mover
            i = self._local_answer(mover, last_point) if last_point >= 0 else -1
            if i >= 0:
                free_points.remove(i)
            else:
                i = self._pop_random_point(mover)
            last_point = i
            if i < 0:
                self.passes += 1
                moves.append((mover, PASS))
                board.ko_point = -1
                continue
            self.passes = 0
            moves.append((mover, points[i]))
            if removed := board.place_stone(mover, i):
                free_points.extend(removed)
                self.captures[mover - 1] += len(removed)
                if target is not None and self.captures[mover - 1] >= target:
                    break

    def _local_answer(self, mover: Seat, last_point: int) -> int:
        """Return a point that captures the last stone, saves a chain from it, or completes a pattern; or -1."""
        board, answers = self.board, list[int]()
        liberties = board.chain_liberties[board.chain_ids[last_point]]
        if not liberties & (liberties - 1):
            answers.append(liberties.bit_length() - 1)
        for chain in board.chains_put_in_atari:
            self._add_rescues(mover, chain, answers)
        if answers and self.random_number() < ATARI_PROBABILITY:
            answer = answers[int(self.random_number() * len(answers))]
            if answer != board.ko_point:
                return answer
        return self._pattern_point(mover, last_point) if self.random_number() < SHAPE_PROBABILITY else -1

    def _pattern_point(self, mover: Seat, last_point: int) -> int:
        """Return a point next to `last_point` that is the middle of a pattern and would have two liberties, or -1."""
        board, random_number = self.board, self.random_number
        geometry, empty, (_, black, white) = board.bit_geometry, board.empty_mask, board.stone_masks
        near = [i for i in geometry.eight_neighbours[last_point] if empty & geometry.masks[i]]
        points_left = len(near)
        while points_left:
            k = int(random_number() * points_left)
            i = near[k]
            if self.is_shape(black, white, i) and i != board.ko_point and board.has_two_liberties_after(mover, i):
                return i
            points_left -= 1
            near[k] = near[points_left]
        return -1

    def _add_rescues(self, mover: Seat, chain_id: int, answers: list[int]) -> None:
        """Add the points that save a chain of the mover from atari: extensions, and captures of neighbouring chains."""
        board = self.board
        ids, masks, liberties = board.chain_ids, board.chain_masks, board.chain_liberties
        last_liberty = liberties[chain_id].bit_length() - 1
        if board.has_two_liberties_after(mover, last_liberty):
            answers.append(last_liberty)
        if len(board.chain_points[chain_id]) < LARGE_CHAIN:
            own_stones = board.stone_masks[mover]
            for point_index in board.chain_points[chain_id]:
                for j in board.bit_geometry.neighbours[point_index]:
                    if (number := ids[j]) >= 0 and not masks[number] & own_stones:
                        liberties_left = liberties[number]
                        if not liberties_left & (liberties_left - 1):
                            answers.append(liberties_left.bit_length() - 1)

    def _pop_random_point(self, mover: Seat) -> int:
        """Remove from `free_points` and return a random point where a stone is legal and fills no own eye, or -1."""
        board, free_points, random_number = self.board, self.free_points, self.random_number
        geometry, empty, own_stones = board.bit_geometry, board.empty_mask, board.stone_masks[mover]
        opponent_stones, free_count = board.stone_masks[BLACK + WHITE - mover], len(free_points)
        while free_count:
            k = int(random_number() * free_count)
            i = free_points[k]
            near = geometry.neighbour_masks[i]
            if near & empty or (
                i != board.ko_point
                and not is_eye(geometry, own_stones, opponent_stones, i)
                and board.has_liberty_after(mover, i)
            ):
                free_points[k] = free_points[-1]
                free_points.pop()
                return i
            free_count -= 1  # not playable on this turn: keep it for later
            free_points[k], free_points[free_count] = free_points[free_count], i
        return -1
