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
_CPU_ALLOWANCE = 0.25  # the allowance: seconds of CPU time out of turn
# seconds added to the allowance per second, for a JIT compiler or a loop that polls for `TEAM.go`
_ALLOWANCE_PER_SECOND = 0.2
_LOADING_ALLOWANCE = 1.0  # the allowance before the first turn, because not every program reports that it is loaded
_MAX_STOP_ROUNDS = 50  # attempts to stop a tree, before the supervisor gives up on a program that forks faster
_NS_PER_SECOND = 1_000_000_000
_NS_PER_TICK = _NS_PER_SECOND // os.sysconf("SC_CLK_TCK")
_STOPPED_OR_DEAD_STATES = (b"T", b"t", b"Z", b"X")


class TurnWatch:
    """The supervisor's part: measures the tree of processes below this one, and stops it if necessary.

    descriptor: the descriptor of the page that is shared with the referee. cgroup: the program's control group, if
    there is one. ponders: whether the program may think out of turn. If so, it is measured, but never stopped.
    next_check_at: the time of the next check, by the monotonic clock.
    """

    def __init__(self, descriptor: int, cgroup: Cgroup | None, *, ponders: bool) -> None:
        self._turn_state, self._cgroup, self._ponders = SharedTurnState(descriptor), cgroup, ponders
        os.close(descriptor)
        self.next_check_at = 0.0
        self._checked_at_ns = time.monotonic_ns()  # the time of the last check
        self._core_count = len(os.sched_getaffinity(0))
        self._cpu_counter = _CpuCounter(cgroup)
        self._is_loading, self._allowance_left = True, _LOADING_ALLOWANCE * _NS_PER_SECOND
        self._stopped_pids: list[int] = []

    def check(self, *, measure_now: bool = False) -> None:
        """Measure the CPU time. If the program's turn has begun, let it run; otherwise stop it if it has used too much.

        measure_now: whether to measure even if the next check is not due.
        """
        if not measure_now and time.monotonic() < self.next_check_at:
            return
        cpu_at_start = time.process_time()  # not the time of a clock: on a busy machine a check also waits for a core
        self._measure()
        turn_state = self._turn_state
        if turn_state.read("phase") % 2:
            if turn_state.read("is_stopped"):
                self._resume_tree()
        elif turn_state.read("exceeds_allowance") and not turn_state.read("is_stopped") and not self._ponders:
            self._stop_tree()
        pause = (time.process_time() - cpu_at_start) * _PAUSE_TO_CHECK_RATIO
        self.next_check_at = time.monotonic() + max(_CHECK_INTERVAL, pause)

    def _measure(self) -> None:
        """Add the CPU time out of turn since the last check. If a turn ended since that check, the sum is a lower
        bound.
        """
        turn_state, last_check = self._turn_state, self._checked_at_ns
        phase, phase_start = turn_state.read("phase"), turn_state.read("phase_start")
        used_ns, self._checked_at_ns = self._cpu_counter.nanoseconds_since_last_call(), time.monotonic_ns()
        if phase % 2 and turn_state.read("cpu_phase") != phase:
            turn_state.write("cpu_at_phase_start", self._cpu_counter.total)
            turn_state.write("cpu_phase", phase)
        if phase % 2 or turn_state.read("phase") != phase:
            return
        if turn_state.read("used_phase") != phase:
            turn_state.write("used_in_phase", 0)
            turn_state.write("used_phase", phase)
        if self._is_loading and not turn_state.read("is_loading"):
            self._is_loading, self._allowance_left = False, _CPU_ALLOWANCE * _NS_PER_SECOND
        cpu_before_phase = max(0, phase_start - last_check) * self._core_count
        used_ns, measured_ns = max(0, used_ns - cpu_before_phase), self._checked_at_ns - max(phase_start, last_check)
        turn_state.write("used_in_phase", turn_state.read("used_in_phase") + used_ns)
        turn_state.write("used_in_all", turn_state.read("used_in_all") + used_ns)
        max_allowance = (_LOADING_ALLOWANCE if self._is_loading else _CPU_ALLOWANCE) * _NS_PER_SECOND
        self._allowance_left = min(max_allowance, self._allowance_left + measured_ns * _ALLOWANCE_PER_SECOND) - used_ns
        if self._allowance_left < 0:
            turn_state.write("exceeds_allowance", 1)

    def _stop_tree(self) -> None:
        """Stop the whole tree, and let it continue if its turn has begun meanwhile."""
        self._turn_state.write("is_stopped", 1)
        if self._cgroup is None or not self._cgroup.set_frozen(True):
            self._stop_processes()
        if self._turn_state.read("phase") % 2:
            self._resume_tree()

    def _stop_processes(self) -> None:
        """Stop processes in rounds, until a round finds no running process, because a process may fork meanwhile."""
        for _ in range(_MAX_STOP_ROUNDS):
            found_running = False
            for pid, state, _, _ in _descendants():
                if state not in _STOPPED_OR_DEAD_STATES:
                    found_running = True
                    self._stop_process(pid)
            if not found_running:
                return
            time.sleep(0.0005)

    def _stop_process(self, pid: int) -> None:
        try:
            os.kill(pid, signal.SIGSTOP)
        except OSError:
            return  # it has ended
        if pid not in self._stopped_pids:
            self._stopped_pids.append(pid)

    def _resume_tree(self) -> None:
        if self._cgroup is not None:
            self._cgroup.set_frozen(False)
        for pid in reversed(self._stopped_pids):
            try:
                os.kill(pid, signal.SIGCONT)
            except OSError:
                continue  # it has ended
        self._stopped_pids.clear()
        self._turn_state.write("is_stopped", 0)


