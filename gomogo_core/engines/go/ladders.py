"""Reads ladders: sequences of ataris that catch one chain.

The module uses the board. In a ladder the owner of the chain has few answers to each atari: a stone on the last
liberty, or the capture of an attacking chain that is in atari itself. So the search reads a ladder to its end, which a
playout would hardly ever do. The search obeys the board's rule of ko.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from gomogo_core.engines.go.array_layout import (  # isort: skip
    CELL_RECORDS_START, CHAIN_HEAD, NEIGHBOUR_STEPS, NEXT_STONE, RECORD_SIZE, TURN, BoardArray, BoardStack, Boolean,
    Cell, ForcedWinMemory, Int64,
)  # fmt: skip
from gomogo_core.engines.go.board import copy_board, is_legal, play
from gomogo_core.engines.go.forced_wins import (
    POSITIONS_LEFT,
    STACK_LEVELS,
    TRIED_MOVES_START,
    mark_tried,
    two_liberties,
)
from gomogo_core.engines.go.playouts import is_in_atari, last_liberty


@njit("void(int32[::1], int64)", nogil=True, cache=True)
def _write_answers(board: BoardArray, stone: Cell) -> None:
    """Write the answers to the atari of the chain on `stone` to TRIED_MOVES_START: their number, then their cells."""
    board[TRIED_MOVES_START] = 0
    mark_tried(board, last_liberty(board, stone))
    attacker, point = 3 - board[stone], stone
    while True:
        for k in range(4):
            neighbour = point + NEIGHBOUR_STEPS[k]
            if board[neighbour] == attacker and is_in_atari(board, neighbour):
                mark_tried(board, last_liberty(board, neighbour))
        point = np.int64(board[CELL_RECORDS_START + RECORD_SIZE * point + NEXT_STONE])
        if point == stone:
            return


@njit("boolean(int32[:, ::1], int64, int64, int64, int32[::1])", nogil=True, cache=True)
def catches_in_ladder(
    boards: BoardStack, level: Int64, stone: Cell, first_move: Cell, memory: ForcedWinMemory
) -> Boolean:
    """Return whether the player to move on boards[level] catches the opponent's chain on `stone` by ataris.

    first_move: the cell of the first atari; 0 for any. memory[POSITIONS_LEFT] limits the number of positions; at the
    limit, the result is False. The function overwrites the boards of later levels.
    """
    board = boards[level]
    if is_in_atari(board, stone):
        return is_legal(board, last_liberty(board, stone))
    if memory[POSITIONS_LEFT] <= 0 or level + 2 >= STACK_LEVELS:
        return False
    memory[POSITIONS_LEFT] -= 1
    liberties = two_liberties(board, np.int64(board[CELL_RECORDS_START + RECORD_SIZE * stone + CHAIN_HEAD]))
    if not liberties[0]:
        return False
    next_board, later_board, any_move = boards[level + 1], boards[level + 2], np.int64(0)
    for i in range(2):
        move = liberties[i]
        if (first_move and move != first_move) or not is_legal(board, move):
            continue
        copy_board(board, next_board)
        play(next_board, move)
        if next_board[move] != board[TURN]:  # a suicide
            continue
        _write_answers(next_board, stone)
        is_caught = True
        for j in range(next_board[TRIED_MOVES_START]):
            answer = np.int64(next_board[TRIED_MOVES_START + 1 + j])
            if not is_caught or not is_legal(next_board, answer):
                continue
            copy_board(next_board, later_board)
            play(later_board, answer)
            is_caught = later_board[stone] != board[stone] or catches_in_ladder(
                boards, level + 2, stone, any_move, memory
            )
        if is_caught:
            return True
    return False
