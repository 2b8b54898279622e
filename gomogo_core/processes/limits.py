"""The three sandbox levels, and the resource limits of a program at the levels `limits` and `bwrap`.

The supervisor enforces the limits. Every command imports this module, so the module imports little.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

SandboxLevel = Literal["none", "limits", "bwrap"]
SANDBOX_LEVELS: tuple[SandboxLevel, ...] = get_args(SandboxLevel)
DEFAULT_SANDBOX: SandboxLevel = "limits"
DEFAULT_MEMORY_MB = 2048  # megabytes, unless the program's agent.toml sets another limit


@dataclass(frozen=True)
class ResourceLimits:
    """The resource limits of one agent, with all its child processes.

    memory_mb: the megabytes of memory; shared pages count once. folder_mb, folder_entries: the megabytes of the agent's
    game folder, which may be in memory, and the number of files and folders in it. tasks: the number of processes and
    threads. has_own_user: whether the agent runs as a user of its own. ponders: whether the agent may think out of
    turn.
    """

    memory_mb: int = DEFAULT_MEMORY_MB
    folder_mb: int = 256
    folder_entries: int = 20_000
    tasks: int = 1024
    has_own_user: bool = False
    ponders: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the limits as a dictionary, for the supervisor."""
        return asdict(self)
