"""Proves goals: the player to move can force a win, or the capture of a chain, within a given number of its own moves.

This is an and/or search over every reply of the defender (V. Allis, Searching for Solutions in Games and Artificial
Intelligence, 1994, chapter 1). So a proof holds against any defence, and the search finds every first move that forces
the goal. The search leaves out a move only if it cannot succeed. In games where a player may pass, or where an
additional stone never hurts, an attack must also succeed if the defender makes an *idle move*, which changes nothing.
The module uses positions only.
"""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from functools import cache
from operator import or_
from typing import Any

from gomogo_core.games.base import Move, Position, Seat
from gomogo_core.games.boards.points import Point, point_board
from gomogo_core.games.capture_go import CaptureGo
from gomogo_core.games.go import Go
from gomogo_core.games.gomoku import Gomoku
from gomogo_core.games.robogo import Robogo, RobogoPosition
from gomogo_core.games.stones.rules import PASS, GoFamilyGame, GoFamilyPosition
from gomogo_core.search.solving.games.gomoku import RowsState, state
from gomogo_core.search.solving.state import NEVER

_MAX_NEAR_LIBERTIES = 3  # of a chain that a quick search tries to capture
_MAX_COMPARED_DEFENCES = 16  # counting the right moves after every defence would take seconds


class AttackTooLarge(Exception):
    """Raised if a proof needs more nodes than its limit allows."""


