"""Apply the sequential test of sprt.py to the games of a match as they are played.

The module reads the results of games, and plays no game.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from gomogo_core.records.aggregates import scores_with_pair_numbers
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.store import Run, Store
from tournaments.sprt import CONTINUE, Sprt, SprtVerdict
from tournaments.task import GameTask

_PAIR_SIZE = 2  # games of a pair


def load_sprt_match(store: Store, run: Run) -> SprtMatch | None:
    """Return the test of a stored match with its games so far; None if it has no test."""
    if (sprt_settings := run.settings.get("sprt")) is None:
        return None
    player = run.settings["players"][0]["player"]
    return SprtMatch(Sprt(**sprt_settings), player, scores_with_pair_numbers(store, run, player))


class SprtMatch:
    """A match with its test. counts: the numbers of pairs in which `player` scored 0, ½, 1, 1½ and 2.

    scores: the player's score in each game so far, with the number of the game's pair.
    """

    def __init__(self, sprt: Sprt, player: str, scores: Iterable[tuple[int, float]] = ()) -> None:
        self.sprt, self.player = sprt, player
        self.reset(scores)

    def reset(self, scores: Iterable[tuple[int, float]]) -> None:
        """Replace all games by these scores. scores: the player's score in each game, with the number of its pair."""
        self.counts = [0] * (2 * _PAIR_SIZE + 1)
        self._games: defaultdict[int, list[float]] = defaultdict(list)
        for pair, score in scores:
            self._add_score(pair, score)

    def add_game(self, played_game: PlayedGame, task: GameTask) -> bool:
        """Count a game. Return whether the test is decided."""
        seat = task.stored_names.index(self.player)
        own_rank, other_rank = played_game.outcome.ranks[seat], played_game.outcome.ranks[1 - seat]
        self._add_score(task.opening_number, 0.5 + 0.5 * (own_rank < other_rank) - 0.5 * (own_rank > other_rank))
        return self.is_decided

    def _add_score(self, pair: int, score: float) -> None:
        games = self._games[pair]
        games.append(score)
        if len(games) == _PAIR_SIZE:
            self.counts[round(2 * sum(games))] += 1

    @property
    def verdict(self) -> SprtVerdict:
        """The state of the test for the complete pairs."""
        return self.sprt.compute_verdict(self.counts)

    @property
    def is_decided(self) -> bool:
        """Whether the test is decided."""
        return self.verdict.verdict != CONTINUE

    def as_json(self) -> dict[str, Any]:
        """Return the test and its verdict as JSON values."""
        return {**self.sprt._asdict(), "pairs": list(self.counts), **self.verdict._asdict()}

    def summary(self) -> str:
        """Return the hypotheses and the state of the test in one line."""
        pairs = sum(self.counts)
        return (
            f"H0: {self.sprt.elo0:+g} Elo, H1: {self.sprt.elo1:+g} Elo (normalized). "
            f"After {pairs} pair{'s' * (pairs != 1)} {self.verdict.summary()}"
        )
