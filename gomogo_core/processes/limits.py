"""The three sandbox levels, and the resource limits of a program at the upper two.

Uses numbers; the supervisor enforces them. Every command imports it: standard library only, and little of it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

Level = Literal["none", "limits", "bwrap"]
LEVELS: tuple[Level, ...] = get_args(Level)
DEFAULT: Level = "limits"
MEMORY_MB = 2048  # unless its agent.toml sets another limit


@dataclass(frozen=True)
class ResourceLimits:
    """The resource limits of one agent, with all its child processes.

    memory_mb: memory, with shared pages counted once. folder_mb, entries: for its game folder, which may be in memory.
    tasks: processes and threads. own_user: it runs as a user of its own. ponders: it may think out of turn.
    """

    memory_mb: int = MEMORY_MB
    folder_mb: int = 256
    entries: int = 20_000
    tasks: int = 1024
    own_user: bool = False
    ponders: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the limits as a dictionary, for the supervisor."""
        return asdict(self)
