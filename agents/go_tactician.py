"""Reads captures to their end, and then chooses a move by Monte Carlo tree search.

python agents/go_tactician.py TEAM [reading=N]

It reads all chains with few liberties. For each chain it finds whether the opponent can capture it against every
defence, in how many moves, and whether the next move saves it. `reading` is the number of quiet moves in a line
(gomogo_core/search/go/reading.py explains them). The results become priors for a search as in mcts, so the search first
examines the moves that quickly decide the fate of many stones. The search finds what reading cannot: the groups that
get eyes, the owners of areas, and the value of ko threats. It passes as soon as a pass wins.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping

import _path  # noqa: F401  (lets the file run from a clone without installation)

from gomogo_core.agent import AgentClock
from gomogo_core.games.base import Move
from gomogo_core.games.stones.rules import PASS, GoFamilyPosition
from gomogo_core.search import SearchLimits, mcts
from gomogo_core.search.go.chain_status import chain_statuses
from gomogo_core.search.go.move_priors import move_priors
from gomogo_core.search.go.passing import wins_by_passing
from gomogo_core.search.go.reading import ChainReader
from gomogo_core.search.limits import OutOfLimits
from gomogo_core.search.node import Node
from gomogo_core.search.playouts.go import StonesPlayoutNode
from gomogo_core.search.prior import Prior

GAMES = ("go", "capture_go")
KEEP_RUNNING = True  # one process may play many games: no state survives a game
NODES_PER_CHAIN = 300  # node limit of the search about one chain
READING_SHARE = 0.3  # maximum share of the time for reading
# virtual wins for each chain that a move saves or captures, and for each of its stones
CHAIN_VISITS, STONE_VISITS = 8, 6
# maximum virtual wins of a chain; with more, the search would need too many playouts to correct a wrong reading
MAX_CHAIN_VISITS = 32
MAX_CAPTURE_LENGTH = 4  # in moves; a longer capture counts as much as a capture of this length


def choose(position: GoFamilyPosition, clock: AgentClock, *, reading: int = 1) -> Move:
    """Return a pass that wins, or the move with the most playouts."""
    if wins_by_passing(position):
        return PASS
    chain_priors = _chain_priors(position, reading, clock)

    def combined_priors(node: Node) -> Mapping[Move, Prior]:
        assert isinstance(node, StonesPlayoutNode)
        priors = move_priors(node.position)
        if not node.ply:
            for move, (visits, rewards) in chain_priors.items():
                if move in priors:
                    priors[move] = (priors[move][0] + visits, priors[move][1] + rewards)
        return priors

    result = mcts.search(position, SearchLimits(stop_at=clock.stop_at), priors=combined_priors)
    clock.tell(**result.analysis(position.game))
    return result.move


def _chain_priors(position: GoFamilyPosition, quiet_moves: int, clock: AgentClock) -> dict[Move, Prior]:
    """Return priors from the status of chains. Quick captures and rescues count most, moves for lost chains least."""
    board, mover, points = position.board, position.to_move, position.game.bit_geometry.points
    deadline = time.monotonic() + (clock.stop_at - time.monotonic()) * READING_SHARE
    try:
        statuses = chain_statuses(board, ChainReader(NODES_PER_CHAIN, deadline), quiet_moves, mover, position.ko_mask())
    except OutOfLimits:
        return {}
    winning_visits, losing_visits = Counter[int](), Counter[int]()
    for status in statuses:
        weight = min(MAX_CHAIN_VISITS, CHAIN_VISITS + STONE_VISITS * status.size)
        if status.colour != mover:
            divisor = 2 if status.is_lost else 1  # lost stones can be saved or captured later
            for index, move_count in status.attacks.items():
                winning_visits[index] += _weight_by_length(weight, move_count) // divisor
        elif status.is_lost:
            liberties = board.bit_geometry.neighbours_of(status.stones) & board.empty_mask
            losing_visits.update(dict.fromkeys(board.bit_geometry.point_indices_in(liberties), weight))
        else:
            defence_weight = _weight_by_length(weight, min(status.attacks.values()))
            winning_visits.update(dict.fromkeys(status.defences, defence_weight))
    all_visits = winning_visits + losing_visits
    return {points[index]: (visits, winning_visits[index]) for index, visits in all_visits.items()}


def _weight_by_length(weight: int, move_count: int) -> int:
    """Return the weight of a capture that takes `move_count` moves; quicker captures weigh more."""
    return 2 * weight // (1 + min(move_count, MAX_CAPTURE_LENGTH))


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
