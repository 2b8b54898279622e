"""Pages about finished games: found, replayed, reviewed, exported."""
