"""A board of stones that changes with each move, for playouts: several times as fast as games/_board.py's, which stays.

Knows chains, liberties, captures and simple ko; no superko, no turns and no end of a game. Of suicide it knows that it
is to be asked before (`breathes`), since no playout needs it.
"""

from __future__ import annotations

from gomogo_core.games._board import BLACK, WHITE, Board


class MutableBoard:
    """A board that `put` changes.

    stones: the masks of no, black and white stones (the first is unused). empty: the mask of the points without. ids:
    for each place the number of its stone's chain, or -1. masks, liberties, members: of each chain, by its number. ko:
    the place where simple ko forbids to take back now, or -1. hurt: the chains that the last stone put into atari.
    """

    __slots__ = ("empty", "hurt", "ids", "ko", "liberties", "masks", "members", "plane", "stones")

    def __init__(self, board: Board) -> None:
        self.plane, self.empty = board.plane, board.empty
        self.stones = [0, board.black, board.white]
        self.ids = board.ids.copy()
        self.masks = [chain[0] for chain in board.chains]
        self.liberties = [chain[1] for chain in board.chains]
        self.members = [chain[2] for chain in board.chains]
        self.ko = -1
        self.hurt: list[int] = []

    def put(self, colour: int, i: int) -> tuple[int, ...]:
        """Put a stone of `colour` on the empty place `i`, where it breathes; the places of the stones it takes off."""
        ids, masks, liberties, members = self.ids, self.masks, self.liberties, self.members
        bits, neighbours, stones = self.plane.bits, self.plane.neighbours, self.stones
        bit = bits[i]
        own, empty = stones[colour] | bit, self.empty ^ bit
        mask, free = bit, self.plane.around[i] & empty
        places: tuple[int, ...] = (i,)
        removed: tuple[int, ...] = ()
        hurt, taken = [], 0
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
                        hurt.append(number)
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
            for k in removed:  # its neighbours breathe again
                for j in neighbours[k]:
                    if (number := ids[j]) >= 0:
                        liberties[number] |= bits[k]
            if len(removed) == 1 and mask == bit and liberties[i] == taken:
                self.ko = removed[0]
        stones[colour], self.empty, self.hurt = own, empty, hurt
        return removed

    def attacked_by(self, i: int) -> None:
        """Let `hurt` be what the stone on the place `i` would have put into atari, if it were the last."""
        other = self.stones[WHITE if self.stones[BLACK] & self.plane.bits[i] else BLACK]
        near = {self.ids[j] for j in self.plane.neighbours[i] if other & self.plane.bits[j]}
        self.hurt = [number for number in near if not self.liberties[number] & (self.liberties[number] - 1)]

    def breathes(self, colour: int, i: int) -> bool:
        """Whether a stone of `colour` on the empty place `i`, none of whose neighbours is empty, has a liberty then."""
        bit, own, ids, masks, liberties = self.plane.bits[i], self.stones[colour], self.ids, self.masks, self.liberties
        for j in self.plane.neighbours[i]:
            number = ids[j]
            if (liberties[number] != bit) if masks[number] & own else (liberties[number] == bit):
                return True
        return False

    def has_room(self, colour: int, i: int) -> bool:
        """Whether a stone of `colour` on the empty place `i` has two liberties with its chain, or takes stones."""
        bit, own, ids, masks, liberties = self.plane.bits[i], self.stones[colour], self.ids, self.masks, self.liberties
        found = self.plane.around[i] & self.empty
        for j in self.plane.neighbours[i]:
            if (number := ids[j]) >= 0:
                if masks[number] & own:
                    found |= liberties[number]
                elif liberties[number] == bit:
                    return True
        found &= ~bit
        return bool(found & (found - 1))

    def alone(self) -> Board:
        """The stones as a Board to be counted: its chains are left out."""
        return Board(self.plane, self.stones[BLACK], self.stones[WHITE], self.empty, self.ids, [], 0, 0)
