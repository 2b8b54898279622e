"""Proves goals of Go: a capture in a ladder, and the death or the life of a chain in a closed area.

In a closed area the search is exhaustive: both players may play on each point of the area, or pass, which stands for a
move elsewhere. A proof never relies on ko: the attacker makes no move after which the ko rule forbids an answer. Life
means unconditional life: D. Benson, Life in the Game of Go (1976). The module knows positions only.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from itertools import chain

from gomogo_core.games.base import Move, Position, Seat
from gomogo_core.games.boards.points import Point
from gomogo_core.games.capture_go import CaptureGo
from gomogo_core.games.go import Go
from gomogo_core.games.stones.board import StoneBoard
from gomogo_core.games.stones.rules import PASS, GoFamilyPosition
from gomogo_core.puzzles.attacks import Attack, CaptureAttack, GoFamilyAttack
from gomogo_core.puzzles.go_simplifying import position_of_stones

MAX_AREA_MOVES = 5  # own moves in a proof about a closed area
_MAX_AREA_POINTS = 8  # empty points of a closed area


class LadderAttack(CaptureAttack):
    """The goal of capturing a chain with an atari at each move, so that the defender has no choice."""

    def threats(self, position: Position, moves_left: int) -> list[Move]:
        """Return every move that puts the chain in atari or captures it."""
        return [move for move in position.moves() if move is not PASS and self.makes_atari(position, move)]

    def makes_atari(self, position: Position, move: Move) -> bool:
        """Return whether the attacker's `move` puts the chain in atari or captures it."""
        return self._is_atari(self._state_after(self.search_state(position), move))

    def _is_atari(self, state: GoFamilyPosition) -> bool:
        assert self._target is not None
        board = state.board
        return board.colour(self._target) != 3 - self.attacker or board.chain(self._target)[1].bit_count() <= 1

    def _attacking_moves(self, state: GoFamilyPosition, moves_left: int) -> Sequence[Move]:
        return state.game.bit_geometry.points_in(self._shortest_attack_if_idle(state)[1] & state.legal_mask)

    def _cannot_stop_goal(self, state: GoFamilyPosition, moves_left: int) -> bool:
        return self._is_atari(state) and super()._cannot_stop_goal(state, moves_left)


class _AreaAttack(GoFamilyAttack):
    """A goal that both players decide by moves in a closed area. area: the mask of its points."""

    area = 0

    def first_moves(self, position: Position) -> Iterator[Move]:
        """Return the legal moves in the area."""
        return iter(self._area_moves(self.search_state(position)))

    def threats(self, position: Position, moves_left: int) -> list[Move]:
        """Return the legal moves in the area: without reading, each one looks right."""
        return list(self.first_moves(position))

    def _defences_in_order(self, position: Position) -> Iterator[Move]:
        return chain(self.first_moves(position), (PASS,))

    def _area_moves(self, state: GoFamilyPosition) -> Sequence[Point]:
        return state.game.bit_geometry.points_in(self.area & state.legal_mask)

    def _moves_in(self, state: GoFamilyPosition) -> Sequence[Move]:
        return self._area_moves(state)

    def _attacking_moves(self, state: GoFamilyPosition, moves_left: int) -> Sequence[Move]:
        return self._area_moves(state) if self._shortest_attack_if_idle(state)[0] <= moves_left else ()

    def _defending_moves(self, state: GoFamilyPosition, moves_left: int) -> Sequence[Move]:
        return self._area_moves(state)

    def _cache_key(self, state: GoFamilyPosition) -> Hashable:
        return state.board.key, state.to_move, state.ko_mask()  # the numbers of moves and passes do not matter

    def _cannot_stop_goal(self, state: GoFamilyPosition, moves_left: int) -> bool:
        if state.ko_mask() and not self._result_without_search(state, moves_left):
            return False
        return super()._cannot_stop_goal(state, moves_left)