class _CpuCounter:
    """Measures the CPU time of the tree below this process: by the program's control group if there is one, else by
    /proc.

    total: the nanoseconds of CPU time until the last measurement.
    """

    def __init__(self, cgroup: Cgroup | None) -> None:
        self._cgroup = cgroup
        self._times_at_last_call: dict[int, int] = {}
        self.total = 0

    def nanoseconds_since_last_call(self) -> int:
        """Return the nanoseconds of CPU time since the last call."""
        total = -1 if self._cgroup is None else self._cgroup.cpu_nanoseconds()
        times_by_pid: dict[int, int] = {}
        if total < 0:
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            total = int((usage.ru_utime + usage.ru_stime) * _NS_PER_SECOND)
            for pid, _, own_time, reaped_time in _descendants():
                times_by_pid[pid] = own_time
                total += own_time + reaped_time
        # the CPU time of a process that ended without being reaped is lost, so take the larger of the two counts
        earlier = self._times_at_last_call
        used_by_living = sum(max(0, cpu_time - earlier.get(pid, 0)) for pid, cpu_time in times_by_pid.items())
        used_ns = max(0, total - self.total, used_by_living)
        self._times_at_last_call, self.total = times_by_pid, total
        return used_ns


def _descendants() -> Iterator[tuple[int, bytes, int, int]]:
    """Yield all processes below this one, with as few reads as possible, because the cores may be busy.

    Each process is a tuple of its id, its state, its nanoseconds of CPU time, and those of the children that it has
    waited for.
    """
    pids = procfs.child_ids(os.getpid())
    while pids:
        pid = pids.pop()
        fields = procfs.stat_fields(pid)
        if len(fields) <= procfs.THREAD_COUNT_FIELD:  # it has just ended
            continue
        threads = [pid] if fields[procfs.THREAD_COUNT_FIELD] == b"1" else procfs.thread_ids(pid)
        running_time = 0  # this sum does not include threads that have ended
        for thread in threads:
            running_time += (procfs.schedule_times(f"{pid}/task/{thread}") or (0, 0))[0]
            pids += procfs.child_ids(pid, thread)
        user, system, below_user, below_system = map(int, fields[11:15])
        own_time = max(running_time, (user + system) * _NS_PER_TICK)
        yield pid, fields[0], own_time, (below_user + below_system) * _NS_PER_TICK
