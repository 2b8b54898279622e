"""Play the remaining games of a run on workers, and stop on request.

The module uses the run's state and workers. It displays nothing, but calls a function with the progress of the run.
"""

from __future__ import annotations

import queue
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from pathlib import Path

from gomogo_core.cancellation import GameCancelled
from gomogo_core.errors import UserError
from gomogo_core.games.base import Reason
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.live_format import remove_abandoned_live_files, remove_live_files
from tournaments.progress import RunProgress, StopRequest
from tournaments.run_state import RunState
from tournaments.signals import handle_signals
from tournaments.task import GameTask
from tournaments.workers import Workers

MAX_ATTEMPTS = 3  # a game that is void is played again, up to this number of attempts
MAX_VOID_GAMES_IN_A_ROW = 10  # after this number of void games in a row, an endless run ends
_CHECK_INTERVAL_SECONDS = 1.0  # seconds between two checks for requests of other processes

OnProgress = Callable[[RunProgress], None]
MayStopEarly = Callable[[PlayedGame, GameTask], bool]


class Runner:
    """Play one run to its end. live_folder: the folder for live files, or None. on_progress: a function that is called
    after each game, and each second.

    may_stop_early: a function that is called with each new game that counts, and returns whether the run may stop early
    because the results are clear. on_games_voided: a function that is called when games that counted have become void.
    """

    def __init__(
        self,
        state: RunState,
        workers: Workers,
        *,
        live_folder: Path | None = None,
        on_progress: OnProgress | None = None,
        may_stop_early: MayStopEarly | None = None,
        on_games_voided: Callable[[], None] | None = None,
    ) -> None:
        self._state, self._workers, self._live_folder = state, workers, live_folder
        self._on_progress = on_progress or (lambda progress: None)
        self._may_stop_early = may_stop_early or (lambda played_game, task: False)
        self._on_games_voided = on_games_voided or (lambda: None)
        self._dismissed_workers: set[str] = set()  # the games of these workers became void, and they get no more games
        self._finished_games: queue.SimpleQueue[Future[PlayedGame] | None] = queue.SimpleQueue()
        self._running_games: dict[Future[PlayedGame], GameTask] = {}
        self._attempts: Counter[str] = Counter()
        self._games_to_replay: list[GameTask] = []  # void games that are to be played again
        self._void_games_in_a_row = 0
        self._has_been_interrupted = False
        self.progress = state.progress

    def play(self) -> RunProgress:
        """Play until all games are played, or the user stops the run. The run's state holds the lock of the run.

        After one Ctrl-C, the running games are finished; after a second Ctrl-C or SIGTERM, they are dropped. Raises
        UserError if an agent cannot start, or the store cannot be written.
        """
        if self._live_folder is not None:
            self._report_interrupted_games(remove_abandoned_live_files(self._live_folder, self._state.name))
        self._state.clear_stop_request()
        with handle_signals(self._on_signal):
            try:
                self._play_until_stopped()
            finally:
                if self._running_games:
                    self._workers.interrupt_games()
                self._workers.close()
                self._remove_live_files(self._running_games.values())
        return self.progress

    def _report_interrupted_games(self, game_count: int) -> None:
        """Report the games that an earlier runner did not finish because it was killed."""
        if game_count:
            subject, replay_clause = ("game was", "it is") if game_count == 1 else ("games were", "they are")
            self.progress.messages.append(
                f"{game_count} {subject} interrupted, because an earlier process of this run was killed; "
                f"{replay_clause} played again."
            )

    def _play_until_stopped(self) -> None:
        last_check = time.monotonic()
        while True:
            self._fill_workers()
            if not self._running_games or self.progress.stop_request is StopRequest.INTERRUPT_RUNNING_GAMES:
                self._report_progress()  # the last report says that games are dropped
                return
            with suppress(queue.Empty):
                future = self._finished_games.get(timeout=_CHECK_INTERVAL_SECONDS)
                self._store_finished([future, *self._take_other_finished_games()])
            if time.monotonic() - last_check >= _CHECK_INTERVAL_SECONDS:
                last_check = time.monotonic()
                if self.progress.stop_request is StopRequest.NONE and self._state.is_stop_requested:
                    self.progress.stop_request = StopRequest.FINISH_RUNNING_GAMES
                    self._cancel_waiting_games()
                self._report_progress()

    def _take_other_finished_games(self) -> Iterator[Future[PlayedGame] | None]:
        """Yield the other finished games, without waiting."""
        with suppress(queue.Empty):
            while True:
                yield self._finished_games.get_nowait()

    def _fill_workers(self) -> None:
        """Submit a game for every worker, and some more games, so that no worker waits while games are stored."""
        limit = self._workers.concurrent_games + self._workers.queue_size
        while self.progress.stop_request is StopRequest.NONE and len(self._running_games) < limit:
            task = self._games_to_replay.pop() if self._games_to_replay else self._state.next_task(limit)
            if task is None:
                return
            future = self._workers.submit(task)
            self._running_games[future] = task
            future.add_done_callback(self._finished_games.put)

    def _store_finished(self, futures: Sequence[Future[PlayedGame] | None]) -> None:
        """Store the finished games in one transaction, then report them. None in the sequence means that a signal was
        received.
        """
        if None in futures:
            self._cancel_waiting_games()
        finished, last_error = list[tuple[GameTask, PlayedGame]](), None
        for future in futures:
            try:
                if future is not None and (finished_game := self._take_finished_game(future)) is not None:
                    finished.append(finished_game)
            except Exception as error:  # the error is raised after the other games are stored
                last_error = error
        # store the games of named workers one by one: a game may make all games of its worker void
        has_named_worker = any(game.machine is not None and game.machine.worker for _, game in finished)
        for batch in ([finished_game] for finished_game in finished) if has_named_worker else [finished]:
            self._store_games(batch)
        if last_error is not None:
            raise last_error

    def _store_games(self, finished: Sequence[tuple[GameTask, PlayedGame]]) -> None:
        valid_games = list[tuple[GameTask, PlayedGame]]()
        for task, played_game in finished:
            if played_game.machine is not None and played_game.machine.worker in self._dismissed_workers:
                self._games_to_replay.append(task)
            else:
                valid_games.append((task, played_game))
        self._update_progress()
        try:
            for task, played_game, is_new in self._state.store_games(valid_games):
                self._report_game(task, played_game, is_new)
        finally:
            self._remove_live_files(task for task, _ in valid_games)

    def _take_finished_game(self, future: Future[PlayedGame]) -> tuple[GameTask, PlayedGame] | None:
        """Return a finished game to store; None for a game that was interrupted, is played again or is no longer
        planned. A void game is played again, until it has had three attempts.
        """
        task = self._running_games.pop(future)
        try:
            played_game = future.result()
        except (GameCancelled, CancelledError):  # an interrupted game has no record
            return None
        except UserError:  # an agent cannot start; this is no error if the agent was removed from a ladder's folder
            if not self._state.removed_players(task):
                raise
            self._state.discard_task(task)
            return None
        # the folder is scanned only after a crash, because a scan reads all files in the folder
        crashed_players = _find_crashed_players(played_game, task) if self._state.plan.players_may_change else set()
        if crashed_players and crashed_players & self._state.removed_players(task):
            # the program was removed, so the loss says nothing about the player's strength
            self._state.discard_task(task)
            return None
        if played_game.outcome.is_void:
            self._attempts[task.key] += 1
            if self._attempts[task.key] < MAX_ATTEMPTS:
                # the machine was suspended, for example, and the user must learn about it
                if played_game.outcome.reason is Reason.INTERRUPTED:
                    players, reason = " against ".join(sorted(task.display_names)), played_game.outcome.detail
                    sentence = f"A game of {players} is played again: {reason}."
                    if sentence not in self.progress.messages:
                        self.progress.messages.append(sentence)
                self._games_to_replay.append(task)
                return None
        return task, played_game

    def _report_game(self, task: GameTask, played_game: PlayedGame, is_new: bool) -> None:
        """Count and report a stored game. is_new: whether the store had no game with its key."""
        if played_game.outcome.is_void:
            self._void_games_in_a_row += 1
        elif is_new:
            self._void_games_in_a_row = 0
        self.progress.latest_record = played_game
        if is_new and not played_game.outcome.is_void:
            is_replayed = self._dismiss_unreliable_workers(played_game)
            is_decided = not is_replayed and self._may_stop_early(played_game, task)
            if is_decided and self.progress.stop_request is StopRequest.NONE:
                self.progress.stop_request = StopRequest.RESULT_DECIDED
                self._cancel_waiting_games()
        self._on_progress(self.progress)
        if self.progress.planned_games is None and self._void_games_in_a_row == MAX_VOID_GAMES_IN_A_ROW:
            raise UserError(
                f"{MAX_VOID_GAMES_IN_A_ROW} games in a row could not be played: {played_game.outcome.detail}.",
                "Fix the cause, then run the same command again.",
            )

    def _dismiss_unreliable_workers(self, played_game: PlayedGame) -> bool:
        """Dismiss workers on which players lose on time far more often than elsewhere. Their games become void.

        Returns whether the game `played_game` became void.
        """
        for worker, count in self._state.workers_to_dismiss(played_game).items():
            self._dismissed_workers.add(worker)
            self._workers.dismiss_worker(worker)
            self._state.void_games_of(worker)
            self.progress.messages.append(
                f"Worker {worker} is no longer used: {count.time_losses} of its {count.game_count} games were lost on "
                "time, far more than elsewhere. All its games are played again."
            )
            self._on_games_voided()
        return played_game.machine is not None and played_game.machine.worker in self._dismissed_workers

    def _remove_live_files(self, tasks: Iterable[GameTask]) -> None:
        if self._live_folder is not None:
            remove_live_files(self._live_folder, (task.key for task in tasks))

    def _cancel_waiting_games(self) -> None:
        """Cancel the games that have not begun. Running games cannot be cancelled."""
        for future in list(self._running_games):
            future.cancel()
        self._report_progress()

    def _update_progress(self) -> None:
        self.progress.messages += self._workers.take_messages()
        self.progress.names_by_running_game = {
            task.key: task.display_names for future, task in self._running_games.items() if future.running()
        }

    def _report_progress(self) -> None:
        self._update_progress()
        self._on_progress(self.progress)

    def _on_signal(self, signal_number: int) -> None:
        """Record a signal as a request. The request is handled later, when no game is being stored."""
        drops_games = self._has_been_interrupted or signal_number != signal.SIGINT
        self._has_been_interrupted = True
        self.progress.stop_request = (
            StopRequest.INTERRUPT_RUNNING_GAMES if drops_games else StopRequest.FINISH_RUNNING_GAMES
        )
        self._finished_games.put(None)


def _find_crashed_players(played_game: PlayedGame, task: GameTask) -> set[str]:
    """Return the players whose program exited during the game."""
    return {task.stored_names[seat - 1] for seat, reason in played_game.forfeits.items() if reason is Reason.CRASHED}
