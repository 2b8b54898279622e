"""Sentences about the stones of Go that look dead, for humans who are about to pass, and for readers of a review."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from statistics import fmean

from gomogo_core.games.base import Move, Position, Seat
from gomogo_core.games.boards import Place
from gomogo_core.games.boards.points import Point
from gomogo_core.games.go import GoPosition
from gomogo_core.games.stones.board import BLACK, WHITE
from gomogo_core.games.stones.rules import COLOURS, PASS
from gomogo_core.printable import count_with_noun
from gomogo_core.search.go.atari import capturing_points
from gomogo_core.search.go.passing import wins_by_passing
from gomogo_core.search.playouts.dead_stones import dead_stones

_MAX_NAMED_CHAINS = 3
# Advice to capture dead stones appears if at most this share of the points has an owner between these bounds.
_MIN_OWNER, _MAX_OPEN_SHARE = 0.5, 0.1
_DEAD_OWNER = -0.7  # the owner, from 1 to -1, of the points of a chain that looks dead


def warning_before_pass(position: Position, move: Move) -> str:
    """Return a warning, without a full stop, that a pass may leave dead stones of the opponent on the board; else "".

    The warning appears only if the pass ends the game, or if it loses the game after a pass of the opponent. It
    contains the score, unless `Position.warning` does.
    """
    if move is not PASS or not isinstance(position, GoPosition) or position.why_illegal(move):
        return ""
    if not position.passes and position.warning(move) is None:
        return ""
    opponent = 3 - position.to_move
    dead_points, in_atari = set(dead_stones(position)[opponent]), 0
    for captured in capturing_points(position.board, position.to_move).values():
        in_atari |= captured
    points = tuple(dead_points | set(position.game.bit_geometry.points_in(in_atari)))
    if not points:
        return ""
    words = _dead_stones_clause(opponent, points)
    if len(points) > len(dead_points):  # the opponent could still save those in atari
        words += f" or {'is' if len(points) == 1 else 'are'} in atari"
    clause = f"{'it counts' if len(points) == 1 else 'they count'} unless captured first"
    warning = f"{words}; {clause} ({_chain_names(position, points)})"
    if position.warning(move) is not None:  # it tells the score
        return warning
    black, white = position.scores()
    return f"Score now: black {black:g}, white {white:g}. {warning}"


def points_to_show_before_pass(position: Position, move: Move) -> Sequence[Point] | None:
    """Return the points of all stones that look dead, if `move` is a pass in Go; else None."""
    if move is not PASS or not isinstance(position, GoPosition) or position.outcome() is not None:
        return None
    return [point for points in dead_stones(position).values() for point in points]


def advice_to_capture(position: Position, move: Move, owners: Mapping[Place, float]) -> str:
    """Return the advice to capture dead stones of the opponent before a pass, without a full stop; else "".

    The advice appears in Go after the opponent's pass, or if nearly all points have an owner, unless `move` is a pass
    that wins. owners: the owner of each point, as in `ExpectedEnd`; empty if unknown.
    """
    if not isinstance(position, GoPosition) or (move is PASS and wins_by_passing(position)):
        return ""
    open_count = sum(abs(owner) < _MIN_OWNER for owner in owners.values())
    if not position.passes and not (owners and open_count <= _MAX_OPEN_SHARE * len(owners)):
        return ""
    opponent = 3 - position.to_move
    if not (points := dead_stones(position)[opponent]):
        return ""
    stones = f"the dead {COLOURS[opponent]} stone{'s' * (len(points) > 1)} at {_chain_names(position, points)}"
    return f"capture {stones} before you pass, because all stones on the board count"


def _chain_names(position: GoPosition, points: Collection[Point]) -> str:
    """Return the name of one point of each chain with stones on `points`."""
    geometry = position.game.bit_geometry
    mask = sum(geometry.masks[geometry.index_of[point]] for point in points)
    chains = list(geometry.groups(mask))
    names = [str(geometry.points_in(chain)[0]) for chain in chains[:_MAX_NAMED_CHAINS]]
    return ", ".join([*names, *(["…"] if len(chains) > len(names) else [])])


def dead_stones_at_end(position: Position) -> tuple[list[Point], str]:
    """Return the points of the stones that look dead at the end of a game of Go, and a sentence about them."""
    if not isinstance(position, GoPosition) or position.outcome() is None:
        return [], ""
    dead_points_by_seat = dead_stones(position)
    if not (words := [_dead_stones_clause(seat, points) for seat, points in dead_points_by_seat.items() if points]):
        return [], ""
    points = [point for dead_points in dead_points_by_seat.values() for point in dead_points]
    return points, f"{' and '.join(words)} (marked ×); they count, because nobody captured them before the end."


def stones_expected_dead(position: Position, owners: Mapping[Place, float]) -> list[Point]:
    """Return the points of the stones that look dead, because an analysis expects that the opponent will own them.

    owners: the owner of each point, as in `ExpectedEnd`. The stones of a chain are alive or dead together.
    """
    if not isinstance(position, GoPosition):
        return []
    geometry, board, dead_points = position.game.bit_geometry, position.board, list[Point]()
    for colour, sign in ((BLACK, 1), (WHITE, -1)):
        for stones, _, _ in board.chains_of(board.stone_mask(colour)):
            points = geometry.points_in(stones)
            if sign * fmean(owners.get(point, 0.0) for point in points) <= _DEAD_OWNER:
                dead_points += points
    return dead_points


def _dead_stones_clause(seat: Seat, dead_points: tuple[Point, ...]) -> str:
    stones = count_with_noun(len(dead_points), f"{COLOURS[seat]} stone")
    return f"{stones} look{'s' if len(dead_points) == 1 else ''} dead"
