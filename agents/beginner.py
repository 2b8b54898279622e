"""Looks at its moves and the answers to them, but overlooks many of both, as a beginner does.

python agents/beginner.py TEAM [overlooks=0.5]

It overlooks each of its own moves with the probability `overlooks`, and likewise each answer to the moves that it sees.
So it often misses the only move that wins or saves the game, and plays well if several moves are good. With overlooks=1
it sees nothing, and plays at random; with 0 it sees everything two moves ahead. The opponents of `gomogo play --level
1` and of some higher levels are beginners.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable

import _path  # noqa: F401  (lets the file run from a clone without installation)

from gomogo_core.agent import AgentClock
from gomogo_core.games.base import Game, Move, Position, Seat
from gomogo_core.search import node_of
from gomogo_core.search.node import Node

KEEP_RUNNING = True  # one process may play many games: no state survives a game
PROMISING = 12  # number of moves whose answers it examines; more would take too long on large boards


def prepare(game: Game) -> None:
    """Build the evaluation's tables before the first clock starts."""
    node_of(game.start())


def choose(position: Position, clock: AgentClock, *, overlooks: float = 0.5) -> Move:
    """Return the best of the moves that it sees, judged after the best answer that it sees."""
    seat, root = position.to_move, node_of(position)
    legal = list(position.moves())
    random.shuffle(legal)  # any of several equally good moves may come first
    seen: list[tuple[float, Move, Node]] = []
    for move in _moves_not_overlooked(legal, overlooks):
        if time.monotonic() >= (clock.started + clock.stop_at) / 2:  # the other half of the time is for the answers
            break
        child = root.play(move)
        seen.append((_value_for(child, seat), move, child))
    if not seen:
        return legal[0]
    seen.sort(key=lambda one: one[0], reverse=True)
    best, most = seen[0][1], -float("inf")
    for _, move, child in seen[:PROMISING]:
        if time.monotonic() >= clock.stop_at:
            break
        if (worth := _value_after_reply(child, seat, overlooks)) > most:
            best, most = move, worth
    return best


def _moves_not_overlooked(moves: Iterable[Move], overlooks: float) -> list[Move]:
    return [move for move in moves if random.random() >= overlooks]


def _value_for(node: Node, seat: Seat) -> float:
    """Return the value of `seat` minus the average of the others."""
    values = node.values()
    mine = values[seat - 1]
    return mine - (sum(values) - mine) / max(1, len(values) - 1)


def _value_after_reply(node: Node, seat: Seat, overlooks: float) -> float:
    """Return the value for `seat` after the best answer that it sees, or the value of `node` if it sees none."""
    answers = (
        [] if node.over else [node.play(move) for move in _moves_not_overlooked(node.moves_in_game_order(), overlooks)]
    )
    return _value_for(max(answers, key=lambda answer: _value_for(answer, node.to_move), default=node), seat)


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
