"""Measures the conditions of a game: how busy its cores were, and the CPU time of each program.

The module finds losses on time that may be the machine's fault. It gives no verdict: a doubtful loss stays a loss until
somebody plays the game again. The module uses records and the ids of processes.
"""

from __future__ import annotations

import platform
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple, Protocol

from gomogo_core import procfs
from gomogo_core.arena.overtime import computes_past_limit
from gomogo_core.games.base import Reason, Seat
from gomogo_core.play.events import Ended, Event, Started
from gomogo_core.processes import cpu_times
from gomogo_core.processes.cpu_times import UNKNOWN_TIMES, CpuTimes
from gomogo_core.records.game_record import Machine, PlayedGame

DOUBTFUL_WAIT_SHARE = 0.1  # a loss is doubtful if the program waited for a core for more than this share of its turns
_MIN_WAIT_SECONDS = 0.005  # shorter waits for a core cannot be the reason for a loss
# share of the cores; if other programs used less, a program waited only for its own threads
_MIN_LOAD_BY_OTHERS = 0.05
_NEEDED_CORE_SHARE = 0.75  # a game needs this share of a core
# If a game follows another within these seconds, its first measurement is the last measurement of the other.
_REUSE_SECONDS = 0.01
# seconds of CPU time in each turn of the opponent that the supervisor may not have measured
_UNMEASURED_CPU_PER_TURN = 0.05
# seconds; the system counts in hundredths of a second, which is too coarse for shorter games
_MIN_MEASURED_GAME_SECONDS = 0.05


class _Measurement(NamedTuple):
    """The time that the machine, the referee and the programs have been busy so far, at one moment.

    measured_at: the moment, by time.monotonic(). cores: the cores that the game may use. busy_seconds: the seconds in
    which these cores were busy since the machine started; None if unknown. referee_times: the times of this thread.
    program_times: the times of each player's processes, by the id of its root process.
    """

    measured_at: float
    cores: tuple[int, ...]
    busy_seconds: float | None
    referee_times: CpuTimes
    program_times: dict[int, CpuTimes]


class _ThreadState(threading.local):
    """The last measurement of a thread, and the files of /proc that the thread keeps open."""

    def __init__(self) -> None:
        self.last_measurement: _Measurement | None = None
        self.proc_files = procfs.OpenFileCache()


_thread_state = _ThreadState()


def _measure_machine(cores: tuple[int, ...], processes: Mapping[Seat, int]) -> _Measurement:
    read_file = _thread_state.proc_files.read
    program_times = {root: cpu_times.process_tree_times(root, read_file) for root in processes.values()}
    busy_seconds, referee_times = cpu_times.busy_core_seconds(cores, read_file), cpu_times.thread_times(read_file)
    _thread_state.last_measurement = _Measurement(time.monotonic(), cores, busy_seconds, referee_times, program_times)
    return _thread_state.last_measurement


class _ProgramMeasurements(Protocol):
    """The part of an Arena's interface that a `ConditionsMeter` needs."""

    def process_ids(self) -> Mapping[Seat, int]: ...

    def cpu_before_turn(self, seat: Seat) -> float | None: ...


