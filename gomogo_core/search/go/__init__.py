"""What a player of Go sees on a board: eyes, ataris, ladders, areas, groups. Functions of boards of stones.

Knows boards and masks (games/_board.py), of Go, Capture Go and Robogo alike; no agents, no clock but the one it is
given. Standard library only.
"""
