"""The policy that orders the champion's moves: the engine computes it as fitted, and the fit finds what is planted."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from gomogo_core.engines import compiling
from gomogo_core.engines.gomoku import array_layout, classes, search
from gomogo_core.games.gomoku import Gomoku
from training.champion_games import random_opening

GAME = Gomoku(size=15)
MODULE: Any = compiling.load("gomogo_core.engines.gomoku")


def test_a_set_of_shapes_does_not_depend_on_their_order() -> None:
    sets = classes.shape_sets()
    assert sets[0x1234] == sets[0x4321] == sets[0x2143] != sets[0x1233]
    assert sets[0xF000] == -1
    assert set(sets[sets >= 0]) == set(range(classes.SHAPE_SET_COUNT))


def test_the_engine_computes_the_policy() -> None:
    rank_moves: Any = search.rank_moves  # mypy does not understand Numba's types
    policy = classes.shipped_policy().reshape(classes.POLICY_ROWS, classes.POLICY_ROW_SIZE).astype(float)
    engine = MODULE.GomokuEngine(GAME, memory_mb=1, line_network={})
    s = engine.state
    for seed in range(20):
        position = random_opening(GAME, random.Random(seed))
        engine.set_position(position.cells)
        mover = int(s[array_layout.TURN])
        counts = s[array_layout.CLASS_COUNTS_START : array_layout.CLASS_COUNTS_START + 48].reshape(3, 16)[
            [mover, 3 - mover]
        ]
        counted = counts[:, classes.FIRST_COUNTED_CLASS : classes.FIRST_COUNTED_CLASS + classes.COUNTED_CLASSES].ravel()
        steps = classes.STEP_OF_COUNT[np.minimum(counted, 63)]
        places = 2 + steps + classes.COUNT_STEPS * np.arange(len(steps))
        context = policy[0] + policy[places[steps > 0]].sum(0)
        count = search.generate_moves(s, array_layout.MOVE_LISTS_START)
        best = rank_moves(engine.arrays, array_layout.MOVE_LISTS_START, count, 0, 0)
        ranks = s[array_layout.MOVE_LISTS_START : array_layout.MOVE_LISTS_START + 2 * count].reshape(count, 2)
        assert best == ranks[:, 1].max()
        for cell, rank in ranks:
            shapes = int(s[cell * array_layout.RECORD_SIZE + array_layout.POINT_SHAPES]) & 0xFFFFFFFF
            black, white = (
                classes.shape_sets()[shapes_of_colour] for shapes_of_colour in (shapes & 0xFFFF, shapes >> 16)
            )
            own, other = (black, white) if mover == 1 else (white, black)
            shape_pairs = (
                policy[classes.POLICY_OWN_SHAPES_ROW + own]
                + policy[classes.POLICY_OWN_SHAPES_ROW + classes.SHAPE_SET_COUNT + other]
            )
            hidden = np.maximum(shape_pairs[:-1] + context[:-1], 0) @ policy[1, :-1]
            expected = shape_pairs[-1] / (1 << classes.DIRECT_BITS)
            expected += hidden / (1 << (classes.POLICY_BITS + classes.RANK_BITS))
            assert abs(rank - expected) <= 2


@pytest.mark.long
def test_the_fit_finds_a_choice_by_shapes_and_counts() -> None:
    pytest.importorskip("torch")
    from training import gomoku_policy

    rng = np.random.default_rng(1)
    number = 3000
    own = rng.integers(0, 40, (number, 30)).astype(np.int16)
    steps = np.zeros((number, 2 * classes.COUNTED_CLASSES), np.uint8)
    steps[:, 3] = rng.integers(0, 2, number)
    expected_best = np.where(steps[:, 3] == 1, 5, 20)
    own[np.arange(number), 7] = expected_best  # the largest number there is, or the least
    own = np.where(steps[:, 3:4] == 1, np.maximum(own, 5), np.minimum(own, 20)).astype(np.int16)
    best_move = np.where(steps[:, 3] == 1, own.argmin(1), own.argmax(1))
    near = np.ones((number, 30), bool)
    move_examples = gomoku_policy.GomokuMoveExamples(own, np.zeros_like(own), steps, near, best_move, np.arange(number))
    policy, tested_logits = gomoku_policy.fit_to_examples(move_examples, 1, 20)
    assert policy.shape == (classes.POLICY_ROWS, classes.POLICY_ROW_SIZE)
    assert tested_logits["first"][0] > 0.5
