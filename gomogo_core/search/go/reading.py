"""Reading: search that tells whether a chain can be captured against its owner's defence, and by which moves.

The search is about one chain at a time. It knows simple ko, but not the value of a chain. The number of ataris is not
limited, since an atari leaves few answers; so the search reads ladders to their end. Each other move of the attacker is
a *quiet move*, and the number of quiet moves in a line is limited. Without quiet moves the search finds ladders; with
one, nets; with two or three, captures of chains with two or three more liberties. Searching for one goal at a time
follows A. Zobrist, Feature Extraction and Representation for Pattern Recognition and the Game of Go (1970), and T.
Cazenave, Abstract Proof Search, Computers and Games (2000).
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
    """Searches for captures of chains. Each search has `nodes` nodes, and all end before the time `stop_at`.

    `nodes_used` counts the nodes of all searches so far.
    """

    def __init__(self, nodes: int = 400, stop_at: float = math.inf, now: Callable[[], float] = time.monotonic) -> None:
        self.nodes, self.stop_at, self.now = nodes, stop_at, now
        self.nodes_used = self._node_limit = 0
        self._stored_results: dict[tuple[int, int, int, bool], int] = {}

    def attacks(self, board: StoneBoard, i: int, quiet_moves: int, ko: int = 0) -> dict[int, int]:
        """Return the points where the opponent, moving first, captures the chain at bit `i`, with the number of moves.

        `quiet_moves` is the number of the attacker's moves that may leave the chain more than one liberty. `ko` is the
        mask of the points that ko forbids now. If the search needs more than the reader's nodes, the result is
        incomplete. Raises OutOfLimits after the time limit.
        """
        colour = board.colour(i)
        found: dict[int, int] = {}
        self._reset()
        if not board.chain(i)[1] & (board.chain(i)[1] - 1):
            quiet_moves = 0
        try:
            for place in self._attacking_moves(board, i, quiet_moves, ko):
                if steps := self._moves_after_attack(board, 3 - colour, place, i, quiet_moves, 0):
                    found[place] = steps
        except _OutOfNodes:
            pass
        return found

    def defences(self, board: StoneBoard, i: int, quiet_moves: int, ko: int = 0) -> list[int]:
        """Return the points where the owner of the chain at bit `i`, moving first, saves it. Raises OutOfLimits."""
        colour = board.colour(i)
        found = []
        self._reset()
        try:
            for place in self._defending_moves(board, i, ko):
                after = board.place_stone(colour, place)
                if not after.self_captured and not self._moves_if_attacked(
                    after, i, quiet_moves, ko_after(after, place), 0
                ):
                    found.append(place)
        except _OutOfNodes:
            pass
        return found

    def capture_length(self, board: StoneBoard, i: int, quiet_moves: int, ko: int = 0) -> int:
        """Return the number of moves in which the opponent, moving first, captures the chain at bit `i`, or 0.

        Raises OutOfLimits.
        """
        self._reset()
        try:
            return self._moves_if_attacked(board, i, quiet_moves, ko, 0)
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

    def _moves_if_attacked(self, board: StoneBoard, i: int, quiet_moves: int, ko: int, ply: int) -> int:
        """Return the result of `capture_length` for a position inside the search. The attacker is to move."""
        liberties = board.chain(i)[1]
        count = liberties.bit_count()
        if count == 1:
            return 0 if liberties & ko else 1
        if count > 2 + quiet_moves or ply > MAX_PLIES:
            return 0
        key = (board.key, ko, quiet_moves, True)
        if (known := self._stored_results.get(key)) is not None:
            return known
        self._count_node()
        colour, steps = 3 - board.colour(i), 0
        for place in self._attacking_moves(board, i, quiet_moves, ko):
            if steps := self._moves_after_attack(board, colour, place, i, quiet_moves, ply):
                break
        self._stored_results[key] = steps
        return steps

    def _moves_after_attack(
        self, board: StoneBoard, colour: int, place: int, i: int, quiet_moves: int, ply: int
    ) -> int:
        """Return the number of moves in which `colour` captures the chain at bit `i`, beginning on `place`, or 0."""
        after = board.place_stone(colour, place)
        if after.self_captured:
            return 0
        if after.captured >> i & 1:
            return 1
        liberties = after.chain(i)[1]
        if liberties & (liberties - 1):
            quiet_moves -= 1
            if quiet_moves < 0 or liberties.bit_count() > 2 + quiet_moves:
                return 0
        steps = self._moves_to_capture(after, i, quiet_moves, ko_after(after, place), ply + 1)
        return steps + 1 if steps else 0

    def _moves_to_capture(self, board: StoneBoard, i: int, quiet_moves: int, ko: int, ply: int) -> int:
        """Return the number of moves to the capture of the chain at bit `i` against the best defence, or 0.

        The owner of the chain is to move.
        """
        key = (board.key, ko, quiet_moves, False)
        if (known := self._stored_results.get(key)) is not None:
            return known
        self._count_node()
        colour, liberties = board.colour(i), board.chain(i)[1]
        most = 1
        if liberties & (liberties - 1):  # the chain is not in atari, and may be safe without a defence
            most = self._moves_if_attacked(board, i, quiet_moves, 0, ply + 1)
        if most:
            for place in self._defending_moves(board, i, ko):
                after = board.place_stone(colour, place)
                if after.self_captured:
                    continue
                steps = self._moves_if_attacked(after, i, quiet_moves, ko_after(after, place), ply + 1)
                if not steps:
                    most = 0
                    break
                most = max(most, steps)
        self._stored_results[key] = most
        return most

    def _attacking_moves(self, board: StoneBoard, i: int, quiet_moves: int, ko: int) -> Iterator[int]:
        """Yield the moves to search for the attacker of the chain at bit `i`, the most promising first."""
        geometry, liberties = board.bit_geometry, board.chain(i)[1]
        # first the points where its owner would gain most by extending
        yield from sorted(
            geometry.bits_in(liberties & ~ko),
            key=lambda place: -(geometry.neighbour_masks[place] & board.empty & ~liberties).bit_count(),
        )
        if quiet_moves:
            yield from geometry.bits_in(geometry.neighbours_of(liberties) & board.empty & ~liberties & ~ko)

    def _defending_moves(self, board: StoneBoard, i: int, ko: int) -> Iterator[int]:
        """Yield the moves to search for the owner of the chain at bit `i`: captures of neighbouring chains, and
        extensions.
        """
        geometry, (stones, liberties, _) = board.bit_geometry, board.chain(i)
        other = board.stone_mask(BLACK + WHITE - board.colour(i))
        tried = ko
        for chain in board.chains_of(geometry.neighbours_of(stones) & other):
            if not chain[1] & (chain[1] - 1) and not chain[1] & tried:
                tried |= chain[1]
                yield chain[1].bit_length() - 1
        more = liberties & ~tried
        tried |= more
        yield from geometry.bits_in(more)
        if liberties & (liberties - 1):
            near = geometry.neighbours_of(liberties) & board.empty & ~tried
            tried |= near
            yield from geometry.bits_in(near)
            for chain in board.chains_of(geometry.neighbours_of(stones) & other):
                if chain[1].bit_count() == 2 and (more := chain[1] & ~tried):
                    tried |= more
                    yield from geometry.bits_in(more)


def ko_after(board: StoneBoard, place: int) -> int:
    """Return the mask of the point where simple ko forbids an immediate recapture of the stone on `place`."""
    taken = board.captured
    if not taken or taken & (taken - 1):
        return 0
    stones, liberties, _ = board.chain(place)
    return taken if liberties == taken and not stones & (stones - 1) else 0
