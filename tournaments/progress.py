"""The progress of a run: the numbers of planned and played games, the running games, and a request to stop the run.

The module uses numbers and names, but no plan, no store and no worker.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from enum import Enum

from gomogo_core.records.game_record import PlayedGame


class StopRequest(Enum):
    """Whether and how the run should stop."""

    NONE = "continue"
    FINISH_RUNNING_GAMES = "finish"  # at the user's first request: finish the running games, and begin no other
    RESULT_DECIDED = "decided"  # the statistical test is decided: finish the running games, and begin no other
    INTERRUPT_RUNNING_GAMES = "drop"  # at the user's second request: interrupt the running games, too


@dataclass(slots=True)
class RunProgress:
    """The progress of a run. planned_games: the number of all games known so far; None for an endless run.

    played_games: the number of games that count, including those of earlier runners. void_games: the number of games
    that stayed void. games_by_this_runner: the number of games that this runner has played. names_by_running_game: the
    players' names by seat of each running game, by its key. latest_record: the latest record. messages: sentences about
    agents and workers that have joined or left. start_time: the time at which this runner started, by the monotonic
    clock. move_sequence_hashes: a hash of the moves of each different game that this runner has played.
    """

    planned_games: int | None
    played_games: int
    void_games: int = 0
    games_by_this_runner: int = 0
    names_by_running_game: dict[str, tuple[str, ...]] = field(default_factory=dict)
    latest_record: PlayedGame | None = None
    stop_request: StopRequest = StopRequest.NONE
    messages: list[str] = field(default_factory=list)
    start_time: float = field(default_factory=time.monotonic)
    move_sequence_hashes: set[int] = field(default_factory=set)

    @property
    def games_per_second(self) -> float:
        """The number of games per second of this runner."""
        return self.games_by_this_runner / max(1e-9, time.monotonic() - self.start_time)

    @property
    def seconds_left(self) -> float | None:
        """The expected remaining seconds; None before the first game has ended, and for an endless run."""
        if self.planned_games is None or not self.games_by_this_runner:
            return None
        return (self.planned_games - self.played_games - self.void_games) / self.games_per_second

    @property
    def is_complete(self) -> bool:
        """Whether every planned game has been played."""
        return self.played_games == self.planned_games
