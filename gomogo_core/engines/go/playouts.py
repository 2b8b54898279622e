"""Random games to the end: with uniformly random moves, or with moves that answer the last moves.

The module uses the board. A playout of the second kind first looks near the last two moves for three things: a row to
complete (Robogo), chains in atari, and 3 × 3 patterns. Without such an answer it plays anywhere, seldom into atari.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from gomogo_core.engines.go.array_layout import (  # isort: skip
    BLACK, CANDIDATES_START, CAPTURE_GO, CAPTURES_ALLOWED, CELL_RECORDS_START, CHAIN_HEAD, COLUMNS, DIAGONAL_ROWS,
    EMPTY, EMPTY_CELLS_START, EMPTY_COUNT, EMPTY_INDEX, END_COUNT, END_LEADS, END_SQUARED_LEADS, GAME_KIND, GO,
    LAST_MOVE, LIBERTY_SQUARES, LIBERTY_SUM, MAX_PLAYOUT_MOVES, NEIGHBOUR_OFFSETS, NEIGHBOUR_STEPS, NEXT_STONE, PASS,
    PLAYOUT_MOVE_COUNT, PLAYOUT_MOVES_START, PSEUDO_LIBERTIES, RANDOM_PLAYOUTS, RECORD_SIZE, ROBOGO, ROW_LENGTH,
    ROW_STEPS, ROWS, SECOND_LAST_MOVE, STRIDE, TURN, WALL, WHITE, BoardArray, Boolean, Cell, Colour, EndSums, Int64,
    PlayoutSums,
)  # fmt: skip
from gomogo_core.engines.array_views import unchecked_view, uncounted_view
from gomogo_core.engines.go.board import (
    UNDECIDED,
    copy_board,
    doubled_lead,
    game_result,
    has_one_liberty,
    is_eye,
    is_legal,
    makes_row,
    play,
    random_below,
)
from gomogo_core.engines.go.patterns import pattern_table

PATTERN_TABLE = pattern_table()
_MAX_CANDIDATES = 60
_MAX_EXAMINED_STONES = 12  # the largest number of stones of a chain whose neighbours are examined for a capture
_ATARI_CHANCE = 230  # out of 256: how often the playout looks for chains in atari
_PATTERN_CHANCE = 243  # out of 256: how often the playout looks for patterns
_SELF_ATARI_CHANCE = 230  # out of 256: how often a move into atari is replaced by another move


@njit("int64(int32[::1], int64, int64)", nogil=True, cache=True)
def capped_liberties_after(board: BoardArray, cell: Cell, colour: Colour) -> Int64:
    """Return the number of liberties of a stone of `colour` on `cell`; 2 means two or more, or a capture."""
    board = unchecked_view(board)
    count = liberty_sum = square_sum = 0
    for k in range(4):
        neighbour = cell + NEIGHBOUR_STEPS[k]
        neighbour_colour = board[neighbour]
        if neighbour_colour == EMPTY:
            count += 1
            liberty_sum += neighbour
            square_sum += neighbour * neighbour
        elif neighbour_colour != WALL:
            head = board[CELL_RECORDS_START + RECORD_SIZE * neighbour + CHAIN_HEAD]
            record = CELL_RECORDS_START + RECORD_SIZE * head
            if neighbour_colour != colour:
                if has_one_liberty(board, record):
                    return 2
                continue
            # a chain that touches the cell twice counts twice, which does not change the result
            count += board[record + PSEUDO_LIBERTIES]
            liberty_sum += board[record + LIBERTY_SUM]
            square_sum += board[record + LIBERTY_SQUARES]
            for j in range(4):  # do not count the liberty that the stone takes
                own_neighbour = cell + NEIGHBOUR_STEPS[j]
                if (
                    board[own_neighbour] == colour
                    and board[CELL_RECORDS_START + RECORD_SIZE * own_neighbour + CHAIN_HEAD] == head
                ):
                    count -= 1
                    liberty_sum -= cell
                    square_sum -= cell * cell
    if count == 0:
        return 0
    return 1 if count * square_sum == liberty_sum * liberty_sum else 2


@njit("int64(int32[::1], int64)", nogil=True, cache=True)
def last_liberty(board: BoardArray, cell: Cell) -> Cell:
    """Return the only liberty of the chain on `cell`, which is in atari."""
    board = unchecked_view(board)
    record = CELL_RECORDS_START + RECORD_SIZE * board[CELL_RECORDS_START + RECORD_SIZE * cell + CHAIN_HEAD]
    return board[record + LIBERTY_SUM] // board[record + PSEUDO_LIBERTIES]


@njit("boolean(int32[::1], int64)", nogil=True, cache=True)
def is_in_atari(board: BoardArray, cell: Cell) -> Boolean:
    """Return whether the chain on `cell` has one liberty."""
    return has_one_liberty(
        board, CELL_RECORDS_START + RECORD_SIZE * board[CELL_RECORDS_START + RECORD_SIZE * cell + CHAIN_HEAD]
    )


@njit("int64(int32[::1], int64)", nogil=True, cache=True)
def matches_pattern(board: BoardArray, cell: Cell) -> Int64:
    """Return 1 if a pattern matches the empty `cell`, else 0."""
    board = unchecked_view(board)
    neighbourhood = 0
    for k in range(8):
        neighbourhood |= board[cell + NEIGHBOUR_OFFSETS[k]] << 2 * k
    return PATTERN_TABLE[neighbourhood >> 5] >> (neighbourhood & 31) & 1


@njit("int64(int32[::1], int64, int64)", nogil=True, cache=True)
def add_saving_moves(board: BoardArray, cell: Cell, count: Int64) -> Int64:
    """Add the moves that save the chain on `cell` from atari to the candidates; return the new number of candidates."""
    board = unchecked_view(board)
    colour = board[TURN]
    stone, walk_length = cell, 0
    while walk_length < _MAX_EXAMINED_STONES:  # captures of neighbouring chains
        for k in range(4):
            neighbour = stone + NEIGHBOUR_STEPS[k]
            if board[neighbour] == 3 - colour and is_in_atari(board, neighbour):
                capturing_point = last_liberty(board, neighbour)
                if count < _MAX_CANDIDATES and is_legal(board, capturing_point):
                    board[CANDIDATES_START + count] = capturing_point
                    count += 1
        stone = board[CELL_RECORDS_START + RECORD_SIZE * stone + NEXT_STONE]
        walk_length += 1
        if stone == cell:
            break
    extension = last_liberty(board, cell)
    if count < _MAX_CANDIDATES and capped_liberties_after(board, extension, colour) == 2 and is_legal(board, extension):
        board[CANDIDATES_START + count] = extension
        count += 1
    return count


@njit("int64(int32[::1])", nogil=True, cache=True)
def _write_answers_to_atari(board: BoardArray) -> Int64:
    """Write the captures and rescues near the last two moves to the candidates; return their number."""
    board = unchecked_view(board)
    colour, move_count = board[TURN], 0
    last = board[LAST_MOVE]
    if last != PASS:
        if board[last] == 3 - colour and is_in_atari(board, last):
            capturing_point = last_liberty(board, last)
            if is_legal(board, capturing_point):
                board[CANDIDATES_START] = capturing_point
                move_count = 1
        for k in range(4):
            neighbour = last + NEIGHBOUR_STEPS[k]
            if board[neighbour] == colour and is_in_atari(board, neighbour):
                move_count = add_saving_moves(board, neighbour, move_count)
    last = board[SECOND_LAST_MOVE]
    if last != PASS:
        for k in range(4):
            neighbour = last + NEIGHBOUR_STEPS[k]
            if board[neighbour] == 3 - colour and is_in_atari(board, neighbour):
                capturing_point = last_liberty(board, neighbour)
                if is_legal(board, capturing_point):
                    board[CANDIDATES_START + move_count] = capturing_point
                    move_count += 1
    return move_count


@njit("int64(int32[::1], int64, int64)", nogil=True, cache=True)
def row_completing_move(board: BoardArray, stone: Cell, colour: Colour) -> Cell:
    """Return a legal point on a line through `stone` where `colour` would complete a row, or PASS."""
    for k in range(4 if board[DIAGONAL_ROWS] else 2):
        for sign in range(2):
            step = ROW_STEPS[k] if sign else -ROW_STEPS[k]
            cell = stone + step
            for _ in range(board[ROW_LENGTH] - 1):
                if board[cell] == EMPTY:
                    if makes_row(board, cell, colour) and is_legal(board, cell):
                        return cell
                    break
                if board[cell] != colour:
                    break
                cell += step
    return PASS


@njit("int64(int32[::1])", nogil=True, cache=True)
def _write_pattern_moves(board: BoardArray) -> Int64:
    board = unchecked_view(board)
    move_count = 0
    for side in range(2):
        last = board[LAST_MOVE] if side == 0 else board[SECOND_LAST_MOVE]
        if last == PASS:
            continue
        for k in range(8):
            cell = last + NEIGHBOUR_OFFSETS[k]
            matches = board[cell] == EMPTY and matches_pattern(board, cell) and is_legal(board, cell)
            if matches and capped_liberties_after(board, cell, board[TURN]) == 2:
                board[CANDIDATES_START + move_count] = cell
                move_count += 1
        if move_count:
            break
    return move_count


@njit("int64(int32[::1], boolean)", nogil=True, cache=True, forceinline=True)
def _random_move(board: BoardArray, avoids_self_atari: Boolean) -> Cell:
    """Return a random legal move that fills no own eye, or PASS.

    With `avoids_self_atari`, moves into atari are rare.
    """
    board = unchecked_view(board)
    colour, count = board[TURN], board[EMPTY_COUNT]
    self_atari_move = PASS
    while count:  # swap a refused point to the end, so that the remaining points have the same chance
        index = random_below(board, count)
        cell: Any = np.int64(board[EMPTY_CELLS_START + index])
        # a point beside an empty one is neither an eye nor the ko point, which has stones on every side
        has_empty_neighbour = board[cell + 1] * board[cell - 1] * board[cell + STRIDE] * board[cell - STRIDE] == EMPTY
        if has_empty_neighbour or (not is_eye(board, cell, colour) and is_legal(board, cell)):
            if (
                not avoids_self_atari
                or capped_liberties_after(board, cell, colour) == 2
                or random_below(board, 256) >= _SELF_ATARI_CHANCE
            ):
                return cell
            self_atari_move = cell
        count -= 1
        last_cell = board[EMPTY_CELLS_START + count]
        board[EMPTY_CELLS_START + index], board[EMPTY_CELLS_START + count] = last_cell, cell
        board[CELL_RECORDS_START + RECORD_SIZE * last_cell + EMPTY_INDEX] = index
        board[CELL_RECORDS_START + RECORD_SIZE * cell + EMPTY_INDEX] = count
    return self_atari_move


@njit("int64(int32[::1])", nogil=True, cache=True, forceinline=True)
def playout_move(board: BoardArray) -> Cell:
    """Return the next move of a playout."""
    board = unchecked_view(board)
    if board[RANDOM_PLAYOUTS]:
        return _random_move(board, False)
    if board[GAME_KIND] == ROBOGO:
        colour = board[TURN]
        if board[SECOND_LAST_MOVE] != PASS:
            cell = row_completing_move(board, board[SECOND_LAST_MOVE], colour)
            if cell != PASS:
                return cell
        if board[LAST_MOVE] != PASS:
            cell = row_completing_move(board, board[LAST_MOVE], 3 - colour)
            if cell != PASS and is_legal(board, cell):
                return cell
    if board[CAPTURES_ALLOWED]:
        if board[GAME_KIND] == CAPTURE_GO or random_below(board, 256) < _ATARI_CHANCE:
            move_count = _write_answers_to_atari(board)
            if move_count:
                return board[CANDIDATES_START + random_below(board, move_count)]
        if board[GAME_KIND] != ROBOGO and random_below(board, 256) < _PATTERN_CHANCE:
            move_count = _write_pattern_moves(board)
            if move_count:
                return board[CANDIDATES_START + random_below(board, move_count)]
        return _random_move(board, True)
    return _random_move(board, False)


@njit("int64(int32[::1])", nogil=True, cache=True)
def run_playout(board: BoardArray) -> Int64:
    """Play to the end, and return the result: 2 if black wins, 1 for a draw, 0 if white wins."""
    board = unchecked_view(board)
    move_count = board[PLAYOUT_MOVE_COUNT]
    max_length = min(MAX_PLAYOUT_MOVES - 1, move_count + 3 * board[EMPTY_COUNT] + 20)
    passes = 0
    result = UNDECIDED
    is_go = board[GAME_KIND] == GO
    while move_count < max_length:
        if is_go:
            if passes >= 2:
                break
        else:
            result = game_result(board)
            if result != UNDECIDED:
                break
            if passes >= 2:
                break
        cell = playout_move(board)
        board[PLAYOUT_MOVES_START + move_count] = cell * 4 + board[TURN]
        move_count += 1
        passes = passes + 1 if cell == PASS else 0
        play(board, cell)
    board[PLAYOUT_MOVE_COUNT] = move_count
    if result != UNDECIDED:
        return result
    if is_go:
        lead = doubled_lead(board)
        return 1 + (lead > 0) - (lead < 0)
    return 1


@njit("int64(int32[::1], int64[::1])", nogil=True, cache=True)
def add_end(board: BoardArray, end_sums: EndSums) -> Int64:
    """Add the board at the end of a playout of Go to the sums of `end_sums`. Return black's lead in half points.

    The owner of an empty point is the player whose stones alone touch it; in a large empty region, nobody.
    """
    board, end_sums = unchecked_view(board), unchecked_view(end_sums)
    lead = doubled_lead(board)
    end_sums[END_COUNT] += 1
    end_sums[END_LEADS] += lead
    end_sums[END_SQUARED_LEADS] += lead * lead
    for row in range(1, board[ROWS] + 1):
        for cell in range(row * STRIDE + 1, row * STRIDE + 1 + board[COLUMNS]):
            owner = board[cell]
            if owner == EMPTY:
                for k in range(4):
                    neighbour = board[cell + NEIGHBOUR_STEPS[k]]
                    owner |= neighbour if neighbour != WALL else 0
            end_sums[cell] += 0 + (owner == BLACK) - (owner == WHITE)
    return lead


@njit("void(int32[::1], int32[::1], int64, int64[::1])", nogil=True, cache=True)
def sample_ends(state: BoardArray, playout_board: BoardArray, count: Int64, end_sums: EndSums) -> None:
    """Run `count` playouts of Go from `state` on `playout_board`, and add their ends to `end_sums`."""
    state, board = uncounted_view(state), uncounted_view(playout_board)
    for _ in range(count):
        copy_board(state, board)
        board[PLAYOUT_MOVE_COUNT] = 0
        run_playout(board)
        add_end(board, end_sums)


@njit("void(int32[::1], int32[::1], int64, int64[::1])", nogil=True, cache=True)
def measure_playouts(state: BoardArray, playout_board: BoardArray, count: Int64, sums: PlayoutSums) -> None:
    """Run `count` playouts of Go from `state` on `playout_board`, to measure them.

    `sums` receives the sums of the numbers of moves, the results, and black's leads in half points.
    """
    state, board = uncounted_view(state), uncounted_view(playout_board)
    for _ in range(count):
        copy_board(state, board)
        board[PLAYOUT_MOVE_COUNT] = 0
        sums[1] += run_playout(board)
        sums[0] += board[PLAYOUT_MOVE_COUNT]
        sums[2] += doubled_lead(board)
