"""The state of a run, begun or resumed: its planned, played and remaining games, between the plan and the store.

Asks the store for its games once, and writes every change through. Knows no worker and no screen.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any

from gomogo_core.errors import UserError
from gomogo_core.games.base import Reason
from gomogo_core.records.aggregates import PairReasons, Ranked, late_by_worker, pair_reasons, pair_scores, ranks
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.store import Entry, Run, Status, Store
from tournaments.plan import Plan
from tournaments.progress import Progress
from tournaments.schedules import ScheduledGame, ScheduleResult
from tournaments.slow_workers import Count, set_aside
from tournaments.sprt import Sprt
from tournaments.sprt_match import SprtMatch
from tournaments.standings import Standings, standings
from tournaments.task import Task


@contextmanager
def open_run(plan: Plan, store: Store, *, extend: bool = False) -> Iterator[RunState]:
    """Lock the run of a plan, so that no other process plays it, and resume it; begin it if it does not exist.

    Raises UserError if another process plays the run. A run with other settings raises a UserError that names the
    difference. With `extend` the run takes the new settings: games that the new plan holds too are kept, the others are
    set aside. In a run that is open to new players, players may change without `extend`.
    """
    with store.lock_run(plan.spec.name):
        yield RunState(plan, store, extend)


class RunState:
    """One run while it is played. extend: see `open_run`."""

    def __init__(self, plan: Plan, store: Store, extend: bool) -> None:
        self.plan, self._store = plan, store
        self.run = self._begin_or_resume(extend)
        keys = store.keys_by_status(self.run)
        self._played, self._aside = keys[Status.PLAYED], keys[Status.SET_ASIDE]
        self._unplayed = keys[Status.UNPLAYED]  # void games of earlier runners: played again if the plan still has them
        self._begun = set(self._played)  # including the running games
        self._given_up: list[Ranked] = []  # void games that are not played again: they count as drawn
        self._planned: deque[ScheduledGame] = deque()
        self._news = True  # results that the schedule has not received
        self.progress = Progress(self.run.planned, len(self._played))

    def _begin_or_resume(self, extend: bool) -> Run:
        """Return a new run, or the stored one with the settings of the plan."""
        plan, store = self.plan, self._store
        if begun := store.begin(plan.spec.name, plan.fingerprint, plan.settings, plan.games()):
            return begun
        run = store.run(plan.spec.name)
        same = run.fingerprint == plan.fingerprint
        if not same and not extend:
            raise UserError(
                f"The run {run.name!r} in {store.where} has other settings: "
                f"{_difference(run.settings, plan.settings)}.",
                "Restore the setting, give the tournament another name, or continue with the new settings: --extend.",
            )
        if same and plan.format.is_open:
            return store.change(run, plan.fingerprint, plan.settings_since(run.settings), plan.games())
        if same and not plan.is_open:
            return run
        known = list(plan.results(ranks(store, run, (Status.PLAYED, Status.SET_ASIDE))))
        kept = {plan.key(pairing) for pairing in plan.pairings(known)}
        return store.change(run, plan.fingerprint, plan.settings, plan.games(known), kept)

    @property
    def name(self) -> str:
        """The name of the run."""
        return self.run.name

    @property
    def remaining(self) -> int | None:
        """The number of games that are planned and not played; None for an endless run."""
        return None if self.progress.planned is None else self.progress.planned - self.progress.played

    def standings(self) -> Standings:
        """Return the current table."""
        return standings(self._store, self.run)

    def pair_scores(self) -> list[tuple[int, float]]:
        """Return the scores of the first player, with the numbers of their pairs."""
        return pair_scores(self._store, self.run, self.plan.players[0])

    def test(self, sprt: Sprt) -> SprtMatch:
        """Return the test of the first player against the second, on the games so far."""
        return SprtMatch(sprt, self.plan.players[0], self.pair_scores())

    def pair_reasons(self) -> list[PairReasons]:
        """Count the results of each player against each other, by reason."""
        return pair_reasons(self._store, self.run)

    def games_of(self, player: str) -> Iterator[PlayedGame]:
        """Yield the player's games that count, in the order of their start."""
        return self._store.games_of(self.run, player=player)

    def withdraw(self) -> bool:
        """Delete the run if no game was played. Returns whether it was deleted."""
        return self._store.withdraw(self.run)

    @property
    def is_asked_to_stop(self) -> bool:
        """Whether another process has asked the runner to stop."""
        return self._store.asked_to_stop(self.run)

    def forget_request(self) -> None:
        """Forget an earlier request to stop."""
        self._store.ask_to_stop(self.run, False)

    # The games to play

    def next_task(self, ahead: int) -> Task | None:
        """Return the next game that has not begun. If none is left, ask the schedule again with new results.

        ahead: the number of games to keep ready in an endless tournament.
        """
        if not self._planned and self._news and not self._all_begun():
            self._news = False
            self._ask(ahead)
        if not self._planned:
            return None
        task = self.plan.task(self._planned.popleft())
        self._begun.add(task.key)
        return task

    def _all_begun(self) -> bool:
        """Return whether all games have begun of a schedule that no result changes."""
        form = self.plan.format
        fixed = form.report is None and not form.grows and not self.plan.is_open
        return fixed and len(self._begun) == self.progress.planned

    def _ask(self, ahead: int) -> None:
        """Ask the schedule for the games, given the results so far."""
        before, self.plan = self.plan, self.plan.with_current_agents()
        planned = self.plan.games(self._results())
        if planned != self.progress.planned or self.plan is not before:
            self.progress.planned = planned
            self.progress.news += _changes(before, self.plan)
            settings = self.plan.settings_since(self.run.settings)
            self.run = self._store.change(self.run, self.run.fingerprint, settings, planned)
        asked = {self.plan.key(pairing): pairing for pairing in self.plan.pairings(self._results(), ahead=ahead)}
        if back := self._aside & asked.keys():
            self._store.mark(self.run, back, Status.PLAYED)
            self._aside -= back
            self._count(back)
            self._ask(ahead)
            return
        if self.plan.format.report:  # earlier results may have changed, and with them the pairings of later rounds
            self._lay_aside(self._played - asked.keys())
        new = [pairing for key, pairing in asked.items() if key not in self._begun]
        if self.plan.format.is_open and planned is not None:  # running games are not among the results
            del new[max(0, planned - len(self._begun)) :]
        self._planned = deque(new)
        # the schedule counts them as draws
        gone_on = self._unplayed - asked.keys() if self.plan.format.report else set()
        self.progress.unplayed = len(self._given_up) + len(gone_on)

    def _results(self) -> Iterator[ScheduleResult]:
        """Results are read only for schedules that use them: reading those of a long round robin takes seconds."""
        void = {game.key for game in self._given_up}
        stored = ranks(self._store, self.run, (Status.PLAYED, Status.UNPLAYED))
        yield from self.plan.results(chain(self._given_up, (game for game in stored if game.key not in void)))

    def departed_players(self, task: Task) -> set[str]:
        """Return the players of a game that are no longer in a ladder's folder."""
        return set(task.players) - set(self.plan.with_current_agents().players)

    def drop(self, task: Task) -> None:
        """Plan again without a game that cannot be played any more."""
        self._begun.discard(task.key)
        self._planned.clear()
        self._news = True

    # The games played

    def keep(self, ended: Sequence[tuple[Task, PlayedGame]]) -> Iterator[tuple[Task, PlayedGame, bool]]:
        """Store games, in one transaction. Yield each with whether it is new, once it is counted."""
        entries = [Entry(played, task.players, task.pair) for task, played in ended]
        for (task, played), is_new in zip(ended, self._store.add_all(entries, self.run), strict=True):
            self._news = True
            if played.outcome.void:
                self.progress.unplayed += 1
                self._given_up.append(Ranked(task.key, task.players, (1,) * len(task.players), task.pair))
            elif is_new:
                self._count({task.key})
                self.progress.here += 1
            yield task, played, is_new

    def replay_doubtful(self) -> int:
        """Set the games aside that were lost on time on a busy machine, and return their number."""
        return self._set_aside(self._store.doubtful(self.run))

    def slow_workers(self, played: PlayedGame) -> dict[str, Count]:
        """Return the workers to set aside, because players lose on time there far more than elsewhere.

        played: the latest game; without a loss on time nothing is counted.
        """
        if Reason.OUT_OF_TIME not in played.forfeits.values() or not (played.machine and played.machine.worker):
            return {}
        counts = {worker: Count(*count) for worker, count in late_by_worker(self._store, self.run).items()}
        return {worker: counts[worker] for worker in set_aside(counts)}

    def set_worker_aside(self, worker: str) -> None:
        """Mark the games of a worker as void."""
        self._set_aside(self._store.played_by(self.run, worker))

    def _set_aside(self, keys: set[str]) -> int:
        """Mark games as void; they are played again."""
        self._store.set_aside(self.run, keys)
        self._discount(keys)
        return len(keys)

    def _lay_aside(self, keys: set[str]) -> None:
        """Set games aside until the plan contains them again."""
        if keys:
            self._store.mark(self.run, keys, Status.SET_ASIDE)
            self._aside |= keys
            self._discount(keys)

    def _count(self, keys: set[str]) -> None:
        self._played |= keys
        self._begun |= keys
        self.progress.played = len(self._played)

    def _discount(self, keys: set[str]) -> None:
        self._played -= keys
        self._begun -= keys
        self.progress.played = len(self._played)


