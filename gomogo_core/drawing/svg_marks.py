"""The markings in a picture, by the written names of the moves.

Uses only the names of moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Marks:
    """last: the last move. numbers, heat: by move. territory: whether to show the owners of empty points.

    ghosts: better moves, each with the sign of its player, drawn half transparent; several are numbered.
    """

    last: str | None = None
    numbers: Mapping[str, int] = field(default_factory=dict)
    heat: Mapping[str, float] = field(default_factory=dict)
    territory: bool = False
    ghosts: Mapping[str, str] = field(default_factory=dict)
