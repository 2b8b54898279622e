"""What every position of a small board is worth, by looking it up: built backwards from the end, and kept in a file.

Knows masks of drawn edges as the game numbers them, and the person's folder for our data. Building takes NumPy, about
two seconds for 2^24 positions (3 × 3 boxes) and 100 MB; looking up takes neither: the file is mapped, not read.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import time
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from gomogo_core.data_folder import data_folder
from gomogo_core.games._edges import Edges, edges

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_EDGES = 24  # of a board that has a table: a byte for each of 2^24 masks
VERSION = 1
_HEAD = 64  # bytes before the values: what the file is, and the checksum of the rest
_ABANDONED = 600.0  # seconds after which a half-written file belongs to nobody


class Table:
    """The values of one board: what the mover gets of the open boxes more than the other, for each mask."""

    def __init__(self, board: Edges, values: Sequence[int]) -> None:
        self.board = board
        self._values = values

    def value(self, drawn: int) -> int:
        """The mover's boxes minus the other's, of those still open, when nobody errs."""
        return self._values[drawn]

    def after(self, drawn: int, edge: int) -> int:
        """The value for the mover of drawing edge number `edge`."""
        drawn |= 1 << edge
        taken = sum(drawn & self.board.boxes[box] == self.board.boxes[box] for box in self.board.beside[edge])
        return taken + self._values[drawn] if taken else -self._values[drawn]

    def best(self, drawn: int) -> list[int]:
        """The numbers of all best edges; none where all are drawn."""
        value, undrawn = self.value(drawn), (n for n in range(len(self.board.edges)) if not drawn >> n & 1)
        return [edge for edge in undrawn if self.after(drawn, edge) == value]


def has_table(rows: int, cols: int) -> bool:
    """Whether a board is small enough to have a table."""
    return len(edges(rows, cols).edges) <= MOST_EDGES


@cache
def table(rows: int, cols: int) -> Table | None:
    """The table of a board, from its file, or built now and kept there if that folder can be written.

    None where the board has more than 24 edges, or there is neither a file nor NumPy.
    """
    if not has_table(rows, cols):
        return None
    board = edges(rows, cols)
    try:
        path = data_folder() / "tables" / f"boxes-{rows}x{cols}.v{VERSION}"
    except RuntimeError:  # no home
        path = None
    values = _mapped(path, board) if path else None
    if values is None:
        try:
            built = _build(board)
        except ImportError:
            return None
        if path is not None:
            with contextlib.suppress(OSError):
                _write(path, board, built)
                values = _mapped(path, board)
        if values is None:
            values = memoryview(built).cast("b")
    return Table(board, values)


def _head(board: Edges, checksum: int) -> bytes:
    return f"gomogo boxes {board.rows} x {board.cols} v{VERSION} {checksum:08x}\n".encode().ljust(_HEAD)


def _mapped(path: Path, board: Edges) -> memoryview | None:
    """The values in the file at `path`, or None where there is none, or it is not what it should be."""
    try:
        with path.open("rb") as file:
            whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):  # ValueError: an empty file cannot be mapped
        return None
    view = memoryview(whole)
    right = len(view) == _HEAD + (1 << len(board.edges)) and view[:_HEAD] == _head(board, zlib.crc32(view[_HEAD:]))
    return view[_HEAD:].cast("b") if right else None


def _write(path: Path, board: Edges, values: bytes) -> None:
    """Write the file in one step: whoever builds the same table at the same time replaces it by its like."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in path.parent.glob(f"{path.name}.*.part"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > _ABANDONED:
                left.unlink()
    part = path.with_name(f"{path.name}.{os.getpid()}-{time.monotonic_ns()}.part")
    try:
        with part.open("xb") as file:
            file.write(_head(board, zlib.crc32(values)))
            file.write(values)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def _build(board: Edges) -> bytes:
    """The values of all masks, by retrograde analysis: a mask comes after those with one edge more.

    A mask is a row (its upper bits) and a column (its lower bits) of a square. Rows with equally many edges are built
    at once, and in them columns with equally many. Raises ImportError.
    """
    import numpy as np

    low = len(board.edges) // 2
    high = len(board.edges) - low
    closed = _closed(board, low, high)
    values = np.zeros_like(closed)
    layers = [np.array([c for c in range(1 << low) if c.bit_count() == n], dtype=np.intp) for n in range(low + 1)]
    children = [
        np.array([[c | 1 << e for e in range(low) if not c >> e & 1] for c in layer.tolist()], dtype=np.intp)
        for layer in layers
    ]

    def worth(taken: NDArray[np.int8], after: NDArray[np.int8]) -> NDArray[np.int8]:
        return np.where(taken > 0, taken + after, -after)

    for count in range(high, -1, -1):
        rows = np.array([row for row in range(1 << high) if row.bit_count() == count], dtype=np.intp)
        mine = closed[rows]
        best = np.full_like(mine, -128)
        for edge in range(high):
            without = np.flatnonzero(rows >> edge & 1 == 0)
            after = rows[without] | 1 << edge
            best[without] = np.maximum(best[without], worth(closed[after] - mine[without], values[after]))
        if count == high:
            best[:, -1] = 0
        for layer, after in zip(layers[-2::-1], children[-2::-1], strict=True):
            found = worth(mine[:, after] - mine[:, layer, None], best[:, after]).max(axis=2)
            best[:, layer] = np.maximum(best[:, layer], found)
        values[rows] = best
    return values.tobytes()


def _closed(board: Edges, low: int, high: int) -> NDArray[np.int8]:
    """How many boxes each mask closes."""
    import numpy as np

    rows, columns = np.arange(1 << high), np.arange(1 << low)
    closed = np.zeros((1 << high, 1 << low), dtype=np.int8)
    for sides in board.boxes:
        above, below = sides >> low, sides & (1 << low) - 1
        closed += (rows & above == above)[:, None] & (columns & below == below)
    return closed
