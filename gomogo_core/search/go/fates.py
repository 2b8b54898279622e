"""The fates of chains: which are safe, which are lost, and which hang on the next move.

Knows boards; reads with reading.py.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from gomogo_core.games._board import BLACK, WHITE, Board
from gomogo_core.search.go.atari import chains
from gomogo_core.search.go.reading import Reader


class Fate(NamedTuple):
    """What may become of a chain whose opponent can take it if they move first.

    stones: its mask. colour: whose it is. attacks: the places from which it is taken, and in how many moves. defences:
    the places where its owner saves it; none where it is lost.
    """

    stones: int
    colour: int
    attacks: dict[int, int]
    defences: Collection[int]

    @property
    def lost(self) -> bool:
        """Whether it cannot be saved."""
        return not self.defences

    @property
    def size(self) -> int:
        """How many stones it has."""
        return self.stones.bit_count()


def fates(board: Board, reader: Reader, quiet: int, mover: int, ko: int = 0) -> list[Fate]:
    """The chains that can be taken, those of the fewest moves and the most stones first.

    quiet: as in reading.py. mover: whose turn it is, ko: what ko forbids them. Raises OutOfLimits.
    """
    found = []
    for colour in (BLACK, WHITE):
        attacking, defending = (0, ko) if colour == mover else (ko, 0)
        for stones, liberties, places in list(chains(board, colour, 2 + quiet)):
            attacks: dict[int, int] = {}
            for depth in range(max(0, liberties.bit_count() - 2), quiet + 1):
                attacks = reader.attacks(board, places[0], depth, attacking)
                if attacks:
                    defences = reader.defences(board, places[0], depth, defending)
                    found.append(Fate(stones, colour, attacks, defences))
                    break
    return sorted(found, key=lambda fate: (min(fate.attacks.values()), -fate.size))
