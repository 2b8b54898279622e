"""Short ways to boards of stones, and through whole games on them, for the tests of Go, Capture Go and Robogo."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from typing import Any

from gomogo_core.games import load
from gomogo_core.games._board import BLACK, EMPTY, WHITE, Board, plane
from gomogo_core.games._grid import Point
from gomogo_core.games._stones import PASS, StonesGame, StonesPosition
from gomogo_core.games.base import Move, Outcome


def game_of(name: str, **options: Any) -> StonesGame:
    """The game, known to be one of stones."""
    game = load(name, **options)
    assert isinstance(game, StonesGame)
    return game


def played(name: str, moves: str, **options: Any) -> StonesPosition:
    """The position after these moves."""
    return follow(game_of(name, **options).start(), moves)


def drawn(name: str, picture: str, **options: Any) -> StonesPosition:
    """The position of a picture, on a board as large as the picture."""
    board = [line.split() for line in picture.strip().splitlines() if ":" not in line]
    size = {"rows": len(board), "cols": len("".join(board[0]))}
    return game_of(name, **size, **options).from_diagram(picture)


def follow(position: StonesPosition, moves: str) -> StonesPosition:
    """The position after these moves more."""
    for word in moves.split():
        position = position.play(position.game.parse(word))
    return position


def why(position: StonesPosition, move: str) -> str | None:
    """Why the move is illegal."""
    return position.why_illegal(position.game.parse(move))


def ended(position: StonesPosition) -> Outcome:
    """How the game ended, which it did."""
    outcome = position.outcome()
    assert outcome is not None
    return outcome


def every_board(columns: int, rows: int) -> Iterator[Board]:
    """All ways to lay stones on a board, whether or not they have liberties: 3 to the number of points."""
    flat = plane(columns, rows)
    bits = [flat.bits[i] for i in flat.place.values()]
    for colours in product((EMPTY, BLACK, WHITE), repeat=len(bits)):
        masks = [0, 0, 0]
        for bit, colour in zip(bits, colours, strict=True):
            masks[colour] |= bit
        yield Board.of(flat, masks[BLACK], masks[WHITE])


def any_move(position: StonesPosition, draw: random.Random) -> Move:
    """A random legal move: half of them near the last stone, where fights are; seldom a pass, but to answer one."""
    points = [move for move in position.moves() if isinstance(move, Point)]
    if not points or (position.game.passing and draw.random() < (0.3 if position.passes else 0.01)):
        return PASS
    if isinstance(last := position.last, Point) and draw.random() < 0.5:
        near = [p for p in points if abs(p.column - last.column) + abs(p.row - last.row) <= 2]
        return draw.choice(near or points)
    return draw.choice(points)


def random_game(position: StonesPosition, draw: random.Random) -> Iterator[tuple[Any, Move]]:
    """Each position of a random game and the move that follows; with the last one, None."""
    while position.outcome() is None:
        move = any_move(position, draw)
        yield position, move
        position = position.play(move)
    yield position, None


def sensible_game(position: StonesPosition, draw: random.Random) -> Iterator[tuple[Any, Move]]:
    """The same, but nobody fills their own eyes, and who can only do that passes."""
    while position.outcome() is None:
        points = [move for move in position.moves() if move is not PASS]
        draw.shuffle(points)
        move = next((point for point in points if not is_eye(position, point, position.to_move)), PASS)
        yield position, move
        position = position.play(move)
    yield position, None


def is_eye(position: StonesPosition, point: Any, colour: int) -> bool:
    """Whether all neighbours are the colour's own, and at most one diagonal one the opponent's, none at the edge."""
    column, row = point
    around = [Point(column + 1, row), Point(column - 1, row), Point(column, row + 1), Point(column, row - 1)]
    points = position.game.plane.place
    if any(position.at(other) != colour for other in around if other in points):
        return False
    corners = [Point(column + across, row + down) for across in (1, -1) for down in (1, -1)]
    on_board = [corner for corner in corners if corner in points]
    return sum(position.at(corner) == 3 - colour for corner in on_board) <= (len(on_board) == 4)
