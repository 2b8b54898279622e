"""The records of games: the record of one game, the store of all games, and file formats for other programs."""
