"""The state of a new or resumed run: its planned games, its played games, and the games that remain to be played.

The module connects the plan and the store: it reads the stored games once, and writes every change to the store at
once. It does not depend on workers or screens.
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
    ranked_games,
    scores_with_pair_numbers,
    time_losses_by_worker,
)
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.store import GameStatus, GameToStore, Run, Store
from tournaments.plan import Plan
from tournaments.progress import RunProgress
from tournaments.schedules import ScheduledGame, ScheduleResult, TournamentFormat
from tournaments.slow_workers import TimeLossCount, find_unreliable_workers
from tournaments.sprt_match import SprtMatch
from tournaments.standings import Standings, compute_standings
from tournaments.task import GameTask


class RunState:
    """The state of one run while it is played. As a context manager, it unlocks the run at the end."""

    def __init__(self, plan: Plan, store: Store, *, allows_changes: bool = False) -> None:
        """Lock the run of a plan, so that no other process plays it, and resume it. If it does not exist, begin it.

        Raises UserError if another process plays the run, or if the stored run has other settings. With
        `allows_changes` the run gets the new settings: games that are also in the new plan continue to count, and all
        other games are set aside. In an open tournament, players may change without `allows_changes`.
        """
        self.plan, self._store = plan, store
        self.stored_run = self._lock_and_load(allows_changes)
        keys = store.keys_by_status(self.stored_run)
        self._played_keys, self._set_aside_keys = keys[GameStatus.PLAYED], keys[GameStatus.SET_ASIDE]
        # void games of earlier runners; if such a game is still in the plan, it is played again
        self._earlier_void_keys = keys[GameStatus.UNPLAYED]
        self._begun_keys = set(self._played_keys)  # the keys of all games that have begun, including the running games
        self._void_games: list[RankedGame] = []  # void games that are not played again, and count as drawn
        self._planned_games: deque[ScheduledGame] = deque()
        self._has_new_results = True  # whether there are results that the schedule has not received
        self.progress = RunProgress(self.stored_run.planned_games, len(self._played_keys))

    def __enter__(self) -> RunState:
        return self

    def __exit__(self, *_: object) -> None:
        self._run_lock.close()

    def _lock_and_load(self, allows_changes: bool) -> Run:
        """Lock the run, and return it: a new run, or the stored run with the settings of the plan."""
        plan, store = self.plan, self._store
        with ExitStack() as exit_stack:  # after an error, this unlocks the run at once
            exit_stack.enter_context(store.lock_run(plan.spec.name))
            run = store.insert_run(plan.spec.name, plan.fingerprint, plan.settings, plan.count_games())
            if run is None:
                run = store.run(plan.spec.name)
                has_same_fingerprint = run.fingerprint == plan.fingerprint
                if not allows_changes:
                    _check_same_settings(run, plan, store)
                has_changed = plan.players_may_change or not has_same_fingerprint or _has_other_hypotheses(run, plan)
                settings, results = plan.settings, list[ScheduleResult]()
                kept_keys: set[str] | None = None
                if has_same_fingerprint and plan.tournament_format.players_may_change:
                    settings = plan.settings_with_former_players(run.settings)
                elif has_changed:
                    stored_games = ranked_games(store, run, (GameStatus.PLAYED, GameStatus.SET_ASIDE))
                    results = list(plan.schedule_results(stored_games))
                    kept_keys = {plan.game_key(game) for game in plan.scheduled_games(results)}
                if has_changed:
                    run = store.change_run(run, plan.fingerprint, settings, plan.count_games(results), kept_keys)
            self._run_lock = exit_stack.pop_all()
        return run

    @property
    def name(self) -> str:
        """The name of the run."""
        return self.stored_run.name

    @property
    def remaining_games(self) -> int | None:
        """The number of planned games that have not been played; None for an endless run."""
        return None if self.progress.planned_games is None else self.progress.planned_games - self.progress.played_games

    @property
    def _format(self) -> TournamentFormat:
        return self.plan.tournament_format

    def standings(self) -> Standings:
        """Return the current table."""
        return compute_standings(self._store, self.stored_run)

    def scores_with_pair_numbers(self) -> list[tuple[int, float]]:
        """Return the first player's score in each game, with the number of the game's pair."""
        return scores_with_pair_numbers(self._store, self.stored_run, self.plan.stored_names[0])

    def sprt_match(self) -> SprtMatch | None:
        """Return the sequential test of the first player against the second, with the games so far; None if the run has
        no test.
        """
        sprt = self.plan.sprt
        return None if sprt is None else SprtMatch(sprt, self.plan.stored_names[0], self.scores_with_pair_numbers())

    def opponent_tallies(self) -> list[OpponentTally]:
        """Return the results of each player against each other player, by reason."""
        return opponent_tallies(self._store, self.stored_run)

    def games_of(self, player: str) -> Iterator[PlayedGame]:
        """Yield the player's games that count, in the order of their start."""
        return self._store.games_of(self.stored_run, player=player)

    def delete_if_unplayed(self) -> bool:
        """Delete the run if no game was played. Return whether it was deleted."""
        return self._store.delete_unused_run(self.stored_run)

    @property
    def is_stop_requested(self) -> bool:
        """Whether another process has requested that the runner stop."""
        return self._store.is_stop_requested(self.stored_run)

    def clear_stop_request(self) -> None:
        """Delete an earlier request to stop."""
        self._store.request_stop(self.stored_run, False)

    # The games to play

    def next_task(self, games_ahead: int) -> GameTask | None:
        """Return the next game to begin, or None if no game can begin now. If no planned game is left, plan again with
        the new results.

        games_ahead: the number of games to plan ahead in an endless tournament.
        """
        if not self._planned_games and self._has_new_results and self._can_plan_more():
            self._has_new_results = False
            self._plan_games(games_ahead)
        if not self._planned_games:
            return None
        task = self.plan.task(self._planned_games.popleft())
        self._begun_keys.add(task.key)
        return task

    def _can_plan_more(self) -> bool:
        """Return whether further games may be planned: not if all games have begun and no result can add games."""
        results_matter = bool(self._format.compute_standings) or self._format.results_can_add_games
        may_grow = results_matter or self.plan.players_may_change
        return may_grow or len(self._begun_keys) != self.progress.planned_games

    def _plan_games(self, games_ahead: int) -> None:
        """Plan the next games from the results so far."""
        previous_plan, self.plan = self.plan, self.plan.with_current_agents()
        game_count = self.plan.count_games(self._schedule_results())
        if game_count != self.progress.planned_games or self.plan is not previous_plan:
            self.progress.planned_games = game_count
            self.progress.messages += _describe_folder_changes(previous_plan, self.plan)
            settings = self.plan.settings_with_former_players(self.stored_run.settings)
            self.stored_run = self._store.change_run(self.stored_run, self.stored_run.fingerprint, settings, game_count)
        planned_games = {
            self.plan.game_key(game): game
            for game in self.plan.scheduled_games(self._schedule_results(), games_ahead=games_ahead)
        }
        if returning_keys := self._set_aside_keys & planned_games.keys():
            self._store.set_status(self.stored_run, returning_keys, GameStatus.PLAYED)
            self._set_aside_keys -= returning_keys
            self._add_played(returning_keys)
            self._plan_games(games_ahead)
            return
        self.progress.void_games = len(self._void_games)
        if self._format.compute_standings:
            # if earlier results have changed, the pairings of later rounds change, too
            self._set_aside_until_planned(self._played_keys - planned_games.keys())
            # void games of earlier runners that the schedule has counted as draws
            self.progress.void_games += len(self._earlier_void_keys - planned_games.keys())
        new_games = [game for key, game in planned_games.items() if key not in self._begun_keys]
        if self._format.players_may_change and game_count is not None:  # running games are not among the results
            del new_games[max(0, game_count - len(self._begun_keys)) :]
        self._planned_games = deque(new_games)

    def _schedule_results(self) -> Iterator[ScheduleResult]:
        """Yield the results so far. This is a generator, because most schedules use no results, and reading the results
        of a long round robin takes seconds.
        """
        abandoned_keys = {game.key for game in self._void_games}
        stored_results = ranked_games(self._store, self.stored_run, (GameStatus.PLAYED, GameStatus.UNPLAYED))
        yield from self.plan.schedule_results(
            chain(self._void_games, (game for game in stored_results if game.key not in abandoned_keys))
        )

    def removed_players(self, task: GameTask) -> set[str]:
        """Return the players of a game that have been removed from a ladder's folder."""
        return set(task.stored_names) - set(self.plan.with_current_agents().stored_names)

    def discard_task(self, task: GameTask) -> None:
        """Discard a game that has begun but cannot be finished, and plan again."""
        self._begun_keys.discard(task.key)
        self._planned_games.clear()
        self._has_new_results = True

    # The games played

    def store_games(
        self, finished: Sequence[tuple[GameTask, PlayedGame]]
    ) -> Iterator[tuple[GameTask, PlayedGame, bool]]:
        """Store finished games in one transaction, and count each. Yields each game with its task, and whether the
        store had no game with this key.
        """
        entries = [GameToStore(played_game, task.stored_names, task.opening_number) for task, played_game in finished]
        for (task, played_game), is_new in zip(finished, self._store.add_games(entries, self.stored_run), strict=True):
            self._has_new_results = True
            if played_game.outcome.is_void:
                self.progress.void_games += 1
                ranks = (1,) * len(task.stored_names)
                self._void_games.append(RankedGame(task.key, task.stored_names, ranks, task.opening_number))
            elif is_new:
                self._add_played({task.key})
                self.progress.games_by_this_runner += 1
                self.progress.move_sequence_hashes.add(hash(played_game.plies))
            yield task, played_game, is_new

    def void_doubtful_games(self) -> int:
        """Mark as void the games that were lost on time while the machine was busy. Return the number of these
        games.
        """
        return self._mark_void(self._store.game_keys(self.stored_run, only_doubtful=True))

    def workers_to_dismiss(self, played_game: PlayedGame) -> dict[str, TimeLossCount]:
        """Return the workers on which players lose on time far more often than elsewhere, with their counts.

        played_game: the latest game. If nobody lost this game on time, no worker is checked.
        """
        has_worker = played_game.machine is not None and played_game.machine.worker
        if not has_worker or Reason.OUT_OF_TIME not in played_game.forfeits.values():
            return {}
        time_losses = time_losses_by_worker(self._store, self.stored_run)
        counts = {worker: TimeLossCount(*count) for worker, count in time_losses.items()}
        return {worker: counts[worker] for worker in find_unreliable_workers(counts)}

    def void_games_of(self, worker: str) -> None:
        """Mark all games of a worker as void."""
        self._mark_void(self._store.game_keys(self.stored_run, worker=worker))

    def _mark_void(self, keys: set[str]) -> int:
        """Mark games as void, so that they are played again. Return their number."""
        self._store.set_aside(self.stored_run, keys)
        self._remove_played(keys)
        return len(keys)

    def _set_aside_until_planned(self, keys: set[str]) -> None:
        """Exclude games from the results until the plan contains these games again."""
        if keys:
            self._store.set_status(self.stored_run, keys, GameStatus.SET_ASIDE)
            self._set_aside_keys |= keys
            self._remove_played(keys)

    def _add_played(self, keys: set[str]) -> None:
        self._played_keys |= keys
        self._begun_keys |= keys
        self.progress.played_games = len(self._played_keys)

    def _remove_played(self, keys: set[str]) -> None:
        self._played_keys -= keys
        self._begun_keys -= keys
        self.progress.played_games = len(self._played_keys)


