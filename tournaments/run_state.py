"""The state of a run, new or resumed: which games are planned, played and still to play.

The module connects the plan and the store: it reads the stored games once, and writes every change to the store at
once. It knows no worker and no screen.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import chain
from typing import Any

from gomogo_core.errors import UserError
from gomogo_core.games.base import Reason
from gomogo_core.records.aggregates import (
    OpponentTally,
    RankedGame,
    opponent_tallies,
    pair_scores,
    ranked_games,
    time_losses_by_worker,
)
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.store import GameEntry, Run, Status, Store
from tournaments.plan import Plan
from tournaments.progress import Progress
from tournaments.schedules import ScheduledGame, ScheduleResult
from tournaments.slow_workers import LateCount, unreliable_workers
from tournaments.sprt_match import SprtMatch
from tournaments.standings import Standings, standings
from tournaments.task import Task


class RunState:
    """The state of one run while it is played. As a context manager, it unlocks the run at the end."""

    def __init__(self, plan: Plan, store: Store, *, extend: bool = False) -> None:
        """Lock the run of a plan, so that no other process plays it, and resume it. If it does not exist, begin it.

        Raises UserError if another process plays the run, or if the stored run has other settings. With `extend` the
        run gets the new settings: games that are also in the new plan continue to count, and all other games are set
        aside. In an open tournament, players may change without `extend`.
        """
        self.plan, self._store = plan, store
        self.run = self._lock_and_load(extend)
        keys = store.keys_by_status(self.run)
        self._played, self._set_aside_keys = keys[Status.PLAYED], keys[Status.SET_ASIDE]
        # void games of earlier runners; such a game is played again if it is still in the plan
        self._unplayed = keys[Status.UNPLAYED]
        self._begun = set(self._played)  # the keys of all games that have begun, including the running games
        self._given_up: list[RankedGame] = []  # void games that are not played again: these count as drawn
        self._planned: deque[ScheduledGame] = deque()
        self._has_new_results = True  # whether there are results that the schedule has not received
        self.progress = Progress(self.run.planned_games, len(self._played))

    def __enter__(self) -> RunState:
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.close()

    def _lock_and_load(self, extend: bool) -> Run:
        """Lock the run, and return it: a new run, or the stored run with the settings of the plan."""
        plan, store = self.plan, self._store
        with ExitStack() as lock:  # after an error, this unlocks the run at once
            lock.enter_context(store.lock_run(plan.spec.name))
            run = store.insert_run(plan.spec.name, plan.fingerprint, plan.settings, plan.count_games())
            if run is None:
                run = store.run(plan.spec.name)
                same = run.fingerprint == plan.fingerprint
                if not extend:
                    _refuse_other_settings(run, plan, store)
                if same and plan.format.is_open:
                    settings = plan.settings_with_former_players(run.settings)
                    run = store.change_run(run, plan.fingerprint, settings, plan.count_games())
                elif plan.is_open or not same or _tests_other_hypotheses(run, plan):
                    known = list(plan.schedule_results(ranked_games(store, run, (Status.PLAYED, Status.SET_ASIDE))))
                    kept = {plan.game_key(game) for game in plan.scheduled_games(known)}
                    run = store.change_run(run, plan.fingerprint, plan.settings, plan.count_games(known), kept)
            self._lock = lock.pop_all()
        return run

    @property
    def name(self) -> str:
        """The name of the run."""
        return self.run.name

    @property
    def remaining(self) -> int | None:
        """The number of planned games that have not been played; None for an endless run."""
        return None if self.progress.planned is None else self.progress.planned - self.progress.played

    def standings(self) -> Standings:
        """Return the current table."""
        return standings(self._store, self.run)

    def pair_scores(self) -> list[tuple[int, float]]:
        """Return the first player's score in each game, with the number of the game's pair."""
        return pair_scores(self._store, self.run, self.plan.players[0])

    def sprt_match(self) -> SprtMatch | None:
        """Return the sequential test of the first player against the second, with the games so far; None without a
        test.
        """
        sprt = self.plan.sprt
        return None if sprt is None else SprtMatch(sprt, self.plan.players[0], self.pair_scores())

    def opponent_tallies(self) -> list[OpponentTally]:
        """Return the results of each player against each other player, by reason."""
        return opponent_tallies(self._store, self.run)

    def games_of(self, player: str) -> Iterator[PlayedGame]:
        """Yield the player's games that count, in the order of their start."""
        return self._store.games_of(self.run, player=player)

    def delete_if_unplayed(self) -> bool:
        """Delete the run if no game was played. Return whether it was deleted."""
        return self._store.delete_unused_run(self.run)

    @property
    def is_stop_requested(self) -> bool:
        """Whether another process has requested that the runner stop."""
        return self._store.is_stop_requested(self.run)

    def clear_stop_request(self) -> None:
        """Delete an earlier request to stop."""
        self._store.request_stop(self.run, False)

    # The games to play

    def next_task(self, games_ahead: int) -> Task | None:
        """Return the next game to begin, or None if no game can begin now. If no planned game is left, plan again with
        the new results.

        games_ahead: the number of games to plan ahead in an endless tournament.
        """
        if not self._planned and self._has_new_results and self._may_plan_more():
            self._has_new_results = False
            self._plan_games(games_ahead)
        if not self._planned:
            return None
        task = self.plan.task(self._planned.popleft())
        self._begun.add(task.key)
        return task

    def _may_plan_more(self) -> bool:
        """Return False if all games have begun and the schedule does not depend on results; otherwise True."""
        form = self.plan.format
        fixed = form.standings is None and not form.can_grow and not self.plan.is_open
        return not fixed or len(self._begun) != self.progress.planned

    def _plan_games(self, games_ahead: int) -> None:
        """Plan the next games from the results so far."""
        earlier, self.plan = self.plan, self.plan.with_current_agents()
        planned = self.plan.count_games(self._schedule_results())
        if planned != self.progress.planned or self.plan is not earlier:
            self.progress.planned = planned
            self.progress.messages += _folder_changes(earlier, self.plan)
            settings = self.plan.settings_with_former_players(self.run.settings)
            self.run = self._store.change_run(self.run, self.run.fingerprint, settings, planned)
        planned_games = {
            self.plan.game_key(game): game
            for game in self.plan.scheduled_games(self._schedule_results(), games_ahead=games_ahead)
        }
        if back := self._set_aside_keys & planned_games.keys():
            self._store.set_status(self.run, back, Status.PLAYED)
            self._set_aside_keys -= back
            self._add_played(back)
            self._plan_games(games_ahead)
            return
        if self.plan.format.standings:  # earlier results may have changed, which changes the pairings of later rounds
            self._exclude_until_planned(self._played - planned_games.keys())
        new = [game for key, game in planned_games.items() if key not in self._begun]
        if self.plan.format.is_open and planned is not None:  # running games are not among the results
            del new[max(0, planned - len(self._begun)) :]
        self._planned = deque(new)
        # void games of earlier runners that the schedule has counted as draws
        counted = self._unplayed - planned_games.keys() if self.plan.format.standings else set()
        self.progress.unplayed = len(self._given_up) + len(counted)

    def _schedule_results(self) -> Iterator[ScheduleResult]:
        """Yield the results so far. This is a generator, because most schedules do not use results, and the results of
        a long round robin take seconds to read.
        """
        void = {game.key for game in self._given_up}
        stored = ranked_games(self._store, self.run, (Status.PLAYED, Status.UNPLAYED))
        yield from self.plan.schedule_results(chain(self._given_up, (game for game in stored if game.key not in void)))

    def departed_players(self, task: Task) -> set[str]:
        """Return the players of a game that have been removed from a ladder's folder."""
        return set(task.players) - set(self.plan.with_current_agents().players)

    def drop_task(self, task: Task) -> None:
        """Discard a begun game that cannot be played any more, and plan again."""
        self._begun.discard(task.key)
        self._planned.clear()
        self._has_new_results = True

    # The games played

    def store_games(self, finished: Sequence[tuple[Task, PlayedGame]]) -> Iterator[tuple[Task, PlayedGame, bool]]:
        """Store finished games in one transaction. After each game is counted, yield it, together with a bool: whether
        the game is new.
        """
        entries = [GameEntry(played, task.players, task.pair) for task, played in finished]
        for (task, played), is_new in zip(finished, self._store.add_all(entries, self.run), strict=True):
            self._has_new_results = True
            if played.outcome.is_void:
                self.progress.unplayed += 1
                self._given_up.append(RankedGame(task.key, task.players, (1,) * len(task.players), task.pair))
            elif is_new:
                self._add_played({task.key})
                self.progress.played_here += 1
                self.progress.sequences.add(hash(played.plies))
            yield task, played, is_new

    def void_doubtful_games(self) -> int:
        """Mark as void the games that were lost on time while the machine was busy. Return the number of these
        games.
        """
        return self._mark_void(self._store.doubtful_keys(self.run))

    def workers_to_dismiss(self, played: PlayedGame) -> dict[str, LateCount]:
        """Return the workers on which players lose on time far more often than elsewhere, with their counts.

        played: the latest game. If nobody lost this game on time, no worker is checked.
        """
        if Reason.OUT_OF_TIME not in played.forfeits.values() or not (played.machine and played.machine.worker):
            return {}
        counts = {worker: LateCount(*count) for worker, count in time_losses_by_worker(self._store, self.run).items()}
        return {worker: counts[worker] for worker in unreliable_workers(counts)}

    def void_games_of(self, worker: str) -> None:
        """Mark all games of a worker as void."""
        self._mark_void(self._store.keys_of_worker(self.run, worker))

    def _mark_void(self, keys: set[str]) -> int:
        """Mark games as void, so that they are played again. Return their number."""
        self._store.set_aside(self.run, keys)
        self._remove_played(keys)
        return len(keys)

    def _exclude_until_planned(self, keys: set[str]) -> None:
        """Exclude games from the results until the plan contains these games again."""
        if keys:
            self._store.set_status(self.run, keys, Status.SET_ASIDE)
            self._set_aside_keys |= keys
            self._remove_played(keys)

    def _add_played(self, keys: set[str]) -> None:
        self._played |= keys
        self._begun |= keys
        self.progress.played = len(self._played)

    def _remove_played(self, keys: set[str]) -> None:
        self._played -= keys
        self._begun -= keys
        self.progress.played = len(self._played)


