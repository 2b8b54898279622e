"""The compiled engine for Go, Capture Go and Robogo: a board, Monte Carlo tree search, and alpha-beta search.

Read in this order:

    array_layout.py       the fields of the arrays that hold a board and a tree
    board.py              stones, chains, captures, ko, scores and rows
    patterns.py           the 3 × 3 patterns
    playouts.py           random games to the end
    move_features.py      ranks of moves in Go, by fitted weights (priors.npy)
    forced_wins.py        captures by ataris in Capture Go, rows by threats in Robogo
    ladders.py            ladders in Go
    first_moves.py        the usual first moves of Go
    priors.py             virtual visits of new nodes of the tree
    tree.py               Monte Carlo tree search
    capture_estimates.py  estimates of positions of Capture Go, and the order of moves
    capture_search.py     alpha-beta search of Capture Go to the first capture
    engine.py             `GoEngine`, the class that takes positions of gomogo_core.games and a time limit

Import it by `gomogo_core.engines.compiling.load`, which manages the cache of compiled code. docs/why/go-champion.md
lists the ideas and their measured effects.
"""

from __future__ import annotations

from gomogo_core.engines.go.engine import GoEngine, SearchedMove, compile_functions

__all__ = ["GoEngine", "SearchedMove", "compile_functions"]
