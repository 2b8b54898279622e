"""Finds moves that lead to the stones or the edges that a user has set up on a board.

Gomogo stores a position as the moves that lead to it, so the module finds an order in which the stones can be played.
The module uses positions only.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, IllegalMove, NotAMove, Position, Seat
from gomogo_core.games.boards.points import PointBoard
from gomogo_core.printable import count_with_noun

_PASS = "pass"  # in the notation of every game with passes
_MAX_ORDERS = 100  # of edges: either player is to move after many of them, or after none


def moves_to_set_up(game: Game, stones: Mapping[Seat, Sequence[str]], to_move: Seat | None = None) -> list[str]:
    """Return moves after which exactly these stones are on the board.

    stones: the points of each seat, which are played in this order if possible. to_move: the player to move afterwards;
    None for the player who follows from the number of stones. In games with passes, the player with fewer stones
    passes, at the beginning if possible: after a pass as the last move, another pass would end the game. Raises
    UserError if there are no such moves.
    """
    if not isinstance(game.board, PointBoard) or game.seats != 2:
        raise UserError("Stones cannot be set up in this game.", "Play its moves on the board, in any order.")
    stones_left = {seat: list(dict.fromkeys(stones.get(seat, ()))) for seat in (1, 2)}
    if shared_points := set(stones_left[1]) & set(stones_left[2]):
        raise UserError(f"{min(shared_points)} has two stones.", "Name each point once.")
    if to_move is None:
        to_move = 2 if len(stones_left[1]) > len(stones_left[2]) else 1
    position, moves = game.start(), list[str]()
    while stones_left[1] or stones_left[2] or position.to_move != to_move:
        mover = position.to_move
        own_stones, needed_count = stones_left[mover], len(stones_left[3 - mover]) + (mover != to_move)
        move = _PASS
        if own_stones and (len(own_stones) >= needed_count or moves[-1:] == [_PASS]):
            move = next((stone for stone in own_stones if _adds_one_stone(position, stone)), "")
            if not move:
                raise UserError(
                    f"{own_stones[0]} cannot be set up: "
                    "the rules forbid the stone, it captures others, or it ends the game.",
                    "Change the stones.",
                )
            own_stones.remove(move)
        next_position = _position_after(position, move)
        if next_position is None or next_position.outcome() is not None:
            counts = [len(set(stones.get(seat, ()))) for seat in (1, 2)]
            raise UserError(
                f"No game reaches {counts[0]} black and {counts[1]} white stones with "
                f"{('Black', 'White')[to_move - 1]} to move: the players take turns, and this game has no passes.",
                "Set up as many black stones as white ones if Black is to move, and one black stone more if White is.",
            )
        position = next_position
        moves.append(move)
    return moves


def edges_to_set_up(game: Game, edges: Sequence[str], to_move: Seat) -> list[str]:
    """Return these edges in an order after which the given player is to move. If possible, it is the given order.

    The order decides which player closes a box, and that player moves again. Raises UserError if no such order is
    found.
    """
    order, rng = list(edges), random.Random(0)
    for _ in range(_MAX_ORDERS):
        position: Position | None = game.start()
        for text in order:
            position = position and _position_after(position, text)
        if position is None or position.outcome() is not None:
            break
        if position.to_move == to_move:
            return order
        rng.shuffle(order)
    raise UserError(
        f"This player cannot be to move after {count_with_noun(len(order), 'edge')}: the turn passes with each "
        "edge that closes no box.",
        "Add or remove an edge, or choose the other player.",
    )


def _position_after(position: Position, text: str) -> Position | None:
    try:
        return position.play(position.game.parse(text))
    except IllegalMove:
        return None
    except NotAMove as error:
        if text == _PASS:
            return None
        raise UserError(f"{text[:20]!r} is no point of the board.", f"{error.hint.capitalize()}.") from None


def _adds_one_stone(position: Position, text: str) -> bool:
    """Return whether a stone can be placed, captures nothing and does not end the game."""
    next_position = _position_after(position, text)
    return (
        next_position is not None
        and next_position.outcome() is None
        and _stone_count(next_position) == _stone_count(position) + 1
    )


def _stone_count(position: Position) -> int:
    return sum(mark in "xo" for row in position.rows() for mark in row)
