"""`neural` with the compiled solver of Dots and Boxes: perfect near the end, and by its network before."""

from __future__ import annotations

import gc
import random
import sys

import pytest

from gomogo_core.engines.boxes import BoxesSolver
from gomogo_core.games.dots_and_boxes import DotsAndBoxes, DotsAndBoxesPosition
from tests.agents._matches import agent, clock

pytest.importorskip("onnxruntime")


def test_neural_plays_boxes_by_its_network_and_the_end_perfectly() -> None:
    choose, game = agent("neural"), DotsAndBoxes(rows=5, cols=5)
    sys.modules["neural"].prepare(game)
    gc.enable()  # `prepare` ends it, for a process that only plays
    solver = BoxesSolver(5, 5, 8)
    for seed, undrawn in enumerate([44, 32, 28, 24, 20, 9, 1]):
        edges = random.Random(seed).sample(game.edges, 60 - undrawn)
        position, turn = game.replay(map(game.format, edges)), clock(20.0)
        assert isinstance(position, DotsAndBoxesPosition)
        move = choose(position, turn, visits=20)
        if undrawn > 40:
            assert "visits" in turn.analysis_text
        else:
            assert "perfect play" in turn.analysis_text
            assert game.edges.index(move) in solver.best_edges(position.drawn)[1]
