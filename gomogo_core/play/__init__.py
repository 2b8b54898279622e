"""One game played: the clock, the players, the loop that judges, and the events it tells."""
