"""Interactive games of humans and agents: moves, undo, hints, explanations, resignation, and their stored form."""
