"""Exact search: the value of a game under perfect play. The module search/solve.py chooses among these methods.

The package has no heuristics: every result is proved. state.py defines a position in a proof. wins.py proves the winner
and the number of plies, margins.py the margin, and graph.py wins in games with repetitions. budget.py has the limits.
games/ has a file for each game with a faster state, or with a method of its own.
"""
