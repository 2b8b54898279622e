"""Counts the writes of a program in its turn, to find out whether it has written its move line itself.

Two programs of one user can write into each other's folders, and a file does not show which program has written it. But
Linux counts the write calls of each process, and their bytes (proc(5), `syscw` and `wchar` in /proc/PID/io). The module
uses processes, but no folder and no protocol.
"""

from __future__ import annotations

import contextlib
import os
from typing import NamedTuple

from gomogo_core import procfs


class WriteCounts(NamedTuple):
    """The number of write calls to any files, and the number of bytes that these calls wrote."""

    calls: int
    byte_count: int


class WriteCounter:
    """Counts the write calls of one process. `close` it when the process no longer plays."""

    def __init__(self, pid: int) -> None:
        """Raise OSError if the system does not count writes, or does not let this process read the counts."""
        self._pid = pid
        self._file = procfs.open_io_counters(pid)
        self._counts_at_start = self._last_counts = self._count()
        self.last_result: WriteCounts | None = None  # the last result of `count` since the start

    @staticmethod
    def for_supervised_process(pid: int, supervisor_pid: int) -> WriteCounter | None:
        """Return a counter of this process if this supervisor started the process directly, else None.

        A process that a shell has started, or that has another id inside a sandbox, is not counted.
        """
        with contextlib.suppress(OSError, ValueError, IndexError):
            if procfs.parent_id(procfs.parent_id(pid)) == supervisor_pid:
                return WriteCounter(pid)
        return None

    def _count(self) -> tuple[int, int] | None:
        """Return the write calls and bytes of the process so far; None if it has ended."""
        try:
            return procfs.write_counts(self._file)
        except (OSError, IndexError):
            return None

    def start(self) -> None:
        """Start to count from zero."""
        self._counts_at_start, self.last_result = self._count(), None

    def resume(self) -> None:
        """Continue to count from the values that were read last. Writes since that reading count too."""
        self._counts_at_start, self.last_result = self._last_counts, None

    def count(self) -> WriteCounts | None:
        """Return the writes since the start; None if the process has ended."""
        self._last_counts, at_start, self.last_result = self._count(), self._counts_at_start, None
        if (counts := self._last_counts) is not None and at_start is not None:
            self.last_result = WriteCounts(counts[0] - at_start[0], counts[1] - at_start[1])
        return self.last_result

    def has_written_nothing(self) -> bool:
        """Return whether the program certainly wrote nothing since the start: no write was counted, and no child runs.

        The writes of an ended child are added to those of its parent.
        """
        writes = self.count()
        if writes is None or writes.calls:
            return False
        threads = procfs.thread_ids(self._pid)
        return bool(threads) and not any(procfs.child_ids(self._pid, thread) for thread in threads)

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._file)
