"""Basic tactics of Go: eyes, ataris, ladders, areas, groups. Functions of boards of stones.

Uses boards and masks (games/stones/board.py), of Go, Capture Go and Robogo alike, but no agents, and no clock except
the limits given. Standard library only.
"""
