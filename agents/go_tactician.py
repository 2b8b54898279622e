"""Reads captures to their end, and then chooses a move by Monte Carlo tree search.

python agents/go_tactician.py TEAM [reading=N]

It reads all chains with few liberties. For each chain it finds whether the opponent can capture it against every
defence, in how many moves, and whether the next move saves it. `reading` is the number of quiet moves in a line
(gomogo_core/search/go/reading.py explains them). The results become priors for a search as in mcts, so the search first
examines the moves that decide most stones in the fewest moves. The search finds what reading cannot: the groups that
get eyes, the owners of areas, and the value of ko threats. It passes as soon as a pass wins.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping

import _path  # noqa: F401  (lets the file run from a clone without installation)

from gomogo_core.agent import AgentClock
from gomogo_core.games.base import Move
from gomogo_core.games.stones.rules import PASS, StonesPosition
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
NODES = 300  # nodes of one search about one chain
READING_SHARE = 0.3  # the largest share of the time for reading
# virtual wins for each chain that a move saves or captures, and for each of its stones
CHAIN_VISITS, STONE_VISITS = 8, 6
# the most virtual wins of a chain; with more, the correction of a wrong reading would need too many playouts
MAX_VISITS = 32
MAX_LENGTH = 4  # in moves; a longer capture counts as much as a capture of this length


def choose(position: StonesPosition, clock: AgentClock, *, reading: int = 1) -> Move:
    """Return a pass that wins, or the move with the most playouts."""
    if wins_by_passing(position):
        return PASS
    chain_priors = _read_chains(position, reading, clock)

    def combined_priors(node: Node) -> Mapping[Move, Prior]:
        assert isinstance(node, StonesPlayoutNode)
        found = move_priors(node.position)
        if not node.ply:
            for move, (visits, rewards) in chain_priors.items():
                if move in found:
                    found[move] = (found[move][0] + visits, found[move][1] + rewards)
        return found

    found = mcts.search(position, SearchLimits(stop_at=clock.stop_at), priors=combined_priors)
    clock.tell(**found.analysis(position.game))
    return found.move


def _read_chains(position: StonesPosition, quiet_moves: int, clock: AgentClock) -> dict[Move, Prior]:
    """Return priors from the status of chains. Quick captures and rescues count most, moves for lost chains least."""
    board, mover, points = position.board, position.to_move, position.game.bit_geometry.points
    until = time.monotonic() + (clock.stop_at - time.monotonic()) * READING_SHARE
    try:
        known = chain_statuses(board, ChainReader(NODES, until), quiet_moves, mover, position.ko_mask())
    except OutOfLimits:
        return {}
    won, lost = Counter[int](), Counter[int]()
    for status in known:
        weight = min(MAX_VISITS, CHAIN_VISITS + STONE_VISITS * status.size)
        if status.colour != mover:
            share = 2 if status.is_lost else 1  # saving or capturing lost stones can wait
            won.update({i: _weight_by_length(weight, steps) // share for i, steps in status.attacks.items()})
        elif status.is_lost:
            room = board.bit_geometry.neighbours_of(status.stones) & board.empty
            lost.update(dict.fromkeys(board.bit_geometry.bits_in(room), weight))
        else:
            won.update(dict.fromkeys(status.defences, _weight_by_length(weight, min(status.attacks.values()))))
    return {points[i]: (won[i] + lost[i], won[i]) for i in won | lost}


def _weight_by_length(weight: int, steps: int) -> int:
    """Return the weight of a capture that takes `steps` moves; quicker captures weigh more."""
    return 2 * weight // (1 + min(steps, MAX_LENGTH))


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
