"""Under what conditions a game is played: how busy its cores were, what each program spent; and whether a loss on time
may have been the machine's fault.

Knows processes by number and the record; gives no verdict: a doubtful loss stays a loss until somebody replays it.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from gomogo_core.games.base import Reason, Seat
from gomogo_core.play.events import Ended, Event, Started
from gomogo_core.processes import load
from gomogo_core.processes.load import NOTHING_KNOWN, Spent
from gomogo_core.records.played import Machine, PlayedGame

WAITED = 0.1  # of its time a program may wait for its core before its loss is doubtful
_OTHERS = 0.05  # of the cores: where others took less, a program waited for its own threads
_A_CORE = 0.75  # of a core is left to a game at the least
_SHORTEST = 0.05  # seconds: the system counts in hundredths, so that shares of less mean nothing


class Meter:
    """A listener that looks at the clock of the machine when a game begins and when it ends.

    processes: gives, by seat, the process above all that a player has started. cores: those that the game may use.
    """

    def __init__(self, processes: Callable[[], Mapping[Seat, int]], cores: tuple[int, ...], worker: str = "") -> None:
        self._processes, self._cores, self._worker = processes, cores, worker
        self._began = time.monotonic()
        self._busy: float | None = None
        self._seats: dict[Seat, Spent] = {}
        self._referee = NOTHING_KNOWN
        self._found: tuple[Machine, dict[Seat, Spent]] | None = None

    def __call__(self, event: Event) -> None:
        """Look, where it begins or ends."""
        if isinstance(event, Started):
            self._began, self._busy, self._referee = time.monotonic(), load.busy(self._cores), load.of_this_thread()
            self._seats = self._spent()
        elif isinstance(event, Ended):
            self._found = self._since_then()

    def _spent(self) -> dict[Seat, Spent]:
        return {seat: load.of_tree(root) for seat, root in self._processes().items()}

    def _since_then(self) -> tuple[Machine, dict[Seat, Spent]]:
        seconds, busy, referee = time.monotonic() - self._began, load.busy(self._cores), load.of_this_thread()
        seats = {seat: now.since(self._seats.get(seat, NOTHING_KNOWN)) for seat, now in self._spent().items()}
        referee = referee.since(self._referee)
        ours, share = [referee.cpu, *(spent.cpu for spent in seats.values())], None
        known = [cpu for cpu in ours if cpu is not None]
        if busy is not None and self._busy is not None and len(known) == len(ours) and seconds >= _SHORTEST:
            others = busy - self._busy - sum(known)
            share = round(min(1.0, max(0.0, others / (seconds * len(self._cores)))), 3)
        return Machine(platform.node(), self._worker, self._cores, share, referee.waited), seats

    def added_to(self, played: PlayedGame) -> PlayedGame:
        """The record with what was found, and with a doubt where there is reason for one."""
        if self._found is None:  # it never began
            return played
        machine, seats = self._found
        by_seat = [seats.get(seat, NOTHING_KNOWN) for seat in range(1, len(played.names) + 1)]
        played = replace(
            played,
            machine=machine,
            cpu=tuple(spent.cpu for spent in by_seat),
            waited=tuple(spent.waited for spent in by_seat),
        )
        return replace(played, doubtful=doubt(played))


def doubt(played: PlayedGame) -> str:
    """Why a loss on time may be the machine's fault, as a sentence; empty where nothing says so.

    The best evidence is how long the program was ready to run while others had its core; where the system does not tell
    that, how much of the cores others took.
    """
    machine = played.machine
    late = [seat for seat, reason in played.forfeits.items() if reason is Reason.OUT_OF_TIME]
    if machine is None or not late:
        return ""
    for seat in late:
        waited = played.waited[seat - 1]
        if waited is None or machine.waited is None:
            if machine.load is not None and (1 - machine.load) * len(machine.cores) < _A_CORE:
                return f"others took {machine.load:.0%} of its {_cores(len(machine.cores))}"
            continue
        waited += machine.waited  # while the referee waits to read its move, its clock runs
        own = _thought(played, seat)
        if waited > WAITED * own and (machine.load is None or machine.load >= _OTHERS):
            return f"it waited {waited:.2f} s of {own:.2f} s for a core that others used"
    return ""


def _thought(played: PlayedGame, seat: Seat) -> float:
    """Seconds that a player had the move, the last time too, of which no move came."""
    moves = played.plies[played.opening :]
    own = sum(seconds for ply, seconds in zip(moves, played.seconds, strict=True) if ply.seat == seat)
    return own + max(0.0, played.duration - sum(played.seconds))


def _cores(count: int) -> str:
    return "core" if count == 1 else f"{count} cores"
