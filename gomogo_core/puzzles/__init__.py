"""Puzzles: positions with a proved goal, and verdicts on the moves that a user tries.

attacks.py proves goals; puzzle.py defines a puzzle and reads the shipped ones; attempts.py judges moves. making.py
finds puzzles in games. lessons.py has the introductions. The package depends on games and exact search. It does not
depend on user interfaces, stores or processes.
"""
