"""The markings in a picture, such as the last move and move numbers. The module depends only on the names of places."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Marks:
    """The markings in one picture. Each place is given by its name in files.

    last: the place of the last move. numbers: the numbers that are written on places. heat: the values that an analysis
    gives to places. territory: whether to show the owners of empty points. ghosts: the places of better moves, each
    with the mark of its player; the marks are drawn half transparent, and numbered if there are several. dead: the
    places of stones that look dead, marked by a cross.
    """

    last: str | None = None
    numbers: Mapping[str, int] = field(default_factory=dict)
    heat: Mapping[str, float] = field(default_factory=dict)
    territory: bool = False
    ghosts: Mapping[str, str] = field(default_factory=dict)
    dead: Collection[str] = ()

    @property
    def ghost_numbers(self) -> dict[str, int]:
        """The numbers of the ghosts, by their places; empty for a single ghost, which needs no number."""
        return {name: number for number, name in enumerate(self.ghosts, 1)} if len(self.ghosts) > 1 else {}
