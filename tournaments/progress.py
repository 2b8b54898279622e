"""The progress of a run: how many games are planned, played and running, and the request to stop it.

Uses numbers and names, but no plan, no store and no worker.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from enum import Enum

from gomogo_core.records.game_record import PlayedGame


class StopRequest(Enum):
    """The next step of the run."""

    GO_ON = "go on"
    FINISH = "finish"  # the user asked: finish the running games, and begin no other
    ENOUGH = "enough"  # the results decide already: finish the running games, and begin no other
    DROP = "drop"  # the user asked again: interrupt the running games, too


@dataclass(slots=True)
class Progress:
    """The progress of a run. planned: the number of all games, as far as it is known; None for an endless run. played:
    games that count, those of earlier runners included. here: played by this runner.

    running: names by seat of the running games. last: the latest record. news: agents and workers that have come and
    gone, in sentences.
    """

    planned: int | None
    played: int
    unplayed: int = 0
    here: int = 0
    running: dict[str, tuple[str, ...]] = field(default_factory=dict)
    last: PlayedGame | None = None
    stop_request: StopRequest = StopRequest.GO_ON
    news: list[str] = field(default_factory=list)
    since: float = field(default_factory=time.monotonic)

    @property
    def rate(self) -> float:
        """Games a second, of this runner."""
        return self.here / max(1e-9, time.monotonic() - self.since)

    @property
    def seconds_left(self) -> float | None:
        """Return the remaining seconds at this rate; None before the first game is done, and for an endless run."""
        if self.planned is None or not self.here:
            return None
        return (self.planned - self.played - self.unplayed) / self.rate

    @property
    def complete(self) -> bool:
        """Whether every planned game has been played."""
        return self.played == self.planned
