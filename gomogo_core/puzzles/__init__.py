"""Puzzles: positions with a proved goal, and the judge of the moves that a user tries.

Uses games and exact search, but no user interface, no store, no process. attacks.py proves goals, puzzle.py has one
puzzle and reads the shipped ones, attempts.py judges moves, making.py finds puzzles in games, and lessons.py has the
introductions.
"""
