"""Positions as something to look at: characters, and pictures."""
