"""Strategy for Dots and Boxes: from the chains of a board to perfect play.

The package uses rows, columns and the mask of drawn edges, numbered as in the game. It uses no players, and no clock
beyond the caller's limits. It needs only the standard library, and NumPy to build a table.

Read board.py first (edges as bits), then chains.py (chains, loops and captures), long_chains.py (the long-chain rule),
exact.py (perfect play by search) and table.py (perfect play by lookup).
"""
