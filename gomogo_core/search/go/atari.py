"""Stones in atari: what a player can take at once, and what they can save.

Knows one move ahead and no more; reading.py looks further.
"""

from __future__ import annotations

from collections.abc import Iterator

from gomogo_core.games._board import BLACK, WHITE, Board, Chain


def chains(board: Board, colour: int, liberties: int) -> Iterator[Chain]:
    """The chains of `colour` that have at most so many liberties."""
    all_chains, stones = board.chains, board.stones(colour)
    for number in set(board.ids):
        if number >= 0:
            chain = all_chains[number]
            if chain[0] & stones and chain[1].bit_count() <= liberties:
                yield chain


def captures(board: Board, colour: int) -> dict[int, int]:
    """For each place where a stone of `colour` takes stones: their mask."""
    found: dict[int, int] = {}
    for stones, liberty, _ in chains(board, BLACK + WHITE - colour, 1):
        place = liberty.bit_length() - 1
        found[place] = found.get(place, 0) | stones
    return found


def rescues(board: Board, colour: int) -> dict[int, int]:
    """For each place where a stone of `colour` frees own stones from atari: the mask of those freed.

    It extends them to two liberties or more, joins them to stones that have as many, or takes what attacks them. Only
    the next move is looked at: what is freed may be caught again.
    """
    found: dict[int, int] = {}
    takes = captures(board, colour)
    for stones, liberty, _ in chains(board, colour, 1):
        beside = board.plane.beside(stones)
        for place in {liberty.bit_length() - 1, *(place for place, taken in takes.items() if taken & beside)}:
            if freed(board, colour, place, stones):
                found[place] = found.get(place, 0) | stones
    return found


def freed(board: Board, colour: int, place: int, stones: int) -> bool:
    """Whether the chain `stones` has two liberties or more after a stone of `colour` on `place`."""
    after = board.put(colour, place)
    return not after.lost & stones and after.chain(stones.bit_length() - 1)[1].bit_count() > 1


def safe_from_atari(board: Board, colour: int, points: int) -> int:
    """Those of `points` where a stone of `colour` would not stand in atari: its chain has two liberties or more."""
    found = 0
    for place in board.plane.places(points):
        if (board.plane.around[place] & board.empty).bit_count() > 1 or freed(board, colour, place, 1 << place):
            found |= 1 << place
    return found
