"""Plays one game: the clocks, the players, the loop that judges moves, and the events that it emits."""
