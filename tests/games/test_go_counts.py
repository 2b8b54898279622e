"""Known numbers of Go: legal positions, the number of stones in a game, and random games.

Legal positions: J. Tromp and G. Farnebäck, Combinatorics of Go (2006), table 1. Random games: 9×9, nobody fills their
own eyes, komi 7.5: 111.0 moves, black wins 42.3 %, and is 2.48 points ahead before komi.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from statistics import fmean, stdev
from typing import Any

import numpy as np
import pytest

from gomogo_core.games.stones.board import BLACK, WHITE, BitGeometry, StoneBoard, bit_geometry
from gomogo_core.games.stones.rules import PASS
from tests.games._stones import (
    all_boards,
    final_outcome,
    load_stones_game,
    random_game,
    random_game_without_filled_eyes,
)

LEGAL = {(1, 1): 1, (1, 2): 5, (1, 3): 15, (2, 2): 57, (2, 3): 489, (3, 3): 12_675}


@pytest.mark.parametrize(("columns", "rows"), LEGAL)
def test_the_number_of_legal_boards_is_the_published_one(columns: int, rows: int) -> None:
    assert sum(all(free for _, free, _ in chains(board)) for board in all_boards(columns, rows)) == LEGAL[columns, rows]


@pytest.mark.long
def test_321_689_boards_of_3_by_4_are_legal() -> None:
    assert sum(all(free for _, free, _ in chains(board)) for board in all_boards(4, 3)) == 321_689


def chains(board: StoneBoard) -> Iterator[Any]:
    return board.chains_of(board.black_mask | board.white_mask)


@pytest.mark.parametrize(("columns", "rows"), LEGAL)
def test_exactly_the_legal_boards_are_reachable(columns: int, rows: int) -> None:
    """Each legal board can be built stone by stone: by either colour, in any order, without suicide."""
    start = StoneBoard.of(bit_geometry(columns, rows))
    seen_keys, positions_left = {start.key}, [start]
    while positions_left:
        board = positions_left.pop()
        for i in board.bit_geometry.point_indices_in(board.empty_mask):
            for colour in (BLACK, WHITE):
                after = board.place_stone(colour, i)
                if not after.self_captured_mask and after.key not in seen_keys:
                    seen_keys.add(after.key)
                    positions_left.append(after)
    assert len(seen_keys) == LEGAL[columns, rows]


@pytest.mark.parametrize(("columns", "rows"), LEGAL)
def test_vectorized_counts_of_legal_boards_are_the_published_ones(columns: int, rows: int) -> None:
    assert count_legal_boards(bit_geometry(columns, rows)) == LEGAL[columns, rows]


@pytest.mark.long
def test_24_318_165_boards_of_4_by_4_are_legal() -> None:
    assert count_legal_boards(bit_geometry(4, 4)) == 24_318_165


def count_legal_boards(flat: BitGeometry) -> int:
    """The legal boards among all, by the plane's own neighbours, a row's worth of points laid out at a time.

    A board is legal if and only if walking from the empty points over one colour reaches all its stones, for both
    colours.
    """
    bits = [flat.masks[i] for i in flat.index_of.values()]
    half_count = len(bits) // 2
    legal_count = 0
    blacks, whites = all_colour_masks(bits[half_count:])
    for black, white in zip(*all_colour_masks(bits[:half_count]), strict=True):
        legal_count += int(np.count_nonzero(are_boards_legal(flat, blacks | black, whites | white)))
    return legal_count


def all_colour_masks(bits: list[int]) -> tuple[Any, Any]:
    """Return the masks of black and of white for all arrangements of stones on these points."""
    black = white = np.zeros(1, dtype=np.int64)
    for bit in bits:
        black, white = np.concatenate((black, black | bit, black)), np.concatenate((white, white, white | bit))
    return black, white


def are_boards_legal(flat: BitGeometry, black: Any, white: Any) -> Any:
    """Return, for each board, whether all its stones are joined to a liberty."""
    empty = flat.full_mask & ~(black | white)
    good = np.ones(len(black), dtype=bool)
    for own in (black, white):
        reached = flat.neighbours_of(empty) & own
        while not np.array_equal(next_reached := (reached | flat.neighbours_of(reached)) & own, reached):
            reached = next_reached
        good &= reached == own
    return good


@pytest.mark.parametrize(("name", "options"), [("go", {}), ("go", {"suicide": True}), ("capture_go", {"target": 99})])
def test_every_placed_stone_is_on_the_board_or_captured(name: str, options: dict[str, Any]) -> None:
    """All placed stones are on the board or were captured."""
    draw = random.Random(6)
    captured = 0
    for size in (2, 3, 5, 9):
        placed = 0
        for position, move in random_game(load_stones_game(name, size=size, **options).start(), draw):
            on_board = position.board.black_mask.bit_count() + position.board.white_mask.bit_count()
            assert on_board + sum(position.captures) == placed
            placed += move not in (PASS, None)
        captured += sum(position.captures)
    assert captured > 50


def random_game_statistics(games: int, seed: int) -> tuple[float, float, float, float]:
    """Return deviations of random games from known numbers, in standard errors: moves, wins, score; and the moves."""
    draw = random.Random(seed)
    game = load_stones_game("go", size=9, komi=7.5, max_moves=1000)
    moves, wins, margins = [], [], []
    for _ in range(games):
        *_, (last_move, _) = random_game_without_filled_eyes(game.start(), draw)
        black, white = final_outcome(last_move).scores or (0, 0)
        moves.append(last_move.moves_played)
        wins.append(float(black > white))
        margins.append(black - white + 7.5)

    def off(values: list[float], known_views: float) -> float:
        return (fmean(values) - known_views) / (stdev(values) / math.sqrt(games))

    return off(moves, 111.0), off(wins, 0.423), off(margins, 2.48), fmean(moves)


@pytest.mark.slow
@pytest.mark.parametrize("games", [150, pytest.param(4000, marks=pytest.mark.long)])
def test_random_games_have_the_published_length_and_balance(games: int) -> None:
    """Four standard errors: a correct board fails once in about five thousand runs, and never with this seed."""
    moves, wins, margin, mean = random_game_statistics(games, seed=1)
    assert max(abs(moves), abs(wins), abs(margin)) < 4
    assert 105 < mean < 117
