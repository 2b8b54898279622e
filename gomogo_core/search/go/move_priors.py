"""Priors for moves of Go: virtual visits that a tree adds before the first playout.

The priors are for Go and Capture Go; the module makes no playouts. The idea of priors is that of S. Gelly and D.
Silver, Combining Online and Offline Knowledge in UCT, ICML 2007. The features and their weights follow P. Baudiš and
J.-L. Gailly, Pachi: State of the Art Open Source Go Program, Advances in Computer Games 13 (2011).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from functools import lru_cache

from gomogo_core.games.base import MAX_CACHED_BOARDS, Move
from gomogo_core.games.boards.points import Point
from gomogo_core.games.stones.board import BLACK, WHITE, BitGeometry, StoneBoard
from gomogo_core.games.stones.rules import PASS, GoFamilyPosition
from gomogo_core.search.go.atari import (
    capturing_points,
    chains_with_few_liberties,
    points_safe_from_atari,
    rescuing_points,
)
from gomogo_core.search.go.eyes import eye_mask
from gomogo_core.search.go.reading import ChainReader
from gomogo_core.search.go.shapes import shape_test
from gomogo_core.search.prior import Prior

PRIOR_VISITS = 8  # virtual visits of every move, half of them wins, so that a single playout does not decide
PASS_PRIOR: Prior = (2, 0)
NEARBY_MOVE_WINS = (20, 18, 7)  # virtual wins at one, two and three steps from the last move
CAPTURE_WINS, MULTIPLE_CAPTURE_WINS = 15, 30  # virtual wins for capturing or rescuing one stone, or more
SHAPE_WINS = 10  # virtual wins for the middle point of a good shape
SELF_ATARI_LOSSES = 12  # virtual losses for a stone that would be in atari
LINE_VISITS = 10  # far from all stones: virtual losses of points on the two outer lines, virtual wins on the third
_FAR_DISTANCE = 3  # a point more than this many steps from all stones is far from them
MAX_LADDER_NODES = 40  # the limit of nodes for reading a ladder


def move_priors(position: GoFamilyPosition) -> dict[Move, Prior]:
    """Return the prior of each legal move that does not fill an own eye."""
    board, mover, geometry = position.board, position.to_move, position.game.bit_geometry
    points = position.legal_mask & ~eye_mask(board, mover)
    virtual_wins, virtual_losses = Counter[int](), Counter[int]()

    def add_visits(counter: Counter[int], mask: int, visits: int) -> None:
        for i in geometry.point_indices_in(mask & points):
            counter[i] += visits

    if isinstance(position.last, Point):
        rings = masks_by_distance(board, geometry.index_of[position.last], len(NEARBY_MOVE_WINS))
        for ring, visits in zip(rings, NEARBY_MOVE_WINS, strict=True):
            add_visits(virtual_wins, ring, visits)
    for i, mask in capturing_or_saving_points(board, mover, position.ko_mask()).items():
        add_visits(virtual_wins, geometry.masks[i], MULTIPLE_CAPTURE_WINS if mask & (mask - 1) else CAPTURE_WINS)
    add_visits(virtual_losses, points & ~points_safe_from_atari(board, mover, points), SELF_ATARI_LOSSES)
    far_points = points & ~_points_near(geometry, board.black_mask | board.white_mask)
    edge, second, third = outer_line_masks(geometry)
    add_visits(virtual_losses, far_points & (edge | second), LINE_VISITS)
    add_visits(virtual_wins, far_points & third, LINE_VISITS)
    is_shape = shape_test(geometry)
    priors: dict[Move, Prior] = {PASS: PASS_PRIOR}
    for i in geometry.point_indices_in(points):
        wins = virtual_wins[i] + SHAPE_WINS * is_shape(board.black_mask, board.white_mask, i)
        priors[geometry.points[i]] = (PRIOR_VISITS + virtual_losses[i] + wins, PRIOR_VISITS / 2 + wins)
    return priors


def capturing_or_saving_points(board: StoneBoard, mover: int, ko_mask: int) -> dict[int, int]:
    """Return each point that captures or saves chains in atari or in a ladder, with the mask of those chains."""
    points = Counter(capturing_points(board, mover))
    reader = ChainReader(MAX_LADDER_NODES)
    for i, mask in rescuing_points(board, mover).items():
        if not reader.find_capture_length(board.place_stone(mover, i), mask.bit_length() - 1, 0):
            points[i] |= mask
    for colour in (BLACK, WHITE):
        for stones, liberties, places in chains_with_few_liberties(board, colour, 2):
            if not liberties & (liberties - 1):
                continue
            ko_now = 0 if colour == mover else ko_mask
            decisive_points: Collection[int] = reader.find_attacks(board, places[0], 0, ko_now)
            if decisive_points and colour == mover:
                decisive_points = reader.find_defences(board, places[0], 0, ko_mask)
            for i in decisive_points:
                points[i] |= stones
    return points


def masks_by_distance(board: StoneBoard, point_index: int, count: int) -> list[int]:
    """Return the masks of the points at 1, 2, … `count` steps from a point; a chain counts as one point.

    The distance is that of T. Graepel, M. Goutrié, M. Krüger and R. Herbrich, Learning on Graphs in the Game of Go,
    ICANN 2001.
    """
    geometry = board.bit_geometry
    reached_mask = board.chain(point_index)[0] if board.chain_ids[point_index] >= 0 else geometry.masks[point_index]
    masks = []
    for _ in range(count):
        next_mask = geometry.neighbours_of(reached_mask) & geometry.full_mask & ~reached_mask
        for stones, _, _ in board.chains_of(next_mask & ~board.empty_mask):
            next_mask |= stones
        masks.append(next_mask)
        reached_mask |= next_mask
    return masks


def _points_near(geometry: BitGeometry, mask: int) -> int:
    """Return the mask of the points at most `_FAR_DISTANCE` steps from a point of `mask`."""
    for _ in range(_FAR_DISTANCE):
        mask |= geometry.neighbours_of(mask) & geometry.full_mask
    return mask


@lru_cache(maxsize=MAX_CACHED_BOARDS)
def outer_line_masks(geometry: BitGeometry) -> tuple[int, int, int]:
    """Return the masks of the three outer lines of the board, the edge first."""
    masks: list[int] = []
    inner = geometry.full_mask
    for _ in range(3):
        smaller = inner & inner << 1 & inner >> 1 & inner << geometry.stride & inner >> geometry.stride
        masks.append(inner ^ smaller)
        inner = smaller
    return masks[0], masks[1], masks[2]
