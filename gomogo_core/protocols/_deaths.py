"""What the end of a player's process proves, and what it does not.

Knows processes and reasons; whose game it ends is the loop's to say.
"""

from __future__ import annotations

from pathlib import Path

from gomogo_core.games.base import Reason, Seat
from gomogo_core.play.player import Doubt, Failure
from gomogo_core.processes import room
from gomogo_core.processes.process import Process

_SHOWN = 200  # characters of what the program printed last


def death_of(process: Process, ended: str, seat: Seat) -> Failure:
    """The fault of a player whose process has ended in this way: it crashed, or took more memory than it may."""
    if process.too_much_memory:
        return Failure(Reason.TOO_MUCH_MEMORY, ended, seat=seat)
    last = next((line for line in reversed(process.printed.splitlines()) if line.strip()), "")
    evidence = f"{ended}{': ' if last else ''}{last[:_SHOWN]}"
    return Failure(Reason.CRASHED, evidence, seat=seat, doubt=lambda: no_room(process.folder))


def no_room(folder: Path) -> Doubt | None:
    """The disk on which a player's folder lies is full, and not by its doing: it could not write what it had to."""
    return Doubt("the disk of the game folders is full", again=False) if room.lacks(folder) else None
