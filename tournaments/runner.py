"""Play the remaining games of a run on workers, and stop on request.

Uses the run's state and workers; displays nothing itself: it reports its progress to `watch`.
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

from gomogo_core.cancellation import Cancelled
from gomogo_core.errors import UserError
from gomogo_core.games.base import Reason
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.live_format import remove_abandoned_live_files, remove_live_files
from tournaments.progress import Progress, StopRequest
from tournaments.run_state import RunState
from tournaments.signals import handling_signals
from tournaments.task import Task
from tournaments.workers import Workers

MOST_TRIES = 3  # attempts at a game that is void each time
MOST_VOID = 10  # consecutive void games that end an endless run
_LOOK = 1.0  # seconds between two checks for requests of other processes

Watch = Callable[[Progress], None]
Enough = Callable[[PlayedGame, Task], bool]


class Runner:
    """Play one run to its end. live: the folder of live files, or None. watch: called for each game, and each second.

    enough: called with each game that counts; returns whether the results already decide. recount: called when games
    that counted become void.
    """

    def __init__(
        self,
        state: RunState,
        workers: Workers,
        *,
        live: Path | None = None,
        watch: Watch | None = None,
        enough: Enough | None = None,
        recount: Callable[[], None] | None = None,
    ) -> None:
        self._state, self._workers, self._live = state, workers, live
        self._watch = watch or (lambda progress: None)
        self._enough = enough or (lambda played, task: False)
        self._recount = recount or (lambda: None)
        self._dismissed: set[str] = set()  # workers that were set aside: their games are void
        self._finished: queue.SimpleQueue[Future[PlayedGame] | None] = queue.SimpleQueue()
        self._running: dict[Future[PlayedGame], Task] = {}
        self._tries: Counter[str] = Counter()
        self._again: list[Task] = []  # void games, to be played again
        self._void_in_a_row = 0
        self._interrupted = False
        self.progress = state.progress

    def play(self) -> Progress:
        """Play until all games are played, or a user asks to stop. The caller has locked the run (`open_run`).

        Ctrl-C once finishes the running games, twice drops them; SIGTERM drops them at once. Raises UserError if an
        agent cannot start, or the store cannot be written.
        """
        if self._live is not None:
            self._report_interrupt(remove_abandoned_live_files(self._live, self._state.name))
        self._state.forget_request()
        with handling_signals(self._on_signal):
            try:
                self._play()
            finally:
                if self._running:
                    self._workers.abandon()
                self._workers.close()
                self._forget(self._running.values())
        return self.progress

    def _report_interrupt(self, games: int) -> None:
        """Remove live files: only a killed runner leaves them."""
        if games:
            were, are = ("game was", "it is") if games == 1 else ("games were", "they are")
            self.progress.news.append(
                f"{games} {were} interrupted when the last runner was killed: {are} played again."
            )

    def _play(self) -> None:
        looked = time.monotonic()
        while True:
            self._fill_workers()
            if not self._running or self.progress.stop_request is StopRequest.DROP:
                self._report_progress()  # report that games are dropped: no later report follows
                return
            with suppress(queue.Empty):
                future = self._finished.get(timeout=_LOOK)
                self._store_finished([future, *self._finished_during_signals()])
            if time.monotonic() - looked >= _LOOK:
                looked = time.monotonic()
                if self.progress.stop_request is StopRequest.GO_ON and self._state.is_asked_to_stop:
                    self.progress.stop_request = StopRequest.FINISH
                    self._begin_no_more()
                self._report_progress()

    def _finished_during_signals(self) -> Iterator[Future[PlayedGame] | None]:
        """Return further records that have arrived."""
        with suppress(queue.Empty):
            while True:
                yield self._finished.get_nowait()

    def _fill_workers(self) -> None:
        """Give every worker a game, and keep some ready, so that no worker waits while games are stored."""
        most = self._workers.size + self._workers.ahead
        while self.progress.stop_request is StopRequest.GO_ON and len(self._running) < most:
            task = self._again.pop() if self._again else self._state.next_task(most)
            if task is None:
                return
            future = self._workers.submit(task)
            self._running[future] = task
            future.add_done_callback(self._finished.put)

    def _store_finished(self, came: Sequence[Future[PlayedGame] | None]) -> None:
        """Store the finished games, in one transaction, then report them. None stands for a signal."""
        if None in came:
            self._begin_no_more()
        ended, mistake = list[tuple[Task, PlayedGame]](), None
        for future in came:
            try:
                if future is not None and (one := self._record_of(future)) is not None:
                    ended.append(one)
            except Exception as fault:  # games that arrived with it are stored, too
                mistake = fault
        # if this worker is set aside, all its games become void: so check each game before the next is stored
        named = any(played.machine is not None and played.machine.worker for _, played in ended)
        for some in ([one] for one in ended) if named else [ended]:
            self._store_games(some)
        if mistake is not None:
            raise mistake

    def _store_games(self, ended: Sequence[tuple[Task, PlayedGame]]) -> None:
        kept = list[tuple[Task, PlayedGame]]()
        for task, played in ended:
            if played.machine is not None and played.machine.worker in self._dismissed:
                self._again.append(task)
            else:
                kept.append((task, played))
        self._look_at_workers()
        try:
            for task, played, is_new in self._state.keep(kept):
                self._announce(task, played, is_new)
        finally:
            self._forget(task for task, _ in kept)

    def _record_of(self, future: Future[PlayedGame]) -> tuple[Task, PlayedGame] | None:
        """Return a record to store; a void game is played again, three times at most."""
        task = self._running.pop(future)
        try:
            played = future.result()
        except (Cancelled, CancelledError):  # an interrupted game has no record
            return None
        except UserError:  # an agent cannot start: if it was removed from a ladder's folder, the others continue
            if not self._state.departed_players(task):
                raise
            self._state.drop(task)
            return None
        # only after a crash: listing the folder reads all its files
        if (
            self._state.plan.is_open
            and (fallen := _players_with_ended_program(played, task))
            and fallen & self._state.departed_players(task)
        ):
            self._state.drop(task)  # its program was removed, so the loss says nothing about its strength
            return None
        if played.outcome.void:
            self._tries[task.key] += 1
            if self._tries[task.key] < MOST_TRIES:
                # the machine was suspended, for example: the user must learn of it
                if played.outcome.reason is Reason.INTERRUPTED:
                    who, why = " against ".join(task.names), played.outcome.detail
                    self.progress.news.append(f"A game of {who} is played again: {why}.")
                self._again.append(task)
                return None
        return task, played

    def _announce(self, task: Task, played: PlayedGame, is_new: bool) -> None:
        """Report a stored game. is_new: whether the store had no game with its key."""
        if played.outcome.void:
            self._void_in_a_row += 1
        elif is_new:
            self._void_in_a_row = 0
        self.progress.last = played
        if is_new and not played.outcome.void:
            slow = self._dismiss_slow(played)
            if not slow and self._enough(played, task) and self.progress.stop_request is StopRequest.GO_ON:
                self.progress.stop_request = StopRequest.ENOUGH
                self._begin_no_more()
        self._watch(self.progress)
        if self.progress.planned is None and self._void_in_a_row == MOST_VOID:
            raise UserError(
                f"{MOST_VOID} games in a row could not be played: {played.outcome.detail}.",
                "Repair the cause, then run the same command again.",
            )

    def _dismiss_slow(self, played: PlayedGame) -> bool:
        """Set workers aside whose players lose on time far more than elsewhere: their games are void.

        Returns whether this game became void.
        """
        for worker, count in self._state.slow_workers(played).items():
            self._dismissed.add(worker)
            self._workers.dismiss(worker)
            self._state.set_worker_aside(worker)
            self.progress.news.append(
                f"Worker {worker} is set aside: of its {count.games} games {count.late} were lost on time, far more "
                "than elsewhere. They are void, and played again."
            )
            self._recount()
        return played.machine is not None and played.machine.worker in self._dismissed

    def _forget(self, tasks: Iterable[Task]) -> None:
        if self._live is not None:
            remove_live_files(self._live, (task.key for task in tasks))

    def _begin_no_more(self) -> None:
        """Cancel the games that are ready but not begun: only those can be cancelled."""
        for future in list(self._running):
            future.cancel()
        self._report_progress()

    def _look_at_workers(self) -> None:
        self.progress.news += self._workers.news()
        self.progress.running = {task.key: task.names for future, task in self._running.items() if future.running()}

    def _report_progress(self) -> None:
        self._look_at_workers()
        self._watch(self.progress)

    def _on_signal(self, number: int) -> None:
        """Record a signal as a request, handled when no game is being stored."""
        again = self._interrupted or number != signal.SIGINT
        self._interrupted = True
        self.progress.stop_request = StopRequest.DROP if again else StopRequest.FINISH
        self._finished.put(None)


def _players_with_ended_program(played: PlayedGame, task: Task) -> set[str]:
    """Return the players whose program ended in the game."""
    return {task.players[seat - 1] for seat, reason in played.forfeits.items() if reason is Reason.CRASHED}
