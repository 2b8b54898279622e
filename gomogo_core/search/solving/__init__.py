"""Exact search: the value of a game under perfect play. solve.py, beside this folder, chooses among these methods.

Uses games and their positions, no heuristics: everything here is proved. state.py is a position in a proof. wins.py
proves the winner and the number of plies, margins.py the margin, and graph.py wins in games with repetitions. budget.py
has the limits. games/ has a file for each game with a faster state, or with a method of its own.
"""
