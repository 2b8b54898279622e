"""Helpers for the tests of Go, Capture Go and Robogo: boards of stones, and whole games."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from typing import Any

from gomogo_core.games import load
from gomogo_core.games.base import Move, Outcome
from gomogo_core.games.boards.points import Point
from gomogo_core.games.stones.board import BLACK, EMPTY, WHITE, StoneBoard, bit_geometry
from gomogo_core.games.stones.rules import PASS, GoFamilyGame, GoFamilyPosition


def load_stones_game(name: str, **options: Any) -> GoFamilyGame:
    """Return the game, typed as a game of stones."""
    game = load(name, **options)
    assert isinstance(game, GoFamilyGame)
    return game


def position_after(name: str, moves: str, **options: Any) -> GoFamilyPosition:
    """Return the position after these moves."""
    return play_moves(load_stones_game(name, **options).start(), moves)


def position_from_picture(name: str, picture: str, **options: Any) -> GoFamilyPosition:
    """Return the position of a picture, on a board of the picture's size."""
    board = [line.split() for line in picture.strip().splitlines() if ":" not in line]
    size = {"rows": len(board), "cols": len("".join(board[0]))}
    return load_stones_game(name, **size, **options).from_diagram(picture)


def play_moves(position: GoFamilyPosition, moves: str) -> GoFamilyPosition:
    """Return the position after these further moves."""
    for word in moves.split():
        position = position.play(position.game.parse(word))
    return position


def refusal_reason(position: GoFamilyPosition, move: str) -> str | None:
    """Return the reason why the move is illegal."""
    return position.why_illegal(position.game.parse(move))


def final_outcome(position: GoFamilyPosition) -> Outcome:
    """Return the outcome of a finished game."""
    outcome = position.outcome()
    assert outcome is not None
    return outcome


def all_boards(columns: int, rows: int) -> Iterator[StoneBoard]:
    """Yield all arrangements of stones on a board, with or without liberties: 3 to the number of points."""
    flat = bit_geometry(columns, rows)
    bits = [flat.masks[i] for i in flat.index_of.values()]
    for colours in product((EMPTY, BLACK, WHITE), repeat=len(bits)):
        masks = [0, 0, 0]
        for bit, colour in zip(bits, colours, strict=True):
            masks[colour] |= bit
        yield StoneBoard.of(flat, masks[BLACK], masks[WHITE])


def random_move(position: GoFamilyPosition, draw: random.Random) -> Move:
    """Return a random legal move: half of them near the last stone; rarely a pass, except to answer one."""
    points = [move for move in position.moves() if isinstance(move, Point)]
    if not points or (position.game.passing and draw.random() < (0.3 if position.passes else 0.01)):
        return PASS
    if isinstance(last := position.last, Point) and draw.random() < 0.5:
        near = [p for p in points if abs(p.column - last.column) + abs(p.row - last.row) <= 2]
        return draw.choice(near or points)
    return draw.choice(points)


def random_game(position: GoFamilyPosition, draw: random.Random) -> Iterator[tuple[Any, Move]]:
    """Yield each position of a random game and the move that follows; with the last one, None."""
    while position.outcome() is None:
        move = random_move(position, draw)
        yield position, move
        position = position.play(move)
    yield position, None


def random_game_without_filled_eyes(position: GoFamilyPosition, draw: random.Random) -> Iterator[tuple[Any, Move]]:
    """Do the same, but nobody fills their own eyes; a player without another move passes."""
    while position.outcome() is None:
        points = [move for move in position.moves() if move is not PASS]
        draw.shuffle(points)
        move = next((point for point in points if not is_eye(position, point, position.to_move)), PASS)
        yield position, move
        position = position.play(move)
    yield position, None


def is_eye(position: GoFamilyPosition, point: Any, colour: int) -> bool:
    """Whether all neighbours are the colour's own, and at most one diagonal one the opponent's, none at the edge."""
    column, row = point
    neighbours = [Point(column + 1, row), Point(column - 1, row), Point(column, row + 1), Point(column, row - 1)]
    points = position.game.bit_geometry.index_of
    if any(position.at(other) != colour for other in neighbours if other in points):
        return False
    corners = [Point(column + column_step, row + down) for column_step in (1, -1) for down in (1, -1)]
    on_board = [corner for corner in corners if corner in points]
    return sum(position.at(corner) == 3 - colour for corner in on_board) <= (len(on_board) == 4)
