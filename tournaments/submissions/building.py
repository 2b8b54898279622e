"""Runs a student's build command: in its own folder, watched like an agent, with a time limit and its own log.

Knows programs; no game.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from gomogo_core.arena import environment
from gomogo_core.errors import UserError
from gomogo_core.processes.process import Process


@dataclass(frozen=True)
class Built:
    """What came of a build. fault: why it failed, a sentence, or empty. log: what it printed."""

    fault: str
    log: str
    seconds: float


def build(command: str, folder: Path, limit: float) -> Built:
    """Run a build command for at most `limit` seconds, and end all that it has started."""
    since = time.monotonic()
    try:
        process = Process(["sh", "-c", command], folder, environment())
    except (OSError, UserError) as fault:
        return Built(f"`{command}` cannot be started: {fault}.", "", 0.0)
    try:
        in_time = process.wait(limit)
        ended = process.ended() or ""
    finally:
        process.end()
    why = "" if ended == "exited with code 0" else f"`{command}` {ended}."
    if not in_time:
        why = f"`{command}` took more than {limit:g} s."
    return Built(why, process.printed, time.monotonic() - since)
