"""Basic rules of sensible play with stones: do not fill own eyes, and pass if a pass wins.

The rules apply in Go, Capture Go and Robogo. The module contains no search.
"""

from __future__ import annotations

import random

from gomogo_core.games.base import Move
from gomogo_core.games.stones.rules import PASS, GoFamilyPosition
from gomogo_core.search.go.atari import points_safe_from_atari
from gomogo_core.search.go.eyes import eye_mask


def points_outside_own_eyes(position: GoFamilyPosition) -> int:
    """Return the mask of the points where the mover may place a stone without filling an eye of its own."""
    return position.legal_mask & ~eye_mask(position.board, position.to_move)


def points_safe_from_capture(position: GoFamilyPosition) -> int:
    """Return the mask of the points outside own eyes where the mover's stone would have two or more liberties."""
    return points_safe_from_atari(position.board, position.to_move, points_outside_own_eyes(position))


def sensible_moves(position: GoFamilyPosition) -> list[Move]:
    """Return the legal moves that do not fill an eye of the mover. A pass is left out while the mover can place a stone
    that is safe from capture. If nothing remains, return all legal moves.
    """
    points = points_outside_own_eyes(position)
    moves: list[Move] = [*position.game.bit_geometry.points_in(points)]
    if position.game.passing and not points_safe_from_capture(position):
        moves.append(PASS)
    return moves or list(position.moves())


def random_harmless_move(position: GoFamilyPosition, candidate_mask: int = -1) -> Move:
    """Return a random point of the mask `candidate_mask` that is not an eye of the mover.

    Without such a point, return PASS, or any legal move if passing is not allowed.
    """
    points = points_outside_own_eyes(position) & candidate_mask
    if not points:
        if position.game.passing:
            return PASS
        points = position.legal_mask
    return random.choice(position.game.bit_geometry.points_in(points))


def wins_by_passing(position: GoFamilyPosition) -> bool:
    """Return whether a pass by the mover ends the game as a win for the mover."""
    if not position.game.passing:
        return False
    outcome = position.play(PASS).outcome()
    return outcome is not None and outcome.winner == position.to_move


def loses_if_both_pass(position: GoFamilyPosition) -> bool:
    """Return whether the mover loses after a pass by each player, or after its own pass if that ends the game."""
    next_position = position.play(PASS)
    outcome = next_position.outcome() or next_position.play(PASS).outcome()
    return outcome is not None and outcome.winner == 3 - position.to_move
