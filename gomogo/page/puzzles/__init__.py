"""Puzzles and introductions to the games."""
