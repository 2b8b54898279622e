"""Compiled boards and searches for strong play: one folder per game. They need the extra `engines` (Numba and NumPy).

Uses games only. Nothing here is imported before it is needed: Numba takes half a second.
"""
