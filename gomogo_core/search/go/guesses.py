"""What a player of Go thinks of moves at first sight: visits that the tree treats them as if they had had.

Knows positions of Go and Capture Go; plays nothing on. That a tree begins with such knowledge: S. Gelly and D. Silver,
Combining Online and Offline Knowledge in UCT, ICML 2007. What is known here, and how much each bit counts, follows P.
Baudiš and J.-L. Gailly, Pachi: State of the Art Open Source Go Program, Advances in Computer Games 13 (2011).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from functools import lru_cache

from gomogo_core.games._board import BLACK, WHITE, Board, Plane
from gomogo_core.games._grid import Point
from gomogo_core.games._stones import PASS, StonesPosition
from gomogo_core.games.base import MOST_SIZES, Move
from gomogo_core.search.go.atari import captures, chains, rescues, safe_from_atari
from gomogo_core.search.go.eyes import eyes
from gomogo_core.search.go.reading import Reader
from gomogo_core.search.go.shapes import shaped
from gomogo_core.search.guess import Guess

EVEN = 8  # of every move, half of them won, so that one lucky playout is not everything
PASSING: Guess = (2, 0)
NEAR = (20, 18, 7)  # won, at one, two and three steps from the last move
TAKES, TAKES_MANY = 15, 30  # won, for stones taken or saved: one, or more
SHAPE = 10  # won
SELF_ATARI = 12  # lost
LINES = 10  # far from all stones: lost on the two lines of the edge, won on the next one
FAR = 3  # steps from all stones that are far
NODES = 40  # of reading whether a ladder works


def guesses(position: StonesPosition) -> dict[Move, Guess]:
    """For each move but those into own eyes what it is treated as if it had had: visits, and their rewards."""
    board, mover, plane = position.board, position.to_move, position.game.plane
    points = position.legal & ~eyes(board, mover)
    won, lost = Counter[int](), Counter[int]()

    def count(where: Counter[int], mask: int, visits: int) -> None:
        for i in plane.places(mask & points):
            where[i] += visits

    if isinstance(position.last, Point):
        for ring, visits in zip(rings(board, plane.place[position.last], len(NEAR)), NEAR, strict=True):
            count(won, ring, visits)
    for i, mask in urgent(board, mover, position.ko_mask()).items():
        count(won, plane.bits[i], TAKES_MANY if mask & (mask - 1) else TAKES)
    count(lost, points & ~safe_from_atari(board, mover, points), SELF_ATARI)
    far = points & ~around(plane, board.black | board.white, FAR)
    edge, second, third = lines(plane)
    count(lost, far & (edge | second), LINES)
    count(won, far & third, LINES)
    is_shape = shaped(plane)
    found: dict[Move, Guess] = {PASS: PASSING}
    for i in plane.places(points):
        good = won[i] + SHAPE * is_shape(board.black, board.white, i)
        found[plane.points[i]] = (EVEN + lost[i] + good, EVEN / 2 + good)
    return found


def urgent(board: Board, mover: int, ko: int) -> dict[int, int]:
    """For each place where the next stone decides what becomes of chains in atari, or in a ladder: their mask."""
    found = Counter(captures(board, mover))
    reader = Reader(NODES)
    for i, mask in rescues(board, mover).items():
        if not reader.takes(board.put(mover, i), mask.bit_length() - 1, 0):
            found[i] |= mask
    for colour in (BLACK, WHITE):
        for stones, liberties, places in chains(board, colour, 2):
            if not liberties & (liberties - 1):
                continue
            decided: Collection[int] = reader.attacks(board, places[0], 0, 0 if colour == mover else ko)
            if decided and colour == mover:
                decided = reader.defences(board, places[0], 0, ko)
            for i in decided:
                found[i] |= stones
    return found


def rings(board: Board, i: int, count: int) -> list[int]:
    """The masks of the points at 1, 2, … `count` steps from the place `i`, where a chain is no further than its stones.

    The distance is that of T. Graepel, M. Goutrié, M. Krüger and R. Herbrich, Learning on Graphs in the Game of Go,
    ICANN 2001.
    """
    plane = board.plane
    reached = board.chain(i)[0] if board.ids[i] >= 0 else plane.bits[i]
    found = []
    for _ in range(count):
        near = plane.beside(reached) & plane.full & ~reached
        for stones, _, _ in board.chains_of(near & ~board.empty):
            near |= stones
        found.append(near)
        reached |= near
    return found


def around(plane: Plane, mask: int, steps: int) -> int:
    """The points at most so many steps from those of `mask`."""
    for _ in range(steps):
        mask |= plane.beside(mask) & plane.full
    return mask


@lru_cache(maxsize=MOST_SIZES)
def lines(plane: Plane) -> tuple[int, int, int]:
    """The masks of the first three lines, counted from the edge."""
    found: list[int] = []
    inner = plane.full
    for _ in range(3):
        smaller = inner & inner << 1 & inner >> 1 & inner << plane.stride & inner >> plane.stride
        found.append(inner ^ smaller)
        inner = smaller
    return found[0], found[1], found[2]