class Attack(ABC):
    """The proofs about one goal of one player.

    attacker: the player who tries to reach the goal. max_nodes: the number of visited states after which methods raise
    AttackTooLarge. In all methods, `moves_left` is the number of moves that the attacker may still make.
    """

    def __init__(self, attacker: Seat, max_nodes: float = math.inf) -> None:
        self.attacker, self.nodes_left = attacker, max_nodes
        self._proof_cache: dict[tuple[Hashable, int], bool] = {}

    def right_moves(self, position: Position, moves_left: int) -> list[Move]:
        """Return every move by which the attacker, to move, forces the goal within `moves_left` of the attacker's
        moves.
        """
        start_state = self.search_state(position)
        return [
            move
            for move in self.first_moves(position)
            if move is not PASS and self._cannot_stop_goal(self._state_after(start_state, move), moves_left - 1)
        ]

    def first_moves(self, position: Position) -> Iterator[Move]:
        """Return the moves that may matter to the goal."""
        return position.moves()

    def moves_needed(self, position: Position, limit: int) -> int:
        """Return the number of moves that the attacker, to move, needs to force the goal; 0 if it exceeds `limit`."""
        return self._moves_needed_from(self.search_state(position), limit)

    def moves_needed_if_idle(self, position: Position, limit: int) -> int:
        """Return the result of `moves_needed` after an idle move of the defender, who is to move."""
        return self._moves_needed_from(self._after_idle_move(self.search_state(position)), limit)

    def _moves_needed_from(self, state: Any, limit: int) -> int:
        return next((count for count in range(1, limit + 1) if self._can_force_goal(state, count)), 0)

    def defences(self, position: Position, moves_left: int) -> Iterator[Move]:
        """Yield every move by which the defender, to move, prevents the goal within `moves_left` attacking moves."""
        start_state = self.search_state(position)
        for move in self.first_moves(position):
            if move is not PASS:
                self._count_node()
                if not self._can_force_goal(self._state_after(start_state, move), moves_left):
                    yield move

    def threats(self, position: Position, moves_left: int) -> list[Move]:
        """Return the attacker's moves that are threats: if the defender made an idle move next, the attacker would
        reach the goal within `moves_left` of its own moves. It is the attacker's turn.
        """
        start_state, threats = self.search_state(position), list[Move]()
        for move in self.first_moves(position):
            if move is PASS:
                continue
            next_state = self._state_after(start_state, move)
            reaches_goal = self._result_without_search(next_state, moves_left - 1)
            if reaches_goal is None:
                reaches_goal = moves_left > 1 and self._can_force_goal(
                    self._after_idle_move(next_state), moves_left - 1
                )
            if reaches_goal:
                threats.append(move)
        return threats

    def partial_defences(self, position: Position, moves_left: int) -> list[Move]:
        """Return every move by which the defender, to move, stops at least one of the moves that force the goal within
        `moves_left` moves of the attacker.
        """
        start_state = self.search_state(position)
        idle_state = self._after_idle_move(start_state)
        attacks = [
            move
            for move in self._moves_in(idle_state)
            if move is not PASS and self._cannot_stop_goal(self._state_after(idle_state, move), moves_left - 1)
        ]
        defences = list[Move]()
        for move in self.first_moves(position):
            if move is PASS:
                continue
            next_state = self._state_after(start_state, move)
            legal_moves = set(self._moves_in(next_state))
            if not all(
                attack in legal_moves and self._cannot_stop_goal(self._state_after(next_state, attack), moves_left - 1)
                for attack in attacks
            ):
                defences.append(move)
        return defences

    def _count_node(self) -> None:
        self.nodes_left -= 1
        if self.nodes_left < 0:
            raise AttackTooLarge

    def best_defence(self, position: Position, moves_left: int) -> Move:
        """Return the most stubborn defence of the defender, who is to move.

        It prevents the goal or delays it longest. Of the moves that delay it equally long, it leaves the attacker the
        fewest right moves; of these, it is the first in the order of `_defences_in_order`.
        """
        longest_delay, stubborn_defences = 0, list[tuple[Move, Position]]()
        for move in self._defences_in_order(position):
            next_position = position.play(move)
            state = self.search_state(next_position)
            delay = next((i for i in range(moves_left + 1) if self._can_force_goal(state, i)), moves_left + 1)
            if delay > moves_left:  # no later move is better
                return move
            if delay > longest_delay:
                longest_delay, stubborn_defences = delay, []
            if delay == longest_delay and len(stubborn_defences) < _MAX_COMPARED_DEFENCES:
                stubborn_defences.append((move, next_position))
        if longest_delay:
            return min(stubborn_defences, key=lambda defence: len(self.right_moves(defence[1], longest_delay)))[0]
        return stubborn_defences[0][0]

    def _defences_in_order(self, position: Position) -> Iterator[Move]:
        """Return every legal move, beginning with the natural defences, which are near the threat."""
        return position.moves()

    def _can_force_goal(self, state: Any, moves_left: int) -> bool:
        """Return whether the attacker, to move, forces the goal within `moves_left` of its own moves."""
        if (result := self._result_without_search(state, moves_left)) is not None:
            return result
        if (can_force := self._proof_cache.get(key := (self._cache_key(state), moves_left))) is None:
            can_force = any(
                self._cannot_stop_goal(self._state_after(state, move), moves_left - 1)
                for move in self._attacking_moves(state, moves_left)
            )
            self._proof_cache[key] = can_force
        return can_force

    def _cannot_stop_goal(self, state: Any, moves_left: int) -> bool:
        """Return whether the defender, to move, cannot stop the goal within `moves_left` moves of the attacker."""
        self._count_node()
        if (result := self._result_without_search(state, moves_left)) is not None:
            return result
        if moves_left == 0 or self._fails_even_if_defender_idles(state, moves_left):
            return False
        return all(
            self._can_force_goal(self._state_after(state, move), moves_left)
            for move in self._defending_moves(state, moves_left)
        )

    @abstractmethod
    def search_state(self, position: Position) -> Any:
        """Convert a position to the state that this search uses."""

    @abstractmethod
    def _state_after(self, state: Any, move: Move) -> Any: ...

    @abstractmethod
    def _after_idle_move(self, state: Any) -> Any:
        """Return the state after an idle move of the defender, which changes nothing."""

    def _moves_in(self, state: Any) -> Sequence[Move]:
        """Return the moves by which the attacker, to move, may reach the goal."""
        return list(state.moves())

    @abstractmethod
    def _cache_key(self, state: Any) -> Hashable: ...

    @abstractmethod
    def _result_without_search(self, state: Any, moves_left: int) -> bool | None:
        """Return True if the goal is reached or certain, False if it cannot be reached any more, else None."""

    @abstractmethod
    def _attacking_moves(self, state: Any, moves_left: int) -> Sequence[Move]:
        """Return the attacker's moves that may succeed."""

    @abstractmethod
    def _fails_even_if_defender_idles(self, state: Any, moves_left: int) -> bool:
        """Return whether the goal fails even if the defender makes an idle move."""

    @abstractmethod
    def _defending_moves(self, state: Any, moves_left: int) -> Sequence[Move]:
        """Return the defender's moves that may help."""


