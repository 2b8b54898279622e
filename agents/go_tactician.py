"""Reads captures to their end; elsewhere it runs hundreds of playouts to find the winning move.

    python agents/go_tactician.py TEAM [reading=N]

It reads all chains with few liberties. For each it finds whether it can be captured against every defence, in how many
moves, and whether the next move saves it. `reading` is the number of moves of a line that may leave the chain more
liberties (gomogo_core/search/go/reading.py). So it first examines the moves that decide the most stones in the fewest
moves. Then it searches as mcts does. That shows what reading cannot: which groups get eyes, which areas belong to whom,
and the value of ko threats. The score decides the winner, so it passes as soon as that wins.
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
from gomogo_core.search.go.reading import Reader
from gomogo_core.search.limits import OutOfLimits
from gomogo_core.search.node import Node
from gomogo_core.search.playouts.go import StonesPlayoutNode
from gomogo_core.search.prior import Prior

GAMES = ("go", "capture_go")
KEEP_RUNNING = True  # one process may play many games: no state survives a game
NODES = 300  # nodes for reading one question about one chain
READING = 0.3  # share of the time for reading, at most
CHAIN, STONE = 8, 6  # virtual visits, all won: for each chain that a move saves or captures, and for each of its stones
MOST = 32  # limit of those visits: with more, a wrong reading would need too many playouts to be corrected
FEW = 4  # in moves: a longer capture counts as much as one of this length


def choose(position: StonesPosition, clock: AgentClock, *, reading: int = 1) -> Move:
    """Return a winning pass, or the move with the best playouts."""
    if wins_by_passing(position):
        return PASS
    read = _read_chains(position, reading, clock)

    def static_move_values(node: Node) -> Mapping[Move, Prior]:
        assert isinstance(node, StonesPlayoutNode)
        found = move_priors(node.position)
        if not node.ply:
            for move, (visits, rewards) in read.items():
                if move in found:
                    found[move] = (found[move][0] + visits, found[move][1] + rewards)
        return found

    found = mcts.search(position, SearchLimits(stop_at=clock.stop_at), priors=static_move_values)
    clock.tell(**found.analysis(position.game))
    return found.move


def _read_chains(position: StonesPosition, quiet_moves: int, clock: AgentClock) -> dict[Move, Prior]:
    """Convert the status of chains to priors: quick captures and rescues count most, hopeless moves least."""
    board, mover, points = position.board, position.to_move, position.game.bit_geometry.points
    until = time.monotonic() + (clock.stop_at - time.monotonic()) * READING
    try:
        known = chain_statuses(board, Reader(NODES, until), quiet_moves, mover, position.ko_mask())
    except OutOfLimits:
        return {}
    won, lost = Counter[int](), Counter[int]()
    for status in known:
        weight = min(MOST, CHAIN + STONE * status.size)
        if status.colour != mover:
            share = 2 if status.is_lost else 1  # saving or capturing lost stones can wait
            won.update({i: _prefer_sooner(weight, steps) // share for i, steps in status.attacks.items()})
        elif status.is_lost:
            room = board.bit_geometry.neighbours_of(status.stones) & board.empty
            lost.update(dict.fromkeys(board.bit_geometry.bits_in(room), weight))
        else:
            won.update(dict.fromkeys(status.defences, _prefer_sooner(weight, min(status.attacks.values()))))
    return {points[i]: (won[i] + lost[i], won[i]) for i in won | lost}


def _prefer_sooner(weight: int, steps: int) -> int:
    """Return the weight of a capture in this many moves: quicker is better."""
    return 2 * weight // (1 + min(steps, FEW))


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
