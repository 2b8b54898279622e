"""Reading of captures: a search that tells whether a chain can be captured against every defence, and by which moves.

The search reads one chain at a time. It obeys simple ko, and does not estimate the value of a chain. The number of
ataris is not limited, since an atari leaves few answers; so the search reads ladders to their end. Each other move of
the attacker is a *quiet move*, and the number of quiet moves in a line is limited. Without quiet moves the search finds
ladders; with one, nets; with two or three, captures of chains with two or three more liberties. Searching for one goal
at a time follows A. Zobrist, Feature Extraction and Representation for Pattern Recognition and the Game of Go (1970),
and T. Cazenave, Abstract Proof Search, Computers and Games (2000).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator

from gomogo_core.games.stones.board import BLACK, WHITE, StoneBoard
from gomogo_core.search.limits import OutOfLimits

MAX_PLIES = 240  # a ladder across the largest board and back has fewer; each ply is a nested call


class _OutOfNodes(Exception):
    """The search for one answer has used up its nodes."""


class ChainReader:
    """Searches for captures of chains. Each search visits at most `nodes` nodes. All searches end before the time
    `stop_at`.

    `nodes_used` counts the nodes of all searches so far.
    """

    def __init__(self, nodes: int = 400, stop_at: float = math.inf, now: Callable[[], float] = time.monotonic) -> None:
        self.nodes, self.stop_at, self.now = nodes, stop_at, now
        self.nodes_used = self._node_limit = 0
        self._stored_results: dict[tuple[int, int, int, bool], int] = {}

    @property
    def is_complete(self) -> bool:
        """Whether the latest search ended within its nodes; otherwise it may have missed a capture."""
        return self.nodes_used <= self._node_limit

    def find_attacks(self, board: StoneBoard, point_index: int, quiet_moves: int, ko_mask: int = 0) -> dict[int, int]:
        """Return the points where the opponent, moving first, captures the chain, with the number of moves.

        `quiet_moves` is the number of the attacker's moves that may leave the chain more than one liberty. `ko_mask` is
        the mask of the points that ko forbids now. If the search needs more than the reader's nodes, the result is
        incomplete. Raises OutOfLimits after the time limit.
        """
        colour = board.colour(point_index)
        attacks: dict[int, int] = {}
        self._reset()
        if not board.chain(point_index)[1] & (board.chain(point_index)[1] - 1):
            quiet_moves = 0
        try:
            for move in self._attacking_moves(board, point_index, quiet_moves, ko_mask):
                if move_count := self._length_after_attack(board, 3 - colour, move, point_index, quiet_moves, 0):
                    attacks[move] = move_count
        except _OutOfNodes:
            pass
        return attacks

    def find_defences(self, board: StoneBoard, point_index: int, quiet_moves: int, ko_mask: int = 0) -> list[int]:
        """Return the points where the owner of a chain, moving first, saves it. Raises OutOfLimits."""
        colour = board.colour(point_index)
        points = []
        self._reset()
        try:
            for move in self._defending_moves(board, point_index, ko_mask):
                next_board = board.place_stone(colour, move)
                if not next_board.self_captured_mask and not self._length_if_attacker_moves(
                    next_board, point_index, quiet_moves, ko_mask_after(next_board, move), 0
                ):
                    points.append(move)
        except _OutOfNodes:
            pass
        return points

    def find_capture_length(self, board: StoneBoard, point_index: int, quiet_moves: int, ko_mask: int = 0) -> int:
        """Return the number of moves in which the opponent, moving first, captures a chain, or 0.

        Raises OutOfLimits.
        """
        self._reset()
        try:
            return self._length_if_attacker_moves(board, point_index, quiet_moves, ko_mask, 0)
        except _OutOfNodes:
            return 0

    def _reset(self) -> None:
        self._node_limit = self.nodes_used + self.nodes
        self._stored_results.clear()

    def _count_node(self) -> None:
        self.nodes_used += 1
        if self.nodes_used > self._node_limit:
            raise _OutOfNodes
        if self.now() >= self.stop_at:
            raise OutOfLimits

    def _length_if_attacker_moves(
        self, board: StoneBoard, point_index: int, quiet_moves: int, ko_mask: int, ply: int
    ) -> int:
        """Return the result of `find_capture_length` for a position inside the search. The attacker is to move."""
        liberties = board.chain(point_index)[1]
        count = liberties.bit_count()
        if count == 1:
            return 0 if liberties & ko_mask else 1
        if count > 2 + quiet_moves or ply > MAX_PLIES:
            return 0
        key = (board.key, ko_mask, quiet_moves, True)
        if (known_result := self._stored_results.get(key)) is not None:
            return known_result
        self._count_node()
        colour, move_count = 3 - board.colour(point_index), 0
        for move in self._attacking_moves(board, point_index, quiet_moves, ko_mask):
            if move_count := self._length_after_attack(board, colour, move, point_index, quiet_moves, ply):
                break
        self._stored_results[key] = move_count
        return move_count

    def _length_after_attack(
        self, board: StoneBoard, colour: int, move: int, point_index: int, quiet_moves: int, ply: int
    ) -> int:
        """Return the number of moves in which `colour` captures the chain, beginning on `move`, or 0."""
        next_board = board.place_stone(colour, move)
        if next_board.self_captured_mask:
            return 0
        if next_board.captured_mask >> point_index & 1:
            return 1
        liberties = next_board.chain(point_index)[1]
        if liberties & (liberties - 1):
            quiet_moves -= 1
            if quiet_moves < 0 or liberties.bit_count() > 2 + quiet_moves:
                return 0
        next_ko_mask = ko_mask_after(next_board, move)
        move_count = self._length_if_defender_moves(next_board, point_index, quiet_moves, next_ko_mask, ply + 1)
        return move_count + 1 if move_count else 0

    def _length_if_defender_moves(
        self, board: StoneBoard, point_index: int, quiet_moves: int, ko_mask: int, ply: int
    ) -> int:
        """Return the number of moves to the capture of the chain at bit `point_index` against the best defence, or 0.

        The owner of the chain is to move.
        """
        key = (board.key, ko_mask, quiet_moves, False)
        if (known_result := self._stored_results.get(key)) is not None:
            return known_result
        self._count_node()
        colour, liberties = board.colour(point_index), board.chain(point_index)[1]
        move_count = 1
        if liberties & (liberties - 1):  # the chain is not in atari, and may be safe without a defence
            move_count = self._length_if_attacker_moves(board, point_index, quiet_moves, 0, ply + 1)
        if move_count:
            for move in self._defending_moves(board, point_index, ko_mask):
                next_board = board.place_stone(colour, move)
                if next_board.self_captured_mask:
                    continue
                ko_after = ko_mask_after(next_board, move)
                moves_after_defence = self._length_if_attacker_moves(
                    next_board, point_index, quiet_moves, ko_after, ply + 1
                )
                if not moves_after_defence:
                    move_count = 0
                    break
                move_count = max(move_count, moves_after_defence)
        self._stored_results[key] = move_count
        return move_count

    def _attacking_moves(self, board: StoneBoard, point_index: int, quiet_moves: int, ko_mask: int) -> Iterator[int]:
        """Yield the moves to search for the attacker of the chain at bit `point_index`, the most promising first."""
        geometry, liberties = board.bit_geometry, board.chain(point_index)[1]
        # first the points where the owner of the chain would gain the most liberties by extending it
        yield from sorted(
            geometry.point_indices_in(liberties & ~ko_mask),
            key=lambda liberty: -(geometry.neighbour_masks[liberty] & board.empty_mask & ~liberties).bit_count(),
        )
        if quiet_moves:
            outer_points = geometry.neighbours_of(liberties) & board.empty_mask & ~liberties
            yield from geometry.point_indices_in(outer_points & ~ko_mask)

    def _defending_moves(self, board: StoneBoard, point_index: int, ko_mask: int) -> Iterator[int]:
        """Yield the moves to search for the owner of a chain: captures of neighbouring chains, and extensions."""
        geometry, (stones, liberties, _) = board.bit_geometry, board.chain(point_index)
        opponent_stones = board.stone_mask(BLACK + WHITE - board.colour(point_index))
        yielded_mask = ko_mask
        for chain in board.chains_of(geometry.neighbours_of(stones) & opponent_stones):
            if not chain[1] & (chain[1] - 1) and not chain[1] & yielded_mask:
                yielded_mask |= chain[1]
                yield chain[1].bit_length() - 1
        other_liberties = liberties & ~yielded_mask
        yielded_mask |= other_liberties
        yield from geometry.point_indices_in(other_liberties)
        if liberties & (liberties - 1):
            neighbour_mask = geometry.neighbours_of(liberties) & board.empty_mask & ~yielded_mask
            yielded_mask |= neighbour_mask
            yield from geometry.point_indices_in(neighbour_mask)
            for chain in board.chains_of(geometry.neighbours_of(stones) & opponent_stones):
                if chain[1].bit_count() == 2 and (other_liberties := chain[1] & ~yielded_mask):
                    yielded_mask |= other_liberties
                    yield from geometry.point_indices_in(other_liberties)


def ko_mask_after(board: StoneBoard, point_index: int) -> int:
    """Return the mask of the point where simple ko forbids an immediate recapture of the stone on `point_index`."""
    captured_mask = board.captured_mask
    if not captured_mask or captured_mask & (captured_mask - 1):
        return 0
    stones, liberties, _ = board.chain(point_index)
    return captured_mask if liberties == captured_mask and not stones & (stones - 1) else 0
