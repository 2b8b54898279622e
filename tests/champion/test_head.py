"""The head of the champion's evaluation: the engine computes it as fitted, and the fit finds what is planted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gomogo_core.engines import compiling
from gomogo_core.games.gomoku import Gomoku
from training import champion_games, gomoku_head

GAME = Gomoku(size=9)
MODULE: Any = compiling.load("gomogo_core.engines.gomoku")


def test_the_engine_computes_the_fitted_network() -> None:
    from gomogo_core.engines.gomoku import classes, search
    from gomogo_core.engines.gomoku.array_layout import HIDDEN_UNITS

    games = champion_games.self_play_games(MODULE, GAME, 1, 50, 0)
    records = [next(games), next(games)]
    features = gomoku_head.position_features(MODULE, GAME, records)
    value_network, _, _ = gomoku_head.fit_to_features(features, 1, 2)
    rows = value_network.reshape(classes.VALUE_NETWORK_ROWS, HIDDEN_UNITS)
    expected = []
    for steps, total in zip(*features[:2], strict=True):
        places = 4 + steps + classes.COUNT_STEPS * np.arange(len(steps))
        hidden = rows[0] + total * rows[1] / 256 + rows[places[steps > 0]].sum(0)
        result = np.maximum(hidden, 0) @ rows[2] + total * rows[3, 0] + rows[3, 1]
        expected.append(result / (1 << classes.RESULT_BITS))
    engine, engine_value = (
        MODULE.GomokuEngine(GAME, memory_mb=1, value_network=value_network.ravel(), line_network={}),
        [],
    )
    for record in records:
        cells = bytearray.fromhex(record["cells"])
        for move, _ in record["moves"]:
            engine.set_position(bytes(cells))
            engine_value.append(search.evaluate(engine.arrays))
            cells[move] = 1 if cells.count(1) == cells.count(2) else 2
    assert len(expected) > 10
    for value in expected:
        assert min(abs(value - other) for other in engine_value) < 3


@pytest.mark.slow
def test_the_fit_finds_an_interaction_of_two_counts() -> None:
    from gomogo_core.engines.gomoku import classes

    steps = np.zeros((4000, 2 * classes.COUNTED_CLASSES), np.int64)
    steps[:, [3, 12]] = np.random.default_rng(1).integers(0, 2, (4000, 2))
    target = np.where(steps[:, 3] == steps[:, 12], 0.9, 0.1).astype(np.float32)
    features = (steps, np.zeros(len(steps)), target, np.arange(len(steps)))
    _, before, after = gomoku_head.fit_to_features(features, 1, 100)
    assert before > 0.69  # a sum of the two can predict no more than one half
    assert after < 0.4  # 0.325 is the entropy of the target
