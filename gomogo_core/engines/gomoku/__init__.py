"""The champion of Gomoku: a compiled board, threat search, and alpha-beta search.

Read in this order:

    layout.py    the fields of the one array of numbers that is a board
    shapes.py    what a stone makes along one line, worked out from the rules
    classes.py   what the four lines of a point make together; the parameters of the evaluation
    head.npy     the weights of the network in the evaluation
    policy.npy   the weights of the network that orders moves
    board.py     a stone placed and taken back; shapes, classes, sums and masks kept up to date
    threats.py   answers to threats, wins by continuous fours (VCF), Renju's forbidden points
    table.py     the transposition table
    search.py    the search itself
    proofs.py    wins by threats of fours and threes (VCT), with a proof against every defence
    engine.py    all of it behind one class, `GomokuEngine`, with clocks and positions of gomogo_core.games

Import it by `gomogo_core.engines.compiling.load`, which looks after the cache of compiled code. docs/why/champion.md
lists the ideas that were tried, and the measured value of each.
"""

from __future__ import annotations

from gomogo_core.engines.gomoku.engine import EngineAnalysis, EngineLine, GomokuEngine, can_play, warm
from gomogo_core.engines.gomoku.player import EnginePlayer

__all__ = ["EngineAnalysis", "EngineLine", "EnginePlayer", "GomokuEngine", "can_play", "warm"]
