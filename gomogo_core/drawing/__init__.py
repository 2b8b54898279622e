"""Drawings of positions, as characters and as pictures."""
