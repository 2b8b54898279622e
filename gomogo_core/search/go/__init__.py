"""Basic tactics of Go: eyes, ataris, ladders, areas, groups. Functions of boards of stones.

The package uses boards and masks (games/stones/board.py) of Go, Capture Go and Robogo. It uses no agents, and no clock
beyond the caller's limits. It needs only the standard library.
"""
