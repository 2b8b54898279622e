"""Measures the CPU time that a program uses out of turn, and stops a program that uses more than an allowance.

The supervisor checks twenty times a second. From the moment when a program has used more than the allowance, the
supervisor stops that program whenever it is not the program's turn. A program that only waits is never stopped, because
some system calls of a stopped process end early (signal(7)). The supervisor imports this module, so the module imports
only the standard library, `procfs` and `turns`.
"""

from __future__ import annotations

import os
import resource
import signal
import time

from gomogo_core import procfs
from gomogo_core.processes.turns import SharedTurnState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gomogo_core.processes.cgroup import Cgroup

_CHECK_INTERVAL, _PAUSE_TO_CHECK_RATIO = 0.05, 10  # seconds between two checks; checks take at most 1/10 of one core
_ALLOWANCE = 0.25  # the allowance: seconds of CPU time out of turn
# seconds added to the allowance per second, for a JIT compiler or a loop that polls for `TEAM.go`
_ALLOWANCE_PER_SECOND = 0.2
_LOADING_ALLOWANCE = 1.0  # the allowance before the first turn, because not every program reports that it is loaded
_STOP_ROUNDS = 50  # attempts to stop a tree, before the supervisor gives up on a program that forks faster
_NS_PER_SECOND = 1_000_000_000
_NS_PER_TICK = _NS_PER_SECOND // os.sysconf("SC_CLK_TCK")
_STOPPED_OR_DEAD_STATES = (b"T", b"t", b"Z", b"X")


class TurnWatch:
    """The supervisor's part: measures the tree of processes below this one, and stops it if necessary.

    descriptor: the descriptor of the page that is shared with the referee. group: the program's control group, if there
    is one. ponders: whether the program may think out of turn. If so, it is measured, but never stopped.
    """

    def __init__(self, descriptor: int, group: Cgroup | None, *, ponders: bool) -> None:
        self._page, self._group, self._ponders = SharedTurnState(descriptor), group, ponders
        os.close(descriptor)
        self._due = 0.0
        self._at = time.monotonic_ns()  # the time of the last check
        self._cores = len(os.sched_getaffinity(0))
        self._cpu = _CpuCounter(group)
        self._loading, self._left = True, _LOADING_ALLOWANCE * _NS_PER_SECOND
        self._stopped: list[int] = []

    def seconds_to_next_check(self) -> float:
        """Return the seconds until the next check."""
        return max(0.0, self._due - time.monotonic())

    def check(self, *, now: bool = False) -> None:
        """Measure. Then stop the program or let it continue, as the shared page says whether it is the program's turn.

        now: whether to measure even if the next check is not due.
        """
        if not now and time.monotonic() < self._due:
            return
        cost = time.process_time()  # measured in CPU time, because on a busy machine a check also waits for a core
        self._measure()
        page = self._page
        if page.read("number") % 2:
            if page.read("held"):
                self._resume_tree()
        elif page.read("flagged") and not page.read("held") and not self._ponders:
            self._stop_tree()
        self._due = time.monotonic() + max(_CHECK_INTERVAL, (time.process_time() - cost) * _PAUSE_TO_CHECK_RATIO)

    def _measure(self) -> None:
        """Add the CPU time out of turn since the last check. If a turn ended since that check, the sum is a lower
        bound.
        """
        page, before = self._page, self._at
        number, since = page.read("number"), page.read("since")
        used, self._at = self._cpu.nanoseconds_since_last_call(), time.monotonic_ns()
        if number % 2 and page.read("sampled") != number:
            page.write("cpu", self._cpu.total)
            page.write("sampled", number)
        if number % 2 or page.read("number") != number:
            return
        if page.read("measured") != number:
            page.write("used", 0)
            page.write("measured", number)
        if self._loading and not page.read("loading"):
            self._loading, self._left = False, _ALLOWANCE * _NS_PER_SECOND
        own = max(0, since - before) * self._cores
        used, waited = max(0, used - own), self._at - max(since, before)
        page.write("used", page.read("used") + used)
        page.write("total", page.read("total") + used)
        most = (_LOADING_ALLOWANCE if self._loading else _ALLOWANCE) * _NS_PER_SECOND
        self._left = min(most, self._left + waited * _ALLOWANCE_PER_SECOND) - used
        if self._left < 0:
            page.write("flagged", 1)

    def _stop_tree(self) -> None:
        """Stop the whole tree, and let it continue if its turn has begun meanwhile."""
        self._page.write("held", 1)
        if self._group is None or not self._group.set_frozen(True):
            self._stop_processes()
        if self._page.read("number") % 2:
            self._resume_tree()

    def _stop_processes(self) -> None:
        """Stop processes in rounds, until a round finds no running process, because a process may fork meanwhile."""
        for _ in range(_STOP_ROUNDS):
            running = False
            for number, state, _, _ in _descendants():
                if state not in _STOPPED_OR_DEAD_STATES:
                    running = True
                    self._stop(number)
            if not running:
                return
            time.sleep(0.0005)

    def _stop(self, pid: int) -> None:
        try:
            os.kill(pid, signal.SIGSTOP)
        except OSError:
            return  # it has ended
        if pid not in self._stopped:
            self._stopped.append(pid)

    def _resume_tree(self) -> None:
        if self._group is not None:
            self._group.set_frozen(False)
        for number in reversed(self._stopped):
            try:
                os.kill(number, signal.SIGCONT)
            except OSError:
                continue  # it has ended
        self._stopped.clear()
        self._page.write("held", 0)


class _CpuCounter:
    """Measures the CPU time of the tree below this process: by the program's control group if there is one, else by
    /proc.

    total: the nanoseconds of CPU time until the last measurement.
    """

    def __init__(self, group: Cgroup | None) -> None:
        self._group = group
        self._before: dict[int, int] = {}
        self.total = 0

    def nanoseconds_since_last_call(self) -> int:
        """Return the nanoseconds of CPU time since the last call."""
        total = -1 if self._group is None else self._group.cpu_nanoseconds()
        each: dict[int, int] = {}
        if total < 0:
            own = resource.getrusage(resource.RUSAGE_CHILDREN)
            total = int((own.ru_utime + own.ru_stime) * _NS_PER_SECOND)
            for number, _, alone, buried in _descendants():
                each[number] = alone
                total += alone + buried
        # the CPU time of an ended process that nobody reaped is lost, so take the larger of the two counts
        living = sum(max(0, spent - self._before.get(number, 0)) for number, spent in each.items())
        used = max(0, total - self.total, living)
        self._before, self.total = each, total
        return used


def _descendants() -> Iterator[tuple[int, bytes, int, int]]:
    """Yield all processes below this one, with as few reads as possible, because the cores may be busy.

    Each process is a tuple of its id, its state, its nanoseconds of CPU time, and those of the children that it has
    waited for.
    """
    ahead = procfs.children(os.getpid())
    while ahead:
        number = ahead.pop()
        fields = procfs.stat_fields(number)
        if len(fields) <= procfs.THREADS:  # it has just ended
            continue
        threads = [number]
        if fields[procfs.THREADS] != b"1":
            threads = procfs.threads(number)
        exact = 0  # this sum does not include threads that have ended
        for thread in threads:
            exact += (procfs.schedule_times(f"{number}/task/{thread}") or (0, 0))[0]
            ahead += procfs.children(number, thread)
        user, system, below_user, below_system = map(int, fields[11:15])
        yield (
            number,
            fields[0],
            max(exact, (user + system) * _NS_PER_TICK),
            (below_user + below_system) * _NS_PER_TICK,
        )
