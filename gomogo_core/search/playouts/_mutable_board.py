"""A mutable board of stones for playouts: several times as fast as games/stones/board.py.

The board supports chains, liberties, captures and simple ko, but no superko, turns or end of a game. `place_stone`
does not detect suicide: callers first check with `has_liberty_after`, and playouts never need suicide.
"""

from __future__ import annotations

from gomogo_core.games.stones.board import BLACK, WHITE, StoneBoard


class MutableBoard:
    """A board that `place_stone` changes in place; a point is identified by its bit in a mask.

    `stone_masks` holds the masks of black stones (index 1) and white stones (index 2); index 0 is unused. `empty_mask`
    is the mask of the empty points. `chain_ids` holds, for each point, the number of its stone's chain, or -1.
    `chain_masks`, `chain_liberties` and `chain_points` hold each chain's stones, liberties and list of points, by the
    number of the chain. `ko_point` is the point where simple ko forbids a recapture now, or -1. `chains_put_in_atari`
    lists the chains that the last stone put into atari.
    """

    __slots__ = (
        "bit_geometry", "chain_ids", "chain_liberties", "chain_masks", "chain_points", "chains_put_in_atari",
        "empty_mask", "ko_point", "stone_masks",
    )  # fmt: skip

    def __init__(self, board: StoneBoard) -> None:
        self.bit_geometry, self.empty_mask = board.bit_geometry, board.empty_mask
        self.stone_masks = [0, board.black_mask, board.white_mask]
        self.chain_ids = board.chain_ids.copy()
        self.chain_masks = [chain[0] for chain in board.chains]
        self.chain_liberties = [chain[1] for chain in board.chains]
        self.chain_points = [chain[2] for chain in board.chains]
        self.ko_point = -1
        self.chains_put_in_atari: list[int] = []

    def place_stone(self, colour: int, point_index: int) -> tuple[int, ...]:
        """Place a stone of `colour` on the empty point `point_index`, and return the points of the captured stones.

        The stone must have a liberty after the captures.
        """
        ids, masks, liberties, members = self.chain_ids, self.chain_masks, self.chain_liberties, self.chain_points
        bits, neighbours, stones = self.bit_geometry.masks, self.bit_geometry.neighbours, self.stone_masks
        bit = bits[point_index]
        own_stones, empty = stones[colour] | bit, self.empty_mask ^ bit
        mask, liberty_mask = bit, self.bit_geometry.neighbour_masks[point_index] & empty
        joined_points: tuple[int, ...] = (point_index,)
        removed: tuple[int, ...] = ()
        chains_put_in_atari, captured = [], 0
        for j in neighbours[point_index]:
            number = ids[j]
            if number < 0:
                continue
            chain = masks[number]
            if chain & own_stones:
                if not chain & mask:
                    mask |= chain
                    liberty_mask |= liberties[number]
                    joined_points += members[number]
            elif (liberties_left := liberties[number]) & bit:
                liberties_left ^= bit
                if liberties_left:
                    liberties[number] = liberties_left
                    if not liberties_left & (liberties_left - 1):
                        chains_put_in_atari.append(number)
                else:
                    captured |= chain
                    removed += members[number]
                    for k in members[number]:
                        ids[k] = -1
        masks[point_index], liberties[point_index], members[point_index] = mask, liberty_mask & ~bit, joined_points
        for k in joined_points:
            ids[k] = point_index
        self.ko_point = -1
        if captured:
            stones[BLACK + WHITE - colour] ^= captured
            empty |= captured
            for k in removed:  # the neighbours of a removed stone gain a liberty
                for j in neighbours[k]:
                    if (number := ids[j]) >= 0:
                        liberties[number] |= bits[k]
            if len(removed) == 1 and mask == bit and liberties[point_index] == captured:
                self.ko_point = removed[0]
        stones[colour], self.empty_mask, self.chains_put_in_atari = own_stones, empty, chains_put_in_atari
        return removed

    def set_last_stone(self, point_index: int) -> None:
        """Set `chains_put_in_atari` as if the stone on the point `point_index` were the last stone played."""
        is_black = self.stone_masks[BLACK] & self.bit_geometry.masks[point_index]
        opponent_stones = self.stone_masks[WHITE if is_black else BLACK]
        neighbours, masks, liberties = self.bit_geometry.neighbours, self.bit_geometry.masks, self.chain_liberties
        neighbour_chains = {self.chain_ids[j] for j in neighbours[point_index] if opponent_stones & masks[j]}
        self.chains_put_in_atari = [n for n in neighbour_chains if not liberties[n] & (liberties[n] - 1)]

    def has_liberty_after(self, colour: int, point_index: int) -> bool:
        """Return whether a stone of `colour` on a point without empty neighbours would have a liberty."""
        bit, own_stones, ids = self.bit_geometry.masks[point_index], self.stone_masks[colour], self.chain_ids
        masks, liberties = self.chain_masks, self.chain_liberties
        for j in self.bit_geometry.neighbours[point_index]:
            number = ids[j]
            if (liberties[number] != bit) if masks[number] & own_stones else (liberties[number] == bit):
                return True
        return False

    def has_two_liberties_after(self, colour: int, point_index: int) -> bool:
        """Return whether a stone of `colour` on an empty point would capture, or have two or more liberties."""
        bit, own_stones, ids = self.bit_geometry.masks[point_index], self.stone_masks[colour], self.chain_ids
        masks, liberties = self.chain_masks, self.chain_liberties
        liberties_after = self.bit_geometry.neighbour_masks[point_index] & self.empty_mask
        for j in self.bit_geometry.neighbours[point_index]:
            if (number := ids[j]) >= 0:
                if masks[number] & own_stones:
                    liberties_after |= liberties[number]
                elif liberties[number] == bit:
                    return True
        liberties_after &= ~bit
        return bool(liberties_after & (liberties_after - 1))

    def stones_without_chains(self) -> StoneBoard:
        """Return the stones as a StoneBoard for counting, without chains."""
        _, black_mask, white_mask = self.stone_masks
        return StoneBoard(self.bit_geometry, black_mask, white_mask, self.empty_mask, self.chain_ids, [], 0, 0)
