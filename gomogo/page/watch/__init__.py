"""Pages for spectators: running games and tournaments."""
