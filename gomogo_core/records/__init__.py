"""The records of games: one game's record, the store, and the formats that other programs read."""
