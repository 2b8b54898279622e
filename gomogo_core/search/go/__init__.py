"""Basic tactics of Go: eyes, ataris, ladders, areas, groups. Functions of boards of stones.

The functions take boards and masks (games/stones/board.py) of Go, Capture Go and Robogo. They know no agents, and read
no clock beyond the caller's limits. The package needs only the standard library.
"""