def _changes(before: Plan, now: Plan) -> list[str]:
    """Return sentences on the agents that joined, left or cannot play, since the previous check of the folder."""
    come = [f"{now.names[i]} has come." for i, player in enumerate(now.players) if player not in before.players]
    gone = [f"{before.names[i]} has gone." for i, player in enumerate(before.players) if player not in now.players]
    return [*come, *gone, *(why for why in now.found.refused if why not in before.found.refused)]


def _difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return the settings that differ from the earlier ones, in words."""
    for key in sorted(before.keys() | now.keys()):
        was, is_now = before.get(key), now.get(key)
        if was == is_now:
            continue
        if key == "openings" and f"{was}{is_now}".count("file:"):
            return "its openings are others"
        if key == "players":
            old, new = ({one["player"] for one in players or ()} for players in (was, is_now))
            changes = [f"{who} has come" for who in sorted(new - old)] + [
                f"{who} has gone" for who in sorted(old - new)
            ]
            return ", ".join(changes) or "its players have another order or other names"
        if isinstance(was, Mapping) and isinstance(is_now, Mapping):
            return f"{key}: {_difference(was, is_now)}"
        return f"{key} was {_value_text(was)}, now it is {_value_text(is_now)}"
    return "it was written by another version"


def _value_text(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {one}" for key, one in value.items())
    return "none" if value in ("", None) else str(value)
