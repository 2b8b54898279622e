"""How to play Dots and Boxes well: from the chains of a board to perfect play.

Knows rows, columns and the mask of drawn edges, as the game numbers them; no players, no clock but the limits given.
Standard library only, but for NumPy where a table is built.

Read board.py first (edges as bits), then strings.py (chains, loops and what can be captured), chains.py (the long-chain
rule), exact.py (perfect play by search), table.py (perfect play by looking it up) and solving.py (both at once).
"""