class ConditionsMeter:
    """A listener that measures the load of the machine and the CPU times of the programs during a game.

    arena: the arena that plays the game. cores: the cores that the game may use. worker: the name of this worker in the
    record. A measurement reads some 15 files of /proc, so if a game begins immediately after another game, its first
    measurement is the last measurement of the earlier game.
    """

    def __init__(self, arena: _ProgramMeasurements, cores: tuple[int, ...], worker: str = "") -> None:
        self._arena, self._cores, self._worker_name = arena, cores, worker
        self._first_measurement: _Measurement | None = None
        self._measured_conditions: tuple[Machine, dict[Seat, CpuTimes]] | None = None
        self._cpu_before_turn: dict[Seat, float | None] = {}

    def __call__(self, event: Event) -> None:
        """Read the system's counters of CPU time when a game begins, and when it ends."""
        if isinstance(event, Started):
            processes = self._arena.process_ids()
            self._first_measurement = self._reusable_measurement() or _measure_machine(self._cores, processes)
        elif isinstance(event, Ended) and self._first_measurement is not None:
            self._measured_conditions = self._measure_conditions_since(self._first_measurement)
            self._cpu_before_turn = {seat: self._arena.cpu_before_turn(seat) for seat in self._measured_conditions[1]}

    def _reusable_measurement(self) -> _Measurement | None:
        """Return the last measurement of this thread if it is recent and concerns the same processes, else None."""
        latest = _thread_state.last_measurement
        if latest is None or latest.cores != self._cores or time.monotonic() - latest.measured_at > _REUSE_SECONDS:
            return None
        return latest if latest.program_times.keys() == set(self._arena.process_ids().values()) else None

    def _measure_conditions_since(self, earlier: _Measurement) -> tuple[Machine, dict[Seat, CpuTimes]]:
        processes = self._arena.process_ids()
        latest = _measure_machine(self._cores, processes)
        times_by_seat = {
            seat: latest.program_times[root].since(earlier.program_times.get(root, UNKNOWN_TIMES))
            for seat, root in processes.items()
        }
        seconds = latest.measured_at - earlier.measured_at
        referee_times = latest.referee_times.since(earlier.referee_times)
        game_cpu, load = [referee_times.cpu, *(times.cpu for times in times_by_seat.values())], None
        known_cpu = [cpu for cpu in game_cpu if cpu is not None]
        busy_before, busy_after = earlier.busy_seconds, latest.busy_seconds
        is_known = len(known_cpu) == len(game_cpu) and seconds >= _MIN_MEASURED_GAME_SECONDS
        if is_known and busy_before is not None and busy_after is not None:
            cpu_of_others = busy_after - busy_before - sum(known_cpu)
            load = round(min(1.0, max(0.0, cpu_of_others / (seconds * len(self._cores)))), 3)
        return Machine(platform.node(), self._worker_name, self._cores, load, referee_times.waited), times_by_seat

    def add_conditions(self, played_game: PlayedGame) -> PlayedGame:
        """Return the record with the measured conditions, and with the reason if a loss is doubtful.

        A program that has lost on time may still run. If the loss may be the machine's fault, this method watches the
        program for a few seconds; a loss of a program that computes for longer than its limit is not doubtful.
        """
        if self._measured_conditions is None:  # the game never began
            return played_game
        machine, times_by_seat = self._measured_conditions
        by_seat = [times_by_seat.get(seat, UNKNOWN_TIMES) for seat in range(1, len(played_game.names) + 1)]
        cpu, waited = tuple(times.cpu for times in by_seat), tuple(times.waited for times in by_seat)
        played_game = replace(played_game, machine=machine, cpu=cpu, waited=waited)
        doubt = reason_for_doubt(played_game)
        if not doubt or all(self._computes_too_long(played_game, seat) for seat in _late_seats(played_game)):
            return played_game
        return replace(played_game, doubtful=doubt)

    def _computes_too_long(self, played_game: PlayedGame, seat: Seat) -> bool:
        """Return whether the program of a late player uses more CPU time than its limit. If so, it would be late on a
        machine of its own too.
        """
        root_pid, control = self._arena.process_ids().get(seat), played_game.controls[seat - 1]
        limit = control.total if control.per_move is None else control.per_move
        # at other levels nobody measures the CPU time out of turn
        is_measured = played_game.sandbox in ("limits", "bwrap")
        if root_pid is None or limit is None or self._first_measurement is None or not is_measured:
            return False
        if (cpu_before_turn := self._first_measurement.program_times.get(root_pid, UNKNOWN_TIMES).cpu) is None:
            return False
        own_move_seconds = _move_seconds(played_game, seat)
        cpu_before_turn += (played_game.cpu_out_of_turn or (0.0,) * seat)[seat - 1]
        cpu_before_turn += _UNMEASURED_CPU_PER_TURN * (len(own_move_seconds) + 1)
        if control.per_move is None:
            cpu_before_turn += control.increment * len(own_move_seconds)
        else:
            cpu_before_turn += sum(own_move_seconds)
            if (measured_cpu := self._cpu_before_turn.get(seat)) is not None:
                cpu_before_turn = min(cpu_before_turn, measured_cpu)
        cores = 1 if played_game.machine is None else len(played_game.machine.cores)
        return computes_past_limit(root_pid, cpu_before_turn + limit, cores)


def reason_for_doubt(played_game: PlayedGame) -> str:
    """Return the reason why a loss on time may be the machine's fault, as a sentence; empty if there is no evidence.

    The best evidence is the time in which the program was ready to run while its core was used by other programs: by
    programs outside the game, or by its opponents out of turn. If the system does not count this time, the evidence is
    the share of the cores that other programs used.
    """
    if (machine := played_game.machine) is None:
        return ""
    for seat in _late_seats(played_game):
        core_wait = played_game.waited[seat - 1]
        if core_wait is None or machine.waited is None:
            if machine.load is not None and (1 - machine.load) * len(machine.cores) < _NEEDED_CORE_SHARE:
                cores_text = "core" if len(machine.cores) == 1 else f"{len(machine.cores)} cores"
                return f"other programs took {machine.load:.0%} of its {cores_text}"
            continue
        core_wait += machine.waited  # the program's clock runs while the referee waits for a core to read the move
        sentence = core_wait_sentence(core_wait, _turn_seconds(played_game, seat))
        if sentence and (machine.load is None or machine.load >= _MIN_LOAD_BY_OTHERS):
            return sentence
        if sentence and (cpu_of_opponents := _seconds_out_of_turn(played_game, seat)) >= core_wait / 2:
            return f"{sentence}, its opponents for {cpu_of_opponents:.2f} s out of turn"
    return ""


def _late_seats(played_game: PlayedGame) -> list[Seat]:
    return [seat for seat, reason in played_game.forfeits.items() if reason is Reason.OUT_OF_TIME]


def core_wait_sentence(waited: float | None, seconds: float) -> str:
    """Return a sentence if a program waited for a core for a large part of its turns; else an empty text.

    waited: the seconds that the program waited. seconds: the total length of the program's turns.
    """
    if waited is None or waited < _MIN_WAIT_SECONDS or waited <= DOUBTFUL_WAIT_SHARE * seconds:
        return ""
    if waited > seconds:  # the waits of all threads are added up, even out of turn
        words = f"its threads together waited {waited:.2f} s for cores that other programs used"
        return f"{words}, in {seconds:.2f} s of its turns"
    return f"it waited {waited:.2f} s of {seconds:.2f} s for a core that other programs used"


def _turn_seconds(played_game: PlayedGame, seat: Seat) -> float:
    """Return the length of a player's turns in seconds, including the last turn, in which the player made no move."""
    return sum(_move_seconds(played_game, seat)) + max(0.0, played_game.duration - sum(played_game.seconds))


def _move_seconds(played_game: PlayedGame, seat: Seat) -> list[float]:
    """Return the seconds of each move of a player."""
    moves = played_game.plies[played_game.opening_length :]
    return [seconds for ply, seconds in zip(moves, played_game.seconds, strict=True) if ply.seat == seat]


def _seconds_out_of_turn(played_game: PlayedGame, seat: Seat) -> float:
    """Return the seconds of CPU time that the other programs used out of turn."""
    return sum(seconds for other, seconds in enumerate(played_game.cpu_out_of_turn, 1) if other != seat)
