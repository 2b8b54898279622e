"""Strategy for Dots and Boxes: from the chains of a board to perfect play.

A position is given by its rows, its columns and the mask of its drawn edges, numbered as in the game. The package has
no players, and reads no clock except for the caller's limits. It needs only the standard library, and NumPy to build a
table.

Read board.py first (edges as bits), then chains.py (chains, loops and captures), long_chains.py (the long-chain rule),
exact.py (perfect play by search) and table.py (perfect play by lookup).
"""
