"""The failure of a player whose process has ended, and its doubts.

Knows processes and reasons; whose game it ends is the loop's to say.
"""

from __future__ import annotations

from pathlib import Path

from gomogo_core.games.base import Reason, Seat
from gomogo_core.play.player import Doubt, Failure
from gomogo_core.processes import disk_space
from gomogo_core.processes.process import Process

_SHOWN = 200  # characters of the program's last output


def death_of(process: Process, ended: str, seat: Seat) -> Failure:
    """The failure of a player whose process has ended in this way: a crash, or too much memory."""
    if process.too_much_memory:
        return Failure(Reason.TOO_MUCH_MEMORY, ended, seat=seat)
    last = next((line for line in reversed(process.printed.splitlines()) if line.strip()), "")
    evidence = f"{ended}{': ' if last else ''}{last[:_SHOWN]}"
    return Failure(Reason.CRASHED, evidence, seat=seat, doubt=lambda: no_room(process.folder))


def no_room(folder: Path) -> Doubt | None:
    """The doubt that the disk of a player's folder is full, but not by this player: it could not write its files."""
    return Doubt("the disk of the game folders is full", again=False) if disk_space.lacks(folder) else None
