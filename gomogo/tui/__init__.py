"""The full-screen console: a person points at a board instead of typing moves. Needs textual."""
