"""Stones in atari: captures, and rescues.

Looks one move ahead only; reading.py looks further.
"""

from __future__ import annotations

from collections.abc import Iterator

from gomogo_core.games.stones.board import BLACK, WHITE, Chain, StoneBoard


def chains(board: StoneBoard, colour: int, liberties: int) -> Iterator[Chain]:
    """Yield the chains of `colour` that have at most `most` liberties."""
    all_chains, stones = board.chains, board.stones(colour)
    for number in set(board.chain_ids):
        if number >= 0:
            chain = all_chains[number]
            if chain[0] & stones and chain[1].bit_count() <= liberties:
                yield chain


def captures(board: StoneBoard, colour: int) -> dict[int, int]:
    """Return the mask of the captured stones for each place where a stone of `colour` captures."""
    found: dict[int, int] = {}
    for stones, liberty, _ in chains(board, BLACK + WHITE - colour, 1):
        place = liberty.bit_length() - 1
        found[place] = found.get(place, 0) | stones
    return found


def rescues(board: StoneBoard, colour: int) -> dict[int, int]:
    """Return the mask of the rescued stones for each place where a stone of `colour` frees own stones from atari.

    The stone extends them to two liberties or more, joins them to stones with as many, or captures the attackers. Only
    the next move counts: freed stones may be caught again.
    """
    found: dict[int, int] = {}
    takes = captures(board, colour)
    for stones, liberty, _ in chains(board, colour, 1):
        beside = board.bit_geometry.neighbours_of(stones)
        for place in {liberty.bit_length() - 1, *(place for place, taken in takes.items() if taken & beside)}:
            if escapes_atari(board, colour, place, stones):
                found[place] = found.get(place, 0) | stones
    return found


def escapes_atari(board: StoneBoard, colour: int, place: int, stones: int) -> bool:
    """Return whether the chain `stones` has two liberties or more after a stone of `colour` on `place`."""
    after = board.place_stone(colour, place)
    return not after.self_captured & stones and after.chain(stones.bit_length() - 1)[1].bit_count() > 1


def safe_from_atari(board: StoneBoard, colour: int, points: int) -> int:
    """Return the `points` where a stone of `colour` would not be in atari: its chain has two liberties or more."""
    found = 0
    for place in board.bit_geometry.bits_in(points):
        if (board.bit_geometry.neighbour_masks[place] & board.empty).bit_count() > 1 or escapes_atari(
            board, colour, place, 1 << place
        ):
            found |= 1 << place
    return found
