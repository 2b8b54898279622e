"""Basic tactics of Go as functions of a board of stones: eyes, ataris, ladders, influence.

The functions take boards and masks (games/stones/board.py) of Go, Capture Go and Robogo. They do not depend on agents,
and read no clock beyond the caller's limits. The package needs only the standard library.
"""