class KillAttack(_AreaAttack, CaptureAttack):
    """The goal of capturing a chain in a closed area."""

    def is_settled(self, position: GoFamilyPosition) -> bool:
        """Return whether the chain is dead even if the attacker does not answer the next move of the defender, who is
        to move.
        """
        return all(
            self._cannot_stop_goal(
                position_of_stones(position.game, next_state.board, position.to_move), MAX_AREA_MOVES
            )
            for next_state in map(position.play, self._area_moves(position))
        )


class LifeAttack(_AreaAttack):
    """The goal of unconditional life for the attacker's own chain on the point number `target`.

    The attacker of the search is the player who wants to live.
    """

    target = 0

    def _result_without_search(self, state: GoFamilyPosition, moves_left: int) -> bool | None:
        if state.board.colour(self.target) != self.attacker:
            return False
        if unconditional_life_mask(state.board, self.attacker) >> self.target & 1:
            return True
        return False if moves_left == 0 else None

    def _shortest_attack_if_idle(self, state: GoFamilyPosition) -> tuple[int, int]:
        return 0, self.area


def unconditional_life_mask(board: StoneBoard, colour: int) -> int:
    """Return the mask of the chains that live even if their owner always passes."""
    geometry, own_stones = board.bit_geometry, board.stone_mask(colour)
    chains = list(board.chains_of(own_stones))
    regions = list(geometry.groups(geometry.full_mask & ~own_stones))
    while True:
        living = [
            (stones, liberties)
            for stones, liberties, _ in chains
            if sum(not region & board.empty_mask & ~liberties for region in regions) >= 2
        ]
        mask = sum(stones for stones, _ in living)
        enclosed = [region for region in regions if not geometry.neighbours_of(region) & own_stones & ~mask]
        if len(living) == len(chains) and len(enclosed) == len(regions):
            return mask
        chains, regions = [found for found in chains if found[0] & mask], enclosed


def closed_area(position: GoFamilyPosition, target: int) -> int:
    """Return the mask of the closed area around the chain on the point number `target`; 0 if there is none.

    The opponent's chains around the area must have more liberties elsewhere than a proof has moves, so that they stay.
    """
    board, geometry = position.board, position.game.bit_geometry
    opponent_stones = board.stone_mask(3 - board.colour(target))
    area = geometry.spread(geometry.masks[target], geometry.full_mask & ~opponent_stones)
    walls = 0
    for stones, liberties, _ in board.chains_of(geometry.neighbours_of(area) & opponent_stones):
        if not liberties & ~area:
            area |= stones
        elif (liberties & ~area).bit_count() <= MAX_AREA_MOVES:
            return 0
        else:
            walls |= stones
    return area if walls and (area & board.empty_mask).bit_count() <= _MAX_AREA_POINTS else 0


def create_area_attack(
    position: Position, target: str, attacker: Seat, max_nodes: float = math.inf
) -> KillAttack | LifeAttack | None:
    """Create an attack that kills the chain on `target`; if the chain is the attacker's own, one that makes it live.

    Return None if the area of the chain is not closed.
    """
    game = position.game
    if not isinstance(game, Go) or not isinstance(position, GoFamilyPosition) or not _has_proofs(game):
        return None
    i = game.bit_geometry.index_of[game.board.parse(target)]
    if not position.board.colour(i) or not (area := closed_area(position, i)):
        return None
    attack: KillAttack | LifeAttack
    if position.board.colour(i) == attacker:
        attack = LifeAttack(attacker, max_nodes)
        attack.target = i
    else:
        attack = KillAttack(attacker, max_nodes, i)
    attack.area = area
    return attack


def create_ladder_attack(position: Position, target: str, max_nodes: float = math.inf) -> Attack | None:
    """Create an attack by a ladder, of the player to move, on the chain on `target`; return None if the rules allow no
    proof.
    """
    game = position.game
    if not isinstance(game, Go | CaptureGo) or not _has_proofs(game):
        return None
    return LadderAttack(position.to_move, max_nodes, game.bit_geometry.index_of[game.board.parse(target)])


def _has_proofs(game: Go | CaptureGo) -> bool:
    return game.passing and not game.suicide and (isinstance(game, Go) or game.target == 1)
