"""Compiled boards and searches for strong play, one folder per engine. They need the extra `engines` (Numba and NumPy).

The package uses games only. Callers import an engine only when they need it, since importing Numba takes half a second.
"""
