"""A position of Go or Capture Go in a search: the order of moves, and descriptions of moves.

The module contains no method of search and no evaluation, which are in go.py and capture_go.py.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Sequence

from gomogo_core.games.base import Move
from gomogo_core.games.boards.points import Point
from gomogo_core.games.stones.board import BLACK, WHITE
from gomogo_core.games.stones.rules import PASS, GoFamilyPosition
from gomogo_core.printable import count_with_noun
from gomogo_core.search.go.atari import capturing_points, chains_with_few_liberties, rescuing_points
from gomogo_core.search.go.eyes import edge_mask, eye_mask
from gomogo_core.search.go.passing import sensible_moves, wins_by_passing
from gomogo_core.search.node import Node, result_values, win_in


class StonesNode(Node):
    """A position of Go or Capture Go as a node of a search."""

    __slots__ = ("_certain", "_certain_known", "is_over", "ply", "position", "to_move")
    _certain: float | None

    def __init__(self, position: GoFamilyPosition, ply: int = 0) -> None:
        self.position, self.ply = position, ply
        self.to_move = position.to_move
        self.is_over = position.outcome() is not None
        self._certain_known = False
        self._certain = None

    @abstractmethod
    def estimate(self) -> float:
        """Return the mover's estimated lead in points."""

    def forced_value(self) -> float | None:
        """Return the value of a forced win or loss that is visible without search; else None.

        `certain_value` calls this method only if the mover cannot win by passing.
        """
        return None

    def child_after(self, move: Move) -> StonesNode:
        """Return the node after `move`."""
        return type(self)(self.position.play(move), self.ply + 1)

    # Evaluation

    def certain_value(self) -> float | None:
        """Return the value if the game is over, a pass wins, or a forced win is visible; else None."""
        if not self._certain_known:
            self._certain_known = True
            if (outcome := self.position.outcome()) is not None:
                self._certain = result_values(outcome, self.ply)[self.to_move - 1]
            elif self.position.passes and wins_by_passing(self.position):
                self._certain = win_in(self.ply + 1)
            else:
                self._certain = self.forced_value()
        return self._certain

    def value(self) -> float:
        """Return the certain value, or else the estimate."""
        certain = self.certain_value()
        return self.estimate() if certain is None else certain

    def values_by_seat(self) -> tuple[float, float]:
        """Return the mover's value and its negative for the opponent."""
        value = self.value()
        return (value, -value) if self.to_move == BLACK else (-value, value)

    def key(self) -> Hashable:
        """Return the key of the position, which includes the earlier boards that the ko rule needs."""
        return self.position.key()

    # Moves

    def moves(self) -> Sequence[Move]:
        """Return all moves: captures, rescues, ataris, points near the last stone, points near any stone, others.

        Moves into own eyes come last.
        """
        points, seen_mask, moves = self.position.game.bit_geometry.points, 0, list[Move]()
        legal = self.position.legal_mask
        if self.position.passes and wins_by_passing(self.position):
            moves.append(PASS)
        for mask in self._masks_by_likelihood():
            new_moves = mask & legal & ~seen_mask
            seen_mask |= new_moves
            while new_moves:
                lowest_bit = new_moves & -new_moves
                moves.append(points[lowest_bit.bit_length() - 1])
                new_moves ^= lowest_bit
        if self.position.game.passing and moves[:1] != [PASS]:
            eye_filling_count = (legal & eye_mask(self.position.board, self.to_move)).bit_count()
            moves.insert(len(moves) - eye_filling_count, PASS)
        return moves

    def moves_in_game_order(self) -> Sequence[Move]:
        """Return all moves in the game's own order."""
        return tuple(self.position.moves())

    def sensible_moves(self) -> Sequence[Move]:
        """Return the legal moves that fill no own eye, without a pass while the mover can place a safe stone."""
        return sensible_moves(self.position)

    def _masks_by_likelihood(self) -> Iterator[int]:
        """Yield masks that together contain every point, the most promising moves first."""
        position, mover = self.position, self.to_move
        board, geometry = position.board, position.game.bit_geometry
        for point_index, _ in _largest_first(capturing_points(board, mover)):
            yield 1 << point_index
        for point_index, _ in _largest_first(rescuing_points(board, mover)):
            yield 1 << point_index
        own_eyes = eye_mask(board, mover)
        for colour in (BLACK + WHITE - mover, mover):
            urgent_points = 0
            for _, liberties, _ in chains_with_few_liberties(board, colour, 2):
                urgent_points |= liberties
            yield urgent_points & ~own_eyes
        if isinstance(position.last, Point):
            yield _touching_points(geometry.stride, geometry.masks[geometry.index_of[position.last]]) & ~own_eyes
        yield _touching_points(geometry.stride, board.black_mask | board.white_mask) & ~own_eyes
        yield geometry.full_mask & ~edge_mask(geometry) & ~own_eyes
        yield geometry.full_mask & ~own_eyes
        yield geometry.full_mask

    # Descriptions of moves

    def describe_move(self, move: Move) -> str | None:
        """Describe the stones that `move` captures, saves or puts into atari, or say that a pass wins."""
        if move is PASS:
            return "ends the game" if self.position.passes and wins_by_passing(self.position) else None
        board, point_index = self.position.board, self.position.game.bit_geometry.index_of[move]  # type: ignore[index]
        if captured := capturing_points(board, self.to_move).get(point_index):
            return f"captures {count_with_noun(captured.bit_count(), 'stone')}"
        if saved := rescuing_points(board, self.to_move).get(point_index):
            return f"saves {count_with_noun(saved.bit_count(), 'stone')} from atari"
        next_board = board.place_stone(self.to_move, point_index)
        atari_stones = 0
        opponent_mask = next_board.stone_mask(BLACK + WHITE - self.to_move)
        for chain in next_board.chains_of(next_board.bit_geometry.neighbour_masks[point_index] & opponent_mask):
            if not chain[1] & (chain[1] - 1):
                atari_stones |= chain[0]
        return f"puts {count_with_noun(atari_stones.bit_count(), 'stone')} into atari" if atari_stones else None


def _largest_first(values: dict[int, int]) -> list[tuple[int, int]]:
    return sorted(values.items(), key=lambda item: -item[1].bit_count())


def _touching_points(stride: int, mask: int) -> int:
    """Return the mask of all points next to `mask`, also diagonally; some bits may lie off the board."""
    wide_mask = mask | mask << 1 | mask >> 1
    return wide_mask | wide_mask << stride | wide_mask >> stride
