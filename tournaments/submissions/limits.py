"""The limits of one submission, and the error for one that cannot be used.

Uses neither folders nor archives.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO

MOST_FILES = 5_000
MOST_DEEP = 32  # folders in folders
_PIECE = 1 << 20

LEFT_OUT = frozenset({"__MACOSX", "__pycache__", ".git", ".DS_Store"})  # files of operating systems, not of the agent


class Unusable(Exception):
    """The reason why a submission cannot be used, as a sentence for its author."""


@dataclass
class Allowance:
    """The remaining size of a submission. Each file and each byte counts as it is written, not as announced.

    megabytes: of all its files together.
    """

    megabytes: int
    files: int = 0
    written: int = 0

    def file(self, name: str) -> None:
        """Count one more file or folder. Raises Unusable if there are too many, or it lies too deep."""
        self.files += 1
        if self.files > MOST_FILES:
            raise Unusable(f"It holds more than {MOST_FILES:,} files and folders.")
        if len(PurePosixPath(name).parts) > MOST_DEEP:
            raise Unusable(f"{name[:60]} … lies in more than {MOST_DEEP} folders.")

    def write(self, source: IO[bytes], target: IO[bytes]) -> None:
        """Copy an open file to another. Raises Unusable if all files together are too large."""
        while piece := source.read(_PIECE):
            self.written += len(piece)
            if self.written > self.megabytes * 1_000_000:
                raise Unusable(f"Its files hold more than {self.megabytes} MB.")
            target.write(piece)


def is_left_out(name: str) -> bool:
    """Return whether a path contains a name that is left out of every submission."""
    return not LEFT_OUT.isdisjoint(PurePosixPath(name).parts)
