"""What remains of a game: its record, the store, and the files other programs read."""
