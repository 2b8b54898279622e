"""Basic tactics of Go: eyes, ataris, ladders, areas, groups. Functions of boards of stones.

Uses boards and masks (games/stones/board.py) of Go, Capture Go and Robogo. Uses no agents, and no clock beyond the
caller's limits. Standard library only.
"""
