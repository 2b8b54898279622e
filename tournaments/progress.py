"""The progress of a run: the numbers of planned and played games, the running games, and a request to stop the run.

The module knows numbers and names, but no plan, no store and no worker.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from enum import Enum

from gomogo_core.records.game_record import PlayedGame


class StopRequest(Enum):
    """Whether and how the run should stop."""

    CONTINUE = "continue"
    FINISH = "finish"  # at the user's first request: finish the running games, and begin no other
    DECIDED = "decided"  # the statistical test is decided: finish the running games, and begin no other
    DROP = "drop"  # at the user's second request: interrupt the running games, too


@dataclass(slots=True)
class Progress:
    """The progress of a run. planned: the number of all games known so far; None for an endless run.

    played: the number of games that count, including those of earlier runners. unplayed: the number of games that
    stayed void. played_here: the number of games that this runner has played. running: the players' names by seat of
    each running game, by its key. last_record: the latest record. messages: sentences about agents and workers that
    have joined or left. started: the time at which this runner started, by the monotonic clock. sequences: a hash of
    the moves of each different game that this runner has played.
    """

    planned: int | None
    played: int
    unplayed: int = 0
    played_here: int = 0
    running: dict[str, tuple[str, ...]] = field(default_factory=dict)
    last_record: PlayedGame | None = None
    stop_request: StopRequest = StopRequest.CONTINUE
    messages: list[str] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    sequences: set[int] = field(default_factory=set)

    @property
    def games_per_second(self) -> float:
        """The number of games per second of this runner."""
        return self.played_here / max(1e-9, time.monotonic() - self.started)

    @property
    def seconds_left(self) -> float | None:
        """The expected remaining seconds; None before the first game has ended, and for an endless run."""
        if self.planned is None or not self.played_here:
            return None
        return (self.planned - self.played - self.unplayed) / self.games_per_second

    @property
    def is_complete(self) -> bool:
        """Whether every planned game has been played."""
        return self.played == self.planned
