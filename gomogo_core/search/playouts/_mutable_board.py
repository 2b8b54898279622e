"""A mutable board of stones for playouts: several times as fast as games/stones/board.py.

The board knows chains, liberties, captures and simple ko, but no superko, no turns and no end of a game. `place_stone`
does not detect suicide: callers first check with `has_liberty_after`, and playouts never need suicide.
"""

from __future__ import annotations

from gomogo_core.games.stones.board import BLACK, WHITE, StoneBoard


class MutableBoard:
    """A board that `place_stone` changes in place; a point is identified by its bit in a mask.

    `stones` holds the masks of black stones (index 1) and white stones (index 2); index 0 is unused. `empty` is the
    mask of the empty points. `chain_ids` holds, for each point, the number of its stone's chain, or -1. `masks`,
    `liberties` and `members` hold each chain's stones, liberties and list of points, by the number of the chain. `ko`
    is the point where simple ko forbids a recapture now, or -1. `chains_put_in_atari` lists the chains that the last
    stone put into atari.
    """

    __slots__ = (
        "bit_geometry",
        "chain_ids",
        "chains_put_in_atari",
        "empty",
        "ko",
        "liberties",
        "masks",
        "members",
        "stones",
    )

    def __init__(self, board: StoneBoard) -> None:
        self.bit_geometry, self.empty = board.bit_geometry, board.empty
        self.stones = [0, board.black, board.white]
        self.chain_ids = board.chain_ids.copy()
        self.masks = [chain[0] for chain in board.chains]
        self.liberties = [chain[1] for chain in board.chains]
        self.members = [chain[2] for chain in board.chains]
        self.ko = -1
        self.chains_put_in_atari: list[int] = []

    def place_stone(self, colour: int, i: int) -> tuple[int, ...]:
        """Place a stone of `colour` on the empty point `i`, and return the points of the captured stones.

        The stone must have a liberty after the captures.
        """
        ids, masks, liberties, members = self.chain_ids, self.masks, self.liberties, self.members
        bits, neighbours, stones = self.bit_geometry.masks, self.bit_geometry.neighbours, self.stones
        bit = bits[i]
        own, empty = stones[colour] | bit, self.empty ^ bit
        mask, free = bit, self.bit_geometry.neighbour_masks[i] & empty
        places: tuple[int, ...] = (i,)
        removed: tuple[int, ...] = ()
        chains_put_in_atari, taken = [], 0
        for j in neighbours[i]:
            number = ids[j]
            if number < 0:
                continue
            chain = masks[number]
            if chain & own:
                if not chain & mask:
                    mask |= chain
                    free |= liberties[number]
                    places += members[number]
            elif (left := liberties[number]) & bit:
                left ^= bit
                if left:
                    liberties[number] = left
                    if not left & (left - 1):
                        chains_put_in_atari.append(number)
                else:
                    taken |= chain
                    removed += members[number]
                    for k in members[number]:
                        ids[k] = -1
        masks[i], liberties[i], members[i] = mask, free & ~bit, places
        for k in places:
            ids[k] = i
        self.ko = -1
        if taken:
            stones[BLACK + WHITE - colour] ^= taken
            empty |= taken
            for k in removed:  # the neighbours of a removed stone gain a liberty
                for j in neighbours[k]:
                    if (number := ids[j]) >= 0:
                        liberties[number] |= bits[k]
            if len(removed) == 1 and mask == bit and liberties[i] == taken:
                self.ko = removed[0]
        stones[colour], self.empty, self.chains_put_in_atari = own, empty, chains_put_in_atari
        return removed

    def set_last_stone(self, i: int) -> None:
        """Set `chains_put_in_atari` as if the stone on the point `i` were the last stone played."""
        other = self.stones[WHITE if self.stones[BLACK] & self.bit_geometry.masks[i] else BLACK]
        near = {self.chain_ids[j] for j in self.bit_geometry.neighbours[i] if other & self.bit_geometry.masks[j]}
        self.chains_put_in_atari = [
            number for number in near if not self.liberties[number] & (self.liberties[number] - 1)
        ]

    def has_liberty_after(self, colour: int, i: int) -> bool:
        """Return whether a stone of `colour` on `i` would have a liberty, if no neighbour of `i` is empty."""
        bit, own, ids, masks, liberties = (
            self.bit_geometry.masks[i],
            self.stones[colour],
            self.chain_ids,
            self.masks,
            self.liberties,
        )
        for j in self.bit_geometry.neighbours[i]:
            number = ids[j]
            if (liberties[number] != bit) if masks[number] & own else (liberties[number] == bit):
                return True
        return False

    def has_two_liberties_after(self, colour: int, i: int) -> bool:
        """Return whether a stone of `colour` on the empty point `i` would capture, or have two or more liberties."""
        bit, own, ids, masks, liberties = (
            self.bit_geometry.masks[i],
            self.stones[colour],
            self.chain_ids,
            self.masks,
            self.liberties,
        )
        found = self.bit_geometry.neighbour_masks[i] & self.empty
        for j in self.bit_geometry.neighbours[i]:
            if (number := ids[j]) >= 0:
                if masks[number] & own:
                    found |= liberties[number]
                elif liberties[number] == bit:
                    return True
        found &= ~bit
        return bool(found & (found - 1))

    def stones_without_chains(self) -> StoneBoard:
        """Return the stones as a StoneBoard for counting, without chains."""
        return StoneBoard(
            self.bit_geometry, self.stones[BLACK], self.stones[WHITE], self.empty, self.chain_ids, [], 0, 0
        )
