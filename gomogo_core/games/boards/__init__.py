"""Public types of boards: the places of a board, their names and their symmetries.

The package contains no rules. `Game.board` returns the board of a game; drawings, the page, openings and reports use
nothing else of a game. `points.py` has boards of points, `edges.py` boards of edges and boxes. A game on any other
board returns None as its board.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

Place: TypeAlias = Hashable  # a Point or an Edge: an immutable value with a written name
Symmetry: TypeAlias = Callable[[Hashable], Hashable]  # maps a place or a move to its image under one symmetry


class Change(NamedTuple):
    """Places that changed to the same character.

    `character` is that character, as in `Position.rows`; `places` holds the names of the places.
    """

    character: str
    places: tuple[str, ...]


class Board(ABC):
    """The geometry of a board: its places, numbered from 0, and their names.

    `places` lists every place, and `names` the written name of each place in the same order. `name_of` maps a place to
    its name.
    """

    places: Sequence[Place]
    names: Sequence[str]
    name_of: Mapping[Place, str]

    @abstractmethod
    def symmetries(self) -> Sequence[Symmetry]:
        """Return every rotation and reflection of the board, the identity first. Each maps a place to a place."""

    @abstractmethod
    def changes(self, before: Sequence[str], after: Sequence[str]) -> list[Change]:
        """Compare two boards, both given as `Position.rows`. Return the places whose characters differ."""

    @abstractmethod
    def parse(self, text: str) -> Place:
        """Parse the name of a place as humans and programs write it. Raises NotAMove."""


def group_changes(changed_places: Iterable[tuple[str, str]]) -> list[Change]:
    """Group pairs of a character and a place's name into one Change for each character."""
    names_by_character: dict[str, list[str]] = {}
    for character, name in changed_places:
        names_by_character.setdefault(character, []).append(name)
    return [Change(character, tuple(names)) for character, names in names_by_character.items()]
