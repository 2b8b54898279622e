"""Exact search: what a game is worth when nobody errs. solve.py, beside this folder, chooses among these.

Knows games and their positions, no heuristics: everything here is proved. state.py says what a position is to a proof,
wins.py proves who wins and how soon, margins.py by how many points, graph.py does so where positions can return,
budget.py says when it is too much; games/ has one file a game that brings a faster state, or its own way to solve.
"""
