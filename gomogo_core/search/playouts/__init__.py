"""Playouts: quick games from a position to their end, which evaluate the position.

The file with a game's name has the playout policy of the game. It defines `run_playout(node, random_number) ->
Playout`. The file may define three other names. `node(position) -> Node` makes the nodes of the tree, if they differ
from those of a search with an evaluation. `RAVE = False` says that a move has a different effect when it is played
later. `EXPLORATION` is the weight of exploration. In a game without a file, a playout makes some random moves and then
evaluates the position.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

from gomogo_core.games.base import Move, Position, Seat
from gomogo_core.search.evaluation import node_of
from gomogo_core.search.node import WIN_VALUE, Node
from gomogo_core.search.per_game import module_for_game

RandomNumber: TypeAlias = Callable[[], float]  # returns a random number from 0 up to 1
MARGIN_WEIGHT = 0.1  # the part of a reward that depends on the margin, in games with scores
MAX_MOVES = 40  # random moves before the evaluation; moves after them tell little about the position


class Playout(NamedTuple):
    """A finished playout. `rewards` holds a number for each seat, from 0 for the last rank to 1 for a win. `moves`
    lists the moves in order, each with its seat.
    """

    rewards: tuple[float, ...]
    moves: Sequence[tuple[Seat, Move]]


class PlayoutPolicy(NamedTuple):
    """The playout policy of a game. `node` makes the tree's node of a position.

    `rave` tells whether RAVE helps in this game. `exploration` is the weight of exploration in the choice of a move.
    """

    run_playout: Callable[[Node, RandomNumber], Playout]
    node: Callable[[Position], Node]
    rave: bool = True
    exploration: float = 0.4


@cache
def playout_policy_for(game_name: str) -> PlayoutPolicy:
    """Return the playout policy of the game called `game_name`."""
    policy_module = module_for_game(__name__, game_name)
    if policy_module is None:
        return PlayoutPolicy(play_randomly, node_of)
    policy = PlayoutPolicy(policy_module.run_playout, getattr(policy_module, "node", node_of))
    names = [name for name in ("RAVE", "EXPLORATION") if hasattr(policy_module, name)]
    return policy._replace(**{name.lower(): getattr(policy_module, name) for name in names})


def play_randomly(node: Node, random_number: RandomNumber) -> Playout:
    """Play random moves of `node.moves` until the end of the game or for MAX_MOVES moves, then evaluate."""
    moves: list[tuple[Seat, Move]] = []
    while not node.is_over and len(moves) < MAX_MOVES:
        choices = node.moves()
        move = choices[int(random_number() * len(choices))]
        moves.append((node.to_move, move))
        node = node.child_after(move)
    return Playout(rewards_of_values(node.values_by_seat()), moves)


def rewards_of_values(values: Sequence[float]) -> tuple[float, ...]:
    """Convert the values of the seats, from an evaluation or a finished game, to rewards.

    The reward depends on a seat's lead over the mean of the other seats, divided by the sum of all absolute values. So
    evaluations of any scale can be used.
    """
    share = 1 / max(1, len(values) - 1)
    total = sum(values)
    leads = [value - (total - value) * share for value in values]
    largest_lead = max(map(abs, leads))
    if largest_lead > WIN_VALUE / 2:  # a finished game, or a forced result
        return tuple(0.5 + lead / largest_lead / 2 for lead in leads)
    scale = sum(map(abs, values)) or 1.0
    return tuple(0.5 + math.atan(lead / scale * 4) / math.pi for lead in leads)


def rewards_of_scores(scores: Sequence[float], still_plays: Sequence[bool] | None = None) -> tuple[float, ...]:
    """Return the reward of each seat: the share of the other seats that it beats (a tie counts half), and a small part
    for the margin.

    `scores` holds the points of each seat at the end of the game. `still_plays` tells for each seat whether it still
    plays; a seat that has left the game ranks behind all others.
    """
    opponent_count, total = len(scores) - 1, sum(map(abs, scores)) or 1
    if still_plays is not None:
        scores = [score if is_playing else -1 for score, is_playing in zip(scores, still_plays, strict=True)]
    rewards = []
    for own in scores:
        beaten = sum([(own > other_score) - (own < other_score) for other_score in scores]) / opponent_count
        margin = (own - (sum(scores) - own) / opponent_count) / total
        rewards.append(0.5 + ((1 - MARGIN_WEIGHT) * beaten + MARGIN_WEIGHT * margin) / 2)
    return tuple(rewards)
