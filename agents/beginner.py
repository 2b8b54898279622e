"""Looks at its moves and the answers to them, as a beginner does: overlooks many of both.

    python agents/beginner.py TEAM [overlooks=0.5]

Each of its own moves it overlooks with the probability `overlooks`, and then each answer to those it sees; so it misses
what one move alone would win or save, and plays well where several moves are good. With overlooks=1 it sees nothing,
and plays anywhere; with 0 it sees all that there is to see two moves ahead. The opponents of `gomogo play --level 1`
and of some levels above are made of it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable

import _path  # noqa: F401  (lets the file run from a clone that is not installed)

from gomogo_core.games.base import Game, Move, Position, Seat
from gomogo_core.search import node_of
from gomogo_core.search.node import Node
from gomogo_core.wire.agent_clock import AgentClock

KEEP_RUNNING = True  # one process may play many games: nothing of a game that is over is kept
PROMISING = 12  # of the moves seen, those to which it looks for answers: more would take too long on large boards


def prepare(game: Game) -> None:
    """Build the evaluation's tables before the first clock starts."""
    node_of(game.start())


def choose(position: Position, clock: AgentClock, *, overlooks: float = 0.5) -> Move:
    """The move that looks best among those seen, after the best answer seen."""
    seat, root = position.to_move, node_of(position)
    legal = list(position.moves())
    random.shuffle(legal)  # of moves that look alike any may be the first
    seen: list[tuple[float, Move, Node]] = []
    for move in _seen(legal, overlooks):
        if time.monotonic() >= (clock.started + clock.stop_at) / 2:  # the rest of the time is for the answers
            break
        child = root.play(move)
        seen.append((_worth(child, seat), move, child))
    if not seen:
        return legal[0]
    seen.sort(key=lambda one: one[0], reverse=True)
    best, most = seen[0][1], -float("inf")
    for _, move, child in seen[:PROMISING]:
        if time.monotonic() >= clock.stop_at:
            break
        if (worth := _after_the_answer(child, seat, overlooks)) > most:
            best, most = move, worth
    return best


def _seen(moves: Iterable[Move], overlooks: float) -> list[Move]:
    return [move for move in moves if random.random() >= overlooks]


def _worth(node: Node, seat: Seat) -> float:
    """What `seat` has, less what the others have on average."""
    values = node.values()
    mine = values[seat - 1]
    return mine - (sum(values) - mine) / max(1, len(values) - 1)


def _after_the_answer(node: Node, seat: Seat, overlooks: float) -> float:
    """What `seat` has after the answer that whoever is to move likes best; the position's own worth if none is seen."""
    answers = [] if node.over else [node.play(move) for move in _seen(node.natural_moves(), overlooks)]
    return _worth(max(answers, key=lambda answer: _worth(answer, node.to_move), default=node), seat)


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
