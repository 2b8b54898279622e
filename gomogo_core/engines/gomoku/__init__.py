"""The compiled engine for Gomoku: a board, threat search, and alpha-beta search.

Read in this order:

    array_layout.py  the fields of the array of numbers that holds a board
    shapes.py        the shape that a stone makes along one line, derived from the rules
    classes.py       the class of a point, from the shapes along its four lines; the parameters of the evaluation
    head.npy         the weights of the network in the evaluation
    policy.npy       the weights of the network that orders moves
    board.py         placing and removing a stone, with the update of shapes, classes, sums and masks
    line_network.py  the network that evaluates freestyle and orders its quiet moves, from the lines through each point
    line_network.npz its weights; those of boards of 16 to 19 rows are in line_network_16_to_19.npz
    threats.py       answers to threats, wins by continuous fours (VCF), Renju's forbidden points
    table.py         the transposition table
    search.py        alpha-beta search
    proofs.py        wins by threats of fours and threes (VCT), with a proof against every defence
    engine.py        `GomokuEngine`, the class that takes positions of gomogo_core.games and a time limit

Import it by `gomogo_core.engines.compiling.load`, which manages the cache of compiled code. docs/why/champion.md lists
the ideas that were tried, and the measured effect of each.
"""

from __future__ import annotations

from gomogo_core.engines.gomoku.engine import (
    CLEAR_LEAD,
    EngineAnalysis,
    EngineLine,
    GomokuEngine,
    can_play,
    compile_functions,
)
from gomogo_core.engines.gomoku.player import EnginePlayer

__all__ = [
    "CLEAR_LEAD",
    "EngineAnalysis",
    "EngineLine",
    "EnginePlayer",
    "GomokuEngine",
    "can_play",
    "compile_functions",
]
