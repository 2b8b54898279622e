"""Public types of boards: the places of a board, their names and their symmetries.

Needs no rules. A game declares its board by `Game.board`; drawing, page, openings and reports use only that.
`points.py` has boards of points, `edges.py` boards of edges and boxes. A game on any other board returns None.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

Place: TypeAlias = Hashable  # a Point or an Edge: a frozen value with a name that people write
Symmetry: TypeAlias = Callable[[Hashable], Hashable]  # the image of a place, or of a move, under one symmetry


class Change(NamedTuple):
    """Places whose sign has changed. sign: the character in `Position.rows`. places: their names."""

    sign: str
    places: tuple[str, ...]


class Board(ABC):
    """The geometry of a board: places, numbered from 0, and their names.

    places: every place. names: the written name of each place, in the same order. name_of: the name of each place.
    """

    places: Sequence[Place]
    names: Sequence[str]
    name_of: Mapping[Place, str]

    @abstractmethod
    def symmetries(self) -> Sequence[Symmetry]:
        """Return every rotation and reflection of the board, the identity first. Each maps a place to a place."""

    @abstractmethod
    def changes(self, before: Sequence[str], after: Sequence[str]) -> list[Change]:
        """Return the places whose signs differ between two boards, each given as `Position.rows`."""

    @abstractmethod
    def parse(self, text: str) -> Place:
        """Parse the name of a place as humans and programs write it. Raises NotAMove."""


def grouped(changed: Iterable[tuple[str, str]]) -> list[Change]:
    """Group pairs of a sign and a place's name into one Change for each sign."""
    by_sign: dict[str, list[str]] = {}
    for sign, name in changed:
        by_sign.setdefault(sign, []).append(name)
    return [Change(sign, tuple(names)) for sign, names in by_sign.items()]
