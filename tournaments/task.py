"""One game of a tournament, in the form that is sent to a worker.

The module imports no schedule and no store, so that a worker process starts quickly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gomogo_core.play.adjudication import Adjudication
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ply


@dataclass(frozen=True, slots=True)
class GameTask:
    """One game to play, as plain values that can be sent to another process or machine. Tuples are ordered by seat.

    key: the unique key of the game. opening_number: the number of the opening, which both games of a pair have.
    stored_names: the players' names in the store. display_names: the players' names in tables. specs: the agents' specs
    as the user wrote them. absolute_specs: the same specs with absolute paths, for the catalogue. retry_illegal:
    whether a player moves again after an illegal move. agent_hashes: a hash of each agent's files. public_names: the
    names that opponents see, if they differ from `display_names`; a course has public names. Then all agents are built
    already, each agent ends after the game, and an agent that cannot start makes the game void. min_turn_seconds: the
    minimum number of seconds between two turns.
    """

    key: str
    opening_number: int
    run_name: str
    game: str
    options: dict[str, Any]
    stored_names: tuple[str, ...]
    display_names: tuple[str, ...]
    specs: tuple[str, ...]
    absolute_specs: tuple[str, ...]
    time_controls: tuple[TimeControl, ...]
    opening: tuple[Ply, ...]
    seed: int
    retry_illegal: bool
    adjudication: Adjudication | None = None
    agent_hashes: tuple[str, ...] = ()
    public_names: tuple[str, ...] = ()
    min_turn_seconds: float = 0.0
