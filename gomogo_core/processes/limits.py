"""How a program is held: the three levels, and what it may take of this machine at the upper two.

Knows numbers; what keeps to them is the supervisor. Imported by every command: standard library only, and little of it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

Level = Literal["none", "limits", "bwrap"]
LEVELS: tuple[Level, ...] = get_args(Level)
DEFAULT: Level = "limits"
MEMORY_MB = 2048  # of a program that says nothing else in its agent.toml


@dataclass(frozen=True)
class Limits:
    """What one agent may take, with all it starts.

    memory_mb: of memory, shared pages counted once. folder_mb, entries: its game folder, which may lie in memory.
    tasks: processes and threads. own_user: no other program has the user that it runs as.
    """

    memory_mb: int = MEMORY_MB
    folder_mb: int = 256
    entries: int = 20_000
    tasks: int = 1024
    own_user: bool = False

    def told(self) -> dict[str, Any]:
        """The same for the supervisor."""
        return asdict(self)
