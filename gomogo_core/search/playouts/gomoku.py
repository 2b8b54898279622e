"""Playouts of Gomoku: play a forced answer, or else a random one of the best moves, until a win is certain.

The nodes of evaluation/gomoku.py give the forced answers and the order of the moves. Random stones rarely make a row,
and prove nothing; these playouts choose at random among a few good moves.
"""

from __future__ import annotations

import math

from gomogo_core.games.base import Move, Seat
from gomogo_core.search.node import Node
from gomogo_core.search.playouts import Playout, RandomNumber

MAX_MOVES = 10  # the number of moves after which the evaluation decides
CANDIDATE_MOVE_COUNT = 6  # the number of best moves to choose from
EVALUATION_SCALE = 300.0  # the lead in the evaluation at which the reward is 0.75


def run_playout(node: Node, random_number: RandomNumber) -> Playout:
    """Play until the position shows a certain win, or for MAX_MOVES moves."""
    moves: list[tuple[Seat, Move]] = []
    while (certain := node.certain_value()) is None and len(moves) < MAX_MOVES:
        move = node.only_move()
        if move is None:
            choices = node.moves()
            move = choices[int(random_number() * min(CANDIDATE_MOVE_COUNT, len(choices)))]
        moves.append((node.to_move, move))
        node = node.child_after(move)
    if certain is not None:
        own_result = 0.5 + 0.5 * (certain > 0) - 0.5 * (certain < 0)
    else:
        own_result = 0.5 + math.atan(node.value() / EVALUATION_SCALE) / math.pi
    return Playout((own_result, 1 - own_result) if node.to_move == 1 else (1 - own_result, own_result), moves)