class RowAttack(Attack):
    """The goal of a row in Gomoku, without the rules of Renju."""

    def search_state(self, position: Position) -> RowsState:
        """Return the state of all rows that a player can still complete."""
        start_state = state(position)
        assert isinstance(start_state, RowsState)
        return start_state

    def _state_after(self, state: RowsState, move: Move) -> RowsState:
        return state.state_after(move)

    def _moves_in(self, state: RowsState) -> Sequence[Move]:
        if state.certain_result() is None:
            return state.moves()
        points = point_board(state.size, state.size).points  # the result is certain, so other points cannot matter
        return [points[row.bit_length() - 1] for row in state.missing_points[self.attacker - 1] if row.bit_count() == 1]

    def _cache_key(self, state: RowsState) -> Hashable:
        return (*state.stones, state.to_move)

    def _result_without_search(self, state: RowsState, moves_left: int) -> bool | None:
        if (certain_result := state.certain_result()) is not None:
            return certain_result.winner == self.attacker and certain_result.plies <= 2 * moves_left
        return None if state.min_plies_to_win(self.attacker) <= 2 * moves_left else False

    def _attacking_moves(self, state: RowsState, moves_left: int) -> Sequence[Move]:
        moves = state.moves()
        if moves_left != 2 or len(moves) == 1:
            return moves
        # with two moves left, the first move must make a row that lacks one point, or any answer stops the attack
        useful_mask = 0
        for row in state.missing_points[self.attacker - 1]:
            if row.bit_count() <= 2:
                useful_mask |= row
        return [move for move in moves if useful_mask >> _point_number(move, state.size) & 1]

    def _defences_in_order(self, position: Position) -> Iterator[Move]:
        state = self.search_state(position)
        rows = state.missing_points[self.attacker - 1]

        def urgency(move: Move) -> tuple[int, int]:
            missing_counts = [row.bit_count() for row in rows if row >> _point_number(move, state.size) & 1]
            fewest_missing = min(missing_counts, default=NEVER)
            return fewest_missing, -missing_counts.count(fewest_missing)

        # among moves that delay the goal equally long, a human expects the move against the most complete row
        return iter(sorted(position.moves(), key=urgency))

    def _fails_even_if_defender_idles(self, state: RowsState, moves_left: int) -> bool:
        if state.min_plies_to_win(self.attacker) == 2:  # the defender must stop a row of the attacker at once
            return False
        return not self._can_force_goal(self._after_idle_move(state), moves_left)

    def _after_idle_move(self, state: RowsState) -> RowsState:
        return RowsState(state.size, state.line, state.stones, state.missing_points, self.attacker, None)

    def _defending_moves(self, state: RowsState, moves_left: int) -> Sequence[Move]:
        return state.moves()


class FoursAttack(RowAttack):
    """The goal of a row in Gomoku by moves that each threaten to complete a row, so that the defender has no choice.

    So a proof visits few states, and the goal may be many moves away.
    """

    def makes_four(self, position: Position, move: Move) -> bool:
        """Return whether the attacker's `move` threatens to complete a row, or completes one."""
        return self._is_four(self._state_after(self.search_state(position), move))

    def threats(self, position: Position, moves_left: int) -> list[Move]:
        """Return every move that threatens to complete a row."""
        return [move for move in position.moves() if self.makes_four(position, move)]

    def _is_four(self, state: RowsState) -> bool:
        return state.certain_result() is not None or state.min_plies_to_win(self.attacker) == 2

    def _attacking_moves(self, state: RowsState, moves_left: int) -> Sequence[Move]:
        points = 0
        for row in state.missing_points[self.attacker - 1]:
            if row.bit_count() <= 2:
                points |= row
        return [move for move in state.moves() if points >> _point_number(move, state.size) & 1]

    def _cannot_stop_goal(self, state: RowsState, moves_left: int) -> bool:
        return self._is_four(state) and super()._cannot_stop_goal(state, moves_left)


