"""Playouts: a game played on from a position at once, so that its end tells what the position is worth.

Knows no particular game: finds a game's way of playing on by the game's name, a file here a game. A file defines
`play_out(node, chance) -> Playout`; and, if need be, `node(position) -> Node`, where the tree wants other nodes than
searches with an evaluation have, `RAVE = False`, where a move means something else when it is made later, and
`EXPLORE`. A game without a file is played on at random, for a while, and then judged by its evaluation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

from gomogo_core.games.base import Move, Position, Seat
from gomogo_core.search.by_game import brought
from gomogo_core.search.evaluation import node_of
from gomogo_core.search.node import WIN, Node

Chance: TypeAlias = Callable[[], float]  # a random number from 0 up to 1
SCORED = 0.1  # the part of a reward that the score decides, in games that count one
LONGEST = 40  # moves at random before the evaluation is asked: chance says little of what is far away


class Playout(NamedTuple):
    """One game played on. rewards: by seat, from 0, the last place, to 1, the win. moves: who played what, in order."""

    rewards: tuple[float, ...]
    moves: Sequence[tuple[Seat, Move]]


class Way(NamedTuple):
    """How a game is played on: from a node, which is made of a position.

    rave: whether later moves tell of now. explore: how much the tree tries of what looks worse, after few visits.
    """

    play_out: Callable[[Node, Chance], Playout]
    node: Callable[[Position], Node]
    rave: bool = True
    explore: float = 0.4


@cache
def way_of(game: str) -> Way:
    """How the game called `game` is played on."""
    own = brought(__name__, game)
    if own is None:
        return Way(at_random, node_of)
    way = Way(own.play_out, getattr(own, "node", node_of))
    return way._replace(**{name.lower(): getattr(own, name) for name in ("RAVE", "EXPLORE") if hasattr(own, name)})


def at_random(node: Node, chance: Chance) -> Playout:
    """Any of the moves worth a look, each as likely, until the game is over or LONGEST moves were made."""
    moves: list[tuple[Seat, Move]] = []
    while not node.over and len(moves) < LONGEST:
        choices = node.moves()
        move = choices[int(chance() * len(choices))]
        moves.append((node.to_move, move))
        node = node.play(move)
    return Playout(judged(node.values()), moves)


def judged(values: Sequence[float]) -> tuple[float, ...]:
    """Rewards from what each seat has, be it by the evaluation or by the end of the game.

    A seat's lead on the others' mean is weighed against all that there is, so that no evaluation needs a scale.
    """
    share = 1 / max(1, len(values) - 1)
    total = sum(values)
    leads = [value - (total - value) * share for value in values]
    most = max(map(abs, leads))
    if most > WIN / 2:  # a result, or a forced one
        return tuple(0.5 + lead / most / 2 for lead in leads)
    scale = sum(map(abs, values)) or 1.0
    return tuple(0.5 + math.atan(lead / scale * 4) / math.pi for lead in leads)


def rewards(scores: Sequence[float], seats: Sequence[bool] | None = None) -> tuple[float, ...]:
    """By seat, the share of the others that it leaves behind, half for those beside it; a little by the margin.

    scores: points at the end of the game. seats: which of them still play; who has left is behind all.
    """
    others, total = len(scores) - 1, sum(map(abs, scores)) or 1
    if seats is not None:
        scores = [score if there else -1 for score, there in zip(scores, seats, strict=True)]
    found = []
    for own in scores:
        beaten = sum([(own > other) - (own < other) for other in scores]) / others
        margin = (own - (sum(scores) - own) / others) / total
        found.append(0.5 + ((1 - SCORED) * beaten + SCORED * margin) / 2)
    return tuple(found)
