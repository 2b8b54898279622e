"""Many boards of Gomoku at once, as arrays: the same rules as gomogo_core/games/gomoku.py, without its openings.

The boards support Gomoku's freestyle rule and the rule `exact`, but not Renju. A test compares games with the rules in
Python, move by move.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

EMPTY, BLACK, WHITE, WALL = 0, 1, 2, 3
UNFINISHED, DRAW = 0, 3  # values of `winners` besides BLACK and WHITE
NO_MOVE = -1
BORDER_WIDTH = 4  # cells around each board, so that a walk of four steps along a line needs no bounds check

Array = np.ndarray[Any, Any]


class GomokuBoards:
    """`count` boards of the same size, each with its own player to move.

    `cells` is uint8 with one row per board, which has a border of WALL; `cell_of_point` holds the cell of each point.
    `keys` is uint16, indexed by board, cell and direction. A key contains the four cells on each side of its cell, 2
    bits each, as in gomogo_core/engines/gomoku/shapes.py. `stones` is int32, the number of stones on each board; black
    moves if it is even. `winners` is uint8: UNFINISHED, BLACK, WHITE or DRAW.
    """

    def __init__(self, count: int, size: int = 15, line: int = 5, exact: bool = False) -> None:
        self.count, self.size, self.line, self.exact = count, size, line, exact
        self.stride = size + 2 * BORDER_WIDTH
        rows, columns = np.divmod(np.arange(size * size), size)
        self.cell_of_point = ((rows + BORDER_WIDTH) * self.stride + columns + BORDER_WIDTH).astype(np.int64)
        self._empty_cells = np.full(self.stride * self.stride, WALL, np.uint8)
        self._empty_cells[self.cell_of_point] = EMPTY
        self._empty_keys = np.zeros((self._empty_cells.size, 4), np.uint16)
        _set_keys(self._empty_cells, self.cell_of_point, self.stride, self._empty_keys)
        self.cells = np.empty((count, self._empty_cells.size), np.uint8)
        self.keys = np.empty((count, self._empty_cells.size, 4), np.uint16)
        self.stones = np.zeros(count, np.int32)
        self.winners = np.zeros(count, np.uint8)
        self.reset(np.arange(count))

    def reset(self, indices: Array) -> None:
        """Begin a new game on the boards with these numbers."""
        self.cells[indices] = self._empty_cells
        self.keys[indices] = self._empty_keys
        self.stones[indices] = 0
        self.winners[indices] = UNFINISHED

    def colours(self) -> Array:
        """Return the colour of every point, uint8 of shape (count, size, size)."""
        return self.cells[:, self.cell_of_point].reshape(self.count, self.size, self.size)

    def to_move(self) -> Array:
        """Return the colour to move on each board."""
        return (BLACK + self.stones % 2).astype(np.uint8)

    def play(self, moves: Array) -> None:
        """Place a stone on each board, on the point whose number `moves` holds; NO_MOVE leaves a board unchanged.

        Raises ValueError, and changes nothing, if a point is off the board or occupied, or a game is over.
        """
        illegal_board = _play(*self._arrays(), moves.astype(np.int64))
        if illegal_board >= 0:
            raise ValueError(f"Board {illegal_board}: {moves[illegal_board]} is no legal move.")

    def play_random_games(self, generator: np.random.Generator) -> int:
        """Play every board to its end at random, and return the number of moves."""
        seed = int(generator.integers(1 << 62)) + 1
        return int(_play_random_games(*self._arrays(), np.uint64(seed)))

    def _arrays(self) -> tuple[Array, Array, Array, Array, Array, int, int, bool]:
        boards = self.cells, self.keys, self.stones, self.winners
        return *boards, self.cell_of_point, self.stride, self.line, self.exact


@njit(cache=True, nogil=True)
def _set_keys(board: Array, cell_of_point: Array, stride: int, keys: Array) -> None:
    """Compute the keys of a whole board."""
    for point in range(cell_of_point.size):
        cell = cell_of_point[point]
        for direction, step in enumerate((1, stride, stride + 1, stride - 1)):
            key = 0
            for k in range(BORDER_WIDTH):
                key |= np.int64(board[cell + (k - BORDER_WIDTH) * step]) << (2 * k)
                key |= np.int64(board[cell + (k + 1) * step]) << (2 * (k + BORDER_WIDTH))
            keys[cell, direction] = key


@njit(cache=True, nogil=True)
def _place(
    all_cells: Array,
    all_keys: Array,
    stones: Array,
    winners: Array,
    board_number: int,
    cell: int,
    stride: int,
    line: int,
    exact: bool,
    area: int,
) -> None:
    """Place the next stone on a board, and set the winner if the stone completes a row or fills the board."""
    board, keys, colour = all_cells[board_number], all_keys[board_number], 1 + stones[board_number] % 2
    board[cell] = colour
    stones[board_number] += 1
    for direction, step in enumerate((1, stride, stride + 1, stride - 1)):
        for k in range(BORDER_WIDTH):
            keys[cell - (k - BORDER_WIDTH) * step, direction] |= np.uint16(colour << (2 * k))
            keys[cell - (k + 1) * step, direction] |= np.uint16(colour << (2 * (k + BORDER_WIDTH)))
        row_length, next_cell = 1, cell + step
        while board[next_cell] == colour:
            row_length, next_cell = row_length + 1, next_cell + step
        next_cell = cell - step
        while board[next_cell] == colour:
            row_length, next_cell = row_length + 1, next_cell - step
        if row_length == line or (row_length > line and not exact):
            winners[board_number] = colour
    if winners[board_number] == 0 and stones[board_number] == area:
        winners[board_number] = DRAW


@njit(cache=True, nogil=True)
def _play(
    cells: Array,
    keys: Array,
    stones: Array,
    winners: Array,
    cell_of_point: Array,
    stride: int,
    line: int,
    exact: bool,
    moves: Array,
) -> int:
    """Play one move on each board, and return -1. If a move is illegal, play no move, and return the number of its
    board.
    """
    for board_number in range(moves.size):
        if moves[board_number] == NO_MOVE:
            continue
        if (
            moves[board_number] < 0
            or moves[board_number] >= cell_of_point.size
            or winners[board_number] != 0
            or cells[board_number, cell_of_point[moves[board_number]]] != 0
        ):
            return board_number
    for board_number in range(moves.size):
        if moves[board_number] != NO_MOVE:
            cell = cell_of_point[moves[board_number]]
            _place(cells, keys, stones, winners, board_number, cell, stride, line, exact, cell_of_point.size)
    return -1


@njit(cache=True, nogil=True)
def _play_random_games(
    cells: Array,
    keys: Array,
    stones: Array,
    winners: Array,
    cell_of_point: Array,
    stride: int,
    line: int,
    exact: bool,
    seed: int,
) -> int:
    state, move_count = seed, 0
    free_cells = np.empty(cell_of_point.size, np.int64)
    for board_number in range(stones.size):
        moves_left = 0
        for point in range(cell_of_point.size):
            if cells[board_number, cell_of_point[point]] == 0:
                free_cells[moves_left] = cell_of_point[point]
                moves_left += 1
        while winners[board_number] == 0:
            state ^= state << np.uint64(13)  # xorshift: G. Marsaglia, Journal of Statistical Software 8 (2003)
            state ^= state >> np.uint64(7)
            state ^= state << np.uint64(17)
            index = np.int64(state % np.uint64(moves_left))
            cell = free_cells[index]
            moves_left -= 1
            free_cells[index] = free_cells[moves_left]
            _place(cells, keys, stones, winners, board_number, cell, stride, line, exact, cell_of_point.size)
            move_count += 1
    return move_count
