"""One game of a tournament, in the form that travels to its referee.

Needs no schedule and no store: a worker's process imports this, and starts quickly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gomogo_core.play.adjudication import Adjudication
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ply


@dataclass(frozen=True, slots=True)
class Task:
    """One game to play, as plain values that can travel to another process or machine; tuples are by seat.

    key: unique. pair: the number of its opening. players: their names within the tournament. agents: the specs for the
    catalogue. specs: the user's specs. hashes: of the agents' files. called: names in the game, if they differ from
    those of the tournament. If it is given, all agents are built already, each one ends after the game, and an agent
    that cannot start makes the game void. pace: the minimum number of seconds between two turns.
    """

    key: str
    pair: int
    run: str
    game: str
    options: dict[str, Any]
    players: tuple[str, ...]
    names: tuple[str, ...]
    specs: tuple[str, ...]
    agents: tuple[str, ...]
    controls: tuple[TimeControl, ...]
    opening: tuple[Ply, ...]
    seed: int
    retry: bool
    adjudication: Adjudication | None = None
    hashes: tuple[str, ...] = ()
    called: tuple[str, ...] = ()
    pace: float = 0.0