def _point_number(move: Move, size: int) -> int:
    assert isinstance(move, Point)
    return (move.row - 1) * size + move.column - 1


class GoFamilyAttack(Attack):
    """A goal in a game of the Go family with passes. `_shortest_attack_if_idle` gives a lower bound of the moves that
    the goal takes.
    """

    def search_state(self, position: Position) -> GoFamilyPosition:
        """Return the position itself."""
        assert isinstance(position, GoFamilyPosition)
        return position

    def _state_after(self, state: GoFamilyPosition, move: Move) -> GoFamilyPosition:
        return state.play(move)

    def _cache_key(self, state: GoFamilyPosition) -> Hashable:
        return state.key()

    def _result_without_search(self, state: GoFamilyPosition, moves_left: int) -> bool | None:
        if (outcome := state.outcome()) is not None:
            return outcome.winner == self.attacker
        return False if moves_left == 0 and state.to_move == self.attacker else None

    def _attacking_moves(self, state: GoFamilyPosition, moves_left: int) -> Sequence[Move]:
        fewest_moves, urgent_mask = self._shortest_attack_if_idle(state)
        if fewest_moves > moves_left:
            return ()
        urgent_points = state.game.bit_geometry.points_in(urgent_mask & state.legal_mask)
        if fewest_moves == moves_left:
            return urgent_points
        return [*urgent_points, *state.game.bit_geometry.points_in(state.legal_mask & ~urgent_mask)]

    def _fails_even_if_defender_idles(self, state: GoFamilyPosition, moves_left: int) -> bool:
        return self._shortest_attack_if_idle(state)[0] > moves_left or not self._can_force_goal(
            self._after_idle_move(state), moves_left
        )

    def _after_idle_move(self, state: GoFamilyPosition) -> GoFamilyPosition:
        return state.play(PASS)

    def _defending_moves(self, state: GoFamilyPosition, moves_left: int) -> Sequence[Move]:
        urgent_mask = self._shortest_attack_if_idle(state)[1]
        points_in = state.game.bit_geometry.points_in
        return [*points_in(urgent_mask & state.legal_mask), *points_in(state.legal_mask & ~urgent_mask)]

    def _defences_in_order(self, position: Position) -> Iterator[Move]:
        assert isinstance(position, GoFamilyPosition)
        urgent_points = position.game.bit_geometry.points_in(self._shortest_attack_if_idle(position)[1])

        def distance(move: Move) -> int:
            assert isinstance(move, Point)
            return min(
                (abs(point.row - move.row) + abs(point.column - move.column) for point in urgent_points), default=0
            )

        yield from sorted(self._defending_moves(position, 0), key=distance)
        yield PASS

    @abstractmethod
    def _shortest_attack_if_idle(self, state: GoFamilyPosition) -> tuple[int, int]:
        """Return the number of attacking moves that the goal needs if the defender only passes, and where they begin.

        The second value is a mask of the points for the first of these moves.
        """


class RobogoAttack(GoFamilyAttack):
    """The goal of a row in Robogo. A capture may free a point of a row, but a stone there still takes a move."""

    def _shortest_attack_if_idle(self, state: GoFamilyPosition) -> tuple[int, int]:
        assert isinstance(state, RobogoPosition)
        own_stones = state.board.stone_mask(self.attacker)
        fewest_moves, point_mask = NEVER, 0
        for row in _winning_row_masks(state.game):
            missing_mask = row & ~own_stones
            if (count := missing_mask.bit_count()) < fewest_moves:
                fewest_moves, point_mask = count, missing_mask
            elif count == fewest_moves:
                point_mask |= missing_mask
        # a stone of the defender on the row must be captured first, by a move elsewhere
        return fewest_moves, point_mask if not point_mask & ~state.board.empty_mask else state.board.empty_mask


