"""Tactical playouts of Go and Capture Go: capture and rescue stones in atari, then answer shapes, else play at random.

Uses boards of stones, and simple ko; the tree handles superko. Players never fill their own eyes, and pass only without
another move. A playout first looks near the last move: S. Gelly, Y. Wang, R. Munos and O. Teytaud, Modification of UCT
with Patterns in Monte-Carlo Go (INRIA, RR-6062, 2006).
"""

from __future__ import annotations

from gomogo_core.games.base import Move, Seat
from gomogo_core.games.boards.points import Point
from gomogo_core.games.stones.board import BLACK, WHITE
from gomogo_core.games.stones.rules import PASS, StonesPosition
from gomogo_core.search.go.eyes import is_eye
from gomogo_core.search.go.shapes import shape_test
from gomogo_core.search.playouts import Chance
from gomogo_core.search.playouts._mutable_board import MutableBoard

LONGEST = 4  # times the number of points; few games need more than twice as many moves
ALERT = 0.9  # probability that a player sees stones in atari
SHAPELY = 0.9  # else, the probability that a player sees the shapes around the last stone
LARGE = 9  # stones of a chain from which on its attackers are not examined: that takes too long


class TacticalPlayout:
    """A playout from a position.

    captures: by seat. moves: seats and moves, in order. last: the place of the stone before them, or -1.
    """

    def __init__(self, position: StonesPosition, chance: Chance) -> None:
        self.board = MutableBoard(position.board)
        self.board.ko = position.ko_mask().bit_length() - 1
        self.mover, self.passes, self.chance = position.to_move, position.passes, chance
        self.captures = list(position.captures)
        self.is_shape = shape_test(position.game.bit_geometry)
        self.moves: list[tuple[Seat, Move]] = []
        self.last = -1
        if isinstance(position.last, Point):
            self.last = position.game.bit_geometry.bit_of[position.last]
            self.board.attacked_by(self.last)
        self.free = list(position.game.bit_geometry.bits_in(position.board.empty))
        self.most = LONGEST * position.game.bit_geometry.point_board.area
        if position.game.max_moves is not None:
            self.most = min(self.most, position.game.max_moves - position.moves_played)

    def play(self, target: int | None = None) -> None:
        """Play until two passes, the largest number of moves, or until a player has captured `target` stones."""
        points, free, moves, board = self.board.bit_geometry.points, self.free, self.moves, self.board
        last = self.last
        while self.passes < 2 and len(moves) < self.most:
            mover = self.mover
            self.mover = BLACK + WHITE - mover
            i = self._called_for(mover, last) if last >= 0 else -1
            if i >= 0:
                free.remove(i)
            else:
                i = self._take_any_place(mover)
            last = i
            if i < 0:
                self.passes += 1
                moves.append((mover, PASS))
                board.ko = -1
                continue
            self.passes = 0
            moves.append((mover, points[i]))
            if removed := board.place_stone(mover, i):
                free.extend(removed)
                self.captures[mover - 1] += len(removed)
                if target is not None and self.captures[mover - 1] >= target:
                    break

    def _called_for(self, mover: Seat, last: int) -> int:
        """Return a place that captures the stone on `last`, saves a chain from it, or answers its shape; or -1."""
        board, found = self.board, list[int]()
        left = board.liberties[board.chain_ids[last]]
        if not left & (left - 1):
            found.append(left.bit_length() - 1)
        for chain in board.hurt:
            self._add_rescues(mover, chain, found)
        if found and self.chance() < ALERT:
            i = found[int(self.chance() * len(found))]
            if i != board.ko:
                return i
        return self._shape_place(mover, last) if self.chance() < SHAPELY else -1

    def _shape_place(self, mover: Seat, last: int) -> int:
        """Return a place next to `last`, in the middle of a shape, where a stone has liberties; or -1."""
        board, chance = self.board, self.chance
        geometry, empty, (_, black, white) = board.bit_geometry, board.empty, board.stones
        near = [i for i in geometry.eight_neighbours[last] if empty & geometry.masks[i]]
        left = len(near)
        while left:
            k = int(chance() * left)
            i = near[k]
            if self.is_shape(black, white, i) and i != board.ko and board.has_room(mover, i):
                return i
            left -= 1
            near[k] = near[left]
        return -1

    def _add_rescues(self, mover: Seat, chain: int, places: list[int]) -> None:
        """Add the places that save an own chain in atari: extensions with enough liberties, and captures around it."""
        board = self.board
        ids, masks, liberties = board.chain_ids, board.masks, board.liberties
        i = liberties[chain].bit_length() - 1
        if board.has_room(mover, i):
            places.append(i)
        if len(board.members[chain]) < LARGE:
            own = board.stones[mover]
            for place in board.members[chain]:
                for j in board.bit_geometry.neighbours[place]:
                    if (number := ids[j]) >= 0 and not masks[number] & own:
                        left = liberties[number]
                        if not left & (left - 1):
                            places.append(left.bit_length() - 1)

    def _take_any_place(self, mover: Seat) -> int:
        """Remove from `free` and return any place for a stone that is not an own eye, or -1."""
        board, free, chance = self.board, self.free, self.chance
        geometry, empty, own = board.bit_geometry, board.empty, board.stones[mover]
        other, left = board.stones[BLACK + WHITE - mover], len(free)
        while left:
            k = int(chance() * left)
            i = free[k]
            near = geometry.neighbour_masks[i]
            if near & empty or (
                i != board.ko and not is_eye(geometry, own, other, i) and board.has_liberty_after(mover, i)
            ):
                free[k] = free[-1]
                free.pop()
                return i
            left -= 1  # not playable on this turn: keep it for later
            free[k], free[left] = free[left], i
        return -1