def _describe_folder_changes(earlier_plan: Plan, current_plan: Plan) -> list[str]:
    """Return a sentence for each agent that joined, left or cannot play, since the previous scan of the folder."""
    sentences = [
        f"{plan.display_names[index]} has {verb}."
        for plan, other_plan, verb in ((current_plan, earlier_plan, "joined"), (earlier_plan, current_plan, "left"))
        for index, player in enumerate(plan.stored_names)
        if player not in other_plan.stored_names
    ]
    known_refusals = earlier_plan.folder_scan.refusal_sentences
    return sentences + [
        sentence for sentence in current_plan.folder_scan.refusal_sentences if sentence not in known_refusals
    ]


def check_stored_settings(plan: Plan, store_address: str) -> None:
    """Raise UserError if the store has a run of this name with other settings, which `RunState` would not continue."""
    try:
        store = Store.open(store_address, create=False)
    except UserError:  # nothing has been played there yet
        return
    with store:
        for run in store.runs():
            if run.name == plan.spec.name:
                _check_same_settings(run, plan, store)


def _has_other_hypotheses(run: Run, plan: Plan) -> bool:
    """Return whether the run has a statistical test, and the plan has a test with other parameters."""
    return bool(run.settings.get("sprt")) and "sprt" in plan.settings and run.settings["sprt"] != plan.settings["sprt"]


