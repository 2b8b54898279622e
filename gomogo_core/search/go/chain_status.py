"""The tactical status of chains: safe, lost, or decided by the next move.

The module contains no search: reading.py finds the captures and the defences.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from gomogo_core.games.stones.board import BLACK, WHITE, StoneBoard
from gomogo_core.search.go.atari import chains_with_few_liberties
from gomogo_core.search.go.reading import ChainReader


class ChainStatus(NamedTuple):
    """The status of a chain that the opponent can capture by moving first.

    `stones` is the mask of the chain. `attacks` maps each point where the opponent captures the chain to the number of
    moves of the capture. `defences` holds the points where its owner saves it; it is empty if the chain is lost.
    """

    stones: int
    colour: int
    attacks: dict[int, int]
    defences: Collection[int]

    @property
    def is_lost(self) -> bool:
        """Whether the chain cannot be saved."""
        return not self.defences

    @property
    def size(self) -> int:
        """The number of its stones."""
        return self.stones.bit_count()


def chain_statuses(
    board: StoneBoard, reader: ChainReader, quiet_moves: int, mover: int, ko_mask: int = 0
) -> list[ChainStatus]:
    """Return the capturable chains, sorted by the number of moves of the capture, and then by size, the largest first.

    `quiet_moves` limits the search, as reading.py explains. `mover` is the player to move, and `ko_mask` the mask of
    the points that ko forbids to it. Raises OutOfLimits.
    """
    statuses = []
    for colour in (BLACK, WHITE):
        attacker_ko_mask, defender_ko_mask = (0, ko_mask) if colour == mover else (ko_mask, 0)
        for stones, liberties, point_indices in list(chains_with_few_liberties(board, colour, 2 + quiet_moves)):
            attacks: dict[int, int] = {}
            for depth in range(max(0, liberties.bit_count() - 2), quiet_moves + 1):
                attacks = reader.find_attacks(board, point_indices[0], depth, attacker_ko_mask)
                if attacks:
                    defences = reader.find_defences(board, point_indices[0], depth, defender_ko_mask)
                    statuses.append(ChainStatus(stones, colour, attacks, defences))
                    break
    return sorted(statuses, key=lambda status: (min(status.attacks.values()), -status.size))
