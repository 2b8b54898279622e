"""Draws positions, as text for terminals and as pictures."""
