"""Strategy for Dots and Boxes: from the chains of a board to perfect play.

Uses rows, columns and the mask of drawn edges, numbered as in the game, but no players, and no clock except the limits
given. Standard library only, except NumPy for building a table.

Read board.py first (edges as bits), then chains.py (chains, loops and captures), long_chains.py (the long-chain rule),
exact.py (perfect play by search) and table.py (perfect play by lookup).
"""
