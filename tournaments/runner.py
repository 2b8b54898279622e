"""Play the planned games that are not stored yet, store each at once, and stop on request.

Knows plan, store and workers; displays nothing itself: it reports its progress to `watch`.
"""

from __future__ import annotations

import queue
import signal
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain, islice
from pathlib import Path

from gomogo_core.cancellation import Cancelled
from gomogo_core.errors import UserError
from gomogo_core.games.base import Reason
from gomogo_core.records.aggregates import Ranked, late_by_worker, ranks
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.live_format import forget_live
from gomogo_core.records.store import Entry, Run, Status, Store
from tournaments.plan import Plan
from tournaments.resume import changes, note
from tournaments.schedules import ScheduledGame, ScheduleResult
from tournaments.signals import heard
from tournaments.slow_workers import Count, set_aside
from tournaments.task import Task
from tournaments.workers import Workers

MOST_TRIES = 3  # attempts at a game that is void each time
MOST_VOID = 10  # consecutive void games that end an endless run
_LOOK = 1.0  # seconds between two looks at the requests of other processes


class StopRequest(Enum):
    """The next step of the run."""

    GO_ON = "go on"
    FINISH = "finish"  # finish the running games, and begin no other
    ENOUGH = "enough"  # the same, since the results already decide
    DROP = "drop"  # drop the running games, too


@dataclass(slots=True)
class Progress:
    """The progress of a run. planned: games in all, as far as it is known; None for no end. played: games that count,
    also of earlier runners. here: played by this runner.

    running: names by seat of the running games. last: the latest record. news: agents and workers that have come and
    gone, in sentences.
    """

    planned: int | None
    played: int
    unplayed: int = 0
    here: int = 0
    running: dict[str, tuple[str, ...]] = field(default_factory=dict)
    last: PlayedGame | None = None
    wish: StopRequest = StopRequest.GO_ON
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


Watch = Callable[[Progress], None]


Enough = Callable[[PlayedGame, Task], bool]


