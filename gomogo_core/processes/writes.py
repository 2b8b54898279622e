"""Whether a program has written anything at all since it was last asked: so its own line is told from a stranger's.

Two programs of one user can write into each other's folders, and nothing shows whose hand wrote a file. But Linux
counts each process's calls of write and their bytes (proc(5), `syscw` and `wchar` in /proc/PID/io). Knows processes; no
folder and no protocol.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import NamedTuple


class Amount(NamedTuple):
    """Calls of write, and the bytes that they wrote, wherever to."""

    calls: int
    size: int


class Writes:
    """The calls of write of one process. A context for as long as it plays: `close` gives its descriptor back."""

    def __init__(self, number: int) -> None:
        """Raise OSError where the system does not count, or not for us."""
        self._number = number
        self._file = os.open(f"/proc/{number}/io", os.O_RDONLY | os.O_CLOEXEC)
        self._before = self._count()

    @staticmethod
    def of(number: int, supervisor: int) -> Writes | None:
        """Of the process `number`, if it is the program itself that this supervisor started; else None.

        One that a shell has started, or that has another number in a sandbox of its own, is not followed.
        """
        with contextlib.suppress(OSError, ValueError, IndexError):
            if _parent(_parent(number)) == supervisor:
                return Writes(number)
        return None

    def _count(self) -> Amount | None:
        """All that it wrote so far; None where the process has gone."""
        with contextlib.suppress(OSError, KeyError):
            told = dict(line.split(b": ") for line in os.pread(self._file, 512, 0).splitlines())
            return Amount(int(told[b"syscw"]), int(told[b"wchar"]))
        return None

    def begin(self) -> None:
        """Count from now on."""
        self._before = self._count()

    def amount(self) -> Amount | None:
        """What it has written since `begin`; None where it has gone."""
        now, before = self._count(), self._before
        return None if now is None or before is None else Amount(now.calls - before.calls, now.size - before.size)

    def none(self) -> bool:
        """Whether it has surely written nothing since `begin`: it neither called write, nor has it a child that could.

        A child that has ended is counted with its parent.
        """
        amount = self.amount()
        if amount is None or amount.calls:
            return False
        with contextlib.suppress(OSError):
            tasks = Path(f"/proc/{self._number}/task")
            return not any((task / "children").read_bytes().strip() for task in tasks.iterdir())
        return False

    def close(self) -> None:
        """Let go of the process."""
        os.close(self._file)


def _parent(number: int) -> int:
    return int(Path(f"/proc/{number}/stat").read_bytes().rpartition(b")")[2].split()[1])