def _check_same_settings(run: Run, plan: Plan, store: Store) -> None:
    if run.fingerprint != plan.fingerprint or _has_other_hypotheses(run, plan):
        raise UserError(
            f"The run {run.name!r} in {store.address} has other settings: "
            f"{_describe_first_difference(run.settings, plan.settings)}.",
            "Restore the setting, rename the tournament, or continue with the new settings: --extend.",
        )


def _describe_first_difference(stored_settings: Mapping[str, Any], new_settings: Mapping[str, Any]) -> str:
    """Return a phrase that names the first setting whose value differs from the stored value."""
    for key in sorted(stored_settings.keys() | new_settings.keys()):
        stored_value, new_value = stored_settings.get(key), new_settings.get(key)
        if stored_value == new_value:
            continue
        if key == "openings" and f"{stored_value}{new_value}".count("file:"):
            return "the openings differ"
        if key == "players":
            old_players, new_players = (
                {player["player"] for player in players or ()} for players in (stored_value, new_value)
            )
            changes = [f"{player} was added" for player in sorted(new_players - old_players)]
            changes += [f"{player} was removed" for player in sorted(old_players - new_players)]
            return ", ".join(changes) or "the players have another order or other names"
        if isinstance(stored_value, Mapping) and isinstance(new_value, Mapping):
            return f"{key}: {_describe_first_difference(stored_value, new_value)}"
        return f"{key} was {_setting_text(stored_value)}, now it is {_setting_text(new_value)}"
    return "another version of Gomogo wrote it"


def _setting_text(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {value_text}" for key, value_text in value.items())
    return "none" if value in ("", None) else str(value)