class Runner:
    """Play one run to its end. live: the folder of live files, or None. watch: called for each game, and each second.

    enough: called with each game that counts; returns whether the results decide already. recount: called when games
    that counted no longer do.
    """

    def __init__(
        self,
        plan: Plan,
        store: Store,
        run: Run,
        workers: Workers,
        *,
        live: Path | None = None,
        watch: Watch | None = None,
        enough: Enough | None = None,
        recount: Callable[[], None] | None = None,
    ) -> None:
        self._plan, self._store, self._run, self._workers, self._live = plan, store, run, workers, live
        self._watch = watch or (lambda progress: None)
        self._enough = enough or (lambda played, task: False)
        self._recount = recount or (lambda: None)
        self._dismissed: set[str] = set()  # workers whose games do not count
        self._heard: queue.SimpleQueue[Future[PlayedGame] | None] = queue.SimpleQueue()
        self._running: dict[Future[PlayedGame], Task] = {}
        self._tries: Counter[str] = Counter()
        self._again: list[Task] = []  # void games, to be played again
        self._given_up: list[Ranked] = []  # the same, void each time: now they count as drawn
        self._planned: deque[ScheduledGame] = deque()
        self._begun = store.keys(run)
        self._void_in_a_row = 0
        self._aside = store.keys(run, Status.SET_ASIDE)
        self._unplayed = store.keys(run, Status.UNPLAYED)  # of earlier runners: tried anew if the plan still has them
        self._news = True  # results the schedule has not seen
        self._interrupted = False
        self.progress = Progress(run.planned, len(self._begun))

    def play(self) -> Progress:
        """Play until all games are played, or somebody asks to stop. The caller holds the run's lock (`Store.holding`).

        Ctrl-C once finishes the running games, twice drops them; SIGTERM drops them at once. Raises UserError if an
        agent cannot start, or the store cannot be written.
        """
        if self._live is not None:
            self._say_broken_off(forget_live(self._live, run=self._run.name))
        self._store.ask_to_stop(self._run, False)
        with heard(self._hear):
            try:
                self._play()
            finally:
                if self._running:
                    self._workers.abandon()
                self._workers.close()
                self._forget(self._running.values())
        return self.progress

    def _say_broken_off(self, games: int) -> None:
        """Remove live files: only a killed runner leaves them."""
        if games:
            were, are = ("game was", "it is") if games == 1 else ("games were", "they are")
            self.progress.news.append(f"{games} {were} broken off when the last runner was killed: {are} played again.")

    def _play(self) -> None:
        looked = time.monotonic()
        while True:
            self._fill()
            if not self._running or self.progress.wish is StopRequest.DROP:
                self._tell()  # that games are dropped, too: there is no next look
                return
            with suppress(queue.Empty):
                future = self._heard.get(timeout=_LOOK)
                self._take([future, *self._heard_too()])
            if time.monotonic() - looked >= _LOOK:
                looked = time.monotonic()
                if self.progress.wish is StopRequest.GO_ON and self._store.asked_to_stop(self._run):
                    self.progress.wish = StopRequest.FINISH
                    self._begin_no_more()
                self._tell()

    def _heard_too(self) -> Iterator[Future[PlayedGame] | None]:
        """Return further records that have arrived."""
        with suppress(queue.Empty):
            while True:
                yield self._heard.get_nowait()

    def _fill(self) -> None:
        """Give every worker a game, and keep some ready, so that no worker waits while games are stored."""
        while self.progress.wish is StopRequest.GO_ON and len(self._running) < self._workers.size + self._workers.ahead:
            task = self._again.pop() if self._again else self._next()
            if task is None:
                return
            future = self._workers.submit(task)
            self._running[future] = task
            future.add_done_callback(self._heard.put)

    def _next(self) -> Task | None:
        """Return the next game that has not begun. If none is left, ask the schedule again with new results."""
        if not self._planned and self._news:
            self._news = False
            self._ask()
        if not self._planned:
            return None
        task = self._plan.task(self._planned.popleft())
        self._begun.add(task.key)
        return task

    def _ask(self) -> None:
        """Ask the schedule for the games, given the results so far."""
        before, self._plan = self._plan, self._plan.renewed()
        planned = self._plan.games(self._results())
        if planned != self.progress.planned or self._plan is not before:
            self.progress.planned = planned
            self.progress.news += changes(before, self._plan)
            self._run = note(self._plan, self._store, self._run, planned)
        ahead = self._workers.size + self._workers.ahead
        asked = {self._plan.key(pairing): pairing for pairing in self._plan.pairings(self._results(), ahead=ahead)}
        if back := self._aside & asked.keys():
            self._store.mark(self._run, back, Status.PLAYED)
            self._aside -= back
            self._begun |= back
            self.progress.played += len(back)
            self._ask()
            return
        if self._plan.format.report:  # earlier results may have changed: then later games were between others
            self._lay_aside(self._store.keys(self._run) - asked.keys())
        new = (pairing for key, pairing in asked.items() if key not in self._begun)
        self._planned = deque(islice(new, self._left(planned)) if self._plan.format.is_open and planned else new)
        gone_on = self._unplayed - asked.keys() if self._plan.format.report else set()  # from them as from draws
        self.progress.unplayed = len(self._given_up) + len(gone_on)

    def _lay_aside(self, keys: set[str]) -> None:
        """Let games count no longer, until the plan asks for them again."""
        if keys:
            self._store.mark(self._run, keys, Status.SET_ASIDE)
            self._aside |= keys
            self._begun -= keys
            self.progress.played -= len(keys)

    def _left(self, most: int) -> int:
        """Return the number of games that may begin: running games are not among the results."""
        return max(0, most - len(self._begun))

    def _results(self) -> Iterator[ScheduleResult]:
        """Read only by schedules that ask for them: those of a long round robin take seconds."""
        void = {game.key for game in self._given_up}
        stored = ranks(self._store, self._run, (Status.PLAYED, Status.UNPLAYED))
        yield from self._plan.results(chain(self._given_up, (game for game in stored if game.key not in void)))

    def _take(self, came: Sequence[Future[PlayedGame] | None]) -> None:
        """Store the finished games, in one transaction, then report them. None stands for a signal."""
        if None in came:
            self._begin_no_more()
        ended, mistake = list[tuple[Task, PlayedGame]](), None
        for future in came:
            try:
                if future is not None and (one := self._ended(future)) is not None:
                    ended.append(one)
            except Exception as fault:  # the games that came with it are stored all the same
                mistake = fault
        # a worker that is set aside takes all its games along: then each game is checked before the next is stored
        named = any(played.machine is not None and played.machine.worker for _, played in ended)
        for some in ([one] for one in ended) if named else [ended]:
            self._keep(some)
        if mistake is not None:
            raise mistake

    def _keep(self, ended: Sequence[tuple[Task, PlayedGame]]) -> None:
        kept = list[tuple[Task, PlayedGame]]()
        for task, played in ended:
            if played.machine is not None and played.machine.worker in self._dismissed:
                self._again.append(task)
            else:
                kept.append((task, played))
        self._look_at_workers()
        entries = [Entry(played, task.players, task.pair) for task, played in kept]
        for (task, played), is_new in zip(kept, self._store.add_all(entries, self._run), strict=True):
            self._announce(task, played, is_new)

    def _ended(self, future: Future[PlayedGame]) -> tuple[Task, PlayedGame] | None:
        """Return a record to store; a void game is played again, three times at most."""
        task = self._running.pop(future)
        try:
            played = future.result()
        except (Cancelled, CancelledError):  # nothing to keep
            return None
        except UserError:  # an agent cannot start; if it has been removed from a ladder's folder, others go on
            if not self._have_gone(task):
                raise
            self._drop(task)
            return None
        # only after a crash: listing the folder reads all its files
        if self._plan.is_open and (fallen := _fallen(played, task)) and fallen & self._have_gone(task):
            self._drop(task)  # its program was removed: the loss says nothing of its strength
            return None
        if played.outcome.void:
            self._tries[task.key] += 1
            if self._tries[task.key] < MOST_TRIES:
                if played.outcome.reason is Reason.INTERRUPTED:  # by a standstill: the caller must know of it
                    who, why = " against ".join(task.names), played.outcome.detail
                    self.progress.news.append(f"A game of {who} is played again: {why}.")
                self._again.append(task)
                return None
        return task, played

    def _announce(self, task: Task, played: PlayedGame, is_new: bool) -> None:
        """Count a stored game. is_new: whether the store had no game with its key."""
        if played.outcome.void:
            self.progress.unplayed += 1
            self._void_in_a_row += 1
            self._given_up.append(Ranked(task.key, task.players, (1,) * len(task.players), task.pair))
        elif is_new:
            self.progress.played += 1
            self.progress.here += 1
            self._void_in_a_row = 0
        self.progress.last = played
        if is_new and not played.outcome.void:
            slow = self._dismiss_slow(played)
            if not slow and self._enough(played, task) and self.progress.wish is StopRequest.GO_ON:
                self.progress.wish = StopRequest.ENOUGH
                self._begin_no_more()
        self._forget([task])
        self._news = True
        self._watch(self.progress)
        if self.progress.planned is None and self._void_in_a_row == MOST_VOID:
            raise UserError(
                f"{MOST_VOID} games in a row could not be played: {played.outcome.detail}.",
                "Mend that.",
            )

    def _have_gone(self, task: Task) -> set[str]:
        """Return the players of a game that are no longer in a ladder's folder."""
        return set(task.players) - set(self._plan.renewed().players)

    def _drop(self, task: Task) -> None:
        """Plan again without a game that cannot be played any more."""
        self._begun.discard(task.key)
        self._planned.clear()
        self._news = True

    def _dismiss_slow(self, played: PlayedGame) -> bool:
        """Set workers aside whose players lose on time far more than elsewhere: their games are void.

        Returns whether this game became void.
        """
        if Reason.OUT_OF_TIME not in played.forfeits.values() or not (played.machine and played.machine.worker):
            return False
        counts = {worker: Count(*count) for worker, count in late_by_worker(self._store, self._run).items()}
        for worker in set_aside(counts):
            self._dismissed.add(worker)
            self._workers.dismiss(worker)
            void = self._store.played_by(self._run, worker)
            self._store.set_aside(self._run, void)
            self._begun -= void
            self.progress.played -= len(void)
            self.progress.news.append(
                f"Worker {worker} is set aside: of its {counts[worker].games} games {counts[worker].late} were lost on "
                "time, far more than elsewhere. They are void, and played again."
            )
            self._recount()
        return played.machine.worker in self._dismissed

    def _forget(self, tasks: Iterable[Task]) -> None:
        if self._live is not None:
            for task in tasks:
                forget_live(self._live, task.key)

    def _begin_no_more(self) -> None:
        """Cancel the games that are ready but not begun: only those can be cancelled."""
        for future in list(self._running):
            future.cancel()
        self._tell()

    def _look_at_workers(self) -> None:
        self.progress.news += self._workers.news()
        self.progress.running = {task.key: task.names for future, task in self._running.items() if future.running()}

    def _tell(self) -> None:
        self._look_at_workers()
        self._watch(self.progress)

    def _hear(self, number: int) -> None:
        """Record a signal as a request, handled when no game is being stored."""
        again = self._interrupted or number != signal.SIGINT
        self._interrupted = True
        self.progress.wish = StopRequest.DROP if again else StopRequest.FINISH
        self._heard.put(None)


def _fallen(played: PlayedGame, task: Task) -> set[str]:
    """The players whose program ended in the game."""
    return {task.players[seat - 1] for seat, reason in played.forfeits.items() if reason is Reason.CRASHED}