def _folder_changes(earlier: Plan, now: Plan) -> list[str]:
    """Return a sentence for each agent that joined, left or cannot play, since the previous scan of the folder."""
    joined = [f"{now.names[i]} has joined." for i, player in enumerate(now.players) if player not in earlier.players]
    left = [f"{earlier.names[i]} has left." for i, player in enumerate(earlier.players) if player not in now.players]
    return [*joined, *left, *(why for why in now.folder_scan.refusals if why not in earlier.folder_scan.refusals)]


def check_stored_settings(plan: Plan, store_address: str) -> None:
    """Raise UserError if the store has a run of this name with other settings, which `RunState` would refuse."""
    try:
        store = Store.open(store_address, create=False)
    except UserError:  # nothing has been played there yet
        return
    with store:
        for run in store.runs():
            if run.name == plan.spec.name:
                _refuse_other_settings(run, plan, store)


def _tests_other_hypotheses(run: Run, plan: Plan) -> bool:
    """Return whether the run has a test, and the plan another one."""
    return bool(run.settings.get("sprt")) and "sprt" in plan.settings and run.settings["sprt"] != plan.settings["sprt"]


def _refuse_other_settings(run: Run, plan: Plan, store: Store) -> None:
    if run.fingerprint != plan.fingerprint or _tests_other_hypotheses(run, plan):
        raise UserError(
            f"The run {run.name!r} in {store.address} has other settings: "
            f"{_first_difference(run.settings, plan.settings)}.",
            "Restore the setting, rename the tournament, or continue with the new settings: --extend.",
        )


def _first_difference(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return a phrase that names the first setting whose value differs from the stored value."""
    for key in sorted(earlier.keys() | now.keys()):
        was, is_now = earlier.get(key), now.get(key)
        if was == is_now:
            continue
        if key == "openings" and f"{was}{is_now}".count("file:"):
            return "the openings differ"
        if key == "players":
            old, new = ({one["player"] for one in players or ()} for players in (was, is_now))
            changes = [f"{who} was added" for who in sorted(new - old)] + [
                f"{who} was removed" for who in sorted(old - new)
            ]
            return ", ".join(changes) or "the players have another order or other names"
        if isinstance(was, Mapping) and isinstance(is_now, Mapping):
            return f"{key}: {_first_difference(was, is_now)}"
        return f"{key} was {_value_text(was)}, now it is {_value_text(is_now)}"
    return "another version of Gomogo wrote it"


def _value_text(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {one}" for key, one in value.items())
    return "none" if value in ("", None) else str(value)
