"""A match under a sequential test: its pairs as they arrive, and the decision.

Uses the results of games and the test; plays nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from gomogo_core.records.game_record import PlayedGame
from tournaments.sprt import CONTINUE, Sprt, SprtVerdict
from tournaments.task import Task

_GAMES = 2  # games of a pair


class SprtMatch:
    """The pairs of a match. counts: the numbers of pairs in which `player` scored 0, ½, 1, 1½ and 2."""

    __test__ = False  # tells pytest that this class is no test

    def __init__(self, sprt: Sprt, player: str, scores: Iterable[tuple[int, float]] = ()) -> None:
        self.sprt, self.player = sprt, player
        self.recount(scores)

    def recount(self, scores: Iterable[tuple[int, float]]) -> None:
        """Replace the counts by these numbers of pairs with the player's scores."""
        self.counts = [0] * (2 * _GAMES + 1)
        self._games: defaultdict[int, list[float]] = defaultdict(list)
        for pair, score in scores:
            self._note(pair, score)

    def __call__(self, played: PlayedGame, task: Task) -> bool:
        """Count a game. Returns whether the test is decided."""
        seat = task.players.index(self.player)
        own, other = played.outcome.ranks[seat], played.outcome.ranks[1 - seat]
        self._note(task.pair, 0.5 + 0.5 * (own < other) - 0.5 * (own > other))
        return self.decided

    def _note(self, pair: int, score: float) -> None:
        games = self._games[pair]
        games.append(score)
        if len(games) == _GAMES:
            self.counts[round(2 * sum(games))] += 1

    @property
    def verdict(self) -> SprtVerdict:
        """Return the state of the test on the whole pairs."""
        return self.sprt.judge(self.counts)

    @property
    def decided(self) -> bool:
        """Return whether the test has decided."""
        return self.verdict.verdict != CONTINUE

    def as_json(self) -> dict[str, Any]:
        """Return the test and its verdict as JSON values."""
        return {**self.sprt._asdict(), "pairs": list(self.counts), **self.verdict._asdict()}

    def summary(self) -> str:
        """Return the same as a line of text."""
        pairs = sum(self.counts)
        return (
            f"H0: {self.sprt.elo0:+g} Elo, H1: {self.sprt.elo1:+g} Elo (normalized). "
            f"After {pairs} pair{'s' * (pairs != 1)} {self.verdict.summary()}"
        )
