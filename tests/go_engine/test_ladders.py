"""The compiled search for ladders agrees with the search of gomogo_core/search/go/reading.py, and changes priors."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from gomogo_core.engines import compiling
from gomogo_core.games.go import Go
from gomogo_core.games.stones.rules import PASS, GoFamilyPosition
from gomogo_core.search.go.reading import ChainReader

compiling.load("gomogo_core.engines.go")

from gomogo_core.engines.go import board, forced_wins, ladders, move_features, priors  # noqa: E402
from gomogo_core.engines.go.engine import GoEngine  # noqa: E402

GAME = Go(size=9)


def random_positions(count: int) -> Iterator[GoFamilyPosition]:
    """Yield positions of random games in which ko forbids nothing."""
    for number in range(count):
        rng, position = random.Random(number), GAME.start()
        for _ in range(rng.randint(10, 45)):
            position = position.play(rng.choice([move for move in position.moves() if move is not PASS]))
        if not position.ko_mask():
            yield position


def new_memory() -> Any:
    return np.zeros(forced_wins.FORCED_WIN_MEMORY_SIZE, np.int32)


def board_stack(engine: GoEngine) -> Any:
    boards = forced_wins.new_board_stack()
    board.copy_board(engine.state, boards[0])
    return boards


def test_the_search_for_ladders_agrees_with_the_reading_of_chains() -> None:
    caught = escaped = 0
    engine = GoEngine(GAME, memory_mb=1)
    memory = new_memory()
    for position in random_positions(400):
        engine.set_position(position)
        opponent = 3 - position.to_move
        for chain in position.board.chains_of(position.board.stone_mask(opponent)):
            index = (chain[0] & -chain[0]).bit_length() - 1
            reader = ChainReader(nodes=20_000)
            expected = reader.find_capture_length(position.board, index, 0) > 0
            assert reader.is_complete
            memory[forced_wins.POSITIONS_LEFT] = 20_000
            point = GAME.bit_geometry.points[index]
            cell = engine.cell_at_point(point)
            assert ladders.catches_in_ladder(board_stack(engine), 0, cell, 0, memory) == expected, position.diagram()
            caught, escaped = caught + expected, escaped + (not expected)
    assert min(caught, escaped) > 100, (caught, escaped)


@pytest.mark.parametrize(
    ("moves", "move", "sign"),
    [
        pytest.param("c4 d4 d3 h2 c5 i2", "e4", 1, id="an atari that begins a ladder"),
        pytest.param("c4 d4 d3 g7 c5 i2", "e4", 0, id="an atari that begins a broken ladder"),
        pytest.param("c4 d4 d3 h2 c5 i2 e4", "d5", -1, id="a rescue that a ladder catches"),
        pytest.param("c4 d4 d3 g7 c5 i2 e4", "d5", 0, id="a rescue that works"),
        pytest.param("c4 d4 d3 h2 c5 i2", "g7", 0, id="a move elsewhere"),
    ],
)
def test_a_ladder_changes_the_rank_of_a_move(moves: str, move: str, sign: int) -> None:
    position = GAME.replay(moves.split())
    assert isinstance(position, GoFamilyPosition)
    engine = GoEngine(GAME, memory_mb=1)
    engine.set_position(position)
    cell = engine.cell_at_point(GAME.parse(move))
    weights, boards = move_features.weights(), forced_wins.new_board_stack()
    assert np.sign(priors._rank_change_by_ladders(engine.state, cell, weights, boards, new_memory())) == sign
