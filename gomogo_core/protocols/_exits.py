"""Determines the failure of a player whose process has ended. The game loop handles the failure."""

from __future__ import annotations

from gomogo_core.games.base import Reason, Seat
from gomogo_core.play.player import Failure
from gomogo_core.processes import disk_space
from gomogo_core.processes.process import Process

_MAX_QUOTED_CHARACTERS = 200  # the most characters of the program's last output that are quoted


def failure_of_exit(process: Process, exit_description: str, seat: Seat) -> Failure:
    """Return the failure of a player whose process has ended: a crash, too much memory, or a full disk."""
    if process.too_much_memory:
        return Failure(Reason.TOO_MUCH_MEMORY, exit_description, seat=seat)
    if disk_space.is_disk_full_by_others(process.folder):
        return disk_full_failure(seat)
    last_line = next((line for line in reversed(process.output_text.splitlines()) if line.strip()), "")
    quoted_line = f": {last_line[:_MAX_QUOTED_CHARACTERS]}" if last_line else ""
    return Failure(Reason.CRASHED, exit_description + quoted_line, seat=seat)


def disk_full_failure(seat: Seat | None = None) -> Failure:
    """Return the failure of a player that could not write its files, because other programs filled the disk."""
    return Failure(Reason.INTERRUPTED, "the disk of the game folders is full", seat=seat)
