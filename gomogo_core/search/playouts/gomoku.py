"""Gomoku played on: a forced answer where there is one, else one of the moves that look best, until a win is certain.

Knows the nodes of evaluation/gomoku.py. Random stones seldom make a row, and tell nothing; what these playouts leave to
chance is which of a few good moves comes next.
"""

from __future__ import annotations

import math

from gomogo_core.games.base import Move, Seat
from gomogo_core.search.node import Node
from gomogo_core.search.playouts import Chance, Playout

LONGEST = 10  # moves, after which the rows that stand are weighed
GOOD = 6  # of the moves, the best so many are played
SCALE = 300.0  # a lead in the evaluation, by which three games in four are won


def play_out(node: Node, chance: Chance) -> Playout:
    """Play on until the position shows a certain win, or LONGEST moves were made."""
    moves: list[tuple[Seat, Move]] = []
    while (certain := node.verdict()) is None and len(moves) < LONGEST:
        move = node.only_move()
        if move is None:
            choices = node.moves()
            move = choices[int(chance() * min(GOOD, len(choices)))]
        moves.append((node.to_move, move))
        node = node.play(move)
    if certain is not None:
        mine = 0.5 + 0.5 * (certain > 0) - 0.5 * (certain < 0)
    else:
        mine = 0.5 + math.atan(node.value() / SCALE) / math.pi
    return Playout((mine, 1 - mine) if node.to_move == 1 else (1 - mine, mine), moves)
