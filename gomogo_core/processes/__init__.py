"""Programs that are not ours: started, watched, and ended with all they started themselves."""
