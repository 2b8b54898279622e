"""An interactive game of humans and agents: moves, undo, hint, explanation, resignation, and its stored form."""