class CaptureAttack(GoFamilyAttack):
    """The goal of capturing the chain on the point number `target`; if that is None, any chain of the defender."""

    def __init__(self, attacker: Seat, max_nodes: float = math.inf, target: int | None = None) -> None:
        super().__init__(attacker, max_nodes)
        self._target = target

    def _result_without_search(self, state: GoFamilyPosition, moves_left: int) -> bool | None:
        if self._target is not None and state.board.colour(self._target) != 3 - self.attacker:
            return True
        return super()._result_without_search(state, moves_left)

    def _shortest_attack_if_idle(self, state: GoFamilyPosition) -> tuple[int, int]:
        board = state.board
        target_mask = (
            board.stone_mask(3 - self.attacker) if self._target is None else board.bit_geometry.masks[self._target]
        )
        fewest_moves, point_mask = NEVER, 0
        for _, liberties, _ in board.chains_of(target_mask):
            if (count := liberties.bit_count()) < fewest_moves:
                fewest_moves, point_mask = count, liberties
            elif count == fewest_moves:
                point_mask |= liberties
        return fewest_moves, point_mask


def is_capture_race(position: GoFamilyPosition, target: int, turns: int) -> bool:
    """Return whether the chain on the point number `target`, which the player to move captures within `turns` moves,
    could otherwise capture a chain around it within `turns` moves.
    """
    board, geometry, seat = position.board, position.game.bit_geometry, position.to_move
    around = geometry.neighbours_of(board.chain(target)[0]) & board.stone_mask(seat)
    return any(
        NearCaptureAttack(3 - seat, target=places[0]).moves_needed_if_idle(position, turns)
        for _, _, places in board.chains_of(around)
    )


class NearCaptureAttack(CaptureAttack):
    """A quick search for the goal of a capture. It tries only moves on or beside liberties, so it overlooks others."""

    def first_moves(self, position: Position) -> Iterator[Move]:
        """Return the attacker's moves on or beside liberties, or all moves of the defender."""
        if position.to_move != self.attacker:
            return position.moves()
        return iter(self._attacking_moves(self.search_state(position), _MAX_NEAR_LIBERTIES))

    def _attacking_moves(self, state: GoFamilyPosition, moves_left: int) -> Sequence[Move]:
        board, geometry = state.board, state.game.bit_geometry
        stones = board.stone_mask(3 - self.attacker) if self._target is None else geometry.masks[self._target]
        all_liberties = [liberties for _, liberties, _ in board.chains_of(stones)]
        near = functools.reduce(or_, (mask for mask in all_liberties if mask.bit_count() <= moves_left), 0)
        return geometry.points_in((near | geometry.neighbours_of(near)) & state.legal_mask)


@cache
def _winning_row_masks(game: Robogo) -> tuple[int, ...]:
    """Return the masks of all rows that win."""
    full_mask, masks = game.bit_geometry.full_mask, list[int]()
    for step in game.row_steps:
        shape = sum(1 << step * index for index in range(game.line))
        masks += [shape << i for i in game.bit_geometry.point_indices_in(full_mask) if shape << i & ~full_mask == 0]
    return tuple(masks)


def attack_of(
    position: Position,
    target: str = "",
    max_nodes: float = math.inf,
    attacker: Seat | None = None,
    *,
    by_fours: bool = False,
) -> Attack | None:
    """Return the attack of `attacker`, by default the player to move; None if no goal of this game can be proved.

    target: a point of the chain to capture, in Go. by_fours: whether each move must threaten to complete a row.
    """
    game, seat = position.game, attacker or position.to_move
    if isinstance(game, Gomoku):
        attack_class = FoursAttack if by_fours else RowAttack
        return None if state(position) is None else attack_class(seat, max_nodes)
    if not isinstance(game, GoFamilyGame) or not game.passing or game.suicide or not game.captures:
        return None
    if isinstance(game, Robogo):
        return RobogoAttack(seat, max_nodes)
    if isinstance(game, CaptureGo):
        return CaptureAttack(seat, max_nodes) if game.target == 1 else None
    if isinstance(game, Go) and target:
        return CaptureAttack(seat, max_nodes, game.bit_geometry.index_of[game.board.parse(target)])
    return None
