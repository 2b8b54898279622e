"""What captures do to rows: where a stone could stand, what it takes, what stops a row from being completed.

Knows one board at a time: no turns, no ko, no search.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gomogo_core.games._board import BLACK, WHITE, Board
from gomogo_core.search.evaluation._robogo_field import Field


def stands(board: Board, colour: int, i: int) -> bool:
    """Whether a stone of `colour` on the empty place `i` would be left standing, and be no suicide."""
    plane = board.plane
    if plane.around[i] & board.empty:
        return True
    own, bit = board.stones(colour), plane.bits[i]
    for j in plane.neighbours[i]:
        stones, liberties, _ = board.chain(j)
        if (liberties != bit) if stones & own else (liberties == bit):
            return True
    return False


class Breath(NamedTuple):
    """How much air a board's chains have.

    takes: by colour, the mask of the points where a stone takes something. short: the mask of the liberties of chains
    that have at most two. held: white's stones in atari less black's.
    """

    takes: tuple[int, int, int]
    short: int
    held: int


def breath(board: Board) -> Breath:
    """Look at every chain."""
    black, chains = board.black, board.chains
    by_black = by_white = short = held = 0
    for number in set(board.ids):
        if number >= 0:
            stones, liberties, places = chains[number]
            rest = liberties & (liberties - 1)
            if rest == 0:
                short |= liberties
                if stones & black:
                    by_white |= liberties
                    held -= len(places)
                else:
                    by_black |= liberties
                    held += len(places)
            elif rest & (rest - 1) == 0:
                short |= liberties
    return Breath((0, by_black, by_white), short, held)


def tight(board: Board) -> int:
    """The mask of the empty points with one empty neighbour or none."""
    empty, stride = board.empty, board.plane.stride
    left, right, up, down = empty << 1, empty >> 1, empty << stride, empty >> stride
    return empty & ~(left & right | up & down | (left | right) & (up | down))


def stops(field: Field, board: Board, colour: int, i: int) -> int:
    """The mask of the points where the other player may stop `colour` from winning by a stone on place `i`.

    They can play there, take a stone of each row, or leave the stone without a liberty; nothing else helps, but not all
    of this does. The stone on `i` wins now if it stands.
    """
    found = field.plane.full
    for others in _rows_but_one(field, board, colour, i):
        found &= board.plane.bits[i] | _liberties(board, others, 1)
    free, takes = _breath(board, colour, i)
    if free & (free - 1) == 0:
        found |= free
        if takes and not free:  # what it takes may be saved by taking something itself
            found |= breath(board).takes[BLACK + WHITE - colour]
    return found


def winning_pair(field: Field, board: Board, colour: int, i: int) -> int | None:
    """The mask of the points that matter if `colour` wins by a stone on place `i`, and by a row completed after it.

    None where such rows may be stopped. Neither player may be able to complete a row now, and the stone must be legal.
    A stone of the other player on any other point changes nothing, unless it takes something or threatens to complete
    a row itself.
    """
    plane = field.plane
    after = board.put(colour, i) if field.captures else board.put_alone(colour, i)
    own, wins = after.stones(colour), 0
    for window in field.windows[i]:
        lacking = window & ~own
        if lacking & (lacking - 1) == 0:
            wins |= lacking & after.empty
    matter = wins | plane.bits[i]
    if wins & (wins - 1) == 0:
        return None
    if not field.captures:
        return matter
    stopping = plane.full
    for place in plane.places(wins):
        stopping &= stops(field, after, colour, place)
        if stopping == 0:
            break
    else:
        return None
    for place in plane.places(wins):
        for others in _rows_but_one(field, after, colour, place):
            matter |= _liberties(after, others, 2)
        free, _ = _breath(after, colour, place)
        if free.bit_count() <= 2:
            matter |= free or plane.full
    return plane.full if after.taken else matter


def _rows_but_one(field: Field, board: Board, colour: int, i: int) -> Iterator[int]:
    """The stones of each row that lacks only one on place `i`."""
    own, bit = board.stones(colour), board.plane.bits[i]
    for window in field.windows[i]:
        others = window ^ bit
        if others & own == others:
            yield others


def _breath(board: Board, colour: int, i: int) -> tuple[int, bool]:
    """The liberties of a stone on the empty place `i` if it took nothing off; and whether it does."""
    plane, own, bit = board.plane, board.stones(colour), board.plane.bits[i]
    free, takes = plane.around[i] & board.empty, False
    for j in plane.neighbours[i]:
        if not plane.bits[j] & board.empty:
            stones, liberties, _ = board.chain(j)
            if stones & own:
                free |= liberties
            elif liberties == bit:
                takes = True
    return free & ~bit, takes


def _liberties(board: Board, stones: int, most: int) -> int:
    """The liberties of those chains with a stone in `stones` that have at most so many."""
    found = 0
    for _, liberties, _ in board.chains_of(stones):
        if liberties.bit_count() <= most:
            found |= liberties
    return found
