"""Considers its moves and the answers to them, but overlooks many of both, as a beginner does.

python agents/beginner.py TEAM [overlooks=0.5]

It considers the moves that a human would: near the stones or, in Go and related games, on an inner line. It overlooks
each of them with the probability `overlooks`. With the same probability it overlooks each answer to the moves that it
sees. So it often misses the only move that wins or saves the game, and then plays its second or third choice. In a lost
position it leaves the opponent as few winning answers as it can, for example by blocking one end of an open four. With
overlooks=1 it sees nothing, and plays a random one of these moves; with 0 it sees everything two moves ahead. In Go it
passes if the pass wins, or if the borders of all areas are settled and it can gain nothing. In the second half of the
game, it places no stone where it would certainly die. The opponents of `gomogo play --level 1` and of some higher
levels are beginners.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable

import _path  # noqa: F401  (lets the file run from a clone without installation)

from gomogo_core.agent import AgentClock
from gomogo_core.games.base import Game, Move, Position, Seat
from gomogo_core.games.boards.points import Point, PointBoard
from gomogo_core.games.go import GoPosition
from gomogo_core.games.stones.rules import PASS
from gomogo_core.search import node_of
from gomogo_core.search.node import CERTAIN_THRESHOLD, Node
from gomogo_core.search.playouts.dead_stones import points_worth_a_stone

KEEP_RUNNING = True  # one process may play many games: no state survives a game
MAX_EXAMINED_MOVES = 12  # it examines the answers to this number of moves; more would take too long on large boards
MAX_STONE_DISTANCE = 2  # lines; it considers points at most this far from a stone
INNER_LINE = 3  # counted from the edge; on this line and further inside, it also considers points far from stones


def prepare(game: Game) -> None:
    """Build the evaluation's tables before the first clock starts."""
    node_of(game.start())


def choose(position: Position, clock: AgentClock, *, overlooks: float = 0.5) -> Move:
    """Return the best of the moves that it sees, by the positions after the best answers that it sees."""
    quarter_end = clock.started + (clock.stop_at - clock.started) / 4  # the rest is for the search
    if not (worthwhile_points := points_worth_a_stone(position, quarter_end)):
        return PASS
    seat, root = position.to_move, node_of(position)
    considered = considered_moves(position)
    if worthwhile_points > 0 and isinstance(position, GoPosition):
        places = set(position.game.bit_geometry.points_in(worthwhile_points))
        considered = [move for move in considered if move in places] or [PASS]
    random.shuffle(considered)  # any of several equally good moves may come first
    evaluated: list[tuple[float, Move, Node]] = []
    for move in _moves_not_overlooked(considered, overlooks):
        if time.monotonic() >= (clock.started + clock.stop_at) / 2:  # the other half of the time is for the answers
            break
        child = root.child_after(move)
        evaluated.append((_value_for(child, seat), move, child))
    if not evaluated:
        return considered[0]
    evaluated.sort(key=lambda entry: entry[0], reverse=True)
    best_move, best_value = evaluated[0][1], (-float("inf"), 0)
    for _, move, child in evaluated[:MAX_EXAMINED_MOVES]:
        if time.monotonic() >= clock.stop_at:
            break
        if (value := _value_after_reply(child, seat, overlooks)) > best_value:
            best_move, best_value = move, value
    return best_move


def considered_moves(position: Position) -> list[Move]:
    """Return the legal moves that a human would consider; all legal moves if there are none, or on a board of edges.

    These moves are the points near a stone. On an empty board, and in Go and related games, points away from the edge
    are added. In Go and related games, a point on the edge must touch a stone, and own eyes are left out. A pass is
    left out, too, while the agent can place a stone that is not in atari.
    """
    sensible_moves, board = node_of(position).sensible_moves(), position.game.board
    moves = list(position.moves() if sensible_moves is None else sensible_moves)
    if not isinstance(board, PointBoard):
        return moves
    lines = enumerate(position.rows(), 1)
    stones = [(row, column) for row, line in lines for column, mark in enumerate(line, 1) if mark in "xo"]
    is_like_go = bool(position.captures)
    inner_line = INNER_LINE if is_like_go else min(board.rows, board.columns) // 3

    def makes_sense(point: Point) -> bool:
        column, row = point
        line = min(row, column, board.rows + 1 - row, board.columns + 1 - column)
        max_distance = 1 if is_like_go and line == 1 else MAX_STONE_DISTANCE
        if any(max(abs(row - stone[0]), abs(column - stone[1])) <= max_distance for stone in stones):
            return True
        return line >= inner_line and (is_like_go or not stones)

    return [move for move in moves if not isinstance(move, Point) or makes_sense(move)] or moves


def _moves_not_overlooked(moves: Iterable[Move], overlooks: float) -> list[Move]:
    return [move for move in moves if random.random() >= overlooks]


def _value_for(node: Node, seat: Seat) -> float:
    """Return the value of a position for `seat` minus the average value for the other seats."""
    values = node.values_by_seat()
    own_value = values[seat - 1]
    return own_value - (sum(values) - own_value) / max(1, len(values) - 1)


def _value_after_reply(node: Node, seat: Seat, overlooks: float) -> tuple[float, int]:
    """Return the value for `seat` after the best answer that it sees, or the value of `node` if it sees none.

    The second number is the negative number of answers by which the opponent certainly wins, because the better of two
    lost moves leaves fewer such answers.
    """
    if node.is_over:
        return _value_for(node, seat), 0
    answers = [node.child_after(move) for move in _moves_not_overlooked(node.moves_in_game_order(), overlooks)]
    if not answers:
        return _value_for(node, seat), 0
    best_answer = max(answers, key=lambda answer: _value_for(answer, node.to_move))
    return _value_for(best_answer, seat), -sum(_value_for(answer, seat) < -CERTAIN_THRESHOLD for answer in answers)


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
