"""Basic tactics of Go: eyes, ataris, ladders, areas, groups. Functions of boards of stones.

Knows boards and masks (games/stones/board.py), of Go, Capture Go and Robogo alike; no agents, and no clock except the
limits given. Standard library only.
"""
