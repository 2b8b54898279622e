"""The tablebase of a small board: the value of every position, built by retrograde analysis and stored in a file.

A position is the mask of its drawn edges, numbered as in the game. The file is in the user's data folder. Building the
2^24 values of 3 × 3 boxes needs NumPy, and takes about two seconds and 100 MB. A lookup needs no NumPy. It needs almost
no memory either, because the file is memory-mapped.
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

from gomogo_core.folders import data_folder
from gomogo_core.games.boards.edges import EdgeBoard, edge_board
from gomogo_core.regular_files import open_regular

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_EDGES = 24  # the number of edges of the largest board with a table; this table has a byte for each of 2^24 masks
FORMAT_VERSION = 1
_HEADER_BYTES = 64  # bytes before the values: the file type, and the checksum of the rest
_ABANDONED_SECONDS = 600.0  # seconds after which an unfinished file may be deleted


class BoxesTablebase:
    """The value of every mask of drawn edges of one board, as `value` defines it."""

    def __init__(self, board: EdgeBoard, values: Sequence[int]) -> None:
        self.board = board
        self._values = values

    def value(self, drawn_mask: int) -> int:
        """Return the number of open boxes that the mover gets, minus the opponent's, with best play."""
        return self._values[drawn_mask]

    def value_of_edge(self, drawn_mask: int, edge: int) -> int:
        """Return the value for the mover if it draws edge number `edge`."""
        drawn_mask |= 1 << edge
        sides_of_boxes = [self.board.boxes[box] for box in self.board.boxes_beside[edge]]
        completed = sum(drawn_mask & sides == sides for sides in sides_of_boxes)
        return completed + self._values[drawn_mask] if completed else -self._values[drawn_mask]

    def best_edges(self, drawn_mask: int) -> list[int]:
        """Return the numbers of all best edges; the list is empty after the end of the game."""
        value, undrawn = self.value(drawn_mask), (n for n in range(len(self.board.edges)) if not drawn_mask >> n & 1)
        return [edge for edge in undrawn if self.value_of_edge(drawn_mask, edge) == value]


def is_small_enough(rows: int, cols: int) -> bool:
    """Return whether a board is small enough for a table."""
    return len(edge_board(rows, cols).edges) <= MAX_EDGES


@cache
def load_tablebase(rows: int, cols: int) -> BoxesTablebase | None:
    """Read the table of a board from its file. Without a file, build the table, and store it if the folder is writable.
    Return None if the board has more than 24 edges, or if there is neither a file nor NumPy.
    """
    if not is_small_enough(rows, cols):
        return None
    board = edge_board(rows, cols)
    try:
        path = data_folder() / "tables" / f"boxes-{rows}x{cols}.v{FORMAT_VERSION}"
    except RuntimeError:  # no home folder
        path = None
    values = _read_values(path, board) if path else None
    if values is None:
        try:
            built = _build_values(board)
        except ImportError:
            return None
        if path is not None:
            with contextlib.suppress(OSError):
                _write_values(path, board, built)
                values = _read_values(path, board)
        if values is None:
            values = memoryview(built).cast("b")
    return BoxesTablebase(board, values)


def _file_header(board: EdgeBoard, checksum: int) -> bytes:
    return f"gomogo boxes {board.rows} x {board.cols} v{FORMAT_VERSION} {checksum:08x}\n".encode().ljust(_HEADER_BYTES)


def _read_values(path: Path, board: EdgeBoard) -> memoryview | None:
    """Return the values in the file at `path`, or None if it does not exist or is invalid."""
    try:
        with open_regular(path) as file:
            mapped_file = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):  # ValueError: an empty file cannot be memory-mapped
        return None
    view = memoryview(mapped_file)
    has_right_length = len(view) == _HEADER_BYTES + (1 << len(board.edges))
    is_valid = has_right_length and view[:_HEADER_BYTES] == _file_header(board, zlib.crc32(view[_HEADER_BYTES:]))
    return view[_HEADER_BYTES:].cast("b") if is_valid else None


def _write_values(path: Path, board: EdgeBoard, values: bytes) -> None:
    """Write the file atomically: two processes that build the same table may replace each other's file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for leftover in path.parent.glob(f"{path.name}.*.part"):
        with contextlib.suppress(OSError):
            if time.time() - leftover.stat().st_mtime > _ABANDONED_SECONDS:
                leftover.unlink()
    part = path.with_name(f"{path.name}.{os.getpid()}-{time.monotonic_ns()}.part")
    try:
        with part.open("xb") as file:
            file.write(_file_header(board, zlib.crc32(values)))
            file.write(values)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def _build_values(board: EdgeBoard) -> bytes:
    """Return the values of all masks, by retrograde analysis: each mask is computed after the masks with one more edge.

    The values are a matrix: the upper bits of a mask are its row, the lower bits its column. Rows with the same number
    of edges are computed at once, and within these rows the columns with the same number of edges. Raises ImportError
    without NumPy.
    """
    import numpy as np

    low = len(board.edges) // 2
    high = len(board.edges) - low
    closed = _closed_boxes_by_mask(board, low, high)
    values = np.zeros_like(closed)
    layers = [np.array([c for c in range(1 << low) if c.bit_count() == n], dtype=np.intp) for n in range(low + 1)]
    children = [
        np.array([[c | 1 << e for e in range(low) if not c >> e & 1] for c in layer.tolist()], dtype=np.intp)
        for layer in layers
    ]

    def value_after(completed: NDArray[np.int8], after: NDArray[np.int8]) -> NDArray[np.int8]:
        return np.where(completed > 0, completed + after, -after)

    for count in range(high, -1, -1):
        rows = np.array([row for row in range(1 << high) if row.bit_count() == count], dtype=np.intp)
        closed_before = closed[rows]
        best_values = np.full_like(closed_before, -128)
        for edge in range(high):
            row_indices = np.flatnonzero(rows >> edge & 1 == 0)
            next_rows = rows[row_indices] | 1 << edge
            values_after = value_after(closed[next_rows] - closed_before[row_indices], values[next_rows])
            best_values[row_indices] = np.maximum(best_values[row_indices], values_after)
        if count == high:
            best_values[:, -1] = 0
        for layer, next_rows in zip(layers[-2::-1], children[-2::-1], strict=True):
            closed_now = closed_before[:, next_rows] - closed_before[:, layer, None]
            layer_values = value_after(closed_now, best_values[:, next_rows]).max(axis=2)
            best_values[:, layer] = np.maximum(best_values[:, layer], layer_values)
        values[rows] = best_values
    return values.tobytes()


def _closed_boxes_by_mask(board: EdgeBoard, low: int, high: int) -> NDArray[np.int8]:
    """Return the number of boxes that each mask closes."""
    import numpy as np

    rows, columns = np.arange(1 << high), np.arange(1 << low)
    closed = np.zeros((1 << high, 1 << low), dtype=np.int8)
    for sides in board.boxes:
        above, below = sides >> low, sides & (1 << low) - 1
        closed += (rows & above == above)[:, None] & (columns & below == below)
    return closed
