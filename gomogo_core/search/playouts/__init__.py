"""Playouts: quick games from a position to their end, whose results evaluate the position.

Needs no particular game: finds a game's playout policy by the game's name, one file per game. A file defines
`play_out(node, chance) -> Playout`. It may define `node(position) -> Node`, if the tree needs other nodes than searches
with an evaluation; `RAVE = False`, if a move means something else later; and `EXPLORE`. A game without a file is played
at random for some moves, and then evaluated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

from gomogo_core.games.base import Move, Position, Seat
from gomogo_core.search.evaluation import node_of
from gomogo_core.search.node import WIN, Node
from gomogo_core.search.per_game import module_for_game

Chance: TypeAlias = Callable[[], float]  # a random number from 0 up to 1
SCORED = 0.1  # the part of a reward that the score decides, in games with scores
LONGEST = 40  # random moves before the evaluation: later moves say little about the position


class Playout(NamedTuple):
    """A finished playout. rewards: by seat, from 0, the last place, to 1, the win. moves: seats and moves, in order."""

    rewards: tuple[float, ...]
    moves: Sequence[tuple[Seat, Move]]


class PlayoutPolicy(NamedTuple):
    """The playout policy of a game, for nodes made of positions.

    rave: whether RAVE is useful. explore: the weight of exploration after few visits.
    """

    play_out: Callable[[Node, Chance], Playout]
    node: Callable[[Position], Node]
    rave: bool = True
    explore: float = 0.4


@cache
def policy_of(game: str) -> PlayoutPolicy:
    """Return the playout policy of the game called `game`."""
    own = module_for_game(__name__, game)
    if own is None:
        return PlayoutPolicy(at_random, node_of)
    way = PlayoutPolicy(own.play_out, getattr(own, "node", node_of))
    return way._replace(**{name.lower(): getattr(own, name) for name in ("RAVE", "EXPLORE") if hasattr(own, name)})


def at_random(node: Node, chance: Chance) -> Playout:
    """Play random moves among those worth a look, until the game is over or after LONGEST moves."""
    moves: list[tuple[Seat, Move]] = []
    while not node.over and len(moves) < LONGEST:
        choices = node.moves()
        move = choices[int(chance() * len(choices))]
        moves.append((node.to_move, move))
        node = node.play(move)
    return Playout(rewards_of_values(node.values()), moves)


def rewards_of_values(values: Sequence[float]) -> tuple[float, ...]:
    """Convert values by seat, from the evaluation or the end of the game, to rewards.

    A seat's lead over the others' mean is divided by the total, so that evaluations need no common scale.
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
    """Return, by seat, the share of the others behind it, half for ties; with a small part for the margin.

    scores: points at the end of the game. seats: the seats that still play; seats that left are behind all others.
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
