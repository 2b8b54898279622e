"""Reads captures to their end, and where reading tells nothing plays the game on, hundreds of times, to see who wins.

    python agents/go_tactician.py TEAM [reading=N]

What go_evader sees of stones in atari, it sees of all chains with few liberties: which can be taken whatever their
owner does, in one, two, three or more moves, which the next move saves, and which are lost; `reading` says how many
moves of a line may leave the chain room (gomogo_core/search/go/reading.py). That makes it look first where most stones
are decided in the fewest moves. Then it looks ahead as mcts does, every move with its answers, and so learns what
cannot be read: which groups get their eyes, whose area is whose, which threats a ko is worth. The score of the game as
it stands decides what wins, and so it passes as soon as that does.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping

import _path  # noqa: F401  (lets the file run from a clone that is not installed)

from gomogo_core.games._stones import PASS, StonesPosition
from gomogo_core.games.base import Move
from gomogo_core.search import Limits, mcts
from gomogo_core.search.go.fates import fates
from gomogo_core.search.go.guesses import guesses
from gomogo_core.search.go.manners import wins_by_passing
from gomogo_core.search.go.reading import Reader
from gomogo_core.search.guess import Guess
from gomogo_core.search.limits import OutOfLimits
from gomogo_core.search.node import Node
from gomogo_core.search.playouts._stones import StonesNode
from gomogo_core.wire.agent_clock import AgentClock

GAMES = ("go", "capture_go")
KEEP_RUNNING = True  # one process may play many games: nothing of a game that is over is kept
NODES = 300  # of reading for one question about one chain
READING = 0.3  # of the time, at most, is for reading
CHAIN, STONE = 8, 6  # visits for a chain that a move saves or takes, and for each of its stones: all of them won
MOST = 32  # of those visits; more would take too many playouts to overrule where reading is wrong
FEW = 4  # moves: a capture that takes more counts as if it took so many


def choose(position: StonesPosition, clock: AgentClock, *, reading: int = 1) -> Move:
    """A pass that wins, or the move that did best in the games played on from it."""
    if wins_by_passing(position):
        return PASS
    read = _read(position, reading, clock)

    def at_first_sight(node: Node) -> Mapping[Move, Guess]:
        assert isinstance(node, StonesNode)
        found = guesses(node.position)
        if not node.ply:
            for move, (visits, rewards) in read.items():
                if move in found:
                    found[move] = (found[move][0] + visits, found[move][1] + rewards)
        return found

    found = mcts.search(position, Limits(stop_at=clock.stop_at), guesses=at_first_sight)
    clock.tell(**found.said(position.game))
    return found.move


def _read(position: StonesPosition, quiet: int, clock: AgentClock) -> dict[Move, Guess]:
    """What the fates of chains tell of moves: what they take or save, the sooner the better; what is in vain."""
    board, mover, points = position.board, position.to_move, position.game.plane.points
    until = time.monotonic() + (clock.stop_at - time.monotonic()) * READING
    try:
        known = fates(board, Reader(NODES, until), quiet, mover, position.ko_mask())
    except OutOfLimits:
        return {}
    won, lost = Counter[int](), Counter[int]()
    for fate in known:
        weight = min(MOST, CHAIN + STONE * fate.size)
        if fate.colour != mover:
            share = 2 if fate.lost else 1  # what is lost will not run away
            won.update({i: _sooner(weight, steps) // share for i, steps in fate.attacks.items()})
        elif fate.lost:
            room = board.plane.beside(fate.stones) & board.empty
            lost.update(dict.fromkeys(board.plane.places(room), weight))
        else:
            won.update(dict.fromkeys(fate.defences, _sooner(weight, min(fate.attacks.values()))))
    return {points[i]: (won[i] + lost[i], won[i]) for i in won | lost}


def _sooner(weight: int, steps: int) -> int:
    """What a capture counts that takes so many moves: the fewer the more."""
    return 2 * weight // (1 + min(steps, FEW))


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
